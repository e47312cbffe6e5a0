"""Authentication throttle: after 10 failures within 60 seconds, an address is blocked (spec, Authentication 5).

A key that is not cached is looked up in the database only under a reservation. An address holds at most as many
reservations as it has failures left: ten thousand forged keys that are sent at once cost ten look-ups, in all workers
that share a store.

In any WINDOW_SECONDS at most MAX_FAILURES are counted. Windows are not aligned to the clock.
"""

import asyncio
import time
from asyncio import Future, get_running_loop
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple, Protocol

from rest_facade.access.expiring_dict import ExpiringDict
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INVALID_API_KEY, throttled

MAX_FAILURES = 10
"""Failures of one address within a window; then it is blocked (spec, Limits: auth-failure throttle)."""

WINDOW_SECONDS = 60
"""Seconds (spec, Limits: auth-failure throttle)."""

CLEAN_SECONDS = 0.1
"""Seconds for which a shared store is not asked again about an address without failures: to ask costs as much as all
else that refuses a request over its quota."""

LOOKUP_POLL_SECONDS = 0.02
"""Seconds until a look-up is tried again for which other workers hold all that the address has left."""

MAX_ADDRESSES = 50_000
"""Addresses whose failures one process keeps; those that failed first are evicted first."""


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


NO_FAILURES = Failures(0, 0.0)


class FailureWindow(Protocol):
    """Where failures are kept. Raises any exception of the store's library if the store fails."""

    async def failures(self, address: str, *, max_age: float = 0.0) -> Failures:
        """The failures of an address; as they were at most `max_age` seconds ago if there were none then."""

    async def add(self, address: str) -> bool:
        """Add one failure, atomically. False where the window is full: then nothing is added."""

    async def begin_lookup(self, address: str) -> bool:
        """Reserve a failure. False while the look-ups of all workers hold those that the address has left."""

    async def end_lookup(self, address: str) -> None:
        """Give a reservation back, after a failure was added."""


_WINDOW = 1000 * WINDOW_SECONDS
"""Milliseconds."""

_BYTES = 6
"""Of the moment of a failure, in milliseconds."""


def _bytes(moment: int) -> bytes:
    return moment.to_bytes(_BYTES, "big")


