"""Counting store: where requests and failed authentications are counted, in this process or in a shared Redis."""

from typing import TYPE_CHECKING

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.rate_counter import MemoryStorage, OutageCounts, RateCounter
from rest_facade.access.throttle import FailureWindow, MemoryWindow
from rest_facade.settings import MEMORY

if TYPE_CHECKING:
    from rest_facade.access.redis_store import SentinelStorage, SharedStorage


class CountingStore:
    """Makes counters that use one store. The counters of a Redis share its connections and a circuit breaker.

    `address` is MEMORY, or the URL of a Redis or Valkey, such as `redis://host:port/0`, or of its sentinels, such as
    `redis+sentinel://host1:port,host2:port/name`. `grace`: seconds of its outage in which this process counts alone.
    """

    def __init__(self, address: str, *, grace: float = 0.0) -> None:
        self._redis: SharedStorage | SentinelStorage | None = None
        if address != MEMORY:
            from rest_facade.access.redis_store import redis_storage  # noqa: PLC0415 - takes a while

            self._redis = redis_storage(address)
        self._circuit_breaker = CircuitBreaker("quota store")
        self._outage = OutageCounts(grace)

    def counter(self, name: str, window: int) -> RateCounter:
        """A counter in fixed windows of `window` seconds. Counters of different names do not share keys."""
        if self._redis is None:
            return RateCounter(MemoryStorage(), prefix=name, window=window, is_spread=True)
        breaker, outage = self._circuit_breaker, self._outage
        return RateCounter(
            self._redis, prefix=name, window=window, circuit_breaker=breaker, outage=outage, is_spread=True
        )

    def failure_window(self, name: str) -> FailureWindow:
        """Moving windows of failed authentications. Windows of different names do not share keys."""
        if self._redis is None:
            return MemoryWindow()
        from rest_facade.access.redis_store import SharedWindow  # noqa: PLC0415 - takes a while

        return SharedWindow(self._redis, name, self._circuit_breaker)

    async def close(self) -> None:
        """Close all connections to the Redis."""
        if self._redis is not None:
            await self._redis.close()
