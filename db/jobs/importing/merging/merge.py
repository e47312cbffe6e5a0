"""The merge: typed rows are inserted, changed rows updated, and rows that the files lack are deleted if asked for.

Rows that are as they should be are not written at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from db.jobs.importing.import_table import IMPORT_TABLES, ImportTable
from db.jobs.importing.statements import ORGANIZATION, run
from db.jobs.importing.typed.typed_rows import TypedRowsSql

CHANGED_AT = "updated_at = greatest(statement_timestamp(), s.updated_at + interval '1 microsecond')"
"""SQL: what a trigger does as well, where the database has it."""


@dataclass(frozen=True)
class TableChanges:
    """What an import changes in a table, in rows."""

    table: str
    read: int
    inserted: int
    updated: int
    deleted: int


@dataclass(frozen=True)
class Merge:
    """The merge of one table."""

    source: TypedRowsSql
    replace: bool

    @property
    def spec(self) -> ImportTable:
        return self.source.table.spec

    @property
    def is_leaf(self) -> bool:
        """Whether no row references a row of the table."""
        return not any(
            reference.target is self.spec.table
            for table in IMPORT_TABLES.values()
            for reference in table.references.values()
        )

    def count(self, connection: Connection) -> TableChanges:
        """What `insert`, `update` and `delete` will change."""
        (inserted,) = run(connection, f"SELECT count(*) FROM {self._rows} WHERE NOT is_stored").one()
        (updated,) = run(
            connection, f"SELECT count(*) FROM {self._rows} r JOIN {self._stored} WHERE {self._changed}"
        ).one()
        deleted = 0
        if self.replace:
            (deleted,) = run(connection, f"SELECT count(*) FROM {self.spec.name} s WHERE {self._missing}").one()
        return TableChanges(self.spec.name, self.source.table.count, inserted, updated, deleted)

    def insert(self, connection: Connection) -> None:
        columns = ", ".join(self.source.columns)
        run(
            connection,
            f"INSERT INTO {self.spec.name} (organization_id, {columns})"
            f" SELECT {ORGANIZATION}, {columns} FROM {self._rows} WHERE NOT is_stored ORDER BY row",
        )

    def update(self, connection: Connection) -> None:
        values = ", ".join(f"{column} = r.{column}" for column in self.source.written)
        run(
            connection,
            f"UPDATE {self.spec.name} s SET {values}, {CHANGED_AT} FROM {self._rows} r"
            f" WHERE s.organization_id = {ORGANIZATION} AND {self._same} AND {self._changed}",
        )

    def delete(self, connection: Connection) -> None:
        """Soft-delete the rows that the files do not have."""
        run(
            connection,
            f"UPDATE {self.spec.name} s SET deleted_at = statement_timestamp(), {CHANGED_AT} WHERE {self._missing}",
        )

    @property
    def _rows(self) -> str:
        return self.source.table.rows

    @property
    def _same(self) -> str:
        return " AND ".join(f"s.{column} = r.{column}" for column in self.spec.key)

    @property
    def _stored(self) -> str:
        return f"{self.spec.name} s ON s.organization_id = {ORGANIZATION} AND {self._same}"

    @property
    def _changed(self) -> str:
        columns: Sequence[str] = self.source.written
        old, new = (", ".join(f"{alias}.{column}" for column in columns) for alias in "sr")
        return f"r.is_stored AND ROW({old}) IS DISTINCT FROM ROW({new})"

    @property
    def _missing(self) -> str:
        staged = f"SELECT FROM {self._rows} r WHERE {self._same}"
        return f"s.organization_id = {ORGANIZATION} AND s.deleted_at IS NULL AND NOT EXISTS ({staged})"
