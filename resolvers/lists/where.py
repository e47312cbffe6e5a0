"""`where`: conditions on the columns of a list, in one grammar for all lists.

    members(where: {department: {_eq: "Design"}, manager_user_id: {_is_null: true}})
    tasks(where: {_or: [{due_date: {_lt: "2026-11-22"}}, {_not: {status: {_in: [open, in_progress]}}}]})
    clients(where: {projects: {none: {status: {_eq: active}}}})

The input types are made from the columns. The SQL of a condition depends on its shape; its values are bound.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Annotated, Any

import strawberry
from sqlalchemy import Column, ColumnElement, FromClause, Integer, and_, column, exists, func, not_, or_, select, true
from sqlalchemy.sql import visitors

from db.tables.columns import ORGANIZATION_ID, constant, in_organization
from resolvers.errors import Invalid
from resolvers.lists import comparisons
from resolvers.lists.comparisons import (
    COMPARISONS,
    IS_AMONG,
    IS_EQUAL,
    IS_NONE,
    IS_NULL,
    MAX_COMPARED_VALUES,
    Inside,
    comparison_sql,
    comparison_type,
    input_type,
    values_kind,
)
from resolvers.relations.arguments import Argument, bind_value

ALL_TRUE, ONE_TRUE, NOT_TRUE = "_and", "_or", "_not"

ONE, SOME, NONE, ROW_COUNT = "one", "some", "none", "count"
"""What a condition on related rows says of them: of the one row, of at least one row of a list, of no row, or of the
number of rows.
"""

COUNTED_WHERE = "where"
"""The condition of the rows that ROW_COUNT counts."""

_NUMBER: ColumnElement[int] = column(ROW_COUNT, Integer())

IS_AT_LEAST = "_gte"
BOUNDING = {IS_EQUAL, "_gt", IS_AT_LEAST}

MAX_WHERE_DEPTH, MAX_RELATIONS, MAX_COMPARISONS = 3, 2, 20
"""Levels of `_and`, `_or` and `_not`, related rows of related rows, and comparisons of one `where`, at most."""

WhereShape = tuple[Any, ...]
"""A condition without its values: ("_and", *shapes), ("_not", shape), (relation, "one", "some" or "none", shape),
(relation, "count", shape, *comparisons), or (column, comparison, name or flag).
"""


def columns_inside(table: FromClause, rows: FromClause) -> Inside:
    """Makes columns of `rows` from those of a table, also within an expression."""

    def in_rows(element: Any, **_: Any) -> Any:
        return rows.c[element.key] if getattr(element, "table", None) is table else None

    # The check of tenancy knows the parameter of the organization by its identity.
    return lambda element: visitors.replacement_traverse(element, {"stop_on": [ORGANIZATION_ID]}, in_rows)


class Where:
    """The argument `where` of a list: conditions on these columns, by name, and on related rows.

    `relations` are declared when all lists are, and then the input types.
    """

    def __init__(
        self,
        name: str,
        columns: Mapping[str, ColumnElement[Any]],
        *,
        argument: str = "where",
        rows: str = "rows of the list",
    ) -> None:
        self.name = name
        self.columns = columns
        self.relations: dict[str, RelatedRows] = {}
        # A list reads its table.
        self.inside: Inside = lambda column: column
        self.type: Any = Annotated[name, strawberry.lazy(comparisons.__name__)]
        self.list_type: Any = Annotated[f"{name}OfList", strawberry.lazy(comparisons.__name__)]
        self.argument = Argument(
            name=argument,
            type=self.type,
            description=f"Only {rows} for which this is true. {ALL_TRUE}, {ONE_TRUE} and {NOT_TRUE} may be "
            f"{MAX_WHERE_DEPTH} levels deep, related rows {MAX_RELATIONS}, with {MAX_COMPARISONS} comparisons in all.",
            is_published=False,
            check=lambda constants: parsed(constants[argument], argument),
        )

    def declare(self) -> None:
        """Declare the input type."""
        fields: dict[str, tuple[Any, str]] = {
            key: (comparison_type(values_kind(key, column)), f"A condition on `{key}`.")
            for key, column in self.columns.items()
        }
        for name, related in self.relations.items():
            hint = f" It needs one on `{related.by}`, which bounds the rows." if related.by else ""
            type_ = related.where.list_type if related.is_list else related.where.type
            fields[name] = (type_, f"A condition on `{name}`.{hint}")
        fields |= {
            ALL_TRUE: (list.__class_getitem__(self.type), "All of these are true."),
            ONE_TRUE: (list.__class_getitem__(self.type), "One of these is true."),
            NOT_TRUE: (self.type, "This is not true."),
        }
        input_type(self.name, "Conditions on the columns of a list, all of which are true.", fields)
        of_list = {
            SOME: (self.type, "At least one row for which this is true."),
            NONE: (self.type, "No row for which this is true."),
            ROW_COUNT: (comparison_type(int), f"The number of rows, or of those for which `{COUNTED_WHERE}` is true."),
            COUNTED_WHERE: (self.type, f"Which rows `{ROW_COUNT}` counts."),
        }
        input_type(f"{self.name}OfList", "Conditions on the rows of a list.", of_list)

    def over(self, columns: Mapping[str, ColumnElement[Any]], declared: FromClause, rows: FromClause) -> "Where":
        """The same argument of another list, which has `rows` with these columns in place of the `declared` table."""
        other = copy(self)
        other.columns = columns
        other.inside = lambda column: rows.c[str(column.key)] if getattr(column, "table", None) is declared else column
        return other

    def columns_in(self, shape: WhereShape) -> frozenset[str]:
        """The columns that a shape without related rows compares."""
        inner = (self.columns_in(part) for part in shape if isinstance(part, tuple))
        return frozenset(self.columns).intersection(shape[:1]).union(*inner)

    def condition(self, shape: WhereShape, inside: Inside | None = None) -> ColumnElement[bool]:
        """The SQL of a shape, for columns as they are `inside` a statement. Raises Invalid."""
        inside = inside or self.inside
        name, *parts = shape
        if name in (ALL_TRUE, ONE_TRUE):
            conditions = [self.condition(part, inside) for part in parts]
            return and_(true(), *conditions) if name == ALL_TRUE else or_(*conditions)
        if name == NOT_TRUE:
            # A comparison with null is not true either, so that its opposite is.
            return self.condition(parts[0], inside).is_not(True)
        if parts[0] in (ONE, SOME, NONE, ROW_COUNT):
            return self.relations[name].condition(inside, *parts)
        return comparison_sql(self.columns[name], inside, *parts)


@dataclass(frozen=True)
class RelatedRows:
    """Rows of another list that are related to a row: those whose column `other` has the value of its column `own`.

    Without `is_list` there is at most one. `live` is the condition of the rows of a list. `by` is the time that must
    bound the rows of a large table.
    """

    where: Where
    own: ColumnElement[Any]
    other: Column[Any]
    is_list: bool = False
    live: Callable[[FromClause], ColumnElement[bool]] | None = None
    by: str | None = None

    def condition(self, inside: Inside, quantifier: str, shape: WhereShape, *counts: WhereShape) -> ColumnElement[bool]:
        """Whether the row, or at least one, or none, has a shape: a semi-join or anti-join; or so many have it."""
        if self.by and not any(part[0] == self.by and part[1] in BOUNDING for part in shape[1:]):
            raise Invalid(f"{self.where.name} needs a condition on {self.by}: {IS_AT_LEAST}, _gt or {IS_EQUAL}.")
        rows = self.other.table.alias()
        found = [in_organization(rows), self.where.condition(shape, columns_inside(self.other.table, rows))]
        found += [] if self.live is None else [self.live(rows)]
        key, own = rows.c[self.other.key], inside(self.own)
        if quantifier == ROW_COUNT:

            def is_asked(number: ColumnElement[Any]) -> ColumnElement[bool]:
                return and_(*(comparison_sql(_NUMBER, lambda _: number, *each[1:]) for each in counts))

            # All are counted at once: a statement that counts for each row may read all of them each time.
            counted = select(key).where(*found, key.is_not(None)).correlate(None)
            some = own.in_(counted.group_by(key).having(is_asked(func.count())))
            return or_(some, and_(is_asked(constant(0)), own.not_in(counted)))
        exists_ = exists().where(*found, key == own).correlate_except(rows)
        return not_(exists_) if quantifier == NONE else exists_


def parsed(value: Any, argument: str = "where") -> tuple[WhereShape | None, Mapping[str, Any]]:
    """The shape of a `where`, and the values of its comparisons by the names that the SQL binds.

    Raises Invalid for one that is too deep or too long, and for an empty or missing value in it.
    """
    values: dict[str, Any] = {}
    return (None if value is None else _shape(value, 0, 0, values, argument)), values


def _shape(where: Mapping[str, Any], depth: int, relations: int, values: dict[str, Any], path: str) -> WhereShape:
    argument = path.partition(".")[0]
    _check_levels(argument, depth, relations)
    shapes: list[WhereShape] = []
    for name, given in _present(where, path).items():
        inside = f"{path}.{name}"
        if name == NOT_TRUE:
            shapes.append((NOT_TRUE, _shape(given, depth + 1, relations, values, inside)))
        elif name in (ALL_TRUE, ONE_TRUE):
            if not given:
                raise Invalid(f"{inside} is empty: it needs a condition.")
            shapes.append((name, *(_shape(each, depth + 1, relations, values, inside) for each in given)))
        elif _present(given, inside).keys() <= COMPARISONS:
            shapes += [
                _comparison_shape(argument, name, comparison, each, values) for comparison, each in given.items()
            ]
        elif given.keys() <= {SOME, NONE, ROW_COUNT, COUNTED_WHERE}:
            for key, each in given.items():
                if key != ROW_COUNT and each == {}:
                    raise Invalid(
                        f"{inside}.{key} is empty: a variable in it may have no value. Of any row, "
                        "{created_at: {_is_null: false}} is true."
                    )
            rows = {
                key: _shape(each, depth, relations + 1, values, f"{inside}.{key}")
                for key, each in given.items()
                if key != ROW_COUNT
            }
            if ROW_COUNT in given or COUNTED_WHERE in given:
                counts = _present(given.get(ROW_COUNT, {}), f"{inside}.{ROW_COUNT}").items()
                of_count = [
                    _comparison_shape(argument, ROW_COUNT, comparison, each, values) for comparison, each in counts
                ]
                _check_levels(argument, depth, relations + 1)
                shapes.append((name, ROW_COUNT, rows.pop(COUNTED_WHERE, (ALL_TRUE,)), *of_count))
            shapes += [(name, quantifier, shape) for quantifier, shape in rows.items()]
        else:
            shapes.append((name, ONE, _shape(given, depth, relations + 1, values, inside)))
    return (ALL_TRUE, *shapes)


def _check_levels(argument: str, depth: int, relations: int) -> None:
    if depth > MAX_WHERE_DEPTH:
        raise Invalid(f"{argument} has more than {MAX_WHERE_DEPTH} levels of {ALL_TRUE}, {ONE_TRUE} and {NOT_TRUE}.")
    if relations > MAX_RELATIONS:
        raise Invalid(f"{argument} has more than {MAX_RELATIONS} levels of related rows.")


def _present(given: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """What is given: a missing value must not let more rows pass."""
    if not given:
        raise Invalid(f"{path} is empty: a variable in it may have no value.")
    for name, value in given.items():
        if value is None:
            raise Invalid(f"{path}.{name} is null: use {IS_NULL} for rows without a value.")
    return given


def _comparison_shape(argument: str, column: str, comparison: str, value: Any, values: dict[str, Any]) -> WhereShape:
    if comparison in (IS_AMONG, IS_NONE) and len(value) > MAX_COMPARED_VALUES:
        raise Invalid(f"{column}.{comparison} must have at most {MAX_COMPARED_VALUES} values.")
    name, is_flag = f"{argument}_{len(values)}", comparison == IS_NULL
    values[name] = None if is_flag else bind_value(value)
    if len(values) > MAX_COMPARISONS:
        raise Invalid(f"{argument} has more than {MAX_COMPARISONS} comparisons.")
    return (column, comparison, value if is_flag else name)
