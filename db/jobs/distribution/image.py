"""Image of an organization: temporary copies of its distributed tables, in which statements can do what they like.

A cluster refuses statements that write distributed rows from temporary tables or generated series, and COPY into tables
with row-level security. So commands that write many rows run on an image: a temporary table of the same name hides each
table, as PostgreSQL looks for temporary tables first. At the end the rows that are new or changed go to the node of the
organization, some thousand with each statement, and triggers, rules and keys are applied there. On a plain server there
is no image: the same statements write the tables themselves.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from uuid import UUID

from sqlalchemy import Connection, Table, insert, text

from db.reading.hosts.distribution import HAS_CATALOG, PLACED_TABLES, Distribution, distributed_tables
from db.tables.belonging import SHOWN_ROWS, Shown
from db.tables.people import organizations
from db.tables.reference import PINNED_LISTS

STATEMENT_ROWS = 5_000
"""Rows that one statement carries. A table whose rows reference each other is written by one statement."""

EARLIER_IMAGE = "image_before_{}"
"""The name of the table of the rows as they were."""


def is_distributed(connection: Connection) -> bool:
    """Whether the tables of the database are distributed."""
    if not connection.scalar(text(HAS_CATALOG)):
        return False
    return Distribution(connection.execute(text(PLACED_TABLES)).all()).is_distributed


@contextmanager
def image_of(connection: Connection, organization_id: UUID, tables: Sequence[Table] | None = None) -> Iterator[None]:
    """Let statements of the block write an image of the organization, if the tables are distributed.

    `tables`: those that the statements name; all by default. What they changed is written at the end of the block,
    unless it raises. The transaction's organization is set (`db.admin.tenant`).
    """
    if not is_distributed(connection):
        yield
        return
    wanted = [table for table in distributed_tables() if tables is None or table in tables]
    for table in wanted:
        _copy(connection, table, organization_id)
    for table in PINNED_LISTS:
        connection.exec_driver_sql(
            f"CREATE TEMP TABLE {table.name} ON COMMIT DROP AS SELECT * FROM public.{table.name}"
        )
    yield
    # Now the names mean the distributed tables again.
    connection.exec_driver_sql("SET LOCAL search_path = public, pg_temp")
    # First what is deleted: it makes room for new rows with its unique keys.
    for table in reversed(wanted):
        _update(connection, table, organization_id, ["deleted_at"], "b.deleted_at IS NULL AND i.deleted_at IS NOT NULL")
    for table in wanted:
        _insert(connection, table, organization_id)
        columns = [column.name for column in table.columns if not column.primary_key]
        _update(
            connection, table, organization_id, columns, f"{_row('i', columns)} IS DISTINCT FROM {_row('b', columns)}"
        )
    for table in wanted:
        connection.exec_driver_sql(f"DROP TABLE pg_temp.{table.name}, pg_temp.{EARLIER_IMAGE.format(table.name)}")
    for table in PINNED_LISTS:
        connection.exec_driver_sql(f"DROP TABLE pg_temp.{table.name}")
    connection.exec_driver_sql("SET LOCAL search_path = public")


def write_rows(connection: Connection, table: Table, organization_id: UUID, columns: Sequence[str], rows: str) -> None:
    """Insert rows, a JSON array of objects, into a distributed table: one statement, which runs on the node."""
    names = ", ".join(columns)
    values = ", ".join(f"r.{column}" for column in columns)
    # The row of the organization says which node the statement goes to.
    connection.exec_driver_sql(
        f"INSERT INTO public.{table.name} (organization_id, {names}) SELECT o.organization_id, {values}"
        f" FROM public.organizations o, jsonb_populate_recordset(NULL::public.{table.name}, %(rows)s::jsonb) r"
        f" WHERE o.organization_id = '{organization_id}'",
        {"rows": rows},
    )


def _copy(connection: Connection, table: Table, organization_id: UUID) -> None:
    name = table.name
    connection.exec_driver_sql(f"CREATE TEMP TABLE {name} (LIKE public.{name} INCLUDING ALL) ON COMMIT DROP")
    own = f"SELECT * FROM public.{name} WHERE organization_id = '{organization_id}'"
    connection.exec_driver_sql(f"INSERT INTO pg_temp.{name} {own}")
    before = f"CREATE TEMP TABLE {EARLIER_IMAGE.format(name)} ON COMMIT DROP AS SELECT * FROM pg_temp.{name}"
    connection.exec_driver_sql(before)
    connection.exec_driver_sql(f"ANALYZE pg_temp.{name}")


def _insert(connection: Connection, table: Table, organization_id: UUID) -> None:
    missing = f"NOT EXISTS (SELECT FROM pg_temp.{EARLIER_IMAGE.format(table.name)} b WHERE {_same(table)})"
    found = f"SELECT to_jsonb(i)::text FROM pg_temp.{table.name} i WHERE {missing}"
    columns = [column.name for column in table.columns if column.name != "organization_id"]
    if table is organizations:
        # No row says yet which node the statement goes to; its values do.
        whole = ", ".join(column.name for column in table.columns)
        for row in connection.exec_driver_sql(f"SELECT {whole} FROM pg_temp.{table.name} i WHERE {missing}").mappings():
            connection.execute(insert(table), dict(row))
        return
    for rows in batches(table, connection.exec_driver_sql(found).scalars()):
        write_rows(connection, table, organization_id, columns, rows)
    for each in SHOWN_ROWS:
        if each.shown is table and not each.is_referred:
            keys = f"i.{each.column} AS key FROM pg_temp.{table.name} i WHERE {missing}"
            _touch(connection, each, organization_id, keys)


def _update(connection: Connection, table: Table, organization_id: UUID, columns: Sequence[str], changed: str) -> None:
    if not set(columns) <= set(table.columns.keys()):
        return
    before = EARLIER_IMAGE.format(table.name)
    pairs = f"pg_temp.{table.name} i JOIN pg_temp.{before} b ON {_same(table)}"
    found = f"SELECT to_jsonb(i)::text FROM {pairs} WHERE {changed}"
    values = ", ".join(f"{column} = r.{column}" for column in columns)
    same = " AND ".join(f"s.{key.name} = r.{key.name}" for key in table.primary_key if key.name != "organization_id")
    for rows in batches(table, connection.exec_driver_sql(found).scalars()):
        connection.exec_driver_sql(
            f"UPDATE public.{table.name} s SET {values}"
            f" FROM jsonb_populate_recordset(NULL::public.{table.name}, %(rows)s::jsonb) r"
            f" WHERE s.organization_id = '{organization_id}'{' AND ' if same else ''}{same}",
            {"rows": rows},
        )
    for each in SHOWN_ROWS:
        if each.shown is table and (shown := [name for name in columns if name in (each.of or columns)]):
            keys = f"unnest(ARRAY[b.{each.column}, i.{each.column}]) AS key FROM {pairs}"
            differs = f"{_row('i', shown)} IS DISTINCT FROM {_row('b', shown)}"
            _touch(connection, each, organization_id, f"{keys} WHERE {changed} AND {differs}")


def _touch(connection: Connection, shown: Shown, organization_id: UUID, keys: str) -> None:
    """Move `updated_at` of the rows that show written rows, as triggers do on a plain server.

    `keys`: a query of the values of `shown.column`, without SELECT.
    """
    found = list(connection.exec_driver_sql(f"SELECT DISTINCT {keys}").scalars())
    connection.exec_driver_sql(
        # A trigger of the row sets the time once it changes.
        f"UPDATE public.{shown.by.name} SET updated_at = now()"
        f" WHERE organization_id = '{organization_id}' AND {shown.key} = ANY(%(keys)s::uuid[])",
        {"keys": [key for key in found if key is not None]},
    )


def batches(table: Table, rows: Iterable[str]) -> Iterator[str]:
    """Rows as JSON objects, joined to JSON arrays for one statement each."""
    size = None if any(key.referred_table is table for key in table.foreign_key_constraints) else STATEMENT_ROWS
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield f"[{','.join(batch)}]"


def _same(table: Table) -> str:
    return " AND ".join(f"i.{key.name} = b.{key.name}" for key in table.primary_key)


def _row(alias: str, columns: Sequence[str]) -> str:
    return f"ROW({', '.join(f'{alias}.{column}' for column in columns)})"
