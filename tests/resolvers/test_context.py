"""The request context: reads of one organization, and the batches and cache of its loaders.

Tests of a loader say which loads became which batches.
"""

import asyncio
import gc
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import pytest

from db.reading.database import Database
from resolvers.context import LARGEST_BATCH, Context, Loader
from resolvers.lists.page_reader import PageOfRows
from schema.execution.operation import Executor, Operation
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of


class Batches:
    """A batch function whose value of each key is the key. It keeps the batches that it was called with."""

    def __init__(self) -> None:
        self.keys: list[Sequence[Any]] = []
        self.errors: list[Exception] = []
        self.started = asyncio.Event()
        self.released = asyncio.Event()
        self.released.set()
        self.ended = asyncio.Event()

    async def read(self, keys: Sequence[Any]) -> Mapping[Any, Any]:
        self.keys.append(keys)
        self.started.set()
        try:
            await self.released.wait()
        finally:
            self.ended.set()
        if self.errors:
            raise self.errors.pop(0)
        return {key: key for key in keys}


@pytest.fixture
async def batches(anyio_backend: str) -> Batches:
    return Batches()


async def test_loads_of_one_turn_are_one_batch(batches: Batches) -> None:
    loader = Loader(batches.read)
    for values in await asyncio.gather(*(loader.load(keys) for keys in ([3], [1, 2], [2], [1, 1]))):
        assert values == {3: 3, 1: 1, 2: 2}
    assert batches.keys == [[3, 1, 2]]


async def test_cached_keys_are_not_read_again(batches: Batches) -> None:
    loader = Loader(batches.read)
    await loader.load([3, 1, 2])
    assert (await loader.load([1, 4]))[4] == 4
    assert await loader.load([]) == {1: 1, 2: 2, 3: 3, 4: 4}
    assert batches.keys == [[3, 1, 2], [4]]


async def test_keys_in_flight_are_not_read_again(batches: Batches) -> None:
    loader = Loader(batches.read)
    batches.released.clear()
    first = asyncio.create_task(loader.load([1, 2]))
    await batches.started.wait()
    second = asyncio.create_task(loader.load([2, 3]))
    await asyncio.sleep(0)
    batches.released.set()
    assert (await first)[1] == 1
    assert (await second)[3] == 3
    assert batches.keys == [[1, 2], [3]]


async def test_key_without_value_is_none_and_cached() -> None:
    calls = []

    async def read(keys: Sequence[Any]) -> Mapping[Any, Any]:
        calls.append(keys)
        return {}

    loader = Loader(read)
    for _ in range(2):
        assert await loader.load([1]) == {1: None}
    assert calls == [[1]]


async def test_five_hundred_keys_are_the_largest_batch(batches: Batches) -> None:
    keys = list(range(LARGEST_BATCH * 2 + 201))
    assert await Loader(batches.read).load(keys) == {key: key for key in keys}
    assert batches.keys == [keys[:500], keys[500:1000], keys[1000:]]


async def test_error_reaches_every_load_of_the_batch(batches: Batches) -> None:
    loader = Loader(batches.read)
    batches.errors.append(ValueError("no"))
    results = await asyncio.gather(*(loader.load([key]) for key in range(3)), return_exceptions=True)
    assert [repr(result) for result in results] == ["ValueError('no')"] * 3
    assert batches.keys == [[0, 1, 2]]


