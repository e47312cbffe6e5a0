"""Circuit breaker: calls that hang, fail, or succeed while the event loop is late."""

import asyncio
import time

import pytest
from structlog.testing import CapturingLogger

from rest_facade.access.circuit_breaker import MAX_CALLS, CircuitBreaker, OpenCircuit


class Store:
    """Returns the key of each call, or hangs while `answers` is cleared. Counts calls and concurrent calls."""

    def __init__(self) -> None:
        self.answers = asyncio.Event()
        self.answers.set()
        self.calls = self.running = self.most_running = 0

    async def read(self, key: str) -> str:
        self.calls += 1
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await self.answers.wait()
            await asyncio.sleep(0)
            return key
        finally:
            self.running -= 1


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def breaker() -> CircuitBreaker:
    return CircuitBreaker("store of a test")


async def time_out(breaker: CircuitBreaker, store: Store) -> None:
    """Call a store that hangs, until the breaker's time limit, which comes before the test's own."""
    call = asyncio.create_task(breaker.call(store.read, "a"))
    done, _ = await asyncio.wait({call}, timeout=10)
    call.cancel()
    assert done, "The call still waits."
    with pytest.raises(TimeoutError):
        await call


async def refused(key: str) -> str:
    raise ConnectionRefusedError(key)


async def test_results_and_failures_are_passed_on(breaker: CircuitBreaker, store: Store) -> None:
    assert await breaker.call(store.read, "a") == "a"
    for _ in range(3):
        # A call that fails at once delays no request, so the next one is made.
        with pytest.raises(ConnectionRefusedError):
            await breaker.call(refused, "a")
    assert await breaker.call(store.read, "b") == "b"


async def test_a_timeout_opens_the_circuit(breaker: CircuitBreaker, store: Store) -> None:
    store.answers.clear()
    await time_out(breaker, store)
    for _ in range(100):
        with pytest.raises(OpenCircuit):
            await breaker.call(store.read, "b")
    assert store.calls == 1


async def test_one_trial_call_closes_the_circuit(breaker: CircuitBreaker, store: Store) -> None:
    async def call_until_success() -> str:
        async with asyncio.timeout(10):
            while True:
                try:
                    return await breaker.call(store.read, "again")
                except (OpenCircuit, TimeoutError):
                    await asyncio.sleep(0.01)

    store.answers.clear()
    await time_out(breaker, store)
    trial = asyncio.create_task(call_until_success())
    while store.calls == 1:
        await asyncio.sleep(0.01)
    with pytest.raises(OpenCircuit):
        await breaker.call(store.read, "b")
    store.answers.set()
    assert await trial == "again"
    assert await asyncio.gather(*(breaker.call(store.read, str(n)) for n in range(5))) == list("01234")


async def test_a_late_event_loop_is_no_timeout(breaker: CircuitBreaker, store: Store) -> None:
    store.answers.clear()
    call = asyncio.create_task(breaker.call(store.read, "a"))
    await asyncio.sleep(0)
    time.sleep(1.0)
    store.answers.set()
    assert await call == "a"


async def test_a_cancelled_call_is_forgotten(breaker: CircuitBreaker, store: Store) -> None:
    store.answers.clear()
    call = asyncio.create_task(breaker.call(store.read, "a"))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    store.answers.set()
    assert await breaker.call(store.read, "b") == "b"
    assert breaker._ticks == {}


async def test_concurrent_calls_are_limited(breaker: CircuitBreaker, store: Store) -> None:
    keys = [str(number) for number in range(10 * MAX_CALLS)]
    assert await asyncio.gather(*(breaker.call(store.read, key) for key in keys)) == keys
    assert store.most_running == MAX_CALLS


async def test_many_failures_are_one_log_line(breaker: CircuitBreaker, monkeypatch: pytest.MonkeyPatch) -> None:
    log = CapturingLogger()
    monkeypatch.setattr("rest_facade.access.circuit_breaker.log", log)
    for _ in range(5):
        with pytest.raises(ConnectionRefusedError):
            await breaker.call(refused, "a")
    reason = "ConnectionRefusedError: a"
    assert log.calls == [("error", ("store failed",), {"store": "store of a test", "reason": reason})]
