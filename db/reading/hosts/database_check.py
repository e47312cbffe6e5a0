"""Check of a database: whether it has what every request needs, and if not, a sentence that says what is missing.

A request needs a transaction with the settings of the service, the look-up of a key, tables of the revision of this
version or of a later one, and the right to read them.
"""

import asyncio
from collections.abc import Awaitable
from time import perf_counter

from psycopg import Error, OperationalError

from db.errors import OperatorError
from db.reading.connection import Connection
from db.reading.database import Database
from db.reading.hosts.distribution import read_distribution
from db.reading.hosts.versions import MIGRATION
from db.reading.key_statements import find_key
from db.reading.pool import PoolTimeout
from db.reading.transaction import SERVICE_ROLE, SET_ROLE
from db.tables.areas import metadata

LOOKUP_SECONDS = 1.0
"""Seconds that the look-up of a key may take. Longer, it most likely waits for a lock of a table, which all instances
see: they stay ready, because requests with a known key do not need the look-up."""

NO_PUBLIC_ID = "0"
"""A public id that no key has: they are longer."""

REVISION_TABLE = "alembic_version"

READABLE_TABLES = f"""
SELECT relname::text AS name,
       coalesce(has_table_privilege(to_regrole('{SERVICE_ROLE}')::oid, oid, 'SELECT'), true) AS is_readable,
       coalesce(has_schema_privilege(to_regrole('{SERVICE_ROLE}')::oid, relnamespace, 'USAGE'), true) AS is_reachable,
       relrowsecurity AND NOT EXISTS (SELECT FROM pg_catalog.pg_policy WHERE polrelid = pg_class.oid) AS is_hidden,
       ARRAY(SELECT attname::text FROM pg_catalog.pg_attribute WHERE attrelid = pg_class.oid) AS columns
FROM pg_catalog.pg_class
WHERE relnamespace = to_regnamespace('public') AND relname = ANY(%(names)s)
"""
"""Of the catalogue, which needs no rights. Where there is no role, the transaction has failed before."""

GRANTED = "run orgdata migrate, which grants it"

EXAMINED = "orgdata doctor says what to do"

CHANGED = (
    "The tables were distributed, or put together again, after this process had connected: it connects again now,"
    " and is ready with the next check."
)


async def check_database(database: Database, needed: str) -> str | None:
    """Raise OperatorError unless requests can be answered. Returns a reservation, if there is one.

    `needed`: the revision of this version. Tables may be newer: migrations only add.
    """
    reservation: str | None = None
    try:
        refusal = await _refusal(database.ping())
        if refusal is None:
            try:
                async with asyncio.timeout(LOOKUP_SECONDS):
                    refusal = await _refusal(find_key(database, NO_PUBLIC_ID))
            except TimeoutError:
                reservation = "reachable; the look-up of a key takes long, as it does while a table is locked"
        async with database.pool.connection() as connection:
            revision = await _examine(connection, needed)
    except (PoolTimeout, OperationalError) as error:
        raise OperatorError(f"unreachable: {_first_line(error.__cause__ or error)}") from error
    if refusal is not None:
        raise OperatorError(f"The database refused: {_first_line(refusal)}.")
    if reservation is None and revision is not None and revision > needed:
        reservation = f"reachable; its revision {revision} is newer than {needed}, that of this version"
    return reservation


async def _refusal(read: Awaitable[object]) -> Error | None:
    """The error with which a server answers a read. Raises OperationalError if none answers."""
    try:
        await read
    except OperationalError:
        raise
    except Error as error:
        return error
    return None


async def _examine(connection: Connection, needed: str) -> str | None:
    """The revision of a server; None on a worker of Citus. Raises OperatorError for what a request would lack.

    That tells more than a refusal, which it may have caused.
    """
    placed = await read_distribution(connection)
    if placed.is_distributed != connection.host.is_distributed:
        # The next connections take the other way.
        connection.host.suspect(perf_counter())
        raise OperatorError(CHANGED)
    if placed.problem is not None:
        raise OperatorError(placed.problem)
    (found,) = await connection.exchange([(READABLE_TABLES, {"names": [*metadata.tables, REVISION_TABLE]})])
    columns = {table.name: {f"{table.name}.{column}" for column in table.columns} for table in found}
    if not columns:
        raise OperatorError("The database has no tables of this service: run orgdata migrate.")
    if not all(table.is_reachable for table in found):
        raise OperatorError(f"The role {SERVICE_ROLE} may not use the schema public: {GRANTED}.")
    if unreadable := sorted(table.name for table in found if not table.is_readable):
        raise OperatorError(f"The role {SERVICE_ROLE} may not read {', '.join(unreadable)}: {GRANTED}.")
    revision: str | None = None
    if REVISION_TABLE in columns:
        _, ((revision,),) = await connection.exchange([(SET_ROLE, {}), (MIGRATION, {})])
    if (revision is None and not placed.is_distributed) or (revision is not None and revision < needed):
        raise OperatorError(
            f"The database is at {revision or 'no revision'}, this version needs {needed}: run orgdata migrate."
        )
    if missing := sorted(metadata.tables.keys() - columns.keys()):
        raise OperatorError(f"The database lacks {', '.join(missing)}: restore it from a backup.")
    declared = {str(column) for table in metadata.sorted_tables for column in table.columns}
    if missing := sorted(declared.difference(*columns.values())):
        raise OperatorError(f"The database lacks {', '.join(missing)}: {EXAMINED}.")
    if hidden := sorted(table.name for table in found if table.is_hidden):
        raise OperatorError(f"The policies of {', '.join(hidden)} are missing, which hides their rows: {EXAMINED}.")
    return revision


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
