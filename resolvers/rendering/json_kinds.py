"""How a column's value becomes JSON text in SQL, by the type of the column and the GraphQL type of the field.

The text is byte for byte what orjson writes for the value that psycopg reads (`tests/resolvers/rendering` compares
them). A combination that is not listed is left to Python.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from sqlalchemy import (
    ARRAY,
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
)
from sqlalchemy.types import TypeEngine


class JsonKind(Enum):
    """A rule that writes a value as JSON text (see `resolvers.rendering.json_sql`)."""

    bare = auto()
    """Numbers, true and false: their text is JSON."""

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
    """An array of texts or UUIDs, without nulls."""


TEXT_SCALARS = frozenset({"String", "Timezone", "Amount", "Quantity", "Factor"})
"""Scalars whose text is written as it is."""

INTEGER_SCALARS: Mapping[str, tuple[type[TypeEngine[Any]], ...]] = {"Int": (Integer,), "Seconds": (Integer, BigInteger)}
"""The types of columns whose every value such a scalar can hold."""


def scalar_kind(scalar: str, column: ColumnElement[Any]) -> JsonKind | None:
    """The rule for a column that a scalar shows; None if there is none."""
    type_ = column.type
    if scalar == "UUID" and isinstance(type_, Uuid):
        return JsonKind.quoted
    if scalar == "Boolean" and isinstance(type_, Boolean):
        return JsonKind.bare
    if type(type_) in INTEGER_SCALARS.get(scalar, ()):
        return JsonKind.bare
    if scalar == "Date" and isinstance(type_, Date):
        return JsonKind.day
    if scalar == "DateTime" and isinstance(type_, DateTime) and type_.timezone:
        return JsonKind.second if getattr(type_, "precision", None) == 0 else JsonKind.microsecond
    if scalar in TEXT_SCALARS and isinstance(type_, Text):
        return JsonKind.quoted if _is_number(column) else JsonKind.escaped
    return None


def array_kind(scalar: str, column: ColumnElement[Any]) -> JsonKind | None:
    """The rule for a column that a list of required scalars shows."""
    items = column.type.item_type if isinstance(column.type, ARRAY) else None
    is_known = (scalar == "UUID" and isinstance(items, Uuid)) or (scalar == "String" and isinstance(items, Text))
    return JsonKind.array if is_known else None


def enum_kind(values: Mapping[str, Any], column: ColumnElement[Any]) -> JsonKind | None:
    """The rule for a column that an enumeration shows: `values` are the columns' values by their GraphQL names.

    The CHECK constraint of an `enum_column` keeps other values out.
    """
    base = _base(column)
    stored = base.info.get("values", ()) if isinstance(base, Column) else ()
    is_same = all(name == value for name, value in values.items())
    return JsonKind.quoted if stored and is_same and {each.value for each in stored} <= set(values) else None


def _is_number(column: ColumnElement[Any]) -> bool:
    """Whether a text is a number that PostgreSQL formats."""
    base = _base(column)
    return isinstance(base, Cast) and isinstance(base.clause.type, Numeric)


def _base(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """What a label, or a column of a subquery, stands for."""
    return next(iter(column.base_columns), column)
