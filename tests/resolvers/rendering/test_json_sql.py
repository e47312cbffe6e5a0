"""JSON text that PostgreSQL writes: byte for byte that of orjson, for every kind of value.

Covers `resolvers/rendering/json_kinds.py` and `resolvers/rendering/runs.py`.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Integer, Text, Uuid, func, select
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP
from sqlalchemy.types import TypeEngine

from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from db.tables.people import MemberStatus, members
from db.tables.work import project_members, projects
from resolvers.people import members_by_id
from resolvers.rendering.json_kinds import JsonKind, enum_kind, scalar_kind
from resolvers.rendering.json_sql import RunsOfRows
from resolvers.rendering.runs import ColumnField, ConstantField, RelatedField, RenderedField, Run
from resolvers.work import PROJECT, clients_by_id, projects_by_id
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples

pytestmark = pytest.mark.anyio

SECONDS = TIMESTAMP(timezone=True, precision=0)
MOMENT = DateTime(timezone=True)


@pytest.fixture
async def database(owner_url: str) -> AsyncIterator[Database]:
    database = Database(owner_url)
    await database.open()
    yield database
    await database.close()


async def written(
    database: Database, kind: JsonKind, type_: TypeEngine[Any], values: Sequence[Any], *, is_required: bool = False
) -> list[Any]:
    """The text of each value."""
    rows = func.unnest(bind("given", ARRAY(type_))).table_valued(Column("value", type_)).render_derived("rows")
    runs = RunsOfRows(dict(rows.c), [Run(0, (ColumnField("value", "value", kind, is_required),))], rows)
    statement = Statement(select(*runs.columns()).select_from(runs.source))
    (found,) = await database.read(UUID(int=1), [(statement, {"given": list(values)})])
    return [row.json_0 for row in found]


def expected(values: Sequence[Any]) -> list[str]:
    return [orjson.dumps(value, option=orjson.OPT_UTC_Z).decode() for value in values]


async def test_every_character_is_escaped_as_orjson_does(database: Database) -> None:
    basic = [chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000]
    texts = ["".join(basic), *basic[:0x300], "\U00010000\U0001f600\U0010ffff", "a" * 100_000, ""]
    assert await written(database, JsonKind.escaped, Text(), texts) == expected(texts)


moments = st.lists(st.datetimes(timezones=st.just(UTC)), max_size=50)


@pytest.mark.hypothesis
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moments=moments)
async def test_moments_are_those_of_orjson(moments: list[datetime], database: Database) -> None:
    assert await written(database, JsonKind.microsecond, MOMENT, moments) == expected(moments)
    whole = [moment.replace(microsecond=0) for moment in moments]
    assert await written(database, JsonKind.second, SECONDS, whole) == expected(whole)


FRACTIONS = [0, 1, 10, 100, 1_000, 10_000, 100_000, 120_000, 123_456, 999_999]


async def test_zeros_at_the_end_of_a_fraction_stay(database: Database) -> None:
    moments = [THEN + timedelta(microseconds=number) for number in FRACTIONS]
    found = await written(database, JsonKind.microsecond, MOMENT, moments)
    assert found[:3] == ['"2026-01-05T09:00:00Z"', '"2026-01-05T09:00:00.000001Z"', '"2026-01-05T09:00:00.000010Z"']
    assert found == expected(moments)


@pytest.mark.parametrize(
    ("kind", "type_", "values"),
    [
        (JsonKind.bare, BigInteger(), [0, -1, 2**53 + 1, 2**63 - 1, -(2**63)]),
        (JsonKind.bare, Boolean(), [True, False]),
        (JsonKind.quoted, Uuid(), [UUID(int=0), UUID("0193538f-6695-78fe-809b-1ef4f3fe1457"), UUID(int=2**128 - 1)]),
        (JsonKind.quoted, Text(), ["active", "-0.0001", "12345678901234567890.1234"]),
        (JsonKind.day, Date(), [date(1, 1, 1), date(2026, 1, 5), date(9999, 12, 31)]),
    ],
)
async def test_values_are_those_of_orjson(
    kind: JsonKind, type_: TypeEngine[Any], values: Sequence[Any], database: Database
) -> None:
    assert await written(database, kind, type_, values) == expected(values)


async def test_array_with_null_leaves_no_text(database: Database) -> None:
    rows = func.unnest(bind("rows", ARRAY(Integer()))).table_valued(Column("n", Integer())).render_derived("rows")
    columns = {"texts": bind("texts", ARRAY(Text())), "ids": bind("ids", ARRAY(Uuid()))}
    fields = [ColumnField(name, name, JsonKind.array, is_required=True) for name in columns]
    runs = RunsOfRows(columns, [Run(number, (field,)) for number, field in enumerate(fields)], rows)
    statement = Statement(select(*runs.columns()).select_from(runs.source))
    texts, ids = ['a"b', "", "null"], [UUID(int=1), UUID(int=2)]
    values: dict[str, Any] = {"rows": [1]}
    statements = [
        (statement, values | {"texts": texts, "ids": ids}),
        (statement, values | {"texts": [], "ids": None}),
        (statement, values | {"texts": ["a", None], "ids": []}),
    ]
    found = [(row.json_0, row.json_1) for (row,) in await database.read(UUID(int=1), statements)]
    assert found == [tuple(expected([texts, ids])), ("[]", None), (None, "[]")]


@pytest.mark.parametrize("kind", [kind for kind in JsonKind if kind is not JsonKind.array])
async def test_null_is_null_or_leaves_no_text(kind: JsonKind, database: Database) -> None:
    type_ = MOMENT if kind in (JsonKind.second, JsonKind.microsecond) else Text()
    assert await written(database, kind, type_, [None]) == ["null"]
    assert await written(database, kind, type_, [None], is_required=True) == [None]


PROJECT_COLUMNS = {str(column.key): column for column in PROJECT}


@pytest.mark.parametrize(
    ("scalar", "column", "kind"),
    [
        ("UUID", projects.c.id, JsonKind.quoted),
        ("String", projects.c.name, JsonKind.escaped),
        ("Amount", PROJECT_COLUMNS["bill_rate"], JsonKind.quoted),
        ("Boolean", PROJECT_COLUMNS["is_active"], JsonKind.bare),
        ("Seconds", projects.c.tracked_seconds_total, JsonKind.bare),
        ("Date", projects.c.start_date, JsonKind.day),
        ("DateTime", projects.c.created_at, JsonKind.microsecond),
        ("DateTime", projects.c.archived_at, JsonKind.second),
        # A number that exceeds 32 bits is an error of the field, and Python formats decimals.
        ("Int", projects.c.tracked_seconds_total, None),
        ("Amount", projects.c.fixed_amount, None),
        ("Int", projects.c.name, None),
        ("DateTime", Column("local", DateTime()), None),
        ("Texts", members.c.custom_fields, None),
        ("UUID", projects.c.name, None),
    ],
)
def test_kind_follows_scalar_and_type(scalar: str, column: Any, kind: JsonKind | None) -> None:
    assert scalar_kind(scalar, column) is kind


def test_enumeration_needs_its_check_constraint() -> None:
    values = {status.name: status.value for status in MemberStatus}
    assert enum_kind(values, members.c.status) is JsonKind.quoted
    assert enum_kind(values, members.c.status.label("other")) is JsonKind.quoted
    assert enum_kind(values, members.c.full_name) is None
    assert enum_kind({"active": "active"}, members.c.status) is None
    assert enum_kind({name.upper(): value for name, value in values.items()}, members.c.status) is None


ID, NAME = (
    ColumnField("id", "id", JsonKind.quoted, is_required=True),
    ColumnField("name", "name", JsonKind.escaped, is_required=True),
)


async def memberships(database: Database, own: UUID, *fields: RenderedField) -> list[Any]:
    """The members of the objects, without the first key."""
    runs = RunsOfRows(dict(project_members.c), [Run(3, fields)], project_members)
    query = select(*runs.columns()).select_from(runs.source).where(in_organization(project_members))
    (found,) = await database.read(own, [(Statement(query.order_by(project_members.c.created_at)), {})])
    return [row.json_3 for row in found]


@pytest.fixture
def own(rows: Rows) -> UUID:
    """An organization with a membership in a project of a client, and one in an internal project."""
    own = rows.organization()
    person, client = rows.member(own), rows.client(own, id=UUID(int=7), name='A "client"', deleted_at=THEN)
    for number, client_id in enumerate([client, None]):
        project = rows.project(own, client_id=client_id, name=f"Project {number}")
        rows.project_member(own, project, person, created_at=THEN + timedelta(days=number))
    return own


CLIENT = '"id":"00000000-0000-0000-0000-000000000007","name":"A \\"client\\""'
CLIENT_NAME = '"client_name":"A \\"client\\""'


async def test_related_rows_are_joined_through_each_other(database: Database, own: UUID) -> None:
    client = RelatedField("client", clients_by_id, "client_id", (ConstantField("type", "Client"), ID, NAME), False)
    again = RelatedField("client_name", clients_by_id, "client_id", replace(NAME, is_required=False), False)
    project = RelatedField("project", projects_by_id, "project_id", (NAME, client, again), True)
    role = ColumnField("role", "role", JsonKind.quoted, is_required=True)
    assert await memberships(database, own, role, project) == [
        f'"member","project":{{"name":"Project 0","client":{{"type":"Client",{CLIENT}}},{CLIENT_NAME}}}',
        '"member","project":{"name":"Project 1","client":null,"client_name":null}',
    ]
    assert Run(0, (role, project)).objects == 2


async def test_missing_required_row_leaves_no_text(database: Database, own: UUID) -> None:
    # No member has the id of a project.
    optional = (replace(NAME, column="email", is_required=False),)
    missing = RelatedField("user", members_by_id, "project_id", optional, is_required=True)
    assert await memberships(database, own, missing) == [None, None]
    assert await memberships(database, own, replace(missing, is_required=False)) == ["null", "null"]


def test_same_relation_is_joined_once() -> None:
    fields = tuple(RelatedField(key, clients_by_id, "client_id", (ID, NAME), False) for key in ("one", "two"))
    runs = RunsOfRows(dict(projects.c), [Run(0, fields), Run(1, fields)], projects)
    query = select(*runs.columns()).select_from(runs.source).where(in_organization(projects))
    assert Statement(query).sql.count("JOIN") == 1
