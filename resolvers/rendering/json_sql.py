"""The SQL of JSON text: runs, with the joins of the related rows that they show, and arrays of rows.

`||` over texts is what PostgreSQL does fastest: row_to_json() and json_build_object() look up the type of each value in
each row. The text of a run is null where a value that the schema requires is null.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import TIMESTAMP, ColumnElement, FromClause, Integer, Text, bindparam, case, cast, func, null
from sqlalchemy.dialects.postgresql import TIMESTAMP as SECONDS
from sqlalchemy.dialects.postgresql import aggregate_order_by

from resolvers.rendering.json_kinds import JsonKind
from resolvers.rendering.runs import (
    ColumnField,
    ComputedField,
    ConstantField,
    JoinedSource,
    ObjectField,
    RelatedField,
    RenderedField,
    Run,
    columns_shown,
)

Piece = str | ColumnElement[Any]
"""A part of a text: a constant, or an expression."""

FULL_MOMENT = len('"2026-01-05T09:00:00.123456')
"""The characters of a moment with six decimals, up to the Z."""


class RunsOfRows:
    """The texts of runs of rows with these columns.

    `source` is the FROM that they need: the FROM of the rows, outer joined with the related rows that they show.
    """

    def __init__(self, columns: Mapping[str, ColumnElement[Any]], runs: Sequence[Run], source: FromClause) -> None:
        self._runs = runs
        self._rows = _JoinedRows()
        for run in runs:
            self._rows.add(run.fields)
        self.source = self._rows.join(columns, source)

    def columns(self) -> list[ColumnElement[Any]]:
        """The text of each run, by its name."""
        return [_text(_members(run.fields, self._rows)[1:]).label(run.name) for run in self._runs]


def json_array(
    columns: Mapping[str, ColumnElement[Any]],
    fields: Sequence[ColumnField],
    order: Sequence[ColumnElement[Any]],
    *,
    where: ColumnElement[bool] | None = None,
) -> ColumnElement[Any]:
    """An aggregate: rows with these columns as the text of a JSON array of objects, in this order.

    Only rows for which `where` is true; null if there are none. No required value may be null: its object would be left
    out.
    """
    rows = _JoinedRows()
    rows.columns = columns
    item = _text(["{", *_members(fields, rows), "}"])
    items = func.string_agg(item, aggregate_order_by(constant(","), *order))
    return _text(["[", items if where is None else items.filter(where), "]"])


class _JoinedRows:
    """Rows in a FROM: the columns that are needed of them, and the rows joined to them."""

    def __init__(self) -> None:
        self.needed: set[str] = {"key"}
        self._related: dict[tuple[JoinedSource, str], _JoinedRows] = {}
        self.columns: Mapping[str, ColumnElement[Any]] = {}

    def add(self, fields: Sequence[RenderedField]) -> None:
        """Note what the fields need."""
        self.needed |= columns_shown(fields)
        for field in fields:
            if isinstance(field, ObjectField):
                self.add(field.fields)
            elif isinstance(field, RelatedField):
                related = self._related.setdefault((field.relation, field.parent_key), _JoinedRows())
                related.add([field.fields] if isinstance(field.fields, ColumnField) else field.fields)

    def related(self, field: RelatedField) -> "_JoinedRows":
        return self._related[field.relation, field.parent_key]

    def join(self, columns: Mapping[str, ColumnElement[Any]], source: FromClause) -> FromClause:
        """`source`, which has rows with `columns`, outer joined with the related rows, and with what they relate to."""
        self.columns = columns
        for (relation, parent_key), related in self._related.items():
            joined, condition = relation.related_to(columns[parent_key], related.needed)
            source = source.outerjoin(joined, condition)
            source = related.join(dict(joined.c), source)
        return source


def _members(fields: Sequence[RenderedField], rows: _JoinedRows) -> list[Piece]:
    """The members of an object. The first piece is the first key."""
    pieces: list[Piece] = []
    for number, field in enumerate(fields):
        pieces += [f'{"," if number else ""}"{field.key}":', *_value(field, rows)]
    return pieces


def _value(field: RenderedField, rows: _JoinedRows) -> list[Piece]:
    if isinstance(field, ConstantField):
        return [f'"{field.text}"']
    if isinstance(field, ObjectField):
        return ["{", *_members(field.fields, rows), "}"]
    if isinstance(field, ColumnField | ComputedField):
        pieces = _scalar(field.kind, _column(field, rows))
        return pieces if field.is_required else [func.coalesce(_text(pieces), constant("null"))]
    related = rows.related(field)
    if isinstance(field.fields, ColumnField):
        if field.default is None:
            return _value(field.fields, related)
        column = related.columns[field.fields.column]
        return [case((column.is_(None), constant(field.default)), else_=_text(_scalar(field.fields.kind, column)))]
    text = _text(["{", *_members(field.fields, related), "}"])
    absent = None if field.is_required else constant("null")
    return [case((related.columns["key"].is_(None), absent), else_=text)]


def _column(field: ColumnField | ComputedField, rows: _JoinedRows) -> ColumnElement[Any]:
    if isinstance(field, ColumnField):
        return rows.columns[field.column]
    return field.expression.sql(*(rows.columns[name] for name in field.expression.columns))


def scalar_text(kind: JsonKind, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The JSON text of a value; null for null."""
    return _text(_scalar(kind, column))


def _scalar(kind: JsonKind, column: ColumnElement[Any]) -> list[Piece]:
    if kind is JsonKind.bare:
        return [cast(column, Text)]
    if kind is JsonKind.quoted:
        return ['"', cast(column, Text), '"']
    if kind in (JsonKind.escaped, JsonKind.day):
        return [_json(column)]
    if kind is JsonKind.array:
        has_null = func.array_position(column, null()).is_not(None)
        return [case((has_null, null()), else_=cast(func.array_to_json(column), Text))]
    # Without a zone, the JSON text has no offset. The zone of the transaction is UTC.
    moment: ColumnElement[Any] = func.left(_json(cast(column, TIMESTAMP)), constant(-1))
    if kind is JsonKind.microsecond:
        # PostgreSQL drops zeros at the end of a fraction.
        is_whole = cast(column, SECONDS(timezone=True, precision=0)) == column
        moment = case((is_whole, moment), else_=func.rpad(moment, constant(FULL_MOMENT), constant("0")))
    return [moment, 'Z"']


def _json(value: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast(func.to_json(value), Text)


def _text(pieces: Iterable[Piece]) -> ColumnElement[Any]:
    """The pieces as one text; neighbouring constants are one constant."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return reduce(add, [constant(piece) if isinstance(piece, str) else piece for piece in merged])


def constant(value: str | int) -> ColumnElement[Any]:
    """A value that stands in the SQL itself: as a parameter it would travel with each request."""
    type_ = Text() if isinstance(value, str) else Integer()
    return bindparam(None, value, type_=type_, literal_execute=True, unique=True)
