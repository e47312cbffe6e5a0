"""Counting store: where requests and failed authentications are counted, in this process or in a shared Redis."""

from typing import Any

from limits.aio.storage import RedisStorage
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.failure_window import FailureWindow, MemoryWindow, SharedWindow
from rest_facade.access.rate_counter import MemoryStorage, RateCounter
from rest_facade.settings import MEMORY


class CountingStore:
    """Makes counters that use one store. The counters of a Redis share its connections and a circuit breaker.

    `address` is MEMORY, or the URL of a Redis or Valkey, such as `redis://host:port/0`.
    """

    def __init__(self, address: str) -> None:
        self._redis = None if address == MEMORY else SharedStorage(address)
        self._circuit_breaker = CircuitBreaker("quota store")

    def counter(self, name: str, window: int) -> RateCounter:
        """A counter in fixed windows of `window` seconds. Counters of different names do not share keys."""
        if self._redis is None:
            return RateCounter(MemoryStorage(), prefix=name, window=window, is_spread=True)
        breaker = self._circuit_breaker
        return RateCounter(self._redis, prefix=name, window=window, circuit_breaker=breaker, is_spread=True)

    def failure_window(self, name: str) -> FailureWindow:
        """Moving windows of failed authentications. Windows of different names do not share keys."""
        if self._redis is None:
            return MemoryWindow()
        return SharedWindow(self._redis, name, self._circuit_breaker)

    async def close(self) -> None:
        """Close all connections to the Redis."""
        if self._redis is not None:
            await self._redis.close()


class SharedStorage(RedisStorage):
    """The Redis or Valkey at `url`, shared by all workers and instances. It connects at the first call."""

    def __init__(self, url: str) -> None:
        # No timeouts: `CircuitBreaker` has one for the whole call. No retries: a call that failed may have counted.
        self._connections = ConnectionPool.from_url(url, retry=Retry(NoBackoff(), 0))
        options: dict[str, Any] = {"connection_pool": self._connections}
        super().__init__(f"async+{url}", implementation="redispy", key_prefix="orgdata", **options)

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.aclose()
