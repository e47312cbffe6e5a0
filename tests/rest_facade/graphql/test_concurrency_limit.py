"""Turns of GraphQL calls: who runs, who waits, who is refused; and the bytes that clients leave unread.

Covers `rest_facade/graphql/unread_bytes.py`.
"""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.graphql.concurrency_limit import ConcurrencyLimit, Turn
from rest_facade.graphql.unread_bytes import UnreadBytes

FIRST, SECOND = UUID(int=1), UUID(int=2)


class Calls:
    """Calls of one limit, by their names: the token, `2` for the second organization, and a number."""

    def __init__(self, running: int = 4, waiting: int = 8, maximum: int = 2**20) -> None:
        self.unread = UnreadBytes(maximum)
        self.limit = ConcurrencyLimit(running=running, waiting=waiting, heavy=1, unread=self.unread)
        self.turns: dict[str, Turn] = {}
        self.refused: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *names: str, is_heavy: bool = False) -> None:
        for name in names:
            turn = self.turns[name] = self.limit.turn(name[0], SECOND if "2" in name else FIRST)
            self.tasks.append(asyncio.create_task(self._acquire(name, turn, is_heavy)))
            await asyncio.sleep(0)

    async def _acquire(self, name: str, turn: Turn, is_heavy: bool) -> None:
        try:
            await turn.acquire(is_heavy=is_heavy)
        except Refused:
            self.refused.append(name)

    def run(self) -> list[str]:
        """The calls that have a slot, in the order in which they got it."""
        return [name for turn in self.limit.held for name, each in self.turns.items() if each is turn]

    def order(self) -> list[str]:
        """End one call after the other; the order in which the others begin."""
        began: list[str] = []
        while held := self.run():
            self.turns[held[0]].release()
            began += self.run()[len(held) - 1 :]
        return began


async def test_tokens_take_turns_and_organizations_within() -> None:
    calls = Calls(running=1)
    await calls.come("a-0", "a-1", "a-3", "a2-4", "b-1", "b-3")
    assert calls.run() == ["a-0"]
    assert calls.order() == ["a-1", "b-1", "a2-4", "b-3", "a-3"]


async def test_last_slot_is_for_a_token_without_one() -> None:
    calls = Calls()
    await calls.come("a-1", "a-3", "a-4", "a-5")
    assert calls.run() == ["a-1", "a-3", "a-4"]
    await calls.come("b-1")
    assert calls.run()[-1] == "b-1"
    calls.turns["a-1"].release()
    assert calls.run() == ["a-3", "a-4", "b-1"]


async def test_heavy_calls_wait_without_a_slot() -> None:
    calls = Calls()
    await calls.come("a-1", "b-1", is_heavy=True)
    await calls.come("c-1", "c-3")
    assert calls.run() == ["a-1", "c-1", "c-3"]
    calls.turns["a-1"].release()
    assert calls.run()[-1] == "b-1"


@pytest.mark.parametrize(
    ("waiting", "newcomer", "refused"),
    [
        (["a-1", "a-3", "a-4"], "b-1", "a-4"),
        (["a-1", "b-1", "b-3"], "b-4", "b-4"),
        (["a-1", "a-3", "a2-1"], "a2-3", "a2-3"),
        (["a-1", "a-3", "a-4"], "a2-3", "a-4"),
    ],
)
async def test_full_queue_refuses_the_most_numerous(waiting: Sequence[str], newcomer: str, refused: str) -> None:
    calls = Calls(running=1, waiting=3)
    await calls.come("z-0", *waiting, newcomer)
    await asyncio.sleep(0)
    assert calls.refused == [refused]


async def test_cancelled_call_leaves_the_queue() -> None:
    calls = Calls(running=1)
    await calls.come("a-1", "b-1", "c-1")
    calls.tasks[1].cancel()
    await asyncio.sleep(0)
    calls.turns["b-1"].release()
    calls.turns["a-1"].release()
    assert calls.run() == ["c-1"]


async def test_token_has_half_of_the_bytes_left() -> None:
    unread = UnreadBytes(8 * 2**20)
    assert [await unread.add(token, 2**20) for token in "aaaabb"] == [2**20] * 6
    assert [unread.has_room(token, 2**20) for token in "abc"] == [False, False, True]
    assert await unread.add("a", 2**16) == 0


async def test_running_calls_count_as_the_largest_unread_response() -> None:
    """Six calls of one token, with 25 MB unread, took 80 MB more while their responses were made."""
    unread = UnreadBytes(8 * 2**20)
    assert unread.may_begin("a", 3)
    await unread.add("a", 2**21)
    assert [unread.may_begin("a", running) for running in range(3)] == [True, False, False]
    assert unread.may_begin("b", 3)
    unread.remove("a", 2**21)
    assert unread.may_begin("a", 3)


async def test_token_with_unread_bytes_waits_until_they_are_read() -> None:
    calls = Calls(maximum=2**20)
    await calls.unread.add("a", 2**19)
    await calls.come("a-1", "b-1")
    assert calls.run() == ["b-1"]
    calls.limit.on_read("a", 2**19)
    assert calls.run() == ["b-1", "a-1"]


async def test_response_beyond_the_bytes_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rest_facade.graphql.unread_bytes.WAIT_SECONDS", 0.01)
    unread = UnreadBytes(2**20)
    with pytest.raises(Refused, match="Service temporarily unavailable"):
        await unread.add("a", 2**20)
