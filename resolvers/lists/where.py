"""`where`: conditions on the columns of a list, in one grammar for all lists.

    members(where: {department: {_eq: "Design"}, manager_user_id: {_is_null: true}})
    tasks(where: {_or: [{due_date: {_lt: "2026-11-22"}}, {_not: {status: {_in: [open, in_progress]}}}]})

A list has the columns that an index of its table begins with, and those that it names itself. The input types are made
from them. The SQL of a condition depends on its shape; its values are bound.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Optional
from uuid import UUID

import strawberry
from sqlalchemy import ColumnElement, Label, Table, and_, or_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_, visitors

from db.tables.columns import DescribedEnum, bind, sort_key
from resolvers.errors import Invalid
from resolvers.relations.arguments import Argument, bind_value, declare_enum

IS_EQUAL, IS_AMONG, IS_NULL, IS_AT_LEAST, IS_BELOW = "_eq", "_in", "_is_null", "_gte", "_lt"
ALL_TRUE, ONE_TRUE, NOT_TRUE = "_and", "_or", "_not"

MAX_WHERE_DEPTH, MAX_COMPARISONS, MAX_COMPARED_VALUES = 3, 20, 100
"""Levels of `_and`, `_or` and `_not`, comparisons of one `where`, and values of one `_in`, at most."""

UNSHOWN = frozenset({"first_joined_at"})
"""Columns of reports that no list shows."""

WhereShape = tuple[Any, ...]
"""A condition without its values: ("_and", *shapes), ("_not", shape), or (column, comparison, name or flag)."""


@cache
def _comparison(kind: type) -> Any:
    """The input type of the comparisons with values of a kind."""
    name = {str: "String", bool: "Boolean", int: "Int", date: "Date", datetime: "DateTime"}.get(kind, kind.__name__)
    if issubclass(kind, DescribedEnum):
        declare_enum(kind)
    fields: dict[str, tuple[Any, str]] = {
        IS_EQUAL: (kind, "Rows with this value."),
        IS_AMONG: (list[kind], f"Rows with one of these values, at most {MAX_COMPARED_VALUES}."),  # type: ignore[valid-type]
        IS_NULL: (bool, "Rows without (true) or with (false) a value."),
    }
    if kind in (date, datetime, int):
        fields |= {
            IS_AT_LEAST: (kind, "Rows with this value or a greater one."),
            IS_BELOW: (kind, "Rows with a smaller value."),
        }
    return _input_type(f"{name}Comparison", "Comparisons with a column, all of which are true.", fields)


def _input_type(name: str, description: str, fields: Mapping[str, tuple[Any, str]]) -> Any:
    """An input type. Where a field refers to the type itself, its type is a text that is looked up in this module."""
    made: dict[str, Any] = {
        key: strawberry.field(default=strawberry.UNSET, description=d) for key, (_, d) in fields.items()
    }
    annotations = {key: Optional[kind] for key, (kind, _) in fields.items()}  # noqa: UP045 - a text has no operator |
    made |= {"__annotations__": annotations, "__module__": __name__}
    declared: Any = strawberry.input(type(name, (), made), name=name, description=description)
    globals()[name] = declared
    # Strawberry's own executor, with which tests compare, passes the dict on as the compiler does.
    declared.__strawberry_definition__.from_input = lambda _kind, value, _context: value
    return declared


class Where:
    """The argument `where` of a list of `table`: its columns that an index begins with, and those that `more` names.

    The latter are compared row by row: a range must always restrict the rows, or the table must be small
    (`tests/resolvers/lists/list_checks.py`).
    """

    def __init__(self, name: str, table: Table, columns: Iterable[ColumnElement[Any]], more: Sequence[str]) -> None:
        shown = {str(column.key): column for column in columns}
        self.columns: dict[str, ColumnElement[Any]] = {
            key: column
            for key, column in shown.items()
            if key not in UNSHOWN and column is table.c.get(key) and is_comparable(column)
            if column.primary_key or _index_starts(column)
        }
        for key in more:
            column = shown[key]
            self.columns[key] = column.element if isinstance(column, Label) else column
        fields: dict[str, tuple[Any, str]] = {
            key: (_comparison(values_kind(column)), f"A condition on `{key}`.") for key, column in self.columns.items()
        }
        itself: Any = Annotated[name, strawberry.lazy(__name__)]
        fields |= {
            ALL_TRUE: (list[itself], "All of these are true."),
            ONE_TRUE: (list[itself], "One of these is true."),
            NOT_TRUE: (itself, "This is not true."),
        }
        self.argument = Argument(
            name="where",
            type=_input_type(name, "Conditions on the columns of a list, all of which are true.", fields),
            description=f"Only rows of the list for which this is true. {ALL_TRUE}, {ONE_TRUE} and {NOT_TRUE} may be "
            f"{MAX_WHERE_DEPTH} levels deep, with {MAX_COMPARISONS} comparisons in all.",
            is_published=False,
            check=lambda constants: parsed(constants["where"]),
        )

    def condition(self, shape: WhereShape) -> ColumnElement[bool]:
        """The SQL of a shape."""
        operator, *parts = shape
        if operator in (ALL_TRUE, ONE_TRUE):
            conditions = [self.condition(part) for part in parts]
            return and_(*conditions) if operator == ALL_TRUE else or_(*conditions)
        if operator == NOT_TRUE:
            # A comparison with null is not true either, so that its opposite is.
            return self.condition(parts[0]).is_not(True)
        return _compare(self.columns[operator], *parts)


def _compare(column: ColumnElement[Any], comparison: str, value: str | bool) -> ColumnElement[bool]:
    if comparison == IS_NULL:
        return column.is_(None) if value else column.is_not(None)
    kind = column.type
    bound = bind(str(value), ARRAY(kind) if comparison == IS_AMONG else kind)
    # An index of an order has the key by which rows are sorted, null as the last one, and not the column.
    starts = _index_starts(column)
    is_keyed = bool(starts) and column not in starts
    key = sort_key(column) if is_keyed else column
    if comparison == IS_BELOW:
        return key < bound
    found = key >= bound if comparison == IS_AT_LEAST else key == (any_(bound) if comparison == IS_AMONG else bound)
    return and_(found, column.is_not(None)) if is_keyed and getattr(column, "nullable", False) else found


def values_kind(column: ColumnElement[Any]) -> type:
    """The Python type of a column's values: of texts from a list, the enumeration."""
    enumeration: type | None = getattr(column, "info", {}).get("values")
    return enumeration or column.type.python_type


