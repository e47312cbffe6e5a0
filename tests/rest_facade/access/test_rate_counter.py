"""Fixed-window rate counters, on a clock that only the test moves, and storages that fail.

Covers `rest_facade/access/redis_store.py` and `rest_facade/access/counting_store.py`.
"""

import asyncio
from collections import Counter
from uuid import uuid4
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse

from rest_facade.access.rate_counter import Count, CountingFailed, MemoryStorage, RateCounter
from tests.property_tests import examples
from tests.rest_facade.access.clock import END, START, UNREACHABLE, Clock, freeze, guarded


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return freeze(monkeypatch)


@pytest.fixture
def counter(clock: Clock) -> RateCounter:
    return RateCounter(MemoryStorage(), prefix="test", window=60, clock=clock)


async def test_count_goes_down_then_is_over(counter: RateCounter) -> None:
    assert [await counter.consume("a", 3) for _ in range(5)] == [
        Count(limit=3, remaining=2, reset=END, retry_after=30, over=False),
        Count(limit=3, remaining=1, reset=END, retry_after=30, over=False),
        Count(limit=3, remaining=0, reset=END, retry_after=30, over=False),
        Count(limit=3, remaining=0, reset=END, retry_after=30, over=True),
        Count(limit=3, remaining=0, reset=END, retry_after=30, over=True),
    ]


