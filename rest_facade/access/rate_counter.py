"""Counting in fixed windows: what the throttle and the quota promise to each other, kept by throttled-py."""

import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple, TypeVar

import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from throttled.asyncio import MemoryStore, RateLimiterType, RedisStore, Throttled, rate_limiter
from throttled.asyncio.store import BaseStore

from rest_facade.access.circuit_breaker import CircuitBreaker

log = structlog.get_logger()

MOST_KEYS = 50_000
"""Counted keys of one process at most; the least recently used is forgotten first (about 350 bytes each)."""


Result = TypeVar("Result")


class Count(NamedTuple):
    """Where one window stands. `reset` is a Unix time, `retry_after` whole seconds until then, at least 1."""

    limit: int
    remaining: int
    reset: int
    retry_after: int
    over: bool


class CountingFailed(Exception):
    """The store did not answer, or not sensibly; nothing is known about the count."""


class RateCounter:
    """Counts uses of keys. Windows are aligned to the clock: each worker sees the same one.

    `patience` is for a store that others keep: all counters of one store share it.
    """

    def __init__(
        self,
        store: BaseStore,
        *,
        prefix: str,
        window: int,
        patience: CircuitBreaker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._window = window
        self._clock = clock
        self._circuit_breaker = patience
        self._limiter = lru_cache(maxsize=256)(lambda limit: self._make(store, prefix, limit))

    async def spend(self, key: str, limit: int) -> Count:
        """Use one of `limit`. Raises CountingFailed."""
        result = await self._ask(self._limiter(limit).limit, key)
        return self._count(limit, result.state.remaining, result.state.reset_after, result.limited)

    async def peek(self, key: str, limit: int) -> Count:
        """Look without using. Raises CountingFailed."""
        state = await self._ask(self._limiter(limit).peek, key)
        return self._count(limit, state.remaining, state.reset_after, state.remaining == 0)

    async def ping(self) -> None:
        """Raise CountingFailed unless the store counts: one that only answers can't be relied on."""
        await self.spend("ping", 1)

    async def _ask(self, question: Callable[[str], Awaitable[Result]], key: str) -> Result:
        try:
            return await (question(key) if self._circuit_breaker is None else self._circuit_breaker.ask(question, key))
        except Exception as error:
            # Whatever a store that is broken may say, and whatever a library makes of it: nothing is known.
            if self._circuit_breaker is None:
                log.exception("counting failed")
            raise CountingFailed from error

    def _count(self, limit: int, remaining: int, reset_after: float, over: bool) -> Count:
        if not 0 <= remaining <= limit:
            raise CountingFailed(f"The store has {remaining} of {limit} left.")
        # The store tells the seconds that are left; the window's end is the multiple of its length nearest to that.
        reset = round((self._clock() + reset_after) / self._window) * self._window
        return Count(limit, remaining, reset, max(1, round(reset_after)), over)

    def _make(self, store: BaseStore, prefix: str, limit: int) -> Throttled:
        return Throttled(
            using=RateLimiterType.FIXED_WINDOW.value,
            quota=rate_limiter.per_duration(timedelta(seconds=self._window), limit),
            store=store,
            key_prefix=prefix,
        )


def memory() -> BaseStore:
    """A store for one process: counts are lost when it ends, and other workers don't see them."""
    return MemoryStore(options={"MAX_SIZE": MOST_KEYS})


def shared(url: str) -> BaseStore:
    """The Redis or Valkey at `url`, in which all workers and instances count together. It connects when it is asked."""
    # No time-outs here: `Patience` has one for all that an answer takes. Nothing is tried twice: it may have counted.
    pool = {"retry": Retry(NoBackoff(), 0)}
    return RedisStore(server=url, options={"REUSE_CONNECTION": True, "CONNECTION_POOL_KWARGS": pool})
