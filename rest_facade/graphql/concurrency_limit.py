"""Concurrency limit of GraphQL with a bounded queue: tokens take turns, and overflow is answered 503.

These rules say who runs and who waits:

1. Tokens that wait are served in turn, one that holds fewer slots first; within a token, its organizations are.
2. The last free slot is for a token that holds none, so that a call seldom waits for another token's operation to end.
3. Heavy operations hold at most `heavy` slots. A call becomes heavy before it has a slot: one that waits for a report
   of another call holds nothing.
4. A token whose clients leave its responses unread waits (`UnreadBytes`); its running calls count, too.
5. A full queue refuses the newest call of the token that has the most in it.
"""

import asyncio
from collections import Counter
from typing import NamedTuple
from uuid import UUID

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE
from rest_facade.graphql.unread_bytes import UnreadBytes


class TurnOf(NamedTuple):
    """Whose turn it is: a token, and the organization that it reads."""

    token: str
    organization_id: UUID


class Turn:
    """The place of one call: in the queue, or with a slot, or neither."""

    def __init__(self, limit: "ConcurrencyLimit", of: TurnOf) -> None:
        self._limit = limit
        self.of = of
        self.is_heavy = False
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the call gets a slot, or is refused."""

    @property
    def is_waiting(self) -> bool:
        """Whether the call waits for a slot."""
        return self in self._limit.waiting

    async def acquire(self, *, is_heavy: bool = False) -> None:
        """Wait for a slot, without the one that the call holds. Raises Refused (503) if the queue is full."""
        self.release()
        self.is_heavy = is_heavy
        self.granted = asyncio.get_running_loop().create_future()
        self._limit.enqueue(self)
        await self.granted

    def release(self) -> None:
        """Give up the slot, or the place in the queue."""
        if self in self._limit.waiting:
            self._limit.waiting.remove(self)
        elif self in self._limit.held:
            self._limit.held.remove(self)
            self._limit.hand_over()


class ConcurrencyLimit:
    """`running` slots, `heavy` of them for heavy operations. `waiting` calls more than slots may be there."""

    def __init__(self, *, running: int, waiting: int, heavy: int, unread: UnreadBytes) -> None:
        self._slots = running
        self._places = running + waiting
        self._heavy = heavy
        self.unread = unread
        self.held: list[Turn] = []
        self.waiting: list[Turn] = []
        """In the order of their turns."""

    def turn(self, token: str, organization_id: UUID) -> Turn:
        """The turn of a new call."""
        return Turn(self, TurnOf(token, organization_id))

    def on_read(self, token: str, size: int) -> None:
        """A response was read, or its connection was lost: the token may have more."""
        self.unread.remove(token, size)
        self.hand_over()

    def enqueue(self, turn: Turn) -> None:
        """Add a call to the queue, and serve the queue. A call too many is refused, this one or another."""
        self.waiting.append(turn)
        self.hand_over()
        if len(self.held) + len(self.waiting) > self._places:
            tokens = Counter(each.of.token for each in self.waiting)
            callers = Counter(each.of for each in self.waiting)
            *_, refused = sorted(self.waiting, key=lambda each: (tokens[each.of.token], callers[each.of]))
            self.waiting.remove(refused)
            if not refused.granted.done():
                refused.granted.set_exception(Refused(SERVICE_UNAVAILABLE))

    def hand_over(self) -> None:
        """Give free slots to calls that wait."""
        while may_run := [each for each in self.waiting if self._may_run(each)]:
            turn = min(may_run, key=lambda each: self._held_by(each.of.token))
            self.waiting.remove(turn)
            self.held.append(turn)
            # To the end of the round: the token behind the others, and in it the organization.
            self.waiting.sort(key=lambda each: (each.of.token == turn.of.token, each.of == turn.of))
            if not turn.granted.done():
                turn.granted.set_result(None)

    def _held_by(self, token: str) -> int:
        return sum(each.of.token == token for each in self.held)

    def _may_run(self, turn: Turn) -> bool:
        running = self._held_by(turn.of.token)
        reserved = 1 if self._slots > 1 and running else 0
        if len(self.held) >= self._slots - reserved or not self.unread.may_begin(turn.of.token, running):
            return False
        return not turn.is_heavy or sum(each.is_heavy for each in self.held) < self._heavy
