"""What the resolvers of one request share, and that no two requests share it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Integer, select

from db.database import Database
from db.people import teams
from db.statements import Statement
from db.tables import given, mine
from resolvers.context import Context
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

TEAMS = Statement(select(teams.c.name).where(mine(teams)))
INVERSE = Statement(select((100 / given("number", Integer())).label("inverse")))


@pytest.fixture
async def database(owner_url: str) -> AsyncIterator[Database]:
    database = Database(owner_url)
    await database.open()
    yield database
    await database.close()


class Batches:
    """A batch function that answers each key with itself, and keeps the batches it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[Any]] = []

    async def answer(self, keys: list[Any]) -> list[Any]:
        self.asked.append(keys)
        return keys


async def test_reads_are_of_the_organization_of_the_request(database: Database, rows: Rows) -> None:
    own, other = rows.organization(), rows.organization()
    rows.team(own, name="Own")
    rows.team(other, name="Other")
    assert [row.name for row in await Context(database, own).read(TEAMS, {})] == ["Own"]
    assert [row.name for row in await Context(database, other).read(TEAMS, {"organization_id": own})] == ["Other"]
    assert Context(database, own).organization_id == own


async def test_a_batch_is_what_was_asked_for_in_one_turn(database: Database) -> None:
    context, batches = Context(database, uuid4()), Batches()
    answers = await asyncio.gather(*(context.loader("name", batches.answer).load(key) for key in (3, 1, 2, 1)))
    assert answers == [3, 1, 2, 1]
    assert batches.asked == [[3, 1, 2]]
    assert await context.loader("name", batches.answer).load(1) == 1
    assert batches.asked == [[3, 1, 2]], "what was loaded once is not asked for again"


async def test_a_loader_has_one_name_and_one_batch(database: Database) -> None:
    context, first, second = Context(database, uuid4()), Batches(), Batches()
    assert context.loader("name", first.answer) is context.loader("name", second.answer)
    assert context.loader("name", first.answer) is not context.loader("other", first.answer)
    await context.loader("name", second.answer).load(1)
    assert (first.asked, second.asked) == ([[1]], [])


async def test_no_two_requests_share_what_was_loaded(database: Database) -> None:
    organization_id, batches = uuid4(), Batches()
    for _ in range(2):
        context = Context(database, organization_id)
        assert await context.loader("name", batches.answer).load(1) == 1
    assert batches.asked == [[1], [1]]


async def test_a_batch_has_five_hundred_keys_at_most(database: Database) -> None:
    context, batches = Context(database, uuid4()), Batches()
    loader = context.loader("name", batches.answer)
    assert await asyncio.gather(*map(loader.load, range(1201))) == list(range(1201))
    assert [len(keys) for keys in batches.asked] == [500, 500, 201]
    assert [key for keys in batches.asked for key in keys] == list(range(1201))


async def test_batches_of_one_turn_travel_together(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    read = database.read

    async def counted(organization_id: Any, calls: Any) -> Any:
        asked.append(len(calls))
        return await read(organization_id, calls)

    monkeypatch.setattr(database, "read", counted)
    context = Context(database, uuid4())

    async def inverse(keys: list[int]) -> list[int]:
        return [(await context.read(INVERSE, {"number": key}))[0].inverse for key in keys]

    loaders = [context.loader(name, inverse) for name in ("first", "second", "third")]
    assert await asyncio.gather(*(loader.load(4) for loader in loaders)) == [25, 25, 25]
    assert asked == [3]


async def test_an_error_of_a_batch_reaches_everyone_who_waits(database: Database) -> None:
    context = Context(database, uuid4())

    async def fail(keys: list[int]) -> list[Any]:
        return await context.read(INVERSE, {"number": 0})

    loader = context.loader("name", fail)
    outcomes = await asyncio.gather(*map(loader.load, range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [psycopg.errors.DivisionByZero] * 3
    assert (await context.read(INVERSE, {"number": 4}))[0].inverse == 25
