"""Deletion of what belongs to deleted rows: the same state whether triggers do it or the import."""

from collections.abc import Collection, Sequence

from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.staging import StagedTable
from db.jobs.importing.statements import ORGANIZATION
from db.jobs.importing.typed.identities import identity_sql
from db.tables.belonging import BELONGINGS, Belonging, deletion_time


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
