"""Flat rows: all columns of a table, and fields that are computed from them, each as the API writes it.

Decimal numbers are the exception where a rounded one would not be what is stored: they keep all their digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    DateTime,
    Integer,
    Numeric,
    Table,
    Text,
    Uuid,
    case,
    cast,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from db.jobs.exporting.exported_rows import ExportedField, ExportedRows
from resolvers.amounts import decimal_sql
from resolvers.rendering.json_kinds import JsonKind
from resolvers.rendering.json_sql import RunsOfRows, constant, scalar_text
from resolvers.rendering.runs import ColumnField, Run


@dataclass(frozen=True)
class FlatField:
    """A field of the API that one row of a table is enough for: its value, and the rule that writes it."""

    name: str
    element: ColumnElement[Any]
    kind: JsonKind
    type: TypeEngine[Any]


def flat_rows(table: Table, fields: Mapping[str, FlatField]) -> ExportedRows:
    """The rows of a table: its columns, and those of the API's `fields` that are no columns."""
    stored = [_stored(column, fields.get(column.name)) for column in table.columns if column.name != "organization_id"]
    computed = [field for name, field in fields.items() if name not in table.columns]
    return ExportedRows(
        table,
        [
            ExportedField(field.name, field.type, _text(field), is_computed)
            for group, is_computed in ((stored, False), (computed, True))
            for field in group
        ],
        _json(table, [*stored, *computed]),
    )


def _stored(column: Column[Any], field: FlatField | None) -> FlatField:
    if not isinstance(column.type, Numeric):
        return FlatField(column.name, _shown(column), _kind(column), column.type)
    shown = decimal_sql(column) if field is None else field.element
    lossless = case((cast(shown, Numeric) == column, shown), else_=cast(column, Text))
    return FlatField(column.name, lossless, JsonKind.quoted, column.type)


def _shown(column: Column[Any]) -> ColumnElement[Any]:
    return cast(column, Text) if isinstance(column.type, JSONB) else column


def _kind(column: Column[Any]) -> JsonKind:
    """The rule for a column by its type, with or without a field of the API."""
    match column.type:
        case Uuid():
            return JsonKind.quoted
        case Text():
            return JsonKind.quoted if "values" in column.info else JsonKind.escaped
        case Boolean() | Integer() | BigInteger() | JSONB():
            return JsonKind.bare
        case DateTime() as moment:
            return JsonKind.second if getattr(moment, "precision", None) == 0 else JsonKind.microsecond
        case Date():
            return JsonKind.day
        case ARRAY():
            return JsonKind.array
    raise TypeError(f"{column} is of a type that no rule writes: {column.type}")


def _text(field: FlatField) -> ColumnElement[Any]:
    """The value as a field of a CSV file: without quotes, and null as null."""
    if field.kind in (JsonKind.bare, JsonKind.quoted, JsonKind.escaped):
        return cast(field.element, Text)
    text = scalar_text(field.kind, field.element)
    unquoted: ColumnElement[Any] = func.btrim(text, constant('"'))
    return text if field.kind is JsonKind.array else unquoted


def _json(table: Table, fields: Sequence[FlatField]) -> ColumnElement[Any]:
    """The row as a JSON object. Every field is there, as null if it has no value."""
    run = Run(0, tuple(ColumnField(field.name, field.name, field.kind, is_required=False) for field in fields))
    (members,) = RunsOfRows({field.name: field.element for field in fields}, [run], table).columns()
    row: ColumnElement[Any] = constant(f'{{"{fields[0].name}":') + members.element + constant("}")
    return row
