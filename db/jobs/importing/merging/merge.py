"""The merge: new rows are inserted, changed rows updated, and rows that the files lack are deleted if asked for.

Rows that are as they should be are not written at all.
"""

from dataclasses import dataclass

from sqlalchemy import Connection

from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, run
from db.jobs.importing.typed.typed_rows import updated_columns

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


def count_changes(connection: Connection, table: StagedTable) -> TableChanges:
    """What `write_changes` and `delete_missing` will change. A row whose file says that it is deleted is a deletion."""
    name = table.spec.name
    live = f"SELECT FROM {name} s WHERE {_is_stored(table)} AND s.deleted_at IS NULL"
    gone = f"is_stored AND r.deleted_at IS NOT NULL AND EXISTS ({live})"
    counts = ", ".join(f"count(*) FILTER (WHERE {each})" for each in ("NOT is_stored", "is_stored", gone))
    inserted, changed, deleted = run(connection, f"SELECT {counts} FROM {_changed(table)}").one()
    missing = 0
    if table.deletes:
        missing = run(connection, f"SELECT count(*) FROM {name} s WHERE {table.missing}").scalar_one()
    unchanged = table.count - inserted - changed
    return TableChanges(name, table.count, inserted, changed - deleted, deleted + missing, unchanged)


def write_changes(connection: Connection, table: StagedTable) -> None:
    """Insert new rows, and update those that differ, in one statement: rows of a table may reference each other.

    Updates are first: they may free a unique key that a new row has. Where all rows are new, none is looked up.
    """
    spec, columns = table.spec, ", ".join(table.columns)
    statement = f"INSERT INTO {spec.name} AS s (organization_id, {columns}) SELECT {ORGANIZATION}, {columns} FROM"
    if run(connection, f"SELECT EXISTS (SELECT FROM {table.rows} WHERE is_stored)").scalar_one():
        values = ", ".join(f"{column} = excluded.{column}" for column in updated_columns(table))
        _free_keys(connection, table)
        statement += f" {_changed(table)} ORDER BY is_stored DESC, row ON CONFLICT (organization_id,"
        statement += f" {', '.join(spec.key)}) DO UPDATE SET {values}, {CHANGED_AT}"
    else:
        statement += f" {table.rows}"
    run(connection, statement)


def _free_keys(connection: Connection, table: StagedTable) -> None:
    """Take from stored rows the unique keys that other rows get, and that they lose: rows may exchange their keys.

    Until the merge, a row without the key of live rows is deleted, and one of all rows has one that no row has.
    """
    for key in table.spec.unique_keys:
        taken = " AND ".join(f"o.{column} = s.{column}" for column in key.columns)
        lost = " OR ".join(f"r.{column} <> s.{column}" for column in key.columns)
        values = f"{key.columns[0]} = gen_random_uuid()"
        if key.is_of_live_rows:
            taken = f"o.deleted_at IS NULL AND {taken}"
            lost = f"s.deleted_at IS NULL AND (r.deleted_at IS NOT NULL OR {lost})"
            values = "deleted_at = statement_timestamp()"
        run(
            connection,
            f"UPDATE {table.spec.name} s SET {values} FROM {table.rows} r WHERE {_is_stored(table)} AND ({lost})"
            f" AND EXISTS (SELECT FROM {table.rows} o WHERE {taken})",
        )


def delete_missing(connection: Connection, table: StagedTable) -> None:
    values = f"deleted_at = statement_timestamp(), {CHANGED_AT}"
    run(connection, f"UPDATE {table.spec.name} s SET {values} WHERE {table.missing}")


def _changed(table: StagedTable) -> str:
    """SQL: the typed rows that are not stored as they should be."""
    old, new = (", ".join(f"{alias}.{column}" for column in updated_columns(table)) for alias in "sr")
    stored = f"SELECT FROM {table.spec.name} s WHERE {_is_stored(table)}"
    return f"{table.rows} r WHERE NOT EXISTS ({stored} AND ROW({old}) IS NOT DISTINCT FROM ROW({new}))"


def _is_stored(table: StagedTable) -> str:
    """SQL: whether `s` is the stored row of a typed row `r`."""
    return f"s.organization_id = {ORGANIZATION} AND {table.spec.same_key('s', 'r')}"
