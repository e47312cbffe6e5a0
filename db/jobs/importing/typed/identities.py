"""Ids of rows that a file gives by other names: by external id, by e-mail address, or by the columns of a natural key.

An id that no row has yet is made from the organization, the table and the name: the same file gives the same ids in
every run. It has the form of UUID version 7 with the time at which the organization was made, so that such ids are
together in indexes, before those of later rows.
"""

from collections.abc import Collection

from sqlalchemy import Connection

from db.jobs.importing.import_table import ImportTable, Reference
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted, run


def create_id_function(connection: Connection) -> None:
    """Create the function of new ids. The organization and its time are constants in it, so that it is inlined."""
    prefix, organization = run(
        connection,
        "SELECT lpad(to_hex((extract(epoch FROM created_at) * 1000)::bigint), 12, '0'), organization_id::text"
        f" FROM organizations WHERE organization_id = {ORGANIZATION}",
    ).one()
    run(
        connection,
        "CREATE OR REPLACE FUNCTION pg_temp.import_id(kind text, name text) RETURNS uuid LANGUAGE sql STABLE AS $$"
        f" SELECT ('{prefix}7' || overlay(left(encode(sha256(convert_to('{organization}/' || kind || '/' || name,"
        " 'UTF8')), 'hex'), 19) PLACING '8' FROM 4 FOR 1))::uuid $$",
    )


def name_table(target: str, column: str) -> str:
    """The temporary table of the rows of `target` by a name: `name`, `id`, `live` (how many rows have it)."""
    return f"import_names_{target}_{column}"


def name_sql(column: str, value: str) -> str:
    """SQL: a name as it is compared."""
    return f"lower({value})" if column == "email" else value


def create_name_table(connection: Connection, spec: ImportTable, column: str) -> None:
    """Collect the stored rows by a name. Of several with one name, the one that is not deleted is meant."""
    name = name_sql(column, column)
    run(
        connection,
        f"CREATE TEMP TABLE {name_table(spec.name, column)} ON COMMIT DROP AS"
        f" SELECT {name} AS name, (array_agg({spec.id} ORDER BY deleted_at IS NOT NULL, created_at DESC))[1] AS id,"
        f" count(*) FILTER (WHERE deleted_at IS NULL) AS live"
        f" FROM {spec.name} WHERE organization_id = {ORGANIZATION} AND {column} IS NOT NULL GROUP BY 1",
    )
    run(connection, f"ALTER TABLE {name_table(spec.name, column)} ADD PRIMARY KEY (name)")


def add_staged_names(connection: Connection, table: StagedTable, column: str) -> None:
    """Add the names of the rows of the import: references may mean them, also where a row itself is refused."""
    joins, id_ = identity_sql(table)
    name = name_sql(column, f"t.{column}")
    run(
        connection,
        f"INSERT INTO {name_table(table.spec.name, column)}"
        f" SELECT DISTINCT ON (1) {name}, {id_}, 1 FROM {table.staging} t {joins}"
        f" WHERE t.{column} IS NOT NULL AND {id_} IS NOT NULL ORDER BY 1, t.row"
        " ON CONFLICT (name) DO UPDATE SET id = excluded.id, live = 1",
    )


def identity_sql(table: StagedTable) -> tuple[str, str]:
    """SQL joins and the id of a row `t` of the staging table, as far as its own names give it; else null.

    A malformed id is null as well: its row was refused before.
    """
    spec = table.spec
    own = f"t.{spec.id}"
    checked = own if table.query else f"CASE WHEN pg_temp.import_is_uuid({own}) THEN {own}::uuid END"
    itself = Reference(str(spec.id), spec, {name: name for name in spec.own_names})
    return reference_sql(itself, table.given, checked, gets_new_id=True)


def reference_sql(
    reference: Reference, given: Collection[str], id_: str, *, gets_new_id: bool = False
) -> tuple[str, str]:
    """SQL joins and the id that a row `t` of a staging table references, by id or by the names that are given.

    `id_`: SQL of the id that is given. `gets_new_id`: whether a name that no row has gives an id, too.
    """
    target = reference.target
    joins, ids = "", [id_] if reference.column in given else []
    for alias, column in reference.names.items():
        if alias not in given:
            continue
        name = name_sql(column, f"t.{alias}")
        if target.is_looked_up(column):
            joins += f" LEFT JOIN {name_table(target.name, column)} by_{alias} ON by_{alias}.name = {name}"
            ids.append(f"by_{alias}.id")
        if gets_new_id or not target.is_looked_up(column):
            ids.append(f"pg_temp.import_id({quoted(target.name)}, {quoted(column)} || ':' || {name})")
    return joins, f"coalesce({', '.join(ids)})" if ids else "NULL::uuid"
