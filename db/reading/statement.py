"""Statement: a SELECT compiled once, and refused unless it restricts every tenant table to one organization.

The check is part of the compilation, so it sees each table that stands in a FROM of the final SQL, whatever SQLAlchemy
correlates, nests or omits.

Uses internals of SQLAlchemy 2.1's compiler: its `visit_*` methods, its stack, the keyword `asfrom`, and the tables of a
join (`_from_objects`).
`tests/db/reading/test_statement.py` fails when they change.
"""

import re
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from sqlalchemy import Alias, ClauseElement, FromClause, Join, Select, Table
from sqlalchemy.dialects.postgresql.psycopg import PGCompiler_psycopg, PGDialectAsync_psycopg
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BinaryExpression, BooleanClauseList

from db.tables.columns import ORGANIZATION_ID, metadata
from db.tables.keys import ORGANIZATION_OF_KEY

DIALECT = PGDialectAsync_psycopg()  # type: ignore[no-untyped-call]

_TABLE_READ = re.compile("\x02(\\w+)\x03( AS )?")
"""A table that is read, between the marks that the compiler writes."""


class UnrestrictedTable(Exception):
    """A statement reads a tenant table of all organizations, or contains something that cannot be checked."""


class Statement:
    """A `select()` compiled to SQL behind a `prefix`, with the values of its literals.

    Raises UnrestrictedTable unless each tenant table is restricted in the select that reads it, by `in_organization` or
    `in_organization_of_key`. Parameters get their values when the statement runs; `organization_id` gets its value from
    `db.reading.database`.
    """

    def __init__(self, select: Select[Any], *, prefix: str = "") -> None:
        if not isinstance(select, Select):
            raise UnrestrictedTable(f"{type(select).__name__} is not a select that can be checked.")
        compiled = _CheckedCompiler(DIALECT, select, compile_kwargs={"render_postcompile": True})
        compiled.check_tables()
        self._marked = f"{prefix}{compiled}"
        self.sql = _TABLE_READ.sub(r"\1\2", self._marked)
        """SQL with `%(name)s` placeholders."""
        self.constants: Mapping[str, Any] = {
            name: value for name, value in compiled.params.items() if value is not None
        }
        """The values of literals, by parameter name."""
        self.parameter_names = frozenset(compiled.params)
        """The names of all parameters, those of literals included."""
        self.columns = tuple(map(str, select.selected_columns.keys()))
        """The names of the columns of a row."""

    def __repr__(self) -> str:
        return f"Statement({self.sql!r})"

    def on_tables(self, names: Mapping[str, str]) -> str:
        """The SQL, where it reads other tables of the same columns, by the names of the declared ones."""
        # Columns name a table by its alias or its declared name.
        return _TABLE_READ.sub(lambda table: f"{names[table[1]]}{table[2] or f' AS {table[1]}'}", self._marked)


class _CheckedCompiler(PGCompiler_psycopg):
    """Compiles a select, and records for each (sub)select the tenant tables in its FROM and its joins.

    While SQLAlchemy compiles a FROM, its select is on top of the stack, and each element is visited with `asfrom`.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        self._tables_read: list[tuple[Any, FromClause]] = []
        self._joins: list[tuple[Any, Join]] = []
        super().__init__(*arguments, **keywords)

    def check_tables(self) -> None:
        """Raise UnrestrictedTable for the first table that is not restricted in the select that reads it."""
        for select, table in self._tables_read:
            if table not in self._restricted_in(select):
                raise UnrestrictedTable(f"{table} is read without organization_id = :organization_id in:\n{select}")

    def _restricted_in(self, select: Any) -> set[FromClause]:
        """The tables that the WHERE of `select` and the ON of its joins restrict."""
        restricted = _restricted_by(getattr(select, "whereclause", None))
        for owner, join in self._joins:
            if owner is not select or join.full:
                continue
            in_condition = _restricted_by(join.onclause)
            # A left join keeps left rows that fail its condition, so the condition restricts the right side only.
            of_right = in_condition.intersection(join.right._from_objects)  # noqa: SLF001 - see the module's docstring
            restricted |= of_right if join.isouter else in_condition
        return restricted

    def visit_table(self, table: Any, *arguments: Any, **keywords: Any) -> Any:
        sql = super().visit_table(table, *arguments, **keywords)  # type: ignore[no-untyped-call]
        if not keywords.get("asfrom"):
            return sql
        if not isinstance(table, Table) or table.metadata is not metadata:
            raise UnrestrictedTable(f"{table} is not declared in db/tables.")
        if table.info.get("tenant"):
            self._tables_read.append((self._current_select(), table))
        return f"\x02{sql}\x03"

    def visit_alias(self, alias: Any, *arguments: Any, **keywords: Any) -> Any:
        count = len(self._tables_read)
        sql = super().visit_alias(alias, *arguments, **keywords)  # type: ignore[no-untyped-call]
        if isinstance(alias.element, Table):
            # `visit_table` recorded the table; what is read, and must be restricted, is the alias.
            self._tables_read[count:] = [(select, alias) for select, _ in self._tables_read[count:]]
        return sql

    def visit_join(self, join: Any, *arguments: Any, **keywords: Any) -> Any:
        self._joins.append((self._current_select(), join))
        return super().visit_join(join, *arguments, **keywords)  # type: ignore[no-untyped-call]

    def _refuse(self, element: Any, *arguments: Any, **keywords: Any) -> NoReturn:
        raise UnrestrictedTable(f"{type(element).__name__} cannot be checked: {element}")

    visit_textclause = visit_textual_select = visit_tablesample = cast("Any", _refuse)
    visit_delete = visit_insert = visit_update = cast("Any", _refuse)

    def _current_select(self) -> Any:
        return self.stack[-1]["selectable"]


def _restricted_by(condition: ClauseElement | None) -> set[FromClause]:
    """The tables that a condition restricts, by itself or as one of the parts of an AND."""
    if isinstance(condition, BooleanClauseList) and condition.operator is operators.and_:
        return {table for clause in condition.clauses for table in _restricted_by(clause)}
    if (
        isinstance(condition, BinaryExpression)
        and condition.operator is operators.eq
        and (condition.right is ORGANIZATION_ID or condition.right is ORGANIZATION_OF_KEY)
        and getattr(condition.left, "name", None) == "organization_id"
    ):
        table = getattr(condition.left, "table", None)
        return {table} if isinstance(table, (Table, Alias)) else set()
    return set()
