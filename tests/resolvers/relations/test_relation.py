"""Relations of one row and of many rows of a key: each test says which loads become which batches.

Covers `resolvers/steps/related_row.py`.
"""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import literal, null, select

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.statement import Statement, UnrestrictedTable
from db.tables.columns import in_organization
from db.tables.people import team_members, teams
from resolvers.context import Context
from resolvers.relations.relation import Relation, any_key
from resolvers.selected import ALL
from tests.factories.rows import Rows
from tests.schema.interpreter import for_one

BY_ID = Relation(teams.c.id, select(teams.c.name, teams.c.description).where(in_organization(teams)))
MEMBERS = Relation(
    team_members.c.team_id,
    select(team_members.c.user_id)
    .where(in_organization(team_members), team_members.c.team_id == any_key())
    .order_by(team_members.c.joined_at, team_members.c.id),
    many=True,
)


class RecordingContext(Context):
    """A context that keeps its batches: the statement and the keys of each."""

    def __init__(self, database: Database, organization_id: UUID) -> None:
        super().__init__(database, organization_id)
        self.asked: list[tuple[Statement, list[UUID]]] = []

    async def fetch(self, statement: Statement, values: Mapping[str, Any], **options: bool) -> list[Row]:
        self.asked.append((statement, list(values["keys"])))
        return await super().fetch(statement, values, **options)

    @property
    def info(self) -> Any:
        return SimpleNamespace(context=self)


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture
def context(database: Database, own: UUID) -> RecordingContext:
    return RecordingContext(database, own)


def parent(**given: Any) -> Any:
    return SimpleNamespace(**given)


async def test_key_without_a_row_is_none(context: RecordingContext, rows: Rows, own: UUID) -> None:
    present, absent, foreign = rows.team(own), uuid4(), rows.team(rows.organization())
    found = await asyncio.gather(*(BY_ID.load(context, id_) for id_ in (absent, present, foreign)))
    assert [row and row.key for row in found] == [None, present, None]
    assert [keys for _, keys in context.asked] == [[absent, present, foreign]]


async def test_fields_of_one_relation_share_its_batch(context: RecordingContext, rows: Rows, own: UUID) -> None:
    id_ = rows.team(own, name="Design", description="Shapes")
    fields = [BY_ID.of("team_id"), BY_ID.of("team_id", "name"), BY_ID.of("team_id", "description")]
    row, name, text = await asyncio.gather(*(for_one(field)(parent(team_id=id_), context.info) for field in fields))
    assert (row.key, name, text) == (id_, "Design", "Shapes")
    assert context.asked == [(BY_ID.statement(ALL), [id_])]


async def test_default_replaces_missing_rows_and_nulls(context: RecordingContext, rows: Rows, own: UUID) -> None:
    plain = rows.team(own, name="", description=None)
    for id_, name, default, answer in [
        (None, None, None, None),
        (None, "name", None, None),
        (None, "name", "none", "none"),
        (uuid4(), "name", "none", "none"),
        (uuid4(), None, "none", "none"),
        (uuid4(), "name", None, None),
        (plain, "description", "none", "none"),
        (plain, "description", None, None),
        (plain, "name", "none", ""),
    ]:
        assert await for_one(BY_ID.of("team_id", name, default=default))(parent(team_id=id_), context.info) == answer
    assert all(None not in keys for _, keys in context.asked), "a parent without a key reads nothing"


async def test_collection_has_the_rows_of_each_key_in_order(context: RecordingContext, rows: Rows, own: UUID) -> None:
    full, empty, other = (rows.team(own) for _ in range(3))
    people = sorted(rows.member(own) for _ in range(3))
    for n, user_id in enumerate(people):
        rows.team_member(own, full, user_id, id=UUID(int=3 - n))
    rows.team_member(own, other, people[0])
    found, *_ = await asyncio.gather(*(MEMBERS.rows(context, [id_]) for id_ in (other, empty, full, other)))
    people_of = {id_: [row.user_id for row in group] for id_, group in found.items()}
    assert people_of == {other: [people[0]], empty: [], full: people[::-1]}
    assert context.asked == [(MEMBERS.statement(ALL), [other, empty, full])]
    assert [row.user_id for row in await for_one(MEMBERS.of("id"))(parent(id=full), context.info)] == people[::-1]
    assert len(context.asked) == 1


async def test_relation_and_collection_of_a_key_are_separate(context: RecordingContext, rows: Rows, own: UUID) -> None:
    id_ = rows.team(own)
    row, groups = await asyncio.gather(BY_ID.load(context, id_), MEMBERS.rows(context, [id_]))
    assert row is not None
    assert groups == {id_: []}
    both = [(BY_ID.statement(ALL), [id_]), (MEMBERS.statement(ALL), [id_])]
    assert sorted(context.asked, key=repr) == sorted(both, key=repr)


def test_relation_of_all_organizations_is_refused() -> None:
    with pytest.raises(UnrestrictedTable):
        Relation(teams.c.id, select(teams.c.name).where(teams.c.id == any_key()), many=True).statement(ALL)
    with pytest.raises(UnrestrictedTable):
        Relation(teams.c.id, select(teams.c.name)).statement(ALL)


def test_constants_of_a_relation_are_bound() -> None:
    query = select(literal("x").label("text"), null().label("nothing"))
    assert Relation(teams.c.id, query.where(in_organization(teams), teams.c.name != "x")).statement(ALL).constants
