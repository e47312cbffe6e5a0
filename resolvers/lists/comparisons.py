"""Comparisons of columns with values: their input types by the kind of the values, and their SQL.

{_eq: "Design"}    {_gte: "2026-01-01", _lt: "2026-02-01"}    {_is_null: true}
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Optional
from uuid import UUID

import strawberry
from sqlalchemy import BigInteger, Cast, ColumnElement, DateTime, Label, Numeric, Text, and_, collate, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import all_, any_, visitors
from sqlalchemy.types import TypeEngine

from db.tables.columns import DescribedEnum, bind, constant, sort_key
from resolvers.day_bounds import Seconds
from resolvers.relations.arguments import declare_enum

IS_EQUAL, IS_AMONG, IS_NONE, IS_NULL, BEGINS = "_eq", "_in", "_nin", "_is_null", "_starts_with"
EQUALITIES: Mapping[str, tuple[Callable[[Any, Any], Any], str]] = {
    IS_EQUAL: (eq, "Rows with this value."),
    "_neq": (ne, "Rows with another value."),
}
INEQUALITIES: Mapping[str, tuple[Callable[[Any, Any], Any], str]] = {
    "_gt": (gt, "Rows with a greater value."),
    "_gte": (ge, "Rows with this value or a greater one."),
    "_lt": (lt, "Rows with a smaller value."),
    "_lte": (le, "Rows with this value or a smaller one."),
}

COMPARISONS = {*EQUALITIES, *INEQUALITIES, IS_AMONG, IS_NONE, IS_NULL, BEGINS}

MAX_COMPARED_VALUES = 100
"""Values of one `_in` or `_nin` at most."""

Inside = Callable[[ColumnElement[Any]], ColumnElement[Any]]
"""Makes a column of the rows that a statement reads from one of their table."""

INVISIBLE = "\N{SOFT HYPHEN}\N{ZERO WIDTH SPACE}\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}"
"""Invisible characters, which copied text may contain."""

SPELLINGS = (
    "\N{GREEK SMALL LETTER FINAL SIGMA}\N{RIGHT SINGLE QUOTATION MARK}\N{HYPHEN}" + INVISIBLE,
    "\N{GREEK SMALL LETTER SIGMA}'-",
)
"""Characters that words or keyboards put in place of others, and those. INVISIBLE ones are left out."""


def folded(text: ColumnElement[Any]) -> ColumnElement[Any]:
    """A text in NFKC and lower case, with `ss` for sharp s and one form of sigma, apostrophe, hyphen and dotted i.

    Core PostgreSQL 15 has no casefold.
    """
    spelled = func.translate(func.lower(func.pg_catalog.normalize(text, constant("NFKC"))), *SPELLINGS)
    return func.replace(func.replace(spelled, "ß", "ss"), "i\N{COMBINING DOT ABOVE}", "i")


BOUND_TYPES: Mapping[type, TypeEngine[Any]] = {int: BigInteger(), Decimal: Numeric(), datetime: DateTime(timezone=True)}
"""The types of values that may be longer or more precise than those of a column."""


def compared_value(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """What conditions and orders compare: of a number that is shown as a text, the number with its shown digits."""
    value = column.element if isinstance(column, Label) else column
    if isinstance(value, Cast) and isinstance(value.type, Text) and isinstance(value.clause.type, Numeric):
        return value.clause
    return value


@cache
def comparison_type(kind: Any) -> Any:
    """The input type of the comparisons with values of a kind."""
    name = {str: "String", bool: "Boolean", int: "Int", date: "Date", datetime: "DateTime"}.get(kind, kind.__name__)
    is_enumeration = isinstance(kind, type) and issubclass(kind, DescribedEnum)
    if is_enumeration:
        declare_enum(kind)
    has_order = not is_enumeration and kind not in (bool, UUID)
    of_one = {**EQUALITIES, **(INEQUALITIES if has_order else {})}
    fields: dict[str, tuple[Any, str]] = {key: (kind, description) for key, (_, description) in of_one.items()}
    if kind is not bool:
        fields[IS_AMONG] = (list[kind], f"Rows with one of these values, at most {MAX_COMPARED_VALUES}.")
        fields[IS_NONE] = (list[kind], f"Rows with none of these values, at most {MAX_COMPARED_VALUES}.")
    if kind is str:
        fields[BEGINS] = (str, "Rows whose text starts with this; case-insensitive, as `search`.")
    return input_type(
        f"{name}Comparison",
        "Comparisons with a column, all of which are true. Only `_is_null` is true for a row without a value.",
        fields | {IS_NULL: (bool, "Rows without (true) or with (false) a value.")},
    )


def input_type(name: str, description: str, fields: Mapping[str, tuple[Any, str]]) -> Any:
    """An input type. Where a field refers to the type itself, its type is a text that is looked up in this module.

    Raises ValueError if the name is taken.
    """
    made: dict[str, Any] = {
        key: strawberry.field(default=strawberry.UNSET, description=d) for key, (_, d) in fields.items()
    }
    annotations = {key: Optional[kind] for key, (kind, _) in fields.items()}  # noqa: UP045 - a text has no operator |
    made |= {"__annotations__": annotations, "__module__": __name__}
    if name in globals():
        raise ValueError(f"Two input types are called {name}.")
    declared: Any = strawberry.input(type(name, (), made), name=name, description=description)
    globals()[name] = declared
    return declared


def comparison_sql(
    column: ColumnElement[Any], inside: Inside, comparison: str, value: str | bool
) -> ColumnElement[bool]:
    """Whether a column has a value that a parameter of this name has; for `_is_null`, the value itself."""
    own = inside(column)
    if comparison == IS_NULL:
        return own.is_(None) if value else own.is_not(None)
    is_of_several = comparison in (IS_AMONG, IS_NONE)
    kind: Any = BOUND_TYPES.get(column.type.python_type, column.type)
    bound: Any = bind(str(value), ARRAY(kind) if is_of_several else kind)
    if comparison == BEGINS:
        return func.starts_with(folded(own), folded(bound))
    # An index of an order has the key by which rows are sorted, null as the last one, and not the column.
    starts = index_starts(column)
    is_keyed = bool(starts) and column not in starts
    is_text = isinstance(column.type, Text) and comparison in INEQUALITIES
    key = sort_key(column, own) if is_keyed else collate(own, "C") if is_text else own
    if is_of_several:
        found = key == any_(bound) if comparison == IS_AMONG else key != all_(bound)
    else:
        found = {**EQUALITIES, **INEQUALITIES}[comparison][0](key, bound)
    # Also for a row without a value, none of no values is its value.
    has_null = is_keyed or comparison == IS_NONE
    return and_(found, own.is_not(None)) if has_null and getattr(column, "nullable", True) else found


def values_kind(name: str, column: ColumnElement[Any]) -> Any:
    """The type of the values of a column in the schema: of texts from a list, the enumeration."""
    enumeration: type | None = getattr(column, "info", {}).get("values")
    is_long = isinstance(column.type, BigInteger) or name.endswith("_seconds")
    return enumeration or (Seconds if is_long else column.type.python_type)


def is_comparable(column: ColumnElement[Any]) -> bool:
    """Whether values of a column have comparisons."""
    return not isinstance(column.type, ARRAY) and issubclass(column.type.python_type, (int, Decimal, str, date, UUID))


def is_indexed(column: ColumnElement[Any]) -> bool:
    """Whether an index finds the rows of an organization with one value in a column."""
    return getattr(column, "primary_key", False) or bool(index_starts(column))


def index_starts(column: ColumnElement[Any]) -> set[Any]:
    """What indexes have first, behind the organization, and contains a column and no other one: it, or its sort key."""
    table: Any = getattr(column, "table", None)
    starts = {each for index in getattr(table, "indexes", ()) for each in list(index.expressions)[1:2]}
    return {each for each in starts if {column} == set(visitors.iterate(each)).intersection(table.c)}
