"""Versions of a database server: PostgreSQL, and the migration that its tables are at."""

from db.reading.database import Database

SERVER = """
SELECT current_setting('server_version') AS postgresql,
       coalesce(has_table_privilege(to_regclass('public.alembic_version'), 'SELECT'), false) AS has_migration
"""

MIGRATION = "SELECT max(version_num) AS migration FROM public.alembic_version"


async def read_versions(database: Database) -> tuple[str, str | None]:
    """The versions of one of the servers. Raises what `Database.ping` raises.

    The migration is None where it can't be read: before the first one, and on a worker of Citus.
    """
    async with database.pool.connection() as connection:
        ((server,),) = await connection.exchange([(SERVER, {})])
        if not server.has_migration:
            return server.postgresql, None
        ((row,),) = await connection.exchange([(MIGRATION, {})])
        return server.postgresql, row.migration
