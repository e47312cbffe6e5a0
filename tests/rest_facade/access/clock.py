"""The clock of rate counters in tests, with a window of 60 seconds, half over; and a store that fails, or repeats."""

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.counting_store import GuardedStorage

START, END = 1_800_000_030, 1_800_000_060
"""The middle and the end of a window of 60 seconds."""


class Clock:
    """A clock that only a test moves."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def freeze(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for counters, so that no window ends during a test. It is their monotonic clock, too.

    All windows end together, whatever their keys are.
    """
    clock = Clock()
    monkeypatch.setattr("rest_facade.access.rate_counter.crc32", lambda _: 0)
    monkeypatch.setattr("rest_facade.access.rate_counter.monotonic", clock)
    return clock


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