async def test_windows_of_organizations_end_in_different_seconds(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rest_facade.access.rate_counter.crc32", crc32)
    counter = RateCounter(MemoryStorage(), prefix="quota", window=60, clock=clock)
    other = RateCounter(MemoryStorage(), prefix="quota", window=60, clock=clock)
    ids = [str(uuid4()) for _ in range(1_000)]
    ends = [(await counter.consume(f"{id_}:GET:members", 1)).reset for id_ in ids]
    assert {end - START for end in ends} == set(range(1, 61))
    assert max(Counter(ends).values()) < 50
    # The same for another group, in another worker, and where the window is used up.
    assert [(await other.consume(f"{id_}:GET:teams", 1)).reset for id_ in ids] == ends
    used_up = [await counter.consume(f"{id_}:GET:members", 1) for id_ in ids for _ in range(2)]
    assert [(each.reset, each.retry_after, each.over) for each in used_up[1::2]] == [
        (end, end - START, True) for end in ends
    ]
    first = ids[0]
    clock.now = ends[0]
    assert (await counter.consume(f"{first}:GET:members", 1)).over is False


async def test_window_that_ended_takes_nothing_back(counter: RateCounter, clock: Clock) -> None:
    reserved = await counter.reserve("a", 10, 8)
    assert reserved == Count(limit=10, remaining=2, reset=END, retry_after=30, over=False)
    clock.now = END
    assert await counter.give_back("a", reserved, 8) == reserved
    assert (await counter.reserve("a", 10, 10)).remaining == 0


async def test_new_window_starts_at_zero(counter: RateCounter, clock: Clock) -> None:
    for _ in range(5):
        await counter.consume("a", 1)
    clock.now = END - 1
    assert await counter.consume("a", 1) == Count(1, 0, END, retry_after=1, over=True)
    clock.now = END
    assert await counter.consume("a", 1) == Count(1, 0, END + 60, retry_after=60, over=False)
    assert await counter.consume("a", 1) == Count(1, 0, END + 60, retry_after=60, over=True)


async def test_used_up_window_is_refused_without_the_store(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = RateCounter(MemoryStorage(), prefix="test", window=60, clock=clock)
    assert [(await counter.consume("a", 1)).over for _ in range(2)] == [False, True]
    monkeypatch.setattr(counter, "_storage", UNREACHABLE)
    for now, retry_after in [(START, 30), (START + 0.4, 30), (START + 1, 29), (END - 1, 1), (END - 0.1, 1)]:
        clock.now = now
        assert await counter.consume("a", 1) == Count(1, 0, END, retry_after, over=True)


async def test_raised_limit_and_other_keys_ask_the_store(counter: RateCounter) -> None:
    for _ in range(20):
        await counter.consume("a", 2)
    # Refusals that were not counted leave room for the raised limit.
    assert await counter.consume("a", 10) == Count(10, 6, END, 30, over=False)
    assert (await counter.consume("b", 2)).over is False
    assert (await counter.consume("a", 2)).over is True


@pytest.mark.parametrize("step", [3600.0, -3600.0, 7.0, -7.0])
async def test_step_of_the_wall_clock_does_not_move_the_end_of_a_block(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    wall = Clock()
    wall.now = END - 3
    counter = RateCounter(MemoryStorage(), prefix="test", window=60, clock=wall)
    assert [(await counter.consume("a", 1)).over for _ in range(2)] == [False, True]
    wall.now += step
    monkeypatch.setattr(counter, "_storage", UNREACHABLE)
    assert await counter.consume("a", 1) == Count(1, 0, int(wall.now) + 3, 3, over=True)


async def test_used_up_windows_are_bounded(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr("rest_facade.access.rate_counter.MAX_USED_UP", 3)
    counter = RateCounter(MemoryStorage(), prefix="test", window=60, clock=clock)
    for number in range(10):
        for _ in range(2):
            await counter.consume(str(number), 1)
    assert [key for key, _ in counter._used_up] == ["7", "8", "9"]
    assert (await counter.consume("0", 1)).over is True


async def test_concurrent_uses_are_all_counted(counter: RateCounter) -> None:
    counts = await asyncio.gather(*(counter.consume("a", 10) for _ in range(25)))
    assert sorted(count.over for count in counts) == [False] * 10 + [True] * 15
    assert sorted(count.remaining for count in counts) == [0] * 16 + [1, 2, 3, 4, 5, 6, 7, 8, 9]


@given(
    window=st.sampled_from([2, 7, 10, 60, 3600]),
    second=st.integers(1_700_000_000, 1_900_000_000),
    late=st.floats(0, 0.99),
)
@settings(deadline=None, max_examples=examples(50))
async def test_reset_is_the_end_of_the_window(window: int, second: int, late: float) -> None:
    end = next(moment for moment in range(second + 1, second + window + 1) if moment % window == 0)
    with pytest.MonkeyPatch.context() as monkeypatch:
        freeze(monkeypatch).now = second
        counter = RateCounter(MemoryStorage(), prefix="test", window=window, clock=lambda: second + late)
        count = await counter.consume("a", 1)
    assert count == Count(limit=1, remaining=0, reset=end, retry_after=end - second, over=False)


@pytest.mark.parametrize(
    "error",
    [
        RedisConnectionError("down"),
        InvalidResponse("half a reply"),
        ConnectionResetError("gone"),
        TimeoutError("no answer"),
        RuntimeError("a bug"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_failed_store_raises_counting_failed(error: Exception, clock: Clock) -> None:
    with pytest.raises(CountingFailed) as raised:
        await RateCounter(guarded(error), prefix="test", window=60, clock=clock).consume("a", 1)
    assert raised.value.__cause__ is error


async def test_impossible_count_raises_counting_failed(clock: Clock) -> None:
    assert (await RateCounter(guarded(2), prefix="test", window=60, clock=clock).consume("a", 3)).remaining == 1
    for uses in (0, -7):
        with pytest.raises(CountingFailed) as raised:
            await RateCounter(guarded(uses), prefix="test", window=60, clock=clock).consume("a", 3)
        assert str(raised.value.__cause__) == f"The store has counted {uses} uses."


async def test_least_recently_used_key_is_evicted(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr("rest_facade.access.rate_counter.MAX_KEYS", 3)
    counter = RateCounter(MemoryStorage(), prefix="test", window=60, clock=clock)
    for key in "abcad":
        await counter.consume(key, 10)
    assert [(await counter.consume(key, 10)).remaining for key in "adcb"] == [7, 8, 8, 9]
