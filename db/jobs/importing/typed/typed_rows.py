"""Typed rows: each staged row as it will be in its table, in a temporary table.

A column that the file of a row has not, or leaves empty where it must have a value, keeps its stored value, and gets
its default in a new row. A row is live unless the file says when it was deleted, or it belongs to a deleted row.
"""

import re
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import dialect

from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted, run
from db.jobs.importing.typed.identities import identity_sql, reference_sql
from db.jobs.importing.typed.text_forms import cast_sql, sql_type
from db.tables.belonging import BELONGINGS, Belonging, deletion_time
from db.tables.reference import currencies, time_zones

# It compiles no statement, but the defaults of columns.
DDL = dialect.ddl_compiler(dialect(), None)  # type: ignore[arg-type, no-untyped-call]

_NAMED = re.compile(r"\{(\w+)\}")

_TIMEZONE = "(SELECT timezone FROM import_organization)"
_OF_ORGANIZATION = {time_zones: _TIMEZONE, currencies: "(SELECT currency FROM import_organization)"}
_NOW = "date_trunc('second', statement_timestamp())"

FOLLOWS: Mapping[str, Mapping[str, str]] = {
    "members": {
        "full_name": "nullif(concat_ws(' ', {first_name}, {last_name}), '')",
        "removed_at": "CASE WHEN {status} = 'removed' THEN coalesce(s.removed_at,"
        f" ({{left_on}} + 1)::timestamp AT TIME ZONE {_TIMEZONE}, {_NOW}) END",
    },
    "timesheets": {"tracked_until": "{ended_at}"},
    "clock_records": {"status": "CASE WHEN {clock_out_at} IS NULL THEN 'open' ELSE 'closed' END"},
}
"""Values that replace also the stored one, when a file changes one of the columns that they are derived from. Null
replaces it where the table has null: who is not removed any more has no end of the membership."""

DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "members": {
        "membership_id": "pg_temp.import_id('memberships', {user_id}::text)",
        "joined_at": f"CASE WHEN {{status}} <> 'invited' THEN"
        f" coalesce({{hired_on}}::timestamp AT TIME ZONE {_TIMEZONE}, {_NOW}) END",
        "first_joined_at": "{joined_at}",
    },
    "project_members": {"joined_at": _NOW},
    "task_members": {"assigned_at": _NOW},
    "manual_requests": {"requested_by_user_id": "{user_id}", "requested_at": "{ended_at}"},
    "leave_applications": {"applied_at": _NOW},
}
"""Values of columns that a file leaves out, where the table has no default. `{name}` stands for the value of another
column of the same row, as in FOLLOWS. Time zones and currencies that a row must have are those of the organization."""


def updated_columns(table: StagedTable) -> Sequence[str]:
    follows = [column for column in FOLLOWS.get(table.spec.name, {}) if _followed(table, column)]
    own = [column for column in table.given_columns if column not in (*table.spec.key, "deleted_at")]
    return [*dict.fromkeys([*own, *follows]), "deleted_at"]


def create_typed_rows(connection: Connection, table: StagedTable, staged: Mapping[str, StagedTable]) -> None:
    """Create the table of the typed rows. `staged`: the tables of the import, those before it with typed rows."""
    spec, times, joins = table.spec, ["k.deleted_at"] if "deleted_at" in table.given else [], ""
    for number, belonging in enumerate(each for each in BELONGINGS if each.child is spec.table):
        deleted = _deleted(belonging, table, staged.get(str(belonging.parent.name)))
        id_ = _effective(table, belonging.column)
        joins += f" LEFT JOIN ({deleted}) deletion_{number} ON deletion_{number}.id = {id_}"
        times.append(f"deletion_{number}.at")
    values = {column: _effective(table, column) for column in table.columns}
    values["deleted_at"] = f"coalesce({', '.join(times)})" if times else "NULL::timestamptz"
    effective = ", ".join(f"{value} AS {column}" for column, value in values.items())
    run(
        connection,
        f"CREATE TEMP TABLE {table.rows} ON COMMIT DROP AS"
        f" SELECT k.row, s.organization_id IS NOT NULL AS is_stored, {effective} FROM ({_keyed(table)}) k"
        f" LEFT JOIN {spec.name} s ON s.organization_id = {ORGANIZATION} AND {spec.same_key('s', 'k')} {joins}",
    )
    run(connection, f"ANALYZE {table.rows}")