async def test_failed_keys_are_read_again(batches: Batches) -> None:
    loader = Loader(batches.read)
    batches.errors.append(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        await loader.load([1, 2])
    assert await loader.load([2]) == {2: 2}
    assert batches.keys == [[1, 2], [2]]


async def test_cancelled_load_leaves_the_others_alone(batches: Batches) -> None:
    loader = Loader(batches.read)
    batches.released.clear()
    cancelled, waiting = asyncio.create_task(loader.load([1, 2])), asyncio.create_task(loader.load([2]))
    await batches.started.wait()
    cancelled.cancel()
    await asyncio.wait([cancelled])
    assert cancelled.cancelled()
    batches.released.set()
    assert await waiting == {1: 1, 2: 2}
    assert batches.keys == [[1, 2]]


async def test_second_error_of_a_load_is_not_logged(batches: Batches) -> None:
    logged: list[Any] = []
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: logged.append(context))
    loader = Loader(batches.read)
    batches.errors += [ValueError("first"), ValueError("second")]
    batches.released.clear()
    first = asyncio.create_task(loader.load([1]))
    await batches.started.wait()
    both = asyncio.create_task(loader.load([1, 2]))
    while len(batches.keys) < 2:
        await asyncio.sleep(0)
    batches.released.set()
    results = await asyncio.gather(first, both, return_exceptions=True)
    assert [repr(result) for result in results] == ["ValueError('first')"] * 2
    await asyncio.sleep(0)
    del loader, first, both, results
    gc.collect()
    loop.set_exception_handler(before)
    assert logged == [], "asyncio logs an exception that no task retrieved"


async def test_closing_ends_the_batches_in_flight(batches: Batches) -> None:
    loader = Loader(batches.read)
    batches.released.clear()
    loading = asyncio.create_task(loader.load([1]))
    await batches.started.wait()
    loading.cancel()
    loader.close()
    async with asyncio.timeout(10):
        await batches.ended.wait()


async def test_batch_does_not_begin_once_closed(batches: Batches) -> None:
    loader = Loader(batches.read)
    loading = asyncio.create_task(loader.load([1]))
    await asyncio.sleep(0)
    loading.cancel()
    loader.close()
    for _ in range(10):
        await asyncio.sleep(0)
    assert batches.keys == []


async def test_loaders_are_separate_by_name(database: Database) -> None:
    context, first, second = Context(database, uuid4()), Batches(), Batches()
    await context.load("name", [1], first.read)
    await context.load("name", [2], second.read)
    await context.load("other", [1], second.read)
    assert (first.keys, second.keys) == ([[1], [2]], [[1]])


async def test_requests_do_not_share_loaded_values(database: Database, batches: Batches) -> None:
    organization_id = uuid4()
    for _ in range(2):
        assert await Context(database, organization_id).load("name", [1], batches.read) == {1: 1}
    assert batches.keys == [[1], [1]]


WEEK = '(start_date: "2026-10-05", end_date: "2026-10-11")'


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (f"{{ time_activity_reports{WEEK} {{ results {{ is_final }} }} teams {{ count }} }}", True),
        (f"{{ time_totals{WEEK} {{ results {{ tracked_seconds }} }} }}", True),
        (f"{{ time_activity_reports{WEEK} {{ count }} }}", False),
        (f"{{ clockinouts{WEEK} {{ results {{ id }} }} }}", False),
    ],
)
async def test_reads_of_reports_and_sums_are_heavy(
    document: str, expected: bool, database: Database, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, are_heavy = database.read_rows, []

    async def recording_read(*arguments: Any, is_heavy: bool) -> Any:
        are_heavy.append(is_heavy)
        return await read(*arguments, is_heavy=is_heavy)

    monkeypatch.setattr(database, "read_rows", recording_read)
    await data_of(database, rows.organization(), document)
    assert set(are_heavy) == {expected}


async def test_finished_execution_keeps_no_rows(database: Database, rows: Rows) -> None:
    own = rows.organization()
    rows.project(own, client_id=rows.client(own))
    document = "{ clients { results { name projects { results { name client { name } } } } } }"

    def objects() -> dict[int, object]:
        return {id(each): each for each in gc.get_objects() if type(each) in (Context, Loader, PageOfRows)}

    gc.collect()
    gc.disable()
    try:
        # Tracebacks of other tests' errors may hold some.
        before = objects()
        assert (await Executor(database).execute(Operation(document), own, {})).errors is None
        kept = objects().keys() - before.keys()
    finally:
        gc.enable()
    assert not kept
