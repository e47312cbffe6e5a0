"""Authentication throttle: after 10 failures within 60 seconds, an address is blocked (spec, Authentication 5).

A key that is not cached is looked up in the database only under a reservation: an address has at most as many look-ups
under way as it has failures left. So ten thousand forged keys that are sent at once cost ten look-ups.
"""

from asyncio import Future, get_running_loop
from dataclasses import dataclass, field
from typing import Self

from rest_facade.access.failure_window import MAX_FAILURES, Failures, FailureWindow, MemoryWindow
from rest_facade.rest.errors import INVALID_API_KEY, Error, Refused, throttled


@dataclass(slots=True)
class _Lookups:
    """The look-ups of one address: requests that hold or want a reservation, those that hold one, those that wait."""

    requests: int = 0
    under_way: int = 0
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
    """Counts failures per address. A block is not extended by further requests, and a good key does not end it.

    Where the shared store fails, this process counts by itself: an attacker must not gain by that.
    """

    def __init__(self, window: FailureWindow) -> None:
        self._window = window
        self._fallback = MemoryWindow()
        self._lookups: dict[str, _Lookups] = {}

    async def admit(self, address: str) -> Failures:
        """The failures of an address. Raises Refused (429) while it is blocked."""
        failures = await self._failures(address)
        if failures.are_over:
            raise Refused(throttled(failures.retry_after))
        return failures

    async def record_failure(self, address: str) -> Error:
        """Count a failure and return its answer: 401, or 429 where the window was full already."""
        try:
            counted = await self._window.add(address)
        except Exception:  # noqa: BLE001 - whatever a broken store raises: this process counts
            counted = await self._fallback.add(address)
        if counted:
            return INVALID_API_KEY
        return throttled((await self._failures(address)).retry_after)

    def attempt(self, address: str) -> "Attempt":
        """One authentication from an address, as a context manager."""
        return Attempt(self, address)

    async def reserve(self, address: str) -> None:
        """Hold one of the address's remaining failures; `release` gives it back. Raises Refused (429).

        Waits while all of them are held.
        """
        lookups = self._lookups.setdefault(address, _Lookups())
        lookups.requests += 1
        try:
            while True:
                failures = await self.admit(address)
                # Nothing is awaited between the check and the increment.
                if lookups.under_way < MAX_FAILURES - failures.total:
                    lookups.under_way += 1
                    return
                await lookups.wait()
        except BaseException:
            self._leave(address, lookups)
            raise

    def release(self, address: str) -> None:
        """Give a reservation back. A failure is counted before, so that no further look-up can begin in between."""
        lookups = self._lookups[address]
        lookups.under_way -= 1
        self._leave(address, lookups)

    def _leave(self, address: str, lookups: _Lookups) -> None:
        # One for one: a request that ends, gives up or is refused wakes the next.
        lookups.wake_next()
        lookups.requests -= 1
        if not lookups.requests:
            del self._lookups[address]

    async def _failures(self, address: str) -> Failures:
        try:
            return await self._window.failures(address)
        except Exception:  # noqa: BLE001 - whatever a broken store raises: this process counts
            return await self._fallback.failures(address)


class Attempt:
    """One authentication. It holds a reservation from `reserve` until its end."""

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
        """Hold one of the address's remaining failures. Raises Refused (429). To be called once, before a look-up."""
        await self._throttle.reserve(self._address)
        self._is_reserved = True

    async def fail(self) -> Error:
        """Count this attempt as a failure. Returns the error of its request."""
        return await self._throttle.record_failure(self._address)
