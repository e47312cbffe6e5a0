"""The request context: reads of one organization, and loaders of one request."""

import gc
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from db.reading.database import Database
from resolvers.context import Context, Loader
from resolvers.lists.page_reader import PageOfRows
from schema.execution.operation import Executor, Operation
from tests.factories.rows import Rows


class Batches:
    """A batch function whose value of each key is the key. It keeps the batches that it was called with."""

    def __init__(self) -> None:
        self.asked: list[Sequence[Any]] = []

    async def answer(self, keys: Sequence[Any]) -> Mapping[Any, Any]:
        self.asked.append(keys)
        return {key: key for key in keys}


async def test_loaders_are_separate_by_name(database: Database) -> None:
    context, first, second = Context(database, uuid4()), Batches(), Batches()
    await context.load("name", [1], first.answer)
    await context.load("name", [2], second.answer)
    await context.load("other", [1], second.answer)
    assert (first.asked, second.asked) == ([[1], [2]], [[1]])


async def test_requests_do_not_share_loaded_values(database: Database) -> None:
    organization_id, batches = uuid4(), Batches()
    for _ in range(2):
        context = Context(database, organization_id)
        assert await context.load("name", [1], batches.answer) == {1: 1}
    assert batches.asked == [[1], [1]]


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
