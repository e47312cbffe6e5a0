"""Fixed-window rate counters for the throttle and the quotas, in this process or in Redis (library: throttled-py)."""

import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import lru_cache
from math import ceil
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import structlog
from cachetools import LRUCache
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from throttled.asyncio import MemoryStore, RateLimiterType, RedisStore, Throttled, rate_limiter
from throttled.asyncio.store import BaseStore

from rest_facade.access.circuit_breaker import CircuitBreaker

log = structlog.get_logger()

MAX_KEYS = 50_000
"""Keys that one process counts at most, about 350 bytes each. The least recently used is evicted first."""

MAX_USED_UP = 10_000
"""Windows that one process remembers as used up at most. The least recently used is evicted first."""

Result = TypeVar("Result")


class Count(NamedTuple):
    """The state of one window. `reset` is a Unix time; `retry_after` is whole seconds until then, at least 1."""

    limit: int
    remaining: int
    reset: int
    retry_after: int
    over: bool


class CountingFailed(Exception):
    """The store did not answer, or its answer is impossible: the count is unknown."""


class RateCounter:
    """Counts uses of keys in fixed windows. Windows are aligned to the clock, so that all workers have the same ones.

    A window that is known to be used up is refused until its end without asking the store: a refusal must be cheaper
    than what it refuses. Another limit for the same key, such as a raised override, asks the store at once.

    `circuit_breaker` protects a remote store; all counters of one store share it.
    """

    def __init__(
        self,
        store: BaseStore,
        *,
        prefix: str,
        window: int,
        circuit_breaker: CircuitBreaker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._window = window
        self._clock = clock
        self._circuit_breaker = circuit_breaker
        self._used_up: LRUCache[tuple[str, int], float] = LRUCache(MAX_USED_UP)
        """The end of the window of a key and a limit, in monotonic time: the wall clock may step."""
        self._limiter = lru_cache(maxsize=256)(lambda limit: self._new_limiter(store, prefix, limit))

    async def consume(self, key: str, limit: int) -> Count:
        """Count one use of `key`. Raises CountingFailed."""
        seconds_left = self._used_up.get((key, limit), 0.0) - monotonic()
        if seconds_left > 0:
            return self._count(limit, 0, ceil(round(seconds_left, 3)), over=True)
        result = await self._call(self._limiter(limit).limit, key)
        count = self._count(limit, result.state.remaining, result.state.reset_after, result.limited)
        if count.over:
            self._used_up[key, limit] = monotonic() + count.reset - self._clock()
        return count

    async def peek(self, key: str, limit: int) -> Count:
        """The state of `key` without counting a use. Raises CountingFailed."""
        state = await self._call(self._limiter(limit).peek, key)
        return self._count(limit, state.remaining, state.reset_after, state.remaining == 0)

    async def ping(self) -> None:
        """Raise CountingFailed unless the store counts. It counts one use: a store may answer and yet refuse writes."""
        await self._call(self._limiter(1).limit, "ping")

    async def _call(self, operation: Callable[[str], Awaitable[Result]], key: str) -> Result:
        try:
            if self._circuit_breaker is None:
                return await operation(key)
            return await self._circuit_breaker.call(operation, key)
        except Exception as error:
            # Any exception: a broken store's answer can make the library fail in many ways.
            if self._circuit_breaker is None:
                log.exception("counting failed")
            raise CountingFailed from error

    def _count(self, limit: int, remaining: int, reset_after: float, over: bool) -> Count:
        if not 0 <= remaining <= limit:
            raise CountingFailed(f"The store has {remaining} of {limit} left.")
        # The store returns the seconds that are left; the window ends at the nearest multiple of its length.
        reset = round((self._clock() + reset_after) / self._window) * self._window
        return Count(limit, remaining, reset, max(1, round(reset_after)), over)

    def _new_limiter(self, store: BaseStore, prefix: str, limit: int) -> Throttled:
        return Throttled(
            using=RateLimiterType.FIXED_WINDOW.value,
            quota=rate_limiter.per_duration(timedelta(seconds=self._window), limit),
            store=store,
            key_prefix=prefix,
        )


def memory_store() -> BaseStore:
    """A store of one process. Its counts are lost when the process ends, and other workers don't see them."""
    return MemoryStore(options={"MAX_SIZE": MAX_KEYS})


def redis_store(url: str) -> RedisStore:
    """The Redis or Valkey at `url`, shared by all workers and instances. It connects at the first call."""
    # No timeouts here: `CircuitBreaker` has one for the whole call. No retries: a call that failed may have counted.
    pool = {"retry": Retry(NoBackoff(), 0)}
    return RedisStore(server=url, options={"REUSE_CONNECTION": True, "CONNECTION_POOL_KWARGS": pool})


async def close_redis_store(store: RedisStore) -> None:
    """Close the connections of a Redis store. The library has no function for that, only its client."""
    client: Any = store._backend.get_client()  # noqa: SLF001 - the protocol that annotates it lacks `aclose`, too
    await client.aclose(close_connection_pool=True)
