"""Checks of the staged texts: their form, and whether each row says which one it is."""

from sqlalchemy import Connection

from db.jobs.importing.checks.problems_sql import add_problems
from db.jobs.importing.import_table import EXTERNAL_ID, IMPORT_TABLES, Reference
from db.jobs.importing.staging import StagedTable
from db.jobs.importing.statements import quoted, run
from db.jobs.importing.typed.identities import has_name_table, name_sql, name_table, own_names
from db.jobs.importing.typed.text_forms import reason_sql

SEVERAL = "names more than one row"


def check_forms(connection: Connection, table: StagedTable) -> None:
    """Find the texts that are no value of their column. Most rows have none, and are read once."""
    reasons = {
        name: reason_sql(table.spec.columns[name], f"t.{name}") for name in table.given if name in table.spec.columns
    }
    if not reasons:
        return
    values = ", ".join(f"({quoted(name)}, t.{name}, {reason})" for name, reason in reasons.items())
    any_reason = " OR ".join(f"({reason}) IS NOT NULL" for reason in reasons.values())
    run(
        connection,
        f"INSERT INTO import_problems SELECT {quoted(table.spec.name)}, t.row, c.name, c.value, c.reason"
        f" FROM (SELECT * FROM {table.staging} t WHERE {any_reason} OFFSET 0) t"
        f" CROSS JOIN LATERAL (VALUES {values}) c (name, value, reason) WHERE c.reason IS NOT NULL",
    )


def check_identities(connection: Connection, table: StagedTable) -> None:
    """Find rows that nothing tells from others, and those that two names tell apart in two ways."""
    spec = table.spec
    if spec.id is None:
        return
    names = [name for name in (spec.id, *own_names(spec)) if name in table.given]
    natural = spec.natural_key if len(spec.natural_key) > 1 else ()
    if not natural:
        empty = " AND ".join(f"t.{name} IS NULL" for name in names) or "true"
        wanted = " or ".join([spec.id, *own_names(spec)])
        _add(connection, table, names[0] if names else spec.id, f"is needed: give each row {wanted}", empty)
    if not spec.stores_external_id and {spec.id, EXTERNAL_ID} <= set(names):
        both = f"t.{spec.id} IS NOT NULL AND t.{EXTERNAL_ID} IS NOT NULL"
        _add(connection, table, EXTERNAL_ID, f"is not kept in {spec.name}: give it or {spec.id}, not both", both)
    for name in own_names(spec):
        if name in names and has_name_table(spec, name):
            rows = _ambiguous(table, name, name_table(spec.name, name), name)
            others = "" if spec.id not in names else f" AND t.{spec.id} IS NULL"
            add_problems(connection, table, name, SEVERAL, rows + others)


def check_names(connection: Connection, table: StagedTable, reference: Reference) -> None:
    """Find names of referenced rows that no row has, or several have, and references by two names at once."""
    target = IMPORT_TABLES[reference.target.name]
    given = [name for name in (reference.column, *reference.names) if name in table.given]
    if len(given) > 1:
        two = " + ".join(f"(t.{name} IS NOT NULL)::int" for name in given)
        _add(connection, table, given[1], f"names the row a second time: give one of {', '.join(given)}", f"{two} > 1")
    for name in given:
        column = reference.names.get(name)
        if column is None or not has_name_table(target, column):
            continue
        names = name_table(target.name, column)
        unknown = (
            f"SELECT t.row FROM {table.staging} t LEFT JOIN {names} n ON n.name = {name_sql(column, f't.{name}')}"
            f" WHERE t.{name} IS NOT NULL AND n.id IS NULL"
        )
        add_problems(connection, table, name, unknown_reason(target.name), unknown)
        add_problems(connection, table, name, SEVERAL, _ambiguous(table, name, names, column))


def unknown_reason(target: str) -> str:
    """Why a reference is refused: the row does not exist, or is of another organization."""
    return f"is not known in {target}"


def _ambiguous(table: StagedTable, name: str, names: str, column: str) -> str:
    return (
        f"SELECT t.row FROM {table.staging} t JOIN {names} n ON n.name = {name_sql(column, f't.{name}')}"
        " WHERE n.live > 1"
    )


def _add(connection: Connection, table: StagedTable, column: str, reason: str, condition: str) -> None:
    add_problems(connection, table, column, reason, f"SELECT t.row FROM {table.staging} t WHERE {condition}")
