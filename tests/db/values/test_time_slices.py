"""Time slices: the results of all parts, and that other tasks run between them."""

import asyncio
import gc
import weakref
from collections.abc import Sequence
from itertools import pairwise

import pytest

from db.values.time_slices import in_time_slices, time_slice


def doubled(items: Sequence[int]) -> list[int]:
    return [2 * item for item in items]


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 100])
async def test_parts_add_up_to_the_whole(count: int) -> None:
    assert await in_time_slices(doubled, range(count), 10) == doubled(range(count))


async def test_few_items_take_no_turn_of_the_event_loop() -> None:
    ran: list[str] = []
    asyncio.get_running_loop().call_soon(ran.append, "another")
    assert await in_time_slices(doubled, range(10), 10) == doubled(range(10))
    assert ran == []


async def test_one_part_of_all_tasks_runs_per_pass() -> None:
    parts: list[int] = []
    passes: list[int] = []

    def part(items: Sequence[int]) -> list[int]:
        parts.append(len(items))
        return list(items)

    async def watch() -> None:
        while not all(work.done() for work in works):
            passes.append(len(parts))
            await asyncio.sleep(0)

    works = [asyncio.create_task(in_time_slices(part, range(100), 10)) for _ in range(5)]
    await asyncio.gather(watch(), *works)
    assert sum(parts) == 500
    assert max(after - before for before, after in pairwise(passes)) == 1


async def test_part_that_fails_ends_its_turn() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_time_slices(lambda items: [1 // item for item in items], [1, 0], 1)
    async with asyncio.timeout(1), time_slice():
        pass


async def test_cancelled_task_ends_its_turn() -> None:
    task = asyncio.create_task(in_time_slices(doubled, range(1_000), 1))
    await asyncio.sleep(0)
    task.cancel()
    async with asyncio.timeout(1), time_slice():
        pass
    assert task.done() or task.cancelling()


async def test_closed_event_loop_is_not_kept_alive() -> None:
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def contend() -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        await asyncio.gather(*(in_time_slices(doubled, range(20), 10) for _ in range(3)))

    await asyncio.to_thread(asyncio.run, contend())
    gc.collect()
    assert loops[0]() is None
