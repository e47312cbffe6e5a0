"""Fixed-window rate counters of the quotas, in this process or in a Redis that workers share."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic
from typing import NamedTuple, Protocol
from zlib import crc32

import structlog
from cachetools import LRUCache

from rest_facade.access.circuit_breaker import CircuitBreaker

log = structlog.get_logger()

MAX_KEYS = 50_000
"""Keys that one process counts at most, about 220 bytes each. The least recently used is evicted first."""

MAX_USED_UP = 10_000
"""Windows that one process remembers as used up at most. The least recently used is evicted first."""


class Count(NamedTuple):
    """The state of one window. `reset` is a Unix time; `retry_after` is whole seconds until then, at least 1."""

    limit: int
    remaining: int
    reset: int
    retry_after: int
    over: bool


class CountingFailed(Exception):
    """The store did not answer, or its answer is impossible: the count is unknown."""


class Storage(Protocol):
    """Where uses are counted. The storages of the library `limits` have this method."""

    async def incr(self, key: str, expiry: int) -> int:
        """Count one use of a key, which expires `expiry` seconds after the first. Returns the uses so far."""


class MemoryStorage:
    """The counts of one process. They are lost when it ends, and other workers don't see them.

    Not the memory storage of `limits`, which goes through all keys after each use. Keys do not expire here: a key of
    RateCounter names its window, and is not used after it.
    """

    def __init__(self) -> None:
        self._uses: OrderedDict[str, int] = OrderedDict()

    async def incr(self, key: str, expiry: int) -> int:
        uses = self._uses[key] = self._uses.get(key, 0) + 1
        self._uses.move_to_end(key)
        if len(self._uses) > MAX_KEYS:
            self._uses.popitem(last=False)
        return uses


class OutageCounts:
    """Counts of this process while a shared store fails, for `seconds` after the first failure."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began_at: float | None = None
        self._uses = MemoryStorage()

    @property
    def seconds_left(self) -> float | None:
        """How long this process still counts; None while the store is well."""
        return None if self._began_at is None else max(0.0, self._began_at + self._seconds - monotonic())

    def end(self) -> None:
        """Record that the store has counted."""
        self._began_at = None

    async def incr(self, key: str, expiry: int) -> int | None:
        """Count one use, as a storage does; None if the outage is longer than `seconds`."""
        if self._began_at is None:
            self._began_at = monotonic()
            if self._seconds:
                log.warning("this process counts requests by itself", seconds=self._seconds)
        return await self._uses.incr(key, expiry) if self.seconds_left else None


class RateCounter:
    """Counts uses of keys in fixed windows, which are aligned to the clock, so that all workers have the same ones.

    `is_spread`: the windows of an organization, or of a token, are moved by some seconds, which follow from its id. So
    they do not all end in the same second, in which every client that waited would begin again.

    A window that is known to be used up is refused until its end without asking the store: a refusal must be cheaper
    than what it refuses. Another limit for the same key, such as a raised override, asks the store at once.

    `circuit_breaker` protects a remote store, and `outage` counts while that fails; all counters of one store share
    them.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        prefix: str,
        window: int,
        circuit_breaker: CircuitBreaker | None = None,
        outage: OutageCounts | None = None,
        clock: Callable[[], float] = time.time,
        is_spread: bool = False,
    ) -> None:
        self._storage = storage
        self._is_spread = is_spread
        self._prefix = prefix
        self._window = window
        self._clock = clock
        self._circuit_breaker = circuit_breaker
        self._outage = outage or OutageCounts(0)
        self._used_up: LRUCache[tuple[str, int], float] = LRUCache(MAX_USED_UP)
        """The end of the window of a key and a limit, in monotonic time: the wall clock may step."""

    async def consume(self, key: str, limit: int) -> Count:
        """Count one use of `key`. Raises CountingFailed."""
        offset = crc32(key.partition(":")[0].encode()) % self._window if self._is_spread else 0
        seconds_left = self._used_up.get((key, limit), 0.0) - monotonic()
        if seconds_left > 0:
            # Not the next end by the wall clock: after a step of that clock it would not be `retry_after` from now.
            reset = round(self._clock() + seconds_left)
            return Count(limit, 0, reset, max(1, ceil(round(seconds_left, 3))), over=True)
        now = int(self._clock())
        number = (now - offset) // self._window
        uses = await self._count(f"{self._prefix}:{key}:{number}")
        reset = (number + 1) * self._window + offset
        if uses > limit:
            self._used_up[key, limit] = monotonic() + reset - self._clock()
        return Count(limit, max(0, limit - uses), reset, reset - now, over=uses > limit)

    async def ping(self) -> str | None:
        """Raise CountingFailed unless uses are counted. Returns who counts if that is not the store.

        It counts one use: a store may answer and yet refuse writes.
        """
        await self._count(f"{self._prefix}:ping")
        left = self._outage.seconds_left
        return None if left is None else f"unreachable, each process counts by itself for {left:.0f} s more"

    async def _count(self, name: str) -> int:
        try:
            if self._circuit_breaker is None:
                uses = await self._incr(name)
            else:
                uses = await self._circuit_breaker.call(self._incr, name)
        except Exception as error:
            # Any exception: a broken store's answer can make the library fail in many ways.
            if self._circuit_breaker is None:
                log.exception("counting failed")
            counted_here = await self._outage.incr(name, self._window)
            if counted_here is None:
                raise CountingFailed from error
            return counted_here
        self._outage.end()
        return uses

    async def _incr(self, name: str) -> int:
        uses = await self._storage.incr(name, self._window)
        if uses < 1:
            raise ValueError(f"The store has counted {uses} uses.")
        return uses
