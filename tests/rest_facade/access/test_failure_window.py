"""Moving windows of failures, in memory and in Redis, against a slow reference: 10 in any 60 seconds.

Covers `rest_facade/access/redis_store.py` and `rest_facade/access/expiring_dict.py`.
"""

import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import WindowStats

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.redis_store import SharedStorage, SharedWindow
from rest_facade.access.throttle import NO_FAILURES, Failures, FailureWindow, MemoryWindow, Throttle
from rest_facade.errors.envelope import Error, Refused
from tests.faults.store import Store
from tests.rest_facade.access.clock import Clock


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(Path(tmp_path_factory.mktemp("redis"))) as store:
        yield store


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of all windows of a test. The library reads its own."""
    clock = Clock(1_000_000.0)
    monkeypatch.setattr("limits.aio.storage.redis.redispy.time", SimpleNamespace(time=clock))
    return clock


@pytest.fixture
async def shared(store: Store, clock: Clock) -> AsyncIterator[SharedWindow]:
    storage = SharedStorage(store.url)
    yield SharedWindow(storage, f"test-{random.random()}", CircuitBreaker("quota store"), clock)
    await storage.close()


@pytest.fixture(params=["memory", "redis"])
def window(request: pytest.FixtureRequest, clock: Clock, shared: SharedWindow) -> FailureWindow:
    return MemoryWindow(clock) if request.param == "memory" else shared


async def test_eleventh_failure_within_a_minute_is_not_counted(window: FailureWindow, clock: Clock) -> None:
    for second in range(10):
        clock.now = 1_000_000.0 + second
        assert await window.add("192.0.2.1")
    clock.now = 1_000_059.0
    assert not await window.add("192.0.2.1")
    failures = await window.failures("192.0.2.1")
    assert (failures.total, failures.are_over, failures.retry_after) == (10, True, 1)
    # Another address counts apart.
    assert (await window.failures("192.0.2.2")).total == 0
    assert await window.add("192.0.2.2")


async def test_window_moves_over_the_minute(window: FailureWindow, clock: Clock) -> None:
    # Windows aligned to the clock would let eighteen failures through here.
    clock.now = 1_000_019.5
    assert [await window.add("192.0.2.1") for _ in range(9)] == [True] * 9
    clock.now = 1_000_020.5
    assert [await window.add("192.0.2.1") for _ in range(9)] == [True] + [False] * 8


async def test_workers_look_up_ten_forged_keys(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker looked up ten of them."""
    # On a busy machine, a call of the store would time out, and its worker reserve alone.
    monkeypatch.setattr("rest_facade.access.circuit_breaker.TIMEOUT_TICKS", 10_000)
    storages = [SharedStorage(store.url) for _ in range(4)]
    prefix = f"test-{random.random()}"
    breakers = [CircuitBreaker("quota store") for _ in storages]
    workers = [Throttle(SharedWindow(*each, clock)) for each in zip(storages, [prefix] * 4, breakers, strict=True)]
    lookups = 0

    async def fail_lookup(throttle: Throttle) -> Error:
        nonlocal lookups
        async with throttle.reservation("192.0.2.1"):
            lookups += 1
            await asyncio.sleep(0.01)
            return await throttle.record_failure("192.0.2.1")

    async def succeed(throttle: Throttle) -> None:
        async with throttle.reservation("192.0.2.9"):
            await asyncio.sleep(0.01)

    async with asyncio.timeout(10):
        await asyncio.gather(*(succeed(workers[n % 4]) for n in range(33)))
        results = await asyncio.gather(*(fail_lookup(workers[n % 4]) for n in range(33)), return_exceptions=True)
    assert lookups == 10
    assert Counter(map(type, results)) == {Error: 10, Refused: 23}
    assert await storages[0].get(f"{prefix}:lookups:192.0.2.1") == 0
    for storage in storages:
        await storage.close()


async def test_failures_at_once_count_ten(window: FailureWindow) -> None:
    assert sum(await asyncio.gather(*(window.add("192.0.2.1") for _ in range(30)))) == 10


@settings(max_examples=50, deadline=None)
@given(steps=st.lists(st.integers(0, 8 * 25).map(lambda eighths: eighths / 8), max_size=60))
async def test_memory_window_equals_a_slow_reference(steps: list[float]) -> None:
    clock = Clock(1_000_000.0)
    window = MemoryWindow(clock)
    counted: list[float] = []
    for step in steps:
        clock.now += step
        recent = [moment for moment in counted if moment > clock.now - 60]
        failures = await window.failures("192.0.2.1")
        assert failures.total == len(recent)
        if recent:
            assert failures.oldest_leaves_in == pytest.approx(recent[0] + 60 - clock.now)
        assert await window.add("192.0.2.1") is (len(recent) < 10)
        if len(recent) < 10:
            counted.append(clock.now)


