"""Moving windows of failed authentications, one per address: in this process, or in a Redis that workers share.

In any WINDOW_SECONDS at most MAX_FAILURES are counted. Windows are not aligned to the clock.
"""

import time
from collections import deque
from collections.abc import Callable
from math import ceil
from typing import NamedTuple, Protocol

from cachetools import LRUCache

MAX_FAILURES = 10
"""Failures of one address within a window; then it is blocked (spec, Limits: auth-failure throttle)."""

WINDOW_SECONDS = 60
"""Seconds (spec, Limits: auth-failure throttle)."""

MAX_ADDRESSES = 50_000
"""Addresses whose failures one process keeps; the least recently used is evicted first."""


class Failures(NamedTuple):
    """The failures of an address in the window that ends now, and the seconds until the oldest of them leaves it."""

    total: int
    oldest_leaves_in: float

    @property
    def are_over(self) -> bool:
        """Whether the address is blocked."""
        return self.total >= MAX_FAILURES

    @property
    def retry_after(self) -> int:
        """Whole seconds until the next attempt is possible, at least 1 (spec, Codes)."""
        return max(1, ceil(self.oldest_leaves_in))


class FailureWindow(Protocol):
    """Where failures are kept. Raises any exception of the store's library if the store fails."""

    async def failures(self, address: str) -> Failures:
        """The failures of an address."""

    async def add(self, address: str) -> bool:
        """Add one failure, atomically. False where the window is full: then nothing is added."""


class MemoryWindow:
    """The windows of one process. Not the memory storage of `limits`, which starts a thread per address and failure."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._windows: LRUCache[str, deque[float]] = LRUCache(MAX_ADDRESSES)

    async def failures(self, address: str) -> Failures:
        window = self._windows.get(address)
        if window is None:
            return Failures(0, 0.0)
        now = self._clock()
        while window and window[0] <= now - WINDOW_SECONDS:
            window.popleft()
        return Failures(len(window), window[0] + WINDOW_SECONDS - now if window else 0.0)

    async def add(self, address: str) -> bool:
        if (await self.failures(address)).are_over:
            return False
        window = self._windows.get(address)
        if window is None:
            window = self._windows[address] = deque()
        window.append(self._clock())
        return True
