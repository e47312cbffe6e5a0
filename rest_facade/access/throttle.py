"""Authentication throttle: after 10 failures within 60 seconds, an address is blocked (spec, Authentication 5).

A key that is not cached is looked up in the database only under a reservation: an address has at most as many look-ups
under way as it has failures left. So ten thousand forged keys that are sent at once cost ten look-ups.
"""

from asyncio import Future, get_running_loop
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from rest_facade.access.failure_window import MAX_FAILURES, Failures, FailureWindow, MemoryWindow
from rest_facade.rest.errors import INVALID_API_KEY, Error, Refused, throttled


@dataclass(slots=True)
class _Lookups:
    """The look-ups of one address: requests that hold or want a reservation, those that hold one, those that wait."""

    requests: int = 0
    under_way: int = 0
    waiting: dict[Future[None], None] = field(default_factory=dict)


class Throttle:
    """Counts failures per address. A block is not extended by further requests, and a good key does not end it.

    Where the shared store fails, this process counts by itself: an attacker must not gain by that.
    """

    def __init__(self, window: FailureWindow) -> None:
        self._window = window
        self._fallback = MemoryWindow()
        self._lookups: dict[str, _Lookups] = {}

    async def admit(self, address: str) -> None:
        """Raise Refused (429) while the address is blocked."""
        failures = await self._failures(address)
        if failures.are_over:
            raise Refused(throttled(failures.retry_after))

    async def record_failure(self, address: str) -> Error:
        """Count a failure and return its answer: 401, or 429 where the window was full already."""
        try:
            counted = await self._window.add(address)
        except Exception:  # noqa: BLE001 - whatever a broken store raises: this process counts
            counted = await self._fallback.add(address)
        if counted:
            return INVALID_API_KEY
        return throttled((await self._failures(address)).retry_after)

    @asynccontextmanager
    async def reservation(self, address: str) -> AsyncIterator[None]:
        """Hold one of the address's remaining failures while a key is looked up. Raises Refused (429).

        Waits, first come, first served, while all of them are held. Count a failure within.
        """
        lookups = self._lookups.setdefault(address, _Lookups())
        lookups.requests += 1
        try:
            await self._begin(address, lookups)
            try:
                yield
            finally:
                lookups.under_way -= 1
        finally:
            # One for one: who is refused, gives up or ends wakes the next.
            turn = next((turn for turn in lookups.waiting if not turn.done()), None)
            if turn is not None:
                turn.set_result(None)
            lookups.requests -= 1
            if not lookups.requests:
                del self._lookups[address]

    async def _begin(self, address: str, lookups: _Lookups) -> None:
        while True:
            failures = await self._failures(address)
            if failures.are_over:
                raise Refused(throttled(failures.retry_after))
            # Between the check and the increment nothing is awaited.
            if lookups.under_way < MAX_FAILURES - failures.total:
                lookups.under_way += 1
                return
            turn: Future[None] = get_running_loop().create_future()
            lookups.waiting[turn] = None
            try:
                await turn
            finally:
                lookups.waiting.pop(turn, None)

    async def _failures(self, address: str) -> Failures:
        try:
            return await self._window.failures(address)
        except Exception:  # noqa: BLE001 - whatever a broken store raises: this process counts
            return await self._fallback.failures(address)
