"""How long a store is waited for: questions that hang, fail, or are answered while the event loop is late."""

import asyncio
import time

import pytest
from structlog.testing import CapturingLogger

from rest_facade.access.circuit_breaker import MOST_QUESTIONS, CircuitBreaker, OpenCircuit

pytestmark = pytest.mark.anyio


class Store:
    """Answers a question with its key, unless it hangs. Counts what it was asked, and how much of it at a time."""

    def __init__(self) -> None:
        self.answers = asyncio.Event()
        self.answers.set()
        self.asked = self.now = self.most = 0

    async def question(self, key: str) -> str:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.answers.wait()
            await asyncio.sleep(0)
            return key
        finally:
            self.now -= 1


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def patience() -> CircuitBreaker:
    return CircuitBreaker("store of a test")


async def wait_in_vain(patience: CircuitBreaker, store: Store) -> None:
    """Ask a store that hangs, and be told so: not for ever, and not by the test's own patience."""
    asking = asyncio.create_task(patience.ask(store.question, "a"))
    done, _ = await asyncio.wait({asking}, timeout=10)
    asking.cancel()
    assert done, "It still waits."
    with pytest.raises(TimeoutError):
        await asking


async def broken(key: str) -> str:
    raise ConnectionRefusedError(key)


async def test_an_answer_is_handed_on_and_a_failure_as_well(patience: CircuitBreaker, store: Store) -> None:
    assert await patience.ask(store.question, "a") == "a"
    for _ in range(3):
        # What fails at once costs nobody anything: the next one asks again.
        with pytest.raises(ConnectionRefusedError):
            await patience.ask(broken, "a")
    assert await patience.ask(store.question, "b") == "b"


async def test_who_waits_in_vain_is_the_only_one(patience: CircuitBreaker, store: Store) -> None:
    store.answers.clear()
    await wait_in_vain(patience, store)
    for _ in range(100):
        with pytest.raises(OpenCircuit):
            await patience.ask(store.question, "b")
    assert store.asked == 1


async def test_a_store_that_hung_is_tried_by_one_at_a_time_until_it_answers(
    patience: CircuitBreaker, store: Store
) -> None:
    store.answers.clear()
    await wait_in_vain(patience, store)
    trying = asyncio.create_task(_persist(patience, store))
    while store.asked == 1:
        await asyncio.sleep(0.01)
    with pytest.raises(OpenCircuit):
        await patience.ask(store.question, "b")
    store.answers.set()
    assert await trying == "again"
    assert await asyncio.gather(*(patience.ask(store.question, str(n)) for n in range(5))) == list("01234")


async def _persist(patience: CircuitBreaker, store: Store) -> str:
    async with asyncio.timeout(10):
        while True:
            try:
                return await patience.ask(store.question, "again")
            except (OpenCircuit, TimeoutError):
                await asyncio.sleep(0.01)


async def test_a_late_event_loop_is_not_taken_for_a_store_that_hangs(patience: CircuitBreaker, store: Store) -> None:
    store.answers.clear()
    asked = asyncio.create_task(patience.ask(store.question, "a"))
    await asyncio.sleep(0)
    time.sleep(1.0)
    store.answers.set()
    assert await asked == "a"


async def test_a_question_that_is_given_up_by_who_asked_it_is_forgotten(patience: CircuitBreaker, store: Store) -> None:
    store.answers.clear()
    asked = asyncio.create_task(patience.ask(store.question, "a"))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    store.answers.set()
    assert await patience.ask(store.question, "b") == "b"
    assert patience._waiting == {}


async def test_so_many_ask_at_a_time_and_no_more(patience: CircuitBreaker, store: Store) -> None:
    keys = [str(number) for number in range(10 * MOST_QUESTIONS)]
    assert await asyncio.gather(*(patience.ask(store.question, key) for key in keys)) == keys
    assert store.most == MOST_QUESTIONS


async def test_many_failures_are_one_line_in_the_log(patience: CircuitBreaker, monkeypatch: pytest.MonkeyPatch) -> None:
    said = CapturingLogger()
    monkeypatch.setattr("rest_facade.access.circuit_breaker.log", said)
    for _ in range(5):
        with pytest.raises(ConnectionRefusedError):
            await patience.ask(broken, "a")
    reason = "ConnectionRefusedError: a"
    assert said.calls == [("error", ("store fails",), {"store": "store of a test", "reason": reason})]
