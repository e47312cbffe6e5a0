"""Counting in fixed windows, on a clock that stands still unless a test moves it."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throttled.asyncio import MemoryStore
from throttled.asyncio.store.memory import MemoryStoreBackend
from throttled.exceptions import DataError, StoreUnavailableError

from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter, memory

pytestmark = pytest.mark.anyio

START, END = 1_800_000_030, 1_800_000_060
"""The middle of a window of 60 seconds, and where that window ends."""


class Clock:
    """A clock that only a test moves."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def freeze(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let throttled-py read a clock that stands still, so that no test straddles the end of a window."""
    clock = Clock()
    monkeypatch.setattr("throttled.utils.now_sec", lambda: int(clock.now))
    monkeypatch.setattr("throttled.utils.now_mono_f", lambda: clock.now)
    return clock


def failing(error: Exception) -> MemoryStore:
    """A store that answers every question with `error`."""

    class Backend(MemoryStoreBackend):
        def get(self, key: str) -> None:
            raise error

    class Store(MemoryStore):
        _BACKEND_CLASS = Backend

    return Store()


def telling(current: int) -> MemoryStore:
    """A store that says of every key that it was used so many times."""

    class Backend(MemoryStoreBackend):
        def get(self, key: str) -> int:
            return current

    class Store(MemoryStore):
        _BACKEND_CLASS = Backend

    return Store()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return freeze(monkeypatch)


@pytest.fixture
def counter(clock: Clock) -> RateCounter:
    return RateCounter(memory(), prefix="test", window=60, clock=clock)


async def test_counts_down_to_nothing_and_then_is_over(counter: RateCounter) -> None:
    assert [await counter.spend("a", 3) for _ in range(5)] == [
        Count(limit=3, remaining=2, reset=END, retry_after=30, over=False),
        Count(limit=3, remaining=1, reset=END, retry_after=30, over=False),
        Count(limit=3, remaining=0, reset=END, retry_after=30, over=False),
        Count(limit=3, remaining=0, reset=END, retry_after=30, over=True),
        Count(limit=3, remaining=0, reset=END, retry_after=30, over=True),
    ]


async def test_the_end_of_the_window_starts_anew_however_many_were_refused(counter: RateCounter, clock: Clock) -> None:
    for _ in range(5):
        await counter.spend("a", 1)
    clock.now = END - 1
    assert await counter.spend("a", 1) == Count(1, 0, END, retry_after=1, over=True)
    clock.now = END
    assert await counter.spend("a", 1) == Count(1, 0, END + 60, retry_after=60, over=False)
    assert await counter.spend("a", 1) == Count(1, 0, END + 60, retry_after=60, over=True)


async def test_the_window_is_the_clock_s_and_not_the_first_use_s(counter: RateCounter, clock: Clock) -> None:
    clock.now = END - 1
    assert await counter.spend("a", 1) == Count(1, 0, END, retry_after=1, over=False)
    clock.now = END
    assert (await counter.spend("a", 1)).over is False


async def test_looking_uses_nothing(counter: RateCounter) -> None:
    for _ in range(3):
        assert await counter.peek("a", 2) == Count(2, 2, END, 30, over=False)
    await counter.spend("a", 2)
    assert await counter.peek("a", 2) == Count(2, 1, END, 30, over=False)
    await counter.spend("a", 2)
    assert await counter.peek("a", 2) == Count(2, 0, END, 30, over=True)


async def test_keys_and_prefixes_are_counted_apart(clock: Clock) -> None:
    store = memory()
    one = RateCounter(store, prefix="one", window=60, clock=clock)
    two = RateCounter(store, prefix="two", window=60, clock=clock)
    await one.spend("a", 1)
    assert (await one.peek("a", 1)).remaining == 0
    assert (await one.peek("b", 1)).remaining == 1
    assert (await two.peek("a", 1)).remaining == 1


async def test_a_limit_that_changes_in_a_window_keeps_what_was_used(counter: RateCounter) -> None:
    for _ in range(3):
        await counter.spend("a", 3)
    assert await counter.spend("a", 10) == Count(10, 6, END, 30, over=False)
    assert (await counter.spend("a", 3)).over is True


async def test_uses_at_the_same_time_are_all_counted(counter: RateCounter) -> None:
    counts = await asyncio.gather(*(counter.spend("a", 10) for _ in range(25)))
    assert sorted(count.over for count in counts) == [False] * 10 + [True] * 15
    assert sorted(count.remaining for count in counts) == [0] * 16 + [1, 2, 3, 4, 5, 6, 7, 8, 9]


@given(
    window=st.sampled_from([2, 7, 10, 60, 3600]),
    second=st.integers(1_700_000_000, 1_900_000_000),
    late=st.floats(0, 0.99),
)
@settings(deadline=None, max_examples=50)
async def test_the_reset_is_the_end_of_the_window_for_any_moment(window: int, second: int, late: float) -> None:
    end = next(moment for moment in range(second + 1, second + window + 1) if moment % window == 0)
    with pytest.MonkeyPatch.context() as monkeypatch:
        clock = freeze(monkeypatch)
        clock.now = second
        count = await RateCounter(memory(), prefix="test", window=window, clock=lambda: second + late).spend("a", 1)
    assert count == Count(limit=1, remaining=0, reset=end, retry_after=end - second, over=False)


@pytest.mark.parametrize(
    "error",
    [
        StoreUnavailableError("down"),
        DataError("half a reply"),
        ConnectionResetError("gone"),
        TimeoutError("no answer"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_store_that_fails_is_told_apart_from_a_count(error: Exception, clock: Clock) -> None:
    counter = RateCounter(failing(error), prefix="test", window=60, clock=clock)
    for count in (counter.spend, counter.peek):
        with pytest.raises(CountingFailed) as raised:
            await count("a", 1)
        assert raised.value.__cause__ is error


async def test_a_count_that_cannot_be_is_none(clock: Clock) -> None:
    assert (await RateCounter(telling(2), prefix="test", window=60, clock=clock).peek("a", 3)).remaining == 1
    with pytest.raises(CountingFailed, match=r"The store has 10 of 3 left\."):
        await RateCounter(telling(-7), prefix="test", window=60, clock=clock).peek("a", 3)


async def test_the_least_recently_used_key_is_forgotten_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr("rest_facade.access.rate_counter.MOST_KEYS", 3)
    counter = RateCounter(memory(), prefix="test", window=60, clock=clock)
    for key in "abcad":
        await counter.spend(key, 10)
    assert [(await counter.peek(key, 10)).remaining for key in "abcd"] == [8, 10, 9, 9]


async def test_a_flood_of_keys_is_held_in_bounded_memory(clock: Clock) -> None:
    store = memory()
    counter = RateCounter(store, prefix="test", window=60, clock=clock)
    for number in range(50_100):
        await counter.spend(str(number), 10)
    assert isinstance(store, MemoryStore)
    assert len(store._backend.get_client()) == len(store._backend.expire_info) == 50_000
    assert (await counter.peek("50099", 10)).remaining == 9
    assert (await counter.peek("0", 10)).remaining == 10
