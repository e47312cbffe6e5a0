"""Fixed-window rate counters of the quotas, in this process or in a Redis that workers share."""

import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from math import ceil
from time import monotonic
from typing import NamedTuple, Protocol
from zlib import crc32

import structlog

from db.reading.bounded_dict import BoundedDict
from rest_facade.access.circuit_breaker import CircuitBreaker

log = structlog.get_logger()

MAX_KEYS = 50_000
"""Keys that one process counts at most, about 220 bytes each. That whose last use is oldest is evicted first."""

MAX_USED_UP = 10_000
"""Windows that one process remembers as used up at most. The oldest is evicted first."""


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

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count uses of a key, which expires `expiry` seconds after the first. Returns the uses so far."""


class MemoryStorage:
    """The counts of one process. They are lost when it ends, and other workers don't see them.

    Not the memory storage of `limits`, which goes through all keys after each use. Keys do not expire here: a key of
    RateCounter names its window, and is not used after it.
    """

    def __init__(self) -> None:
        self._uses: OrderedDict[str, int] = OrderedDict()

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        uses = self._uses[key] = self._uses.get(key, 0) + amount
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

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int | None:
        """Count uses, as a storage does; None if the outage is longer than `seconds`."""
        if self._began_at is None:
            self._began_at = monotonic()
            if self._seconds:
                log.warning("this process counts requests by itself", seconds=self._seconds)
        return await self._uses.incr(key, expiry, amount) if self.seconds_left else None


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
        self._used_up: BoundedDict[tuple[str, int], float] = BoundedDict(MAX_USED_UP)
        """The end of the window of a key and a limit, in monotonic time: the wall clock may step."""

    async def consume(self, key: str, limit: int) -> Count:
        """Count one use of `key`. Raises CountingFailed."""
        seconds_left = self._used_up.get((key, limit), 0.0) - monotonic()
        if seconds_left > 0:
            # Not the next end by the wall clock: after a step of that clock it would not be `retry_after` from now.
            reset = round(self._clock() + seconds_left)
            return Count(limit, 0, reset, max(1, ceil(round(seconds_left, 3))), over=True)
        now = int(self._clock())
        name, reset = self._window_at(key, now)
        uses = await self._count(name)
        if uses > limit:
            self._used_up[key, limit] = monotonic() + reset - self._clock()
        return Count(limit, max(0, limit - uses), reset, reset - now, over=uses > limit)

    async def reserve(self, key: str, limit: int, amount: int) -> Count:
        """Count several uses of `key` at once, or none of them if they are over the limit. Raises CountingFailed."""
        now = int(self._clock())
        name, reset = self._window_at(key, now)
        uses = await self._count(name, amount)
        over = uses > limit
        if over:
            uses = await self._count(name, -amount)
        return Count(limit, max(0, limit - uses), reset, reset - now, over)

    async def give_back(self, key: str, count: Count, amount: int) -> Count:
        """Take uses out of the window in which they were reserved, unless it has ended. Raises CountingFailed."""
        name, reset = self._window_at(key, int(self._clock()))
        if reset != count.reset:
            return count
        return count._replace(remaining=max(0, count.limit - await self._count(name, -amount)))

    async def ping(self) -> str | None:
        """Raise CountingFailed unless uses are counted. Returns who counts if that is not the store.

        It counts one use: a store may answer and yet refuse writes.
        """
        await self._count(f"{self._prefix}:ping")
        left = self._outage.seconds_left
        return None if left is None else f"unreachable, each process counts by itself for {left:.0f} s more"

    def _window_at(self, key: str, now: int) -> tuple[str, int]:
        """The name of the window of a key at a time, and its end."""
        offset = crc32(key.partition(":")[0].encode()) % self._window if self._is_spread else 0
        number = (now - offset) // self._window
        return f"{self._prefix}:{key}:{number}", (number + 1) * self._window + offset

    async def _count(self, name: str, amount: int = 1) -> int:
        try:
            if self._circuit_breaker is None:
                uses = await self._incr(name, amount)
            else:
                uses = await self._circuit_breaker.call(partial(self._incr, amount=amount), name)
        except Exception as error:
            # Any exception: a broken store's answer can make the library fail in many ways.
            if self._circuit_breaker is None:
                log.exception("counting failed")
            counted_here = await self._outage.incr(name, self._window, amount)
            if counted_here is None:
                raise CountingFailed from error
            return counted_here
        self._outage.end()
        return uses

    async def _incr(self, name: str, amount: int = 1) -> int:
        uses = await self._storage.incr(name, self._window, amount)
        if uses < max(0, amount):
            raise ValueError(f"The store has counted {uses} uses.")
        return uses
