"""Counts in a Redis or Valkey. Only a service that has one imports this module: the libraries take a while to load."""

import asyncio
import time
from collections.abc import Callable
from math import inf
from typing import Any

from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisSentinelStorage, RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from db.values.bounded_dict import BoundedDict
from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.expiring_dict import ExpiringDict
from rest_facade.access.throttle import MAX_ADDRESSES, MAX_FAILURES, NO_FAILURES, WINDOW_SECONDS, Failures

SENTINEL_SECONDS = 0.1
"""Seconds that a sentinel has to answer."""

CLOCK_SKEW_SECONDS = 60
"""Seconds by which the clocks of two instances may differ: a failure has the time of the one that counted it."""

RESERVATION_SECONDS = 10
"""Seconds after which the look-ups of a worker that was killed no longer count."""


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


class SharedWindow:
    """The windows of all workers and instances, in a Redis or Valkey.

    Raises OpenCircuit or TimeoutError where the store does not answer (see `circuit_breaker`).
    """

    def __init__(
        self,
        storage: RedisStorage,
        prefix: str,
        circuit_breaker: CircuitBreaker,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._storage, self._prefix = storage, prefix
        self._limiter = MovingWindowRateLimiter(storage)
        self._limit = RateLimitItemPerSecond(MAX_FAILURES, WINDOW_SECONDS, namespace=f"{prefix}:failures")
        self._circuit_breaker = circuit_breaker
        self._clock = clock

        # An address stays blocked until its oldest failure leaves the window. Until then the store is not called.
        self._blocked_until: ExpiringDict[float] = ExpiringDict(MAX_ADDRESSES)
        self._clean_at: BoundedDict[str, float] = BoundedDict(MAX_ADDRESSES)
        """When the store was last asked about an address that had no failures."""
        self._added = 0

    async def failures(self, address: str, *, max_age: float = 0.0) -> Failures:
        now = time.monotonic()
        if now - self._clean_at.get(address, -inf) < max_age:
            return NO_FAILURES
        self._blocked_until.sweep(now, now)
        blocked_for = self._blocked_until.get(address, 0.0) - now
        if blocked_for > 0:
            return Failures(MAX_FAILURES, blocked_for)
        added = self._added
        stats = await self._circuit_breaker.call(self._limiter.get_window_stats, self._limit, address)
        total, leaves_in = MAX_FAILURES - stats.remaining, stats.reset_time - self._clock()
        if not (0 <= total <= MAX_FAILURES and leaves_in <= WINDOW_SECONDS + CLOCK_SKEW_SECONDS):
            # A broken store's nonsense must not block an address.
            raise ValueError(f"The store has {total} failures of {MAX_FAILURES}, which last {leaves_in:.0f} s.")
        failures = Failures(total, min(leaves_in, WINDOW_SECONDS))
        if failures.are_over:
            self._blocked_until[address] = time.monotonic() + failures.oldest_leaves_in
        elif not failures.total and added == self._added:
            self._clean_at[address] = now
        return failures

    async def add(self, address: str) -> bool:
        self._added += 1
        self._clean_at.pop(address, None)
        return await self._circuit_breaker.call(self._limiter.hit, self._limit, address)

    async def begin_lookup(self, address: str) -> bool:
        under_way = await self._count_lookups(address, 1)
        try:
            # Asked after this look-up counts: one that ends in between has added its failure before.
            has_room = under_way + (await self.failures(address)).total <= MAX_FAILURES
        except BaseException:
            await asyncio.shield(self.end_lookup(address))
            raise
        if not has_room:
            await self.end_lookup(address)
        return has_room

    async def end_lookup(self, address: str) -> None:
        await self._count_lookups(address, -1)

    async def _count_lookups(self, address: str, amount: int) -> int:
        key = f"{self._prefix}:lookups:{address}"
        return await self._circuit_breaker.call(self._storage.incr, key, RESERVATION_SECONDS, amount)
