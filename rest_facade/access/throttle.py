"""Authentication throttle: after 10 failures within 60 seconds, an address is blocked (spec, Authentication 5).

A key that is not cached is looked up in the database only under a reservation. An address holds at most as many
reservations as it has failures left: ten thousand forged keys that are sent at once cost ten look-ups in a process.
"""

from asyncio import Future, get_running_loop
from dataclasses import dataclass, field
from typing import Self

from rest_facade.access.failure_window import MAX_FAILURES, Failures, FailureWindow, MemoryWindow
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INVALID_API_KEY, throttled


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
        """The error (429) of all requests from an address while it is blocked."""
        failures = await self._failures(address)
        return throttled(failures.retry_after) if failures.are_over else None

    async def admit(self, address: str) -> Failures:
        """The failures of an address. Raises Refused (429) while it is blocked."""
        failures = await self._failures(address)
        if failures.are_over:
            raise Refused(throttled(failures.retry_after))
        return failures

    async def record_failure(self, address: str) -> Error:
        """Count a failure. Returns the error of its request: 401, or 429 if the window was full already."""
        try:
            counted = await self._window.add(address)
        except Exception:  # noqa: BLE001 - any exception of a broken store: this process counts
            counted = await self._fallback.add(address)
        if counted:
            return INVALID_API_KEY
        return throttled((await self._failures(address)).retry_after)

    def attempt(self, address: str) -> "Attempt":
        """One authentication from an address."""
        return Attempt(self, address)

    async def reserve(self, address: str) -> None:
        """Reserve one of the failures that the address has left; `release` gives it back.

        Waits while all of them are reserved. Raises Refused (429) when none is left.
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
                    lookups.under_way += 1
                    return
                if not perhaps_failed:
                    await lookups.wait()
        except BaseException:
            self._leave(address, lookups)
            raise

    def release(self, address: str) -> None:
        """Give a reservation back. A failure must be counted before, or another look-up could begin in between."""
        lookups = self._lookups[address]
        lookups.under_way -= 1
        lookups.ended += 1
        self._leave(address, lookups)

    def _leave(self, address: str, lookups: _Lookups) -> None:
        # A request that ends, is cancelled or is refused wakes the next: a wake-up that it had received is not lost.
        lookups.wake_next()
        lookups.requests -= 1
        if not lookups.requests:
            del self._lookups[address]

    async def _failures(self, address: str) -> Failures:
        try:
            return await self._window.failures(address)
        except Exception:  # noqa: BLE001 - any exception of a broken store: this process counts
            return await self._fallback.failures(address)


class Attempt:
    """One authentication: a context manager that holds a reservation from `reserve` until its end."""

    __slots__ = ("_address", "_is_reserved", "_throttle")

    def __init__(self, throttle: Throttle, address: str) -> None:
        self._throttle = throttle
        self._address = address
        self._is_reserved = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_reserved:
            self._throttle.release(self._address)

    async def reserve(self) -> None:
        """Reserve one of the failures that the address has left. Raises Refused (429). Call it once."""
        await self._throttle.reserve(self._address)
        self._is_reserved = True

    async def fail(self) -> Error:
        """Count this attempt as a failure. Returns the error of its request."""
        return await self._throttle.record_failure(self._address)