async def test_blocked_address_takes_at_most_200_bytes_for_60_seconds() -> None:
    clock = Clock(1_000_000.0)
    window = MemoryWindow(clock)
    windows = window._windows
    # The texts of IPv6 networks are the longest ones.
    for address in (f"2001:db8:{number // 150 + 1000}:{number % 150 + 1000}::/64" for number in range(5_000)):
        for _ in range(10):
            await window.add(address)
    assert len(windows) == 5_000
    assert (await window.failures(address)).are_over
    taken = sys.getsizeof(windows) + sum(sys.getsizeof(key) + sys.getsizeof(windows[key]) for key in windows)
    assert taken <= 200 * 5_000
    clock.now += 61
    assert await window.failures("192.0.2.1") == NO_FAILURES
    assert sys.getsizeof(windows) < 500


async def test_addresses_beyond_the_most_evict_those_that_failed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rest_facade.access.throttle.MAX_ADDRESSES", 100)
    window = MemoryWindow(Clock(1_000_000.0))
    for number in range(240):
        await window.add(f"10.0.0.{number}")
    assert (await window.failures("10.0.0.0")).total == 0
    assert (await window.failures("10.0.0.239")).total == 1


@pytest.mark.parametrize("began", [0.0, 30 * 366 * 86_400.0], ids=["at the start", "after 30 years"])
async def test_failures_are_counted_however_long_the_machine_runs(began: float) -> None:
    clock = Clock(began)
    window = MemoryWindow(clock)
    assert await window.add("192.0.2.1")
    assert await window.failures("192.0.2.1") == Failures(1, 60.0)
    clock.now += 60
    assert (await window.failures("192.0.2.1")).total == 0


async def test_end_of_a_block_by_the_store_is_forgotten(shared: SharedWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.0)
    monkeypatch.setattr("rest_facade.access.redis_store.time", SimpleNamespace(monotonic=clock))
    for _ in range(10):
        await shared.add("192.0.2.1")
    assert (await shared.failures("192.0.2.1")).are_over
    assert [*shared._blocked_until] == ["192.0.2.1"]
    clock.now += 61
    await shared.failures("192.0.2.2")
    assert [*shared._blocked_until] == []


async def test_store_is_not_asked_about_blocked_address(shared: SharedWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(10):
        await shared.add("192.0.2.1")
    first = await shared.failures("192.0.2.1")
    monkeypatch.setattr(shared, "_limiter", None)
    again = await shared.failures("192.0.2.1")
    assert (first.are_over, again.are_over) == (True, True)
    assert 0 < again.oldest_leaves_in <= first.oldest_leaves_in


async def test_address_is_remembered_until_it_fails(shared: SharedWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await shared.failures("192.0.2.1")).total == 0
    with monkeypatch.context() as unreachable:
        unreachable.setattr(shared, "_limiter", None)
        assert (await shared.failures("192.0.2.1", max_age=60)).total == 0
        with pytest.raises(AttributeError):
            await shared.failures("192.0.2.1")
    assert await shared.add("192.0.2.1")
    assert (await shared.failures("192.0.2.1", max_age=60)).total == 1


async def test_failures_during_an_answer_are_kept(shared: SharedWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()
    look = shared._limiter.get_window_stats

    async def late(limit: Any, address: str) -> WindowStats:
        stats = await look(limit, address)
        asked.set()
        await answer.wait()
        return stats

    monkeypatch.setattr(shared._limiter, "get_window_stats", late)
    failures = asyncio.create_task(shared.failures("192.0.2.1"))
    await asked.wait()
    assert await shared.add("192.0.2.1")
    answer.set()
    assert (await failures).total == 0
    assert (await shared.failures("192.0.2.1", max_age=60)).total == 1


@pytest.mark.parametrize(
    ("remaining", "oldest_leaves_in"),
    [(11, 30.0), (-1, 30.0), (0, 121.0), (5, 86_400.0)],
    ids=["fewer than none", "more than ten", "a window too long", "a day"],
)
async def test_nonsense_of_the_store_blocks_no_address(
    shared: SharedWindow, clock: Clock, monkeypatch: pytest.MonkeyPatch, remaining: int, oldest_leaves_in: float
) -> None:
    async def nonsense(limit: Any, address: str) -> WindowStats:
        return WindowStats(1_000_000.0 + oldest_leaves_in, remaining)

    with monkeypatch.context() as broken:
        broken.setattr(shared, "_limiter", SimpleNamespace(get_window_stats=nonsense))
        with pytest.raises(ValueError, match="The store has"):
            await shared.failures("192.0.2.1")
    assert (await shared.failures("192.0.2.1")).total == 0


async def test_address_is_blocked_by_instance_whose_clock_is_ahead(shared: SharedWindow, clock: Clock) -> None:
    for _ in range(10):
        await shared.add("192.0.2.1")
    clock.now -= 30
    assert await shared.failures("192.0.2.1") == Failures(10, 60.0)
