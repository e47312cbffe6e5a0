"""Checks of the staged texts: their form, and whether each row says which one it is."""

from collections.abc import Iterator

from sqlalchemy import Connection

from db.jobs.importing.import_table import EXTERNAL_ID, IMPORT_TABLES, StagedTable
from db.jobs.importing.problems import RefusedRows
from db.jobs.importing.statements import quoted, run
from db.jobs.importing.typed.identities import has_name_table, name_sql, name_table, own_names
from db.jobs.importing.typed.text_forms import reason_sql

SEVERAL = "names more than one row: give the id instead"

IMPORT_IT = ": correct it, or import that row, too"


def check_forms(connection: Connection, table: StagedTable) -> None:
    """Find the texts that are no value of their column. Most rows have none, and are read once."""
    reasons = {
        name: reason_sql(table.spec.columns[name], f"t.{name}") for name in table.given if name in table.spec.columns
    }
    if not reasons or table.is_typed:
        return
    values = ", ".join(f"({quoted(name)}, t.{name}, {reason})" for name, reason in reasons.items())
    any_reason = " OR ".join(f"({reason}) IS NOT NULL" for reason in reasons.values())
    run(
        connection,
        f"INSERT INTO import_problems SELECT {quoted(table.spec.name)}, t.row, c.name, c.value, c.reason"
        f" FROM (SELECT * FROM {table.staging} t WHERE {any_reason} OFFSET 0) t"
        f" CROSS JOIN LATERAL (VALUES {values}) c (name, value, reason) WHERE c.reason IS NOT NULL",
    )


def identity_checks(table: StagedTable) -> Iterator[RefusedRows]:
    """Rows that nothing tells from others, and those that two names tell apart in two ways."""
    spec = table.spec
    if spec.id is None:
        return
    names = [name for name in (spec.id, *own_names(spec)) if name in table.given]
    if len(spec.natural_key) < 2:
        empty = " AND ".join(f"t.{name} IS NULL" for name in names) or "true"
        wanted = " or ".join([spec.id, *own_names(spec)])
        yield names[0] if names else spec.id, f"is missing: give each row a value of {wanted}", _rows(table, empty)
    if not spec.stores_external_id and {spec.id, EXTERNAL_ID} <= set(names):
        both = _rows(table, f"t.{spec.id} IS NOT NULL AND t.{EXTERNAL_ID} IS NOT NULL")
        yield EXTERNAL_ID, f"is not kept in {spec.name}: give it or {spec.id}, not both", both
    for name in own_names(spec):
        if name in names and has_name_table(spec, name):
            others = "" if spec.id not in names else f" AND t.{spec.id} IS NULL"
            yield name, SEVERAL, _ambiguous(table, name, name_table(spec.name, name), name) + others


def name_checks(table: StagedTable) -> Iterator[RefusedRows]:
    """Names of referenced rows that no row has, or several have, and references by two names at once."""
    for column, reference in table.spec.references.items():
        target = IMPORT_TABLES[reference.target.name]
        given = table.given_names(column)
        if len(given) > 1:
            two = " + ".join(f"(t.{name} IS NOT NULL)::int" for name in given)
            reason = f"names the row a second time: give one of {', '.join(given)}"
            yield given[1], reason, _rows(table, f"{two} > 1")
        for name in given:
            named = reference.names.get(name)
            if named is not None and has_name_table(target, named):
                names = name_table(target.name, named)
                unknown = f"NOT EXISTS (SELECT FROM {names} n WHERE n.name = {name_sql(named, f't.{name}')})"
                yield name, unknown_reason(target.name) + IMPORT_IT, _rows(table, f"t.{name} IS NOT NULL AND {unknown}")
                yield name, SEVERAL, _ambiguous(table, name, names, named)


def unknown_reason(target: str) -> str:
    """Why a reference is refused: the row does not exist, or is of another organization."""
    return f"is not in {target}"


def _ambiguous(table: StagedTable, name: str, names: str, column: str) -> str:
    same = f"n.name = {name_sql(column, f't.{name}')}"
    return f"SELECT t.row FROM {table.staging} t JOIN {names} n ON {same} WHERE n.live > 1"


def _rows(table: StagedTable, condition: str) -> str:
    return f"SELECT t.row FROM {table.staging} t WHERE {condition}"
