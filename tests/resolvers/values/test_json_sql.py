"""JSON text that PostgreSQL writes: byte for byte that of orjson, for every kind of value."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Integer, Numeric, Text, Uuid, cast, func, select
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP
from sqlalchemy.types import TypeEngine

from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind
from db.tables.people import members
from db.tables.work import projects
from resolvers.values.json_sql import JsonField, JsonKind, json_array, json_document_text, json_object, kind_of
from tests.factories.base import THEN
from tests.property_tests import examples

SECONDS = TIMESTAMP(timezone=True, precision=0)
MOMENT = DateTime(timezone=True)


def table_of(type_: TypeEngine[Any]) -> Any:
    return func.unnest(bind("given", ARRAY(type_))).table_valued(Column("value", type_)).render_derived("rows")


async def found(database: Database, column: Any, values: Sequence[Any]) -> list[Any]:
    (rows,) = await database.read_rows(
        UUID(int=1), [(Statement(select(column.label("text"))), {"given": list(values)})]
    )
    return [row.text for row in rows]


async def written(database: Database, kind: JsonKind, type_: TypeEngine[Any], values: Sequence[Any]) -> list[Any]:
    """The text of each value."""
    return await found(database, json_document_text(kind, table_of(type_).c.value), values)


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
    # Zeros at the end of a fraction stay.
    moments += [THEN + timedelta(microseconds=number) for number in (0, 10, 120_000)]
    assert await written(database, JsonKind.microsecond, MOMENT, moments) == expected(moments)
    whole = [moment.replace(microsecond=0) for moment in moments]
    assert await written(database, JsonKind.second, SECONDS, whole) == expected(whole)


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


async def test_null_is_null_or_leaves_no_object(database: Database) -> None:
    table = table_of(Text())
    for is_required, text in ((False, ['{"value":"a"}', '{"value":null}']), (True, ['{"value":"a"}', None])):
        column = json_object(dict(table.c), [JsonField("value", JsonKind.escaped, is_required=is_required)])
        assert await found(database, column, ["a", None]) == text


async def test_rows_are_an_array_in_their_order(database: Database) -> None:
    rows = table_of(Integer())
    array = json_array(dict(rows.c), [JsonField("value", JsonKind.bare)], [rows.c.value.desc()], where=rows.c.value > 1)
    assert await found(database, array, [2, 1, 3]) == ['[{"value":3},{"value":2}]']
    assert await found(database, array, [1]) == [None]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (projects.c.id, JsonKind.quoted),
        (projects.c.name, JsonKind.escaped),
        (cast(projects.c.bill_rate, Text).label("bill_rate"), JsonKind.quoted),
        (projects.c.is_billable, JsonKind.bare),
        (projects.c.tracked_seconds_total, JsonKind.bare),
        (projects.c.start_date, JsonKind.day),
        (projects.c.created_at, JsonKind.microsecond),
        (projects.c.archived_at, JsonKind.second),
        (members.c.status, JsonKind.quoted),
        (members.c.custom_fields, JsonKind.bare),
        (Column("number", Numeric()), None),
    ],
)
def test_kind_follows_the_type(column: Any, kind: JsonKind | None) -> None:
    assert kind_of(column) is kind
