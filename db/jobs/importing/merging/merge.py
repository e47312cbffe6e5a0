"""The merge: new rows are inserted, changed rows updated, and rows that the files lack are deleted if asked for.

Rows that are as they should be are not written at all.
"""

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
    unchanged: int = 0
    """The rows that are stored already as the files have them."""


@dataclass(frozen=True)
class Merge:
    """The merge of one table."""

    source: TypedRowsSql
    replace: bool
    """Whether all rows that the files do not have are deleted."""

    @property
    def spec(self) -> ImportTable:
        return self.source.table.spec

    @property
    def is_leaf(self) -> bool:
        """Whether no row references a row of the table."""
        return not any(
            reference.target.name == self.spec.name
            for table in IMPORT_TABLES.values()
            for reference in table.references.values()
        )

    @property
    def deletes(self) -> bool:
        """Whether stored rows may be deleted that the files do not have."""
        return self.replace or self.source.table.stale is not None

    def count(self, connection: Connection) -> TableChanges:
        """What `write` and `delete` will change. A row whose file says that it is deleted is a deletion, too."""
        live = f"SELECT FROM {self.spec.name} s WHERE {self._stored} AND s.deleted_at IS NULL"
        gone = f"is_stored AND r.deleted_at IS NOT NULL AND EXISTS ({live})"
        kinds = ", ".join(f"count(*) FILTER (WHERE {kind})" for kind in ("NOT is_stored", "is_stored", gone))
        inserted, changed, deleted = run(connection, f"SELECT {kinds} FROM {self._changed}").one()
        missing = 0
        if self.deletes:
            missing = run(connection, f"SELECT count(*) FROM {self.spec.name} s WHERE {self.missing}").scalar_one()
        read = self.source.table.count
        unchanged = read - inserted - changed
        return TableChanges(self.spec.name, read, inserted, changed - deleted, deleted + missing, unchanged)

    def write(self, connection: Connection) -> None:
        """Insert new rows, and update those that differ, in one statement: rows of a table may reference each other.

        Updates are first: they may free a unique key that a new row has. Where all rows are new, none is looked up.
        """
        columns = ", ".join(self.source.table.columns)
        statement = (
            f"INSERT INTO {self.spec.name} AS s (organization_id, {columns}) SELECT {ORGANIZATION}, {columns} FROM"
        )
        if run(connection, f"SELECT EXISTS (SELECT FROM {self._rows} WHERE is_stored)").scalar_one():
            values = ", ".join(f"{column} = excluded.{column}" for column in self.source.written)
            statement += f" {self._changed} ORDER BY is_stored DESC, row ON CONFLICT (organization_id,"
            statement += f" {', '.join(self.spec.key)}) DO UPDATE SET {values}, {CHANGED_AT}"
        else:
            statement += f" {self._rows}"
        run(connection, statement)

    def delete(self, connection: Connection) -> None:
        """Soft-delete the rows that the files do not have."""
        run(
            connection,
            f"UPDATE {self.spec.name} s SET deleted_at = statement_timestamp(), {CHANGED_AT} WHERE {self.missing}",
        )

    @property
    def _rows(self) -> str:
        return self.source.table.rows

    @property
    def _changed(self) -> str:
        """SQL: the typed rows that are not stored as they should be."""
        old, new = (", ".join(f"{alias}.{column}" for column in self.source.written) for alias in "sr")
        stored = f"SELECT FROM {self.spec.name} s WHERE {self._stored}"
        return f"{self._rows} r WHERE NOT EXISTS ({stored} AND ROW({old}) IS NOT DISTINCT FROM ROW({new}))"

    @property
    def _stored(self) -> str:
        """SQL: whether `s` is the stored row of a typed row `r`."""
        return f"s.organization_id = {ORGANIZATION} AND {self.spec.same_key('s', 'r')}"

    @property
    def others(self) -> str:
        """SQL: whether `s` is a stored row that is not deleted, and that the files do not have."""
        staged = f"SELECT FROM {self._rows} r WHERE {self.spec.same_key('s', 'r')}"
        return f"s.organization_id = {ORGANIZATION} AND s.deleted_at IS NULL AND NOT EXISTS ({staged})"

    @property
    def missing(self) -> str:
        """SQL: whether `s` is one of the others that are deleted."""
        stale = self.source.table.stale
        is_deleted = str(self.replace).lower() if stale is None else f"s.id IN (SELECT id FROM {stale})"
        return f"{self.others} AND {is_deleted}"
