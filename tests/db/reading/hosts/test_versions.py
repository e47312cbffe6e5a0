"""Versions of a server: PostgreSQL, and the migration where the table of migrations can be read."""

import psycopg

from db.admin.migrate import head
from db.reading.hosts.versions import read_versions
from tests.db.reading.recording import opened


async def test_versions_are_those_of_server_and_tables(owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        server = connection.execute("SHOW server_version").fetchall()[0][0]
    async with opened(owner_url) as database:
        assert await read_versions(database) == (server, head())


async def test_migration_is_unknown_without_its_table(own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        connection.execute("DROP TABLE alembic_version")
    async with opened(own_url) as database:
        assert (await read_versions(database)).migration is None
