"""The request context: reads of one organization, and loaders of one request."""

import asyncio
import gc
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Integer, select

from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from db.tables.people import teams
from resolvers.context import Context
from resolvers.lists.listing import PageOfRows
from resolvers.relations.loader import Loader
from rest_facade.composition import Service
from schema.execution.executor import Executor
from schema.execution.operation import Operation
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

TEAMS = Statement(select(teams.c.name).where(in_organization(teams)))
INVERSE = Statement(select((100 / bind("number", Integer())).label("inverse")))


class Batches:
    """A batch function whose value of each key is the key. It keeps the batches that it was called with."""

    def __init__(self) -> None:
        self.asked: list[Sequence[Any]] = []

    async def answer(self, keys: Sequence[Any]) -> Mapping[Any, Any]:
        self.asked.append(keys)
        return {key: key for key in keys}


async def test_reads_are_of_the_organization_of_the_request(database: Database, rows: Rows) -> None:
    own, other = rows.organization(), rows.organization()
    rows.team(own, name="Own")
    rows.team(other, name="Other")
    assert [row.name for row in await Context(database, own).read(TEAMS, {})] == ["Own"]
    assert [row.name for row in await Context(database, other).read(TEAMS, {"organization_id": own})] == ["Other"]
    assert Context(database, own).organization_id == own


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


async def test_batches_of_one_turn_are_one_round_trip(service: Service, round_trips: list[Any]) -> None:
    context = Context(service.database, uuid4())

    async def inverse(keys: Sequence[int]) -> Mapping[int, int]:
        return {key: (await context.read(INVERSE, {"number": key}))[0].inverse for key in keys}

    names = ["first", "second", "third"]
    assert await asyncio.gather(*(context.load(name, [4], inverse) for name in names)) == [{4: 25}] * 3
    assert [*map(len, round_trips)] == [3]


async def test_error_of_a_batch_reaches_every_load(database: Database) -> None:
    context = Context(database, uuid4())

    async def fail(keys: Sequence[int]) -> Mapping[Any, Any]:
        return {key: await context.read(INVERSE, {"number": 0}) for key in keys}

    asked = [context.load("name", [key], fail) for key in range(3)]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [psycopg.errors.DivisionByZero] * 3
    assert (await context.read(INVERSE, {"number": 4}))[0].inverse == 25


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
        assert (await Executor(database).execute(Operation(document), own, {})).failures == []
        kept = objects().keys() - before.keys()
    finally:
        gc.enable()
    assert not kept
