"""Fixed-window rate counters of the quotas, in this process or in a Redis that workers share."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic
from typing import NamedTuple, Protocol
from zlib import crc32

from db.values.bounded_dict import BoundedDict

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
    """Where uses are counted."""

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count uses of a key, which expires `expiry` seconds after the first. Returns the uses so far.

        Raises CountingFailed.
        """


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


class RateCounter:
    """Counts uses of keys in fixed windows, which follow from the clock, so that all workers have the same ones.

    The windows of an organization, or of a token, are moved by some seconds, which follow from its id. So they do not
    all end in the same second, in which every client that waited would begin again.

    A window that is known to be used up is refused until its end without asking the store: a refusal must be cheaper
    than what it refuses. Another limit for the same key, such as a raised override, asks the store at once.
    """

    def __init__(self, storage: Storage, *, prefix: str, window: int, clock: Callable[[], float] = time.time) -> None:
        self._storage = storage
        self._prefix = prefix
        self._window = window
        self._clock = clock
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
        uses = await self._storage.incr(name, self._window)
        if uses > limit:
            self._used_up[key, limit] = monotonic() + reset - self._clock()
        return Count(limit, max(0, limit - uses), reset, reset - now, over=uses > limit)

    async def reserve(self, key: str, limit: int, amount: int) -> Count:
        """Count several uses of `key` at once, or none of them if they are over the limit. Raises CountingFailed."""
        now = int(self._clock())
        name, reset = self._window_at(key, now)
        uses = await self._storage.incr(name, self._window, amount)
        over = uses > limit
        if over:
            uses = await self._storage.incr(name, self._window, -amount)
        return Count(limit, max(0, limit - uses), reset, reset - now, over)

    async def give_back(self, key: str, count: Count, amount: int) -> Count:
        """Take uses out of the window in which they were reserved, unless it has ended. Raises CountingFailed."""
        name, reset = self._window_at(key, int(self._clock()))
        if reset != count.reset:
            return count
        uses = await self._storage.incr(name, self._window, -amount)
        return count._replace(remaining=max(0, count.limit - uses))

    def _window_at(self, key: str, now: int) -> tuple[str, int]:
        """The name of the window of a key at a time, and its end."""
        offset = crc32(key.partition(":")[0].encode()) % self._window
        number = (now - offset) // self._window
        return f"{self._prefix}:{key}:{number}", (number + 1) * self._window + offset
