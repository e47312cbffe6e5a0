"""Counting store: where requests and failed authentications are counted, in this process or in a shared Redis."""

from time import monotonic
from typing import TYPE_CHECKING

import structlog

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.rate_counter import CountingFailed, MemoryStorage, RateCounter, Storage
from rest_facade.access.throttle import FailureWindow, MemoryWindow
from rest_facade.settings import MEMORY

if TYPE_CHECKING:
    from rest_facade.access.redis_store import SentinelStorage, SharedStorage

log = structlog.get_logger()

PING_WINDOW_SECONDS = 60


class GuardedStorage:
    """A remote storage behind a circuit breaker. While it fails, this process counts by itself, for `grace` seconds.

    `remote` is a storage of the library `limits`, whose `incr` may raise any exception.
    """

    def __init__(self, remote: Storage, circuit_breaker: CircuitBreaker, grace: float = 0.0) -> None:
        self._remote = remote
        self._circuit_breaker = circuit_breaker
        self._grace = grace
        self._failing_since: float | None = None
        self._own = MemoryStorage()

    @property
    def seconds_left(self) -> float | None:
        """How long this process still counts; None while the storage is well."""
        if self._failing_since is None:
            return None
        return max(0.0, self._failing_since + self._grace - monotonic())

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        try:
            uses = await self._circuit_breaker.call(self._incr, key, expiry, amount)
        except Exception as error:
            # Any exception: a broken store's answer can make the library fail in many ways.
            if self._failing_since is None:
                self._failing_since = monotonic()
                if self._grace:
                    log.warning("this process counts requests by itself", seconds=self._grace)
            if not self.seconds_left:
                raise CountingFailed from error
            return await self._own.incr(key, expiry, amount)
        self._failing_since = None
        return uses

    async def _incr(self, key: str, expiry: int, amount: int) -> int:
        uses = await self._remote.incr(key, expiry, amount)
        if amount < 0 and uses < 0:
            # The store has lost the uses that are given back: it restarted meanwhile.
            return max(0, await self._remote.incr(key, expiry, -amount))
        if uses < max(0, amount):
            raise ValueError(f"The store has counted {uses} uses.")
        return uses


class CountingStore:
    """Makes counters that use one store. The counters of a Redis share its connections and a circuit breaker.

    `address` is MEMORY, or the URL of a Redis or Valkey, such as `redis://host:port/0`, or of its sentinels, such as
    `redis+sentinel://host1:port,host2:port/name`. `grace`: seconds of its outage in which this process counts alone.
    """

    def __init__(self, address: str, *, grace: float = 0.0) -> None:
        self._redis: SharedStorage | SentinelStorage | None = None
        self._circuit_breaker = CircuitBreaker("quota store")
        self._shared: GuardedStorage | None = None
        if address != MEMORY:
            from rest_facade.access import redis_store  # noqa: PLC0415 - takes a while

            storage = redis_store.SentinelStorage if "+sentinel://" in address else redis_store.SharedStorage
            self._redis = storage(address)
            self._shared = GuardedStorage(self._redis, self._circuit_breaker, grace)

    def counter(self, name: str, window: int) -> RateCounter:
        """A counter in fixed windows of `window` seconds. Counters of different names do not share keys."""
        return RateCounter(self._shared or MemoryStorage(), prefix=name, window=window)

    def failure_window(self, name: str) -> FailureWindow:
        """Moving windows of failed authentications. Windows of different names do not share keys."""
        if self._redis is None:
            return MemoryWindow()
        from rest_facade.access.redis_store import SharedWindow  # noqa: PLC0415 - takes a while

        return SharedWindow(self._redis, name, self._circuit_breaker)

    def is_up(self) -> bool:
        """Whether the store counted the last use; a process that counts by itself has none that could fail."""
        return self._shared is None or self._shared.seconds_left is None

    async def ping(self) -> str | None:
        """Raise CountingFailed unless uses are counted. Returns who counts if that is not the store.

        It counts one use: a store may answer and yet refuse writes.
        """
        if self._shared is None:
            return None
        await self._shared.incr("ping", PING_WINDOW_SECONDS)
        left = self._shared.seconds_left
        return None if left is None else f"unreachable, each process counts by itself for {left:.0f} s more"

    async def close(self) -> None:
        """Close all connections to the Redis."""
        if self._redis is not None:
            await self._redis.close()
