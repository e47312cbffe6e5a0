"""Counting in fixed windows: what the throttle and the quota promise to each other, kept by throttled-py."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from throttled.asyncio import MemoryStore, RateLimiterType, Throttled, rate_limiter
from throttled.asyncio.store import BaseStore
from throttled.exceptions import BaseThrottledError

MOST_KEYS = 50_000
"""Counted keys of one process at most; the least recently used is forgotten first (about 350 bytes each)."""


class Count(NamedTuple):
    """Where one window stands. `reset` is a Unix time, `retry_after` whole seconds until then, at least 1."""

    limit: int
    remaining: int
    reset: int
    retry_after: int
    over: bool


class CountingFailed(Exception):
    """The store did not answer, or not sensibly; nothing is known about the count."""


class Counter:
    """Counts uses of keys. Windows are aligned to the clock: each worker sees the same one."""

    def __init__(self, store: BaseStore, *, prefix: str, window: int, clock: Callable[[], float] = time.time) -> None:
        self._window = window
        self._clock = clock
        self._limiter = lru_cache(maxsize=256)(lambda limit: self._make(store, prefix, limit))

    async def spend(self, key: str, limit: int) -> Count:
        """Use one of `limit`. Raises CountingFailed."""
        try:
            result = await self._limiter(limit).limit(key)
        except (BaseThrottledError, OSError) as error:
            raise CountingFailed from error
        return self._count(limit, result.state.remaining, result.state.reset_after, result.limited)

    async def peek(self, key: str, limit: int) -> Count:
        """Look without using. Raises CountingFailed."""
        try:
            state = await self._limiter(limit).peek(key)
        except (BaseThrottledError, OSError) as error:
            raise CountingFailed from error
        return self._count(limit, state.remaining, state.reset_after, state.remaining == 0)

    async def ping(self) -> None:
        """Raise CountingFailed unless the store answers."""
        await self.peek("ping", 1)

    def _count(self, limit: int, remaining: int, reset_after: float, over: bool) -> Count:
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