def is_comparable(column: ColumnElement[Any]) -> bool:
    """Whether values of a column have comparisons."""
    return issubclass(values_kind(column), (int, str, date, UUID))


def _index_starts(column: ColumnElement[Any]) -> set[Any]:
    """What indexes have first, behind the organization, and contains a column and no other one: it, or its sort key."""
    table: Any = getattr(column, "table", None)
    starts = {each for index in getattr(table, "indexes", ()) for each in list(index.expressions)[1:2]}
    return {each for each in starts if {column} == set(visitors.iterate(each)).intersection(table.c)}


def parsed(value: Any) -> tuple[WhereShape | None, Mapping[str, Any]]:
    """The shape of a `where`, and the values of its comparisons by the names that the SQL binds.

    Raises Invalid for one that is too deep or too long, and for an empty or missing value in it.
    """
    values: dict[str, Any] = {}
    return (None if value is None else _shape(value, 0, values)), values


def _shape(where: Mapping[str, Any], depth: int, values: dict[str, Any], path: str = "where") -> WhereShape:
    if depth > MAX_WHERE_DEPTH:
        raise Invalid(f"where has more than {MAX_WHERE_DEPTH} levels of {ALL_TRUE}, {ONE_TRUE} and {NOT_TRUE}.")
    shapes: list[WhereShape] = []
    for name, given in _present(where, path).items():
        inside = f"{path}.{name}"
        if name == NOT_TRUE:
            shapes.append((NOT_TRUE, _shape(given, depth + 1, values, inside)))
        elif name in (ALL_TRUE, ONE_TRUE):
            if not given:
                raise Invalid(f"{inside} is empty: it needs a condition.")
            shapes.append((name, *(_shape(each, depth + 1, values, inside) for each in given)))
        else:
            shapes += [_comparison_shape(name, *each, values) for each in _present(given, inside).items()]
    return (ALL_TRUE, *shapes)


def _present(given: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """What is given: a missing value must not let more rows pass."""
    if not given:
        raise Invalid(f"{path} is empty: a variable in it may have no value.")
    for name, value in given.items():
        if value is None:
            raise Invalid(f"{path}.{name} is null: use {IS_NULL} for rows without a value.")
    return given


def _comparison_shape(column: str, comparison: str, value: Any, values: dict[str, Any]) -> WhereShape:
    if comparison == IS_AMONG and len(value) > MAX_COMPARED_VALUES:
        raise Invalid(f"{column}.{IS_AMONG} must have at most {MAX_COMPARED_VALUES} values.")
    name, is_flag = f"where_{len(values)}", comparison == IS_NULL
    values[name] = None if is_flag else bind_value(value)
    if len(values) > MAX_COMPARISONS:
        raise Invalid(f"where has more than {MAX_COMPARISONS} comparisons.")
    return (column, comparison, value if is_flag else name)
