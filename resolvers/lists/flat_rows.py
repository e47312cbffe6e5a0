"""Flat rows: all columns of a table, and fields that are computed from them, each as the API writes it.

Decimal numbers are the exception where a rounded one would not be what is stored: they keep all their digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Numeric, Table, Text, case, cast, func
from sqlalchemy.types import TypeEngine

from db.jobs.exporting.exported_rows import ExportedField, ExportedRows
from db.tables.columns import constant
from resolvers.values.amounts import decimal_text
from resolvers.values.json_sql import JsonField, JsonKind, json_document_text, json_object, kind_of


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
    shown = [*stored, *(field for name, field in fields.items() if name not in table.columns)]
    return ExportedRows(
        table,
        [ExportedField(field.name, field.type, _text(field), field.name not in table.columns) for field in shown],
        # Every field is there, as null if it has no value.
        json_object(
            {field.name: field.element for field in shown},
            [JsonField(field.name, field.kind, is_required=False) for field in shown],
        ),
    )


def _stored(column: Column[Any], field: FlatField | None) -> FlatField:
    if not isinstance(column.type, Numeric):
        kind = kind_of(column)
        if kind is None:
            raise TypeError(f"{column} is of a type that no rule writes: {column.type}")
        return FlatField(column.name, column, kind, column.type)
    shown = decimal_text(column) if field is None else field.element
    lossless = case((cast(shown, Numeric) == column, shown), else_=cast(column, Text))
    return FlatField(column.name, lossless, JsonKind.quoted, column.type)


def _text(field: FlatField) -> ColumnElement[Any]:
    """The value as a field of a CSV file: without quotes, and null as null."""
    if field.kind in (JsonKind.bare, JsonKind.quoted, JsonKind.escaped):
        return cast(field.element, Text)
    text = json_document_text(field.kind, field.element)
    unquoted: ColumnElement[Any] = func.btrim(text, constant('"'))
    return text if field.kind is JsonKind.array else unquoted
