"""Checks of the typed rows: what the table requires of them, found for all rows at once and before they are written."""

from sqlalchemy import Connection

from db.jobs.importing.checks.problems_sql import add_problems
from db.jobs.importing.checks.text_checks import unknown_reason
from db.jobs.importing.import_table import IMPORT_TABLES, Reference, UniqueKey
from db.jobs.importing.staging import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted
from db.jobs.importing.typed.catalog import CatalogTable
from db.jobs.importing.typed.identities import identity_sql, own_names
from db.jobs.importing.typed.typed_rows import REFUSED

RULES = {
    "interval": "is not after the start",
    "longest": "is more than 24 hours after the start: split the interval",
    "original": "is not after the original start",
    "years_1900_to_2999": "is not a time of the years 1900 to 2999",
    "years_1900_to_9999": "is not a day of the years 1900 to 9999",
    "zero_or_more": "is less than 0",
    "without_nan": "is not a number",
}
"""Reasons in words, by the last part of a constraint's name. Others are given as they are."""


def check_required(connection: Connection, table: StagedTable, catalog: CatalogTable) -> None:
    """Find rows without a value that they must have. A column that no file has is one problem, not one for each row."""
    for column in table.spec.columns:
        if column in table.spec.key or column == "created_at" or not catalog.columns[column].is_required:
            continue
        names = {column, *(table.spec.references[column].names if column in table.spec.references else ())}
        missing = f"SELECT r.row FROM {table.rows} r WHERE r.{column} IS NULL"
        if names & set(table.given):
            add_problems(connection, table, column, "is required", missing)
        else:
            first = f"SELECT min(row) FROM ({missing}) m"
            reason = f"new rows need the column {column}; the file does not have it"
            add_problems(connection, table, "", reason, first)


def check_references(
    connection: Connection, table: StagedTable, reference: Reference, staged: StagedTable | None
) -> None:
    """Find references to rows that neither the organization nor the import has.

    `staged`: the referenced table, if the import has rows of it. Those that were refused themselves are known, too: one
    mistake is one problem.
    """
    target = IMPORT_TABLES[reference.target.name]
    known = [f"SELECT {target.id} AS id FROM {target.name} WHERE organization_id = {ORGANIZATION}"]
    if staged is not None:
        joins, id_ = identity_sql(staged)
        refused = REFUSED.format(table=quoted(target.name))
        known.append(f"SELECT {target.id} AS id FROM {staged.rows}")
        known.append(f"SELECT {id_} AS id FROM {staged.staging} t {joins} WHERE {refused}")
    absent = "".join(f" AND NOT EXISTS (SELECT FROM ({ids}) k WHERE k.id = r.{reference.column})" for ids in known)
    unknown = f"SELECT r.row FROM {table.rows} r WHERE r.{reference.column} IS NOT NULL{absent}"
    add_problems(connection, table, reference.column, unknown_reason(target.name), unknown)


def check_lists(connection: Connection, table: StagedTable) -> None:
    """Find time zones, currencies and countries that do not exist."""
    for column, key in table.spec.lists.items():
        known = f"SELECT FROM {key.table.name} k WHERE k.{key.name} = r.{column}"
        rows = f"SELECT r.row FROM {table.rows} r WHERE r.{column} IS NOT NULL AND NOT EXISTS ({known})"
        add_problems(connection, table, column, unknown_reason(key.table.name), rows)


def check_rules(connection: Connection, table: StagedTable, catalog: CatalogTable) -> None:
    """Find rows that break a CHECK constraint."""
    for check in catalog.checks:
        reason = RULES.get(check.name.removeprefix(f"{table.spec.name}_").removesuffix("_check"))
        column = next((name for name in reversed(check.columns) if name in table.given), check.columns[-1])
        # Columns that the database sets, and no file has, are null here: that breaks no rule.
        values = ", ".join(
            f"{name if name in table.spec.columns else 'NULL'}::{catalog.columns[name].type} AS {name}"
            for name in check.columns
        )
        broken = f"SELECT row FROM (SELECT row, {values} FROM {table.rows}) r WHERE NOT ({check.condition})"
        add_problems(connection, table, column, reason or f"breaks the rule {check.condition}", broken)


def check_duplicates(connection: Connection, table: StagedTable) -> None:
    """Find rows of the import that are the same row of the table."""
    spec = table.spec
    key = ", ".join(spec.key)
    several = f"SELECT {key} FROM {table.rows} GROUP BY {key} HAVING count(*) > 1"
    names = [*([spec.id] if spec.id else []), *own_names(spec), *spec.natural_key, *spec.key]
    column = next((name for name in names if name in table.given), spec.key[0])
    rows = f"SELECT r.row FROM {table.rows} r WHERE ({', '.join(f'r.{name}' for name in spec.key)}) IN ({several})"
    add_problems(connection, table, column, "stands more than once", rows)


def check_immovable(connection: Connection, table: StagedTable) -> None:
    """Find rows that would change a column that no UPDATE may change."""
    spec = table.spec
    same = " AND ".join(f"o.{column} = r.{column}" for column in spec.key)
    for column in spec.immovable:
        moved = (
            f"SELECT r.row FROM {table.rows} r JOIN {spec.name} o ON o.organization_id = {ORGANIZATION} AND {same}"
            f" WHERE o.{column} <> r.{column}"
        )
        add_problems(
            connection, table, column, "is another one than in the row of this id: delete that, and add one", moved
        )


def check_unique(connection: Connection, table: StagedTable, key: UniqueKey, *, is_replaced: bool) -> None:
    """Find rows that share a unique key with another row, of the import or of the table."""
    spec = table.spec
    columns = ", ".join(key.columns)
    live = " AND r.deleted_at IS NULL" if key.is_of_live_rows else ""
    rows = [f"SELECT {columns} FROM {table.rows} r WHERE true{live}"]
    if not (is_replaced and key.is_of_live_rows):
        same = " AND ".join(f"o.{column} = r.{column}" for column in spec.key)
        rows.append(
            f"SELECT {columns} FROM {spec.name} r WHERE organization_id = {ORGANIZATION}{live}"
            f" AND NOT EXISTS (SELECT FROM {table.rows} o WHERE {same})"
        )
    several = f"SELECT {columns} FROM ({' UNION ALL '.join(rows)}) u GROUP BY {columns} HAVING count(*) > 1"
    own = ", ".join(f"r.{column}" for column in key.columns)
    reason = f"is in a second row with the same {columns}"
    add_problems(
        connection,
        table,
        key.columns[-1],
        reason,
        f"SELECT r.row FROM {table.rows} r WHERE ({own}) IN ({several}){live}",
    )