class MemoryWindow:
    """The windows of one process. Not the memory storage of `limits`, which starts a thread per address and failure.

    An address has the moments of its failures, the last one first. With its text and its place in the dict, a blocked
    one takes less than 200 bytes.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._windows: ExpiringDict[bytes] = ExpiringDict(MAX_ADDRESSES)

    async def failures(self, address: str, *, max_age: float = 0.0) -> Failures:
        if not self._windows:
            return NO_FAILURES
        now = self._now()
        self._windows.sweep(now / 1000, _bytes(now - _WINDOW))
        recent = self._recent(address, now)
        oldest = int.from_bytes(recent[-_BYTES:], "big")
        return Failures(len(recent) // _BYTES, (oldest + _WINDOW - now) / 1000) if recent else NO_FAILURES

    async def add(self, address: str) -> bool:
        now = self._now()
        recent = self._recent(address, now)
        if len(recent) >= _BYTES * MAX_FAILURES:
            return False
        self._windows[address] = _bytes(now) + recent
        return True

    def _now(self) -> int:
        """The milliseconds of the clock, and a window: one that began before the clock did begins at zero."""
        return _WINDOW + int(1000 * self._clock())

    def _recent(self, address: str, now: int) -> bytes:
        """The failures in the window that ends now."""
        recent, expired = self._windows.get(address, b""), _bytes(now - _WINDOW)
        while recent and recent[-_BYTES:] <= expired:
            recent = recent[:-_BYTES]
        return recent

    async def begin_lookup(self, address: str) -> bool:
        return True  # `Throttle` reserves for its own process

    async def end_lookup(self, address: str) -> None:
        pass


@dataclass(slots=True)
class _Lookups:
    """The look-ups of one address. Those under way hold a reservation; `ended` counts those that gave it back."""

    requests: int = 0
    """Requests that hold or want a reservation. The last one removes this object."""
    under_way: int = 0
    ended: int = 0
    waiting: dict[Future[None], None] = field(default_factory=dict)

    async def wait(self) -> None:
        """Wait to be woken. First come, first woken."""
        turn: Future[None] = get_running_loop().create_future()
        self.waiting[turn] = None
        try:
            await turn
        finally:
            self.waiting.pop(turn, None)

    def wake_next(self) -> None:
        turn = next((turn for turn in self.waiting if not turn.done()), None)
        if turn is not None:
            turn.set_result(None)


class Throttle:
    """Counts failures per address. Further requests do not extend a block, and a valid key does not end it.

    If the shared store fails, this process counts by itself, so that failures stay limited.
    """

    def __init__(self, window: FailureWindow) -> None:
        self._window = window
        self._fallback = MemoryWindow()
        self._lookups: dict[str, _Lookups] = {}

    async def blocked(self, address: str) -> Error | None:
        """The error (429) of all requests from an address while it is blocked.

        It may begin CLEAN_SECONDS late for a valid key, where other workers counted all failures. Look-ups are exact.
        """
        failures = await self._failures(address, CLEAN_SECONDS)
        return throttled(failures.retry_after) if failures.are_over else None

    async def admit(self, address: str) -> Failures:
        """The failures of an address. Raises Refused (429) while it is blocked."""
        failures = await self._failures(address)
        if failures.are_over:
            raise Refused(throttled(failures.retry_after))
        return failures

    async def record_failure(self, address: str, error: Error = INVALID_API_KEY) -> Error:
        """Count a failure. Returns the error of its request: `error`, or 429 if the window was full already."""
        try:
            counted = await self._window.add(address)
        except Exception:  # noqa: BLE001 - any exception of a broken store: this process counts
            counted = await self._fallback.add(address)
        if counted:
            return error
        return throttled((await self._failures(address)).retry_after)

    @asynccontextmanager
    async def reservation(self, address: str) -> AsyncIterator[None]:
        """Hold one of the failures that the address has left. Waits while all of them are held.

        A failure must be counted within: later, another look-up could begin in between. Raises Refused (429) when none
        is left.
        """
        lookups = self._lookups.setdefault(address, _Lookups())
        lookups.requests += 1
        try:
            while True:
                ended = lookups.ended
                failures = await self.admit(address)
                # Look-ups that ended during the await may have failed after the store read its total.
                perhaps_failed = lookups.ended - ended
                if lookups.under_way + perhaps_failed < MAX_FAILURES - failures.total:
                    break
                if not perhaps_failed:
                    await lookups.wait()
            lookups.under_way += 1
            try:
                async with self._shared_reservation(address):
                    yield
            finally:
                lookups.under_way -= 1
                lookups.ended += 1
        finally:
            # A request that ends in any way wakes the next: a wake-up that it had received is not lost.
            lookups.wake_next()
            lookups.requests -= 1
            if not lookups.requests:
                del self._lookups[address]

    @asynccontextmanager
    async def _shared_reservation(self, address: str) -> AsyncIterator[None]:
        """Hold a failure among all workers. Raises Refused (429)."""
        is_shared = True
        try:
            while not await self._window.begin_lookup(address):
                await self.admit(address)
                await asyncio.sleep(LOOKUP_POLL_SECONDS)
        except Refused:
            raise
        except Exception:  # noqa: BLE001 - any exception of a broken store: this process reserves alone
            is_shared = False
        try:
            yield
        finally:
            if is_shared:
                with suppress(Exception):
                    await asyncio.shield(self._window.end_lookup(address))

    async def _failures(self, address: str, max_age: float = 0.0) -> Failures:
        try:
            return await self._window.failures(address, max_age=max_age)
        except Exception:  # noqa: BLE001 - any exception of a broken store: this process counts
            return await self._fallback.failures(address)
