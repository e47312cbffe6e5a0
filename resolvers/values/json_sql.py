"""The SQL of JSON text: arrays of objects that reports show, and the rows of an export.

`||` over texts is what PostgreSQL does fastest: row_to_json() and json_build_object() look up the type of each value in
each row. The text is byte for byte what orjson writes for the value that psycopg reads.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    TIMESTAMP,
    BigInteger,
    Boolean,
    Cast,
    Column,
    ColumnElement,
    Date,
    DateTime,
    Integer,
    Numeric,
    Text,
    Uuid,
    case,
    cast,
    func,
    null,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.dialects.postgresql import TIMESTAMP as SECONDS

from db.tables.columns import constant

FULL_MOMENT = len('"2026-01-05T09:00:00.123456')
"""The characters of a moment with six decimals, up to the Z."""


class JsonKind(Enum):
    """A rule that writes a value as JSON text."""

    bare = auto()
    """Numbers, true and false, and JSON: their text is JSON."""

    quoted = auto()
    """Texts in which nothing must be escaped: UUIDs, values of enumerations, decimal numbers."""

    escaped = auto()
    """Any text."""

    day = auto()
    second = auto()
    """A moment in whole seconds, in UTC."""
    microsecond = auto()
    """A moment, in UTC; six decimals unless it is a whole second."""

    array = auto()
    """An array; null if one of its items is."""

    members = auto()
    """The text of `json_members`, which stands for some members without a key of its own."""


def kind_of(element: ColumnElement[Any]) -> JsonKind | None:
    """The rule for an expression, by its type; None for a type that no rule writes."""
    # What a label, or a column of a subquery, stands for.
    base = next(iter(element.base_columns), element)
    match element.type:
        case Uuid():
            return JsonKind.quoted
        case Text():
            is_number = isinstance(base, Cast) and isinstance(base.clause.type, Numeric)
            has_values = isinstance(base, Column) and "values" in base.info
            return JsonKind.quoted if is_number or has_values else JsonKind.escaped
        case Boolean() | Integer() | BigInteger() | JSONB():
            return JsonKind.bare
        case DateTime() as moment:
            return JsonKind.second if getattr(moment, "precision", None) == 0 else JsonKind.microsecond
        case Date():
            return JsonKind.day
        case ARRAY():
            return JsonKind.array
    return None


class JsonField(NamedTuple):
    """A member of a JSON object: its key, and the rule for the column of the same name.

    `usual`: the number that most rows have, whose text is a constant then.
    """

    name: str
    kind: JsonKind
    is_required: bool = True
    usual: int | None = None


def json_object(columns: Mapping[str, ColumnElement[Any]], fields: Sequence[JsonField]) -> ColumnElement[str]:
    """A row as the text of a JSON object; null if a required value is."""
    return _text(["{", *_members(columns, fields), "}"])


def json_members(columns: Mapping[str, ColumnElement[Any]], fields: Sequence[JsonField]) -> ColumnElement[str]:
    """Members of a JSON object without its braces: what many objects share is written once. Null as `json_object`."""
    return _text(_members(columns, fields))


def json_nulls(fields: Sequence[JsonField]) -> ColumnElement[str]:
    """The text of `json_members` where all values are null."""
    return constant(",".join(f'"{field.name}":null' for field in fields))


def _members(columns: Mapping[str, ColumnElement[Any]], fields: Sequence[JsonField]) -> list[str | ColumnElement[Any]]:
    pieces: list[str | ColumnElement[Any]] = []
    for number, (name, kind, is_required, usual) in enumerate(fields):
        comma, value = "," if number else "", _scalar(kind, columns[name])
        key = comma if kind is JsonKind.members else f'{comma}"{name}":'
        if usual is not None:
            is_usual = columns[name] == constant(usual)
            pieces += [case((is_usual, constant(f"{key}{usual}")), else_=_text([key, *value]))]
        else:
            pieces += [key, *(value if is_required else [func.coalesce(_text(value), constant("null"))])]
    return pieces


def json_array(
    columns: Mapping[str, ColumnElement[Any]],
    fields: Sequence[JsonField],
    order: Sequence[ColumnElement[Any]],
    *,
    where: ColumnElement[bool] | None = None,
) -> ColumnElement[str]:
    """An aggregate: rows with these columns as the text of a JSON array of objects, in this order.

    Only rows for which `where` is true; null if there are none. An object with null for a required value is left out.
    """
    items = func.string_agg(json_object(columns, fields), aggregate_order_by(constant(","), *order))
    return _text(["[", items if where is None else items.filter(where), "]"])


def json_document_text(kind: JsonKind, value: ColumnElement[Any]) -> ColumnElement[str]:
    """The JSON text of a value; null for null."""
    return _text(_scalar(kind, value))


def _scalar(kind: JsonKind, column: ColumnElement[Any]) -> list[str | ColumnElement[Any]]:
    if kind is JsonKind.members:
        return [column]
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


def _text(pieces: Iterable[str | ColumnElement[Any]]) -> ColumnElement[Any]:
    """The pieces as one text; neighbouring constants are one constant.

    Each half is a text first: PostgreSQL copies what it has at each `||`.
    """
    merged: list[str | ColumnElement[Any]] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return _joined([constant(piece) if isinstance(piece, str) else piece for piece in merged])


def _joined(texts: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    middle = len(texts) // 2
    # The function of `||`, which SQLAlchemy would write without parentheses.
    return texts[0] if not middle else func.textcat(_joined(texts[:middle]), _joined(texts[middle:]), type_=Text())
