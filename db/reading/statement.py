"""A statement: compiled once, and refused when it is built unless every tenant table in it is restricted.

What is checked is what is sent: the check listens while the text is made, and so sees each table that really stands
in a FROM, whatever SQLAlchemy correlates, nests or leaves out.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from sqlalchemy import Alias, ClauseElement, FromClause, Join, Select, Table
from sqlalchemy.dialects.postgresql.psycopg import PGCompiler_psycopg, PGDialectAsync_psycopg
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BinaryExpression, BooleanClauseList

from db.tables.columns import ORGANIZATION, metadata

DIALECT = PGDialectAsync_psycopg()  # type: ignore[no-untyped-call]


class UnrestrictedTable(Exception):
    """A statement reads a tenant table without naming the organization of the request, or can't be checked."""


class Statement:
    """A `select()` ready to run: its text, and the constants that stand in it.

    Values of its bind parameters are given when it runs; `organization_id` is given by `db.reading.database` alone.
    Raises UnrestrictedTable unless each tenant table is restricted in the very select that reads it.
    """

    def __init__(self, select: Select[Any]) -> None:
        if not isinstance(select, Select):
            raise UnrestrictedTable(f"{type(select).__name__} is not a select that can be checked.")
        compiled = _Checked(DIALECT, select, compile_kwargs={"render_postcompile": True})
        compiled.check()
        self.sql = str(compiled)
        """The text, with `%(name)s` placeholders."""
        self.constants: Mapping[str, Any] = {
            name: value for name, value in compiled.params.items() if value is not None
        }
        """The values that were written into the statement itself."""
        self.names = frozenset(compiled.params)
        """The names of all its values."""

    def __repr__(self) -> str:
        return f"Statement({self.sql!r})"


class _Checked(PGCompiler_psycopg):
    """Writes a statement, and notes for each select which tables stand in its FROM and how they are joined.

    Hangs on how SQLAlchemy 2.1 writes: a select is the top of the stack while its FROM is written, and whatever
    stands there is visited with `asfrom`.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.read: list[tuple[Any, FromClause]] = []
        self.joins: list[tuple[Any, Join]] = []
        super().__init__(*arguments, **named)

    def check(self) -> None:
        """Raise UnrestrictedTable at the first table that nothing restricts where it is read."""
        for select, table in self.read:
            if table not in self._restricted_in(select):
                raise UnrestrictedTable(f"{table} is read without organization_id = :organization_id in:\n{select}")

    def _restricted_in(self, select: Any) -> set[FromClause]:
        found = _restricted(getattr(select, "whereclause", None))
        for owner, join in self.joins:
            if owner is not select or join.full:
                continue
            named = _restricted(join.onclause)
            # An outer join keeps the left rows that fail its condition: that speaks for the right side only.
            found |= {table for table in named if table in _tables(join.right)} if join.isouter else named
        return found

    def visit_table(self, table: Any, *arguments: Any, **named: Any) -> Any:
        if named.get("asfrom"):
            self._read(table)
        return super().visit_table(table, *arguments, **named)  # type: ignore[no-untyped-call]

    def visit_alias(self, alias: Any, *arguments: Any, **named: Any) -> Any:
        known = len(self.read)
        written = super().visit_alias(alias, *arguments, **named)  # type: ignore[no-untyped-call]
        if isinstance(alias.element, Table):
            # The table was noted under its own name; what is read, and restricted, is the alias.
            self.read[known:] = [(select, alias) for select, _ in self.read[known:]]
        return written

    def visit_join(self, join: Any, *arguments: Any, **named: Any) -> Any:
        self.joins.append((self._select(), join))
        return super().visit_join(join, *arguments, **named)  # type: ignore[no-untyped-call]

    def visit_textclause(self, textclause: Any, *arguments: Any, **named: Any) -> NoReturn:
        raise UnrestrictedTable(f"Text can't be checked: {textclause}")

    def visit_textual_select(self, taf: Any, *arguments: Any, **named: Any) -> NoReturn:
        raise UnrestrictedTable(f"Text can't be checked: {taf}")

    def visit_tablesample(self, tablesample: Any, *arguments: Any, **named: Any) -> NoReturn:
        raise UnrestrictedTable(f"A sample can't be checked: {tablesample}")

    def visit_delete(self, delete_stmt: Any, *arguments: Any, **named: Any) -> NoReturn:
        raise UnrestrictedTable(f"This is no select: {delete_stmt}")

    def visit_insert(self, insert_stmt: Any, *arguments: Any, **named: Any) -> NoReturn:
        raise UnrestrictedTable(f"This is no select: {insert_stmt}")

    def visit_update(self, update_stmt: Any, *arguments: Any, **named: Any) -> NoReturn:
        raise UnrestrictedTable(f"This is no select: {update_stmt}")

    def _select(self) -> Any:
        return self.stack[-1]["selectable"]

    def _read(self, table: Any) -> None:
        if not isinstance(table, Table) or table.metadata is not metadata:
            raise UnrestrictedTable(f"{table} is not one of the tables that are declared here.")
        if table.info.get("tenant"):
            self.read.append((self._select(), table))


def check(select: Select[Any]) -> None:
    """Raise UnrestrictedTable unless each tenant table is restricted in the very select that reads it."""
    Statement(select)


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
        return {table} if isinstance(table, (Table, Alias)) else set()
    return set()


def _tables(source: FromClause) -> set[FromClause]:
    """The tables of one side of a join."""
    if isinstance(source, Join):
        return _tables(source.left) | _tables(source.right)
    return {source}