def _keyed(table: StagedTable) -> str:
    """SQL: the given values with the id of each row."""
    spec, values, joins = table.spec, {}, ""
    for column in table.given_columns:
        if column in spec.references:
            more, values[column] = reference_sql(spec.references[column], table.given, f"t.{column}::uuid")
            joins += more
        else:
            values[column] = f"t.{column}" if table.query else cast_sql(spec.columns[column], f"t.{column}")
    # OFFSET 0 keeps the planner from a join by cast texts before the refused ones are left out.
    accepted = f"(SELECT * FROM {table.staging} t WHERE NOT {table.refused} OFFSET 0) t"
    values.pop(str(spec.id), None)
    if any(map(table.without, table.given_columns)):
        values["shape"] = "t.shape"
    chosen = "".join(f", {value} AS {column}" for column, value in values.items())
    if spec.id is None:
        return f"SELECT t.row{chosen} FROM {accepted} {joins}"
    more, id_ = identity_sql(table)
    typed = f"SELECT t.row, {id_} AS own_id{chosen} FROM {accepted} {joins} {more}"
    others = "".join(f", g.{column}" for column in values)
    # A natural key of a single column is a name already.
    if len(spec.natural_key) < 2 or not {*spec.natural_key} <= {*values}:
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


def _effective(table: StagedTable, column: str) -> str:
    """SQL: the value of a column in the row as it will be."""
    if column in table.spec.key:
        return f"k.{column}"
    declared, default = table.spec.columns[column], _default(table, column)
    type_ = sql_type(declared.type)
    is_cleared = declared.nullable and column in FOLLOWS.get(table.spec.name, {})
    absent = f"CASE WHEN s.organization_id IS NOT NULL THEN s.{column} ELSE {default or 'NULL'}::{type_} END"
    empty = f"{'' if is_cleared else f's.{column}, '}{default or 'NULL'}::{type_}"
    if sources := _followed(table, column):
        same = " AND ".join(f"{_effective(table, source)} IS NOT DISTINCT FROM s.{source}" for source in sources)
        stored = "" if is_cleared else f", s.{column}"
        absent = empty = f"coalesce(CASE WHEN {same} THEN s.{column} END, {default}{stored})::{type_}"
    if column not in table.given_columns:
        return absent
    given = f"k.{column}" if default is None and declared.nullable else f"coalesce(k.{column}, {empty})"
    without = table.without(column)
    return f"CASE WHEN {without} THEN {absent} ELSE {given} END" if without else given


def _default(table: StagedTable, column: str) -> str | None:
    name, declared = table.spec.name, table.spec.columns[column]
    expression = DEFAULTS.get(name, {}).get(column) or FOLLOWS.get(name, {}).get(column)
    if not declared.nullable and column in table.spec.lists:
        expression = expression or _OF_ORGANIZATION.get(table.spec.lists[column].table)
    if expression is not None:
        return f"({_NAMED.sub(lambda match: _effective(table, match[1]), expression)})"
    default = DDL.get_column_default_string(declared)
    return None if default is None else f"({default})"


def _followed(table: StagedTable, column: str) -> list[str]:
    """The columns of the files that a column is derived from."""
    sources = _NAMED.findall(FOLLOWS.get(table.spec.name, {}).get(column, ""))
    return [source for source in sources if source in table.given_columns]


def _deleted(belonging: Belonging, table: StagedTable, staged: StagedTable | None) -> str:
    """SQL: `id` and `at` of the deleted rows to which rows of the table belong, as they will be.

    `staged`: their table, if the import has rows of it. Of rows that belong to others in the same table, those of the
    import do not count.
    """
    parent = IMPORT_TABLES[str(belonging.parent.name)]
    at = deletion_time(parent.table, "p")
    stored = f"SELECT p.{parent.id} AS id, {at} AS at FROM {parent.name} p"
    stored += f" WHERE p.organization_id = {ORGANIZATION} AND {at} IS NOT NULL"
    if staged is None:
        return stored
    if staged is table:
        joins, id_ = identity_sql(table)
        return f"{stored} AND NOT EXISTS (SELECT FROM {table.staging} t {joins} WHERE {id_} = p.{parent.id})"
    return (
        f"{stored} AND NOT EXISTS (SELECT FROM {staged.rows} r WHERE r.{parent.id} = p.{parent.id})"
        f" UNION ALL SELECT p.{parent.id}, {at} FROM {staged.rows} p WHERE {at} IS NOT NULL"
    )
