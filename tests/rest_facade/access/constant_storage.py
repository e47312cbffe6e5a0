"""A remote storage of counts that always returns or raises the same."""

from redis.exceptions import ConnectionError as RedisConnectionError

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.counting_store import GuardedStorage


class Constant:
    """A remote storage that returns the same count for every key, or always raises the same error."""

    def __init__(self, result: int | Exception) -> None:
        self._result = result

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


def guarded(result: int | Exception) -> GuardedStorage:
    """A storage whose remote one always returns or raises the same."""
    return GuardedStorage(Constant(result), CircuitBreaker("store of a test"))


UNREACHABLE = guarded(RedisConnectionError("down"))
