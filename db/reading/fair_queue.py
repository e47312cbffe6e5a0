"""Fair queue for the slots of a connection pool: tenants that wait are served in turn (round robin).

Three rules decide which waiter gets a free slot:

1. Waiting tenants are served in turn. Within a tenant, first come, first served.
2. A tenant that holds `share` slots gets another one only if no other waiting tenant can use it.
3. Heavy reads (reports) together hold at most `heavy` slots. The other slots stay free for cheap reads.

A waiter fails when no read has succeeded for `timeout` seconds. While reads succeed it waits on, until the deadline of
its request (`asyncio.timeout`): a long queue that moves is slow, not broken.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Hashable
from typing import NamedTuple


class Ticket(NamedTuple):
    """The read that needs a slot: its tenant, and whether it is heavy."""

    tenant: Hashable = None
    is_heavy: bool = False


ANY_TENANT = Ticket()
"""A cheap read that belongs to no tenant, such as a health check."""


Waiter = tuple[Ticket, asyncio.Future[None]]
"""A read that waits, and what is done when it has a slot."""


class FairQueue:
    """Hands out `size` slots by the rules above."""

    def __init__(self, size: int, *, share: int, heavy: int, timeout: float) -> None:
        self.size = size
        self.in_use = 0
        """Slots that are held: of a pool, connections that are acquired or being opened."""
        self.waiting = 0
        """Calls of `acquire` that wait for a slot that another read holds."""
        self._share = share
        self._heavy = heavy
        self._timeout = timeout
        self._held: dict[Hashable, int] = {}
        """The slots of each tenant that holds any."""
        self._heavy_in_use = 0
        self._lines: OrderedDict[Hashable, list[Waiter]] = OrderedDict()
        """The waiters of each tenant, in order of arrival. The tenant that was served last is the last one."""
        self.progress_at = 0.0
        """When the last read succeeded (seconds of the event loop's clock)."""

    async def acquire(self, ticket: Ticket) -> None:
        """Take a slot, and wait for it if need be. `release` it with an equal ticket. Raises TimeoutError."""
        if not self._lines and self.in_use < self.size and (self._heavy_in_use < self._heavy or not ticket.is_heavy):
            self._hold(ticket)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(ticket.tenant, []).append((ticket, turn))
        # Slots may be free although others wait: when all of those are heavy. A cheap read gets one at once.
        self._hand_over()
        self.waiting += 1
        try:
            await self._await_turn(turn)
        except BaseException:
            if turn.done() and not turn.cancelled():
                self.release(ticket, is_progress=False)
            else:
                # It holds no slot, so there is none to hand over.
                turn.cancel()
                self._remove((ticket, turn))
            raise
        finally:
            self.waiting -= 1

    def release(self, ticket: Ticket, *, is_progress: bool = True) -> None:
        """Give a slot back, and hand free slots over to waiters. `is_progress`: whether the read succeeded."""
        if is_progress:
            self.progress_at = asyncio.get_running_loop().time()
        self.in_use -= 1
        self._heavy_in_use -= ticket.is_heavy
        held = self._held.pop(ticket.tenant) - 1
        if held:
            self._held[ticket.tenant] = held
        if self._lines:
            self._hand_over()

    def _hold(self, ticket: Ticket) -> None:
        self.in_use += 1
        self._heavy_in_use += ticket.is_heavy
        self._held[ticket.tenant] = self._held.get(ticket.tenant, 0) + 1

    async def _await_turn(self, turn: asyncio.Future[None]) -> None:
        loop = asyncio.get_running_loop()
        arrived_at = loop.time()
        while not turn.done():
            seconds_left = max(self.progress_at, arrived_at) + self._timeout - loop.time()
            if seconds_left <= 0:
                raise TimeoutError(f"No connection was free for {self._timeout} s.")
            await asyncio.wait([turn], timeout=seconds_left)

    def _hand_over(self) -> None:
        """Give free slots to waiters, one tenant after the other, until no slot is free or no waiter may use one."""
        while self.in_use < self.size and (waiter := self._next()) is not None:
            ticket, turn = waiter
            # Taken here, for the waiter: another read may call `acquire` before the waiter runs.
            self._hold(ticket)
            turn.set_result(None)

    def _next(self) -> Waiter | None:
        """Remove and return the waiter that is next. Its tenant goes to the end of the round."""
        may_be_heavy = self._heavy_in_use < self._heavy
        may_use = [
            first
            for line in self._lines.values()
            if (first := next((each for each in line if may_be_heavy or not each[0].is_heavy), None))
        ]
        if not may_use:
            return None
        below_share = (waiter for waiter in may_use if self._held.get(waiter[0].tenant, 0) < self._share)
        waiter = next(below_share, may_use[0])
        self._lines.move_to_end(waiter[0].tenant)
        self._remove(waiter)
        return waiter

    def _remove(self, waiter: Waiter) -> None:
        tenant = waiter[0].tenant
        self._lines[tenant].remove(waiter)
        if not self._lines[tenant]:
            del self._lines[tenant]
