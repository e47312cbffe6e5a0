"""A statement: compiled once, and refused when it is built unless every tenant table in it is restricted."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from sqlalchemy import CTE, Alias, CompoundSelect, FromClause, Join, Lateral, Select, Table
from sqlalchemy.dialects.postgresql.psycopg import PGDialectAsync_psycopg
from sqlalchemy.sql import operators, visitors
from sqlalchemy.sql.elements import BinaryExpression, BooleanClauseList, ClauseElement
from sqlalchemy.sql.selectable import AliasedReturnsRows, SelectBase, SelectStatementGrouping, Subquery

from db.tables import ORGANIZATION

DIALECT = PGDialectAsync_psycopg()  # type: ignore[no-untyped-call]


class UnrestrictedTable(Exception):
    """A statement reads a tenant table without naming the organization of the request."""


class Statement:
    """A `select()` ready to run: its text, and the constants that stand in it.

    Values of its bind parameters are given when it runs; `organization_id` is given by `db.database` alone.
    """

    def __init__(self, select: Select[Any]) -> None:
        check(select)
        self._select = select

    @cached_property
    def _compiled(self) -> Any:
        return self._select.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})

    @cached_property
    def sql(self) -> str:
        """The text, with `%(name)s` placeholders."""
        return str(self._compiled)

    @cached_property
    def constants(self) -> Mapping[str, Any]:
        """The values that were written into the statement itself."""
        return {name: value for name, value in self._compiled.params.items() if value is not None}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all its values."""
        return frozenset(self._compiled.params)

    def __repr__(self) -> str:
        return f"Statement({self.sql!r})"


def check(select: SelectBase) -> None:
    """Raise UnrestrictedTable unless each tenant table is restricted in the very select that reads it."""
    checked: set[Any] = set()
    _check(select, frozenset(), checked)
    for element in visitors.iterate(select, {}):
        if isinstance(element, Select) and element not in checked:
            raise UnrestrictedTable(f"A subquery stands where it can't be checked: {element}")


def _check(select: Any, outer: frozenset[FromClause], checked: set[Any]) -> None:
    """`outer` holds the restricted tables of the selects around: a correlated subquery names them again."""
    if isinstance(select, (SelectStatementGrouping, Subquery)):
        return _check(select.element, outer, checked)
    if isinstance(select, CompoundSelect):
        for part in select.selects:
            _check(part, outer, checked)
        return None
    if not isinstance(select, Select):
        raise UnrestrictedTable(f"{type(select).__name__} is not a kind of statement that can be checked.")
    checked.add(select)
    tables: list[FromClause] = []
    conditions: list[ClauseElement | None] = [select.whereclause]
    nested: list[AliasedReturnsRows] = []
    for source in select.get_final_froms():
        _collect(source, tables, conditions, nested)
    restricted = outer.union(*(_restricted(condition) for condition in conditions))
    for table in tables:
        if _is_tenant(table) and table not in restricted:
            raise UnrestrictedTable(f"{table} is read without organization_id = :organization_id in:\n{select}")
    for source in nested:
        # Only LATERAL sees the tables around it; a plain subquery stands alone.
        _check(source.element, restricted if isinstance(source, Lateral) else frozenset(), checked)
    for expression in (*conditions, *select.selected_columns):
        for query in _subqueries(expression):
            _check(query, restricted, checked)
    return None


def _collect(
    source: FromClause,
    tables: list[FromClause],
    conditions: list[ClauseElement | None],
    nested: list[AliasedReturnsRows],
) -> None:
    """Sort one FROM element into tables, conditions that hold for its rows, and queries inside it."""
    if isinstance(source, Join):
        _collect(source.left, tables, conditions, nested)
        _collect(source.right, tables, conditions, nested)
        conditions.append(_without_left(source))
    elif isinstance(source, (Subquery, CTE, Lateral)):
        nested.append(source)
    else:
        tables.append(source)


def _without_left(join: Join) -> ClauseElement | None:
    """The ON condition; an outer join keeps left rows that fail it, so there it may only speak for the right."""
    if not (join.isouter or join.full):
        return join.onclause
    named = {table for table in _restricted(join.onclause) if table is join.right}
    if join.full or not named:
        return None
    return join.onclause if _restricted(join.onclause) == named else None


def _restricted(condition: ClauseElement | None) -> set[FromClause]:
    """The tables that a condition restricts, looking only where all of it must hold."""
    if isinstance(condition, BooleanClauseList) and condition.operator is operators.and_:
        return {table for clause in condition.clauses for table in _restricted(clause)}
    if (
        isinstance(condition, BinaryExpression)
        and condition.operator is operators.eq
        and condition.right is ORGANIZATION
        and getattr(condition.left, "name", None) == "organization_id"
    ):
        table = getattr(condition.left, "table", None)
        return {table} if isinstance(table, FromClause) else set()
    return set()


def _is_tenant(source: FromClause) -> bool:
    while isinstance(source, Alias):
        source = source.element
    return isinstance(source, Table) and bool(source.info.get("tenant"))


def _subqueries(expression: Any) -> Iterator[SelectBase]:
    """The selects inside an expression that stand nearest to it."""
    if expression is None:
        return
    for child in visitors.iterate(expression, {}):
        element = getattr(child, "element", None)
        if isinstance(element, SelectBase) and not isinstance(child, (SelectBase, FromClause)):
            yield element
