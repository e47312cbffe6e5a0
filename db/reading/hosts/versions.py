"""Versions of a database server: PostgreSQL, and the migration that its tables are at."""

from typing import NamedTuple

from db.reading.connection import Connection

SERVER = """
SELECT current_setting('server_version') AS postgresql,
       coalesce(has_table_privilege(to_regclass('public.alembic_version'), 'SELECT'), false) AS has_migration
"""

MIGRATION = "SELECT max(version_num) AS migration FROM public.alembic_version"


class ServerVersions(NamedTuple):
    """`migration` is None where it can't be read: before the first one, and on a worker of Citus."""

    postgresql: str
    migration: str | None


async def read_versions(connection: Connection) -> ServerVersions:
    """The versions of the connection's server. Raises psycopg.Error."""
    ((server,),) = await connection.read([(SERVER, {})])
    if not server.has_migration:
        return ServerVersions(server.postgresql, None)
    ((row,),) = await connection.read([(MIGRATION, {})])
    return ServerVersions(server.postgresql, row.migration)
