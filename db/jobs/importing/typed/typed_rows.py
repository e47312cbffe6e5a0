"""Typed rows: each staged row as it will be in its table, in a temporary table.

A column that the file has not, or leaves empty where it must have a value, keeps its stored value, and gets its default
in a new row. A row is live unless the file says when it was deleted, or it belongs to a row that is deleted.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import dialect

from db.jobs.importing.import_table import IMPORT_TABLES, StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted, run
from db.jobs.importing.typed.defaults import DEFAULTS, FOLLOWS
from db.jobs.importing.typed.identities import identity_sql, reference_sql
from db.jobs.importing.typed.text_forms import cast_sql, sql_type
from db.tables.belonging import BELONGINGS, Belonging, deletion_time

REFUSED = "EXISTS (SELECT FROM import_problems p WHERE p.kind = {table} AND p.row = t.row)"
"""SQL: whether a staged row `t` was refused."""

# It compiles no statement, but the defaults of columns.
DDL = dialect.ddl_compiler(dialect(), None)  # type: ignore[arg-type, no-untyped-call]

_NAMED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class TypedRowsSql:
    """How the typed rows of a table are computed."""

    table: StagedTable
    deletions: Sequence[tuple[str, str]]
    """The columns that reference rows to which a row belongs, with the SQL of the deleted ones: `id` and `at`."""

    @property
    def given(self) -> list[str]:
        """The columns of the table that the files have, by themselves or by a name that stands for an id."""
        spec = self.table.spec
        by_name = {name: column for column, reference in spec.references.items() for name in reference.names}
        columns = dict.fromkeys(by_name.get(name, name) for name in self.table.given)
        return [column for column in columns if column in spec.columns]

    @property
    def written(self) -> list[str]:
        """The columns that an update writes."""
        follows = [column for column in FOLLOWS.get(self.table.spec.name, {}) if self._follows(column)]
        own = [column for column in self.given if column not in (*self.table.spec.key, "deleted_at")]
        return [*own, *follows, "deleted_at"]

    def create(self, connection: Connection) -> None:
        """Create the table of the typed rows."""
        spec, rows = self.table.spec, self.table.rows
        effective = ", ".join(f"{self._effective(column)} AS {column}" for column in self.table.columns)
        joins = "".join(
            f" LEFT JOIN ({deleted}) deletion_{number} ON deletion_{number}.id = {self._effective(column)}"
            for number, (column, deleted) in enumerate(self.deletions)
        )
        run(
            connection,
            f"CREATE TEMP TABLE {rows} ON COMMIT DROP AS"
            f" SELECT k.row, s.organization_id IS NOT NULL AS is_stored, {effective} FROM ({self._keyed()}) k"
            f" LEFT JOIN {spec.name} s ON s.organization_id = {ORGANIZATION} AND {spec.same_key('s', 'k')} {joins}",
        )
        run(connection, f"ANALYZE {rows}")

    def _keyed(self) -> str:
        """SQL: the given values with the id of each row."""
        spec, table = self.table.spec, self.table
        values, joins = [], ""
        for column in self.given:
            if column in spec.references:
                more, value = reference_sql(spec.references[column], table.given, f"t.{column}::uuid")
                joins += more
            else:
                value = f"t.{column}" if table.is_typed else cast_sql(spec.columns[column], f"t.{column}")
            values.append((column, value))
        # OFFSET 0 keeps the planner from a join by cast texts before the refused ones are left out.
        refused = REFUSED.format(table=quoted(spec.name))
        accepted = f"(SELECT * FROM {table.staging} t WHERE NOT {refused} OFFSET 0) t"
        if spec.id is None:
            chosen = "".join(f", {value} AS {column}" for column, value in values)
            return f"SELECT t.row{chosen} FROM {accepted} {joins}"
        more, id_ = identity_sql(table)
        chosen = "".join(f", {value} AS {column}" for column, value in values if column != spec.id)
        typed = f"SELECT t.row, {id_} AS own_id{chosen} FROM {accepted} {joins} {more}"
        others = "".join(f", g.{column}" for column, _ in values if column != spec.id)
        if not self._needs_natural_key:
            return f"SELECT g.row, g.own_id AS {spec.id}{others} FROM ({typed}) g"
        key = ", ".join(spec.natural_key)
        name = " || '/' || ".join(f"g.{column}::text" for column in spec.natural_key)
        same = " AND ".join(f"n.{column} = g.{column}" for column in spec.natural_key)
        return (
            f"SELECT g.row, coalesce(g.own_id, n.found_id, pg_temp.import_id({quoted(spec.name)}, {name})) AS {spec.id}"
            f"{others} FROM ({typed}) g"
            f" LEFT JOIN (SELECT DISTINCT ON ({key}) {key}, {spec.id} AS found_id FROM {spec.name}"
            f" WHERE organization_id = {ORGANIZATION} AND deleted_at IS NULL ORDER BY {key}, {spec.id}) n"
            f" ON g.own_id IS NULL AND {same}"
        )

    @property
    def _needs_natural_key(self) -> bool:
        """Whether rows may be told by their natural key: one of a single column is a name already."""
        spec = self.table.spec
        return len(spec.natural_key) > 1 and set(spec.natural_key) <= set(self.given)

    def _effective(self, column: str) -> str:
        declared = self.table.spec.columns[column]
        type_ = sql_type(declared.type)
        if column in self.table.spec.key:
            return f"k.{column}"
        if column == "deleted_at":
            times = [f"deletion_{number}.at" for number in range(len(self.deletions))]
            times[:0] = ["k.deleted_at"] if "deleted_at" in self.given else []
            return f"coalesce({', '.join(times)})" if times else "NULL::timestamptz"
        default = self._default(column)
        value = f"s.{column}" if column not in self.given else f"k.{column}"
        if column in self.given:
            if default is None and declared.nullable:
                return value
            return f"coalesce({value}, s.{column}, {default or 'NULL'}::{type_})"
        if self._follows(column):
            return f"coalesce({default}, s.{column})::{type_}"
        return f"CASE WHEN s.organization_id IS NOT NULL THEN {value} ELSE {default or 'NULL'}::{type_} END"

    def _default(self, column: str) -> str | None:
        name = self.table.spec.name
        expression = DEFAULTS.get(name, {}).get(column) or FOLLOWS.get(name, {}).get(column)
        if expression is not None:
            return f"({_NAMED.sub(lambda match: self._effective(match[1]), expression)})"
        default = DDL.get_column_default_string(self.table.spec.columns[column])
        return None if default is None else f"({default})"

    def _follows(self, column: str) -> bool:
        """Whether the column is in no file, but one that it is derived from is."""
        sources = _NAMED.findall(FOLLOWS.get(self.table.spec.name, {}).get(column, ""))
        return column not in self.given and not {*sources}.isdisjoint(self.given)


def deleted_parents(table: StagedTable, staged: Collection[str]) -> Sequence[tuple[str, str]]:
    """For each column by which rows of the table belong to others: the column, and SQL of the deleted ones.

    Rows of the import count as they will be. Of rows that belong to others in the same table, those do not count.
    """
    return [
        (belonging.column, _deleted(belonging, table, is_staged=str(belonging.parent.name) in staged))
        for belonging in BELONGINGS
        if belonging.child is table.spec.table
    ]


def _deleted(belonging: Belonging, table: StagedTable, *, is_staged: bool) -> str:
    parent = IMPORT_TABLES[str(belonging.parent.name)]
    at = deletion_time(parent.table, "p")
    stored = f"SELECT p.{parent.id} AS id, {at} AS at FROM {parent.name} p"
    stored += f" WHERE p.organization_id = {ORGANIZATION} AND {at} IS NOT NULL"
    if not is_staged:
        return stored
    if parent.name == table.spec.name:
        joins, id_ = identity_sql(table)
        return f"{stored} AND NOT EXISTS (SELECT FROM {table.staging} t {joins} WHERE {id_} = p.{parent.id})"
    rows = StagedTable(parent).rows
    return (
        f"{stored} AND NOT EXISTS (SELECT FROM {rows} r WHERE r.{parent.id} = p.{parent.id})"
        f" UNION ALL SELECT p.{parent.id}, {at} FROM {rows} p WHERE {at} IS NOT NULL"
    )
