"""Counting store: where requests and failed authentications are counted, in this process or in a shared Redis."""

from typing import Any

from limits.aio.storage import RedisSentinelStorage, RedisStorage
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.failure_window import FailureWindow, MemoryWindow, SharedWindow
from rest_facade.access.rate_counter import MemoryStorage, OutageCounts, RateCounter
from rest_facade.settings import MEMORY

SENTINEL_SECONDS = 0.1
"""Seconds that a sentinel has to answer."""


class CountingStore:
    """Makes counters that use one store. The counters of a Redis share its connections and a circuit breaker.

    `address` is MEMORY, or the URL of a Redis or Valkey, such as `redis://host:port/0`, or of its sentinels, such as
    `redis+sentinel://host1:port,host2:port/name`. `grace`: seconds of its outage in which this process counts alone.
    """

    def __init__(self, address: str, *, grace: float = 0.0) -> None:
        self._redis: SharedStorage | SentinelStorage | None = None
        if address != MEMORY:
            self._redis = (SentinelStorage if "+sentinel://" in address else SharedStorage)(address)
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


class SentinelStorage(RedisSentinelStorage):
    """The primary that the sentinels at `url` name. A connection that is lost asks them for the present one.

    The user and the password of the URL are those of the store and of the sentinels.
    """

    def __init__(self, url: str) -> None:
        tls = {"ssl": True} if url.startswith("rediss") else {}
        # A sentinel that hangs leaves time to ask the next one before the call times out.
        asking: dict[str, Any] = {"socket_timeout": SENTINEL_SECONDS, "socket_connect_timeout": SENTINEL_SECONDS, **tls}
        options: dict[str, Any] = {"retry": Retry(NoBackoff(), 0), **tls}
        uri = f"async+{url.replace('rediss', 'redis', 1)}"
        super().__init__(
            uri,
            implementation="redispy",
            key_prefix="orgdata",
            use_replicas=False,
            sentinel_kwargs=asking | options,
            **options,
        )

    async def close(self) -> None:
        """Close the connections to the store and to the sentinels."""
        clients: Any = [self.bridge.storage, *self.bridge.sentinel.sentinels]  # type: ignore[attr-defined]
        for client in clients:
            await client.connection_pool.aclose()
