"""The check of a database passes where requests are answered; where not, a sentence says what is missing.

Covers `db/reading/hosts/versions.py`.
"""

import psycopg
import pytest

from db.admin.migrate import head
from db.errors import OperatorError
from db.reading.connection import Connection
from db.reading.hosts.database_check import check_database
from db.reading.hosts.distribution import Distribution
from db.reading.hosts.versions import read_versions
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from tests.db.reading.hosts.placements import Placement, placed, without_shards
from tests.db.reading.recording import opened

LOCKED = "reachable; the look-up of a key takes long, as it does while a table is locked"
NEWER = "reachable; its revision 9999 is newer than {}, that of this version"


async def test_sound_database_passes(owner_url: str) -> None:
    async with opened(owner_url, size=1) as database:
        assert await check_database(database, head()) is None


async def test_newer_revision_passes_with_a_reservation(own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    async with opened(own_url, size=1) as database:
        assert await check_database(database, head()) == NEWER.format(head())


async def test_database_without_role_and_tables_says_migrate(server: Server) -> None:
    async with opened(ensure_database(server, "without_tables"), size=1) as database:
        with pytest.raises(OperatorError, match=r"^The database has no tables of this service: run orgdata migrate\.$"):
            await check_database(database, head())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("ALTER TABLE members DROP COLUMN hired_on CASCADE", "The database lacks members.hired_on"),
        ("DROP POLICY tenant ON members", "The policies of members are missing, which hides their rows"),
    ],
)
async def test_damaged_table_is_named(change: str, problem: str, own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        connection.execute(change.encode())
    async with opened(own_url, size=1) as database:
        with pytest.raises(OperatorError, match=f"^{problem}: orgdata doctor says what to do"):
            await check_database(database, head())


async def test_locked_key_table_passes_with_a_reservation(own_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.reading.hosts.database_check.LOOKUP_SECONDS", 0.1)
    async with opened(own_url, size=1) as database:
        await check_database(database, head())
        with psycopg.connect(own_url) as lock:
            lock.execute("LOCK TABLE api_keys")
            assert await check_database(database, head()) == LOCKED
            # Nor does a lock of another table delay the check.
            lock.rollback()
            lock.execute("LOCK TABLE members")
            assert await check_database(database, head()) is None


async def test_other_placement_is_named_once(owner_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(owner_url, size=1) as database:
        await check_database(database, head())
        answers = [Distribution(placed())]

        async def found(connection: Connection) -> Distribution:
            return answers[0]

        monkeypatch.setattr("db.reading.hosts.database_check.read_distribution", found)
        without_shards(monkeypatch)
        with pytest.raises(OperatorError, match="after this process had connected"):
            await check_database(database, head())
        # Not before: the monitor connects in the background, too.
        monkeypatch.setattr("db.reading.hosts.connector.read_distribution", found)
        assert await check_database(database, head()) is None
        answers[0] = Distribution(placed(teams=Placement("teams", None, 0)))
        with pytest.raises(OperatorError, match="but not teams beside them: run orgdata distribute"):
            await check_database(database, head())


async def test_worker_of_citus_has_no_revision(own_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(connection: Connection) -> Distribution:
        return Distribution(placed())

    for module in ("hosts.connector", "hosts.database_check"):
        monkeypatch.setattr(f"db.reading.{module}.read_distribution", found)
    without_shards(monkeypatch)
    with psycopg.connect(own_url) as connection:
        connection.execute("DROP TABLE alembic_version")
    async with opened(own_url, size=1) as database:
        assert await check_database(database, head()) is None


async def test_versions_are_those_of_server_and_tables(owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        server = connection.execute("SHOW server_version").fetchall()[0][0]
    async with opened(owner_url) as database:
        assert await read_versions(database) == (server, head())


async def test_migration_is_unknown_without_its_table(own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        connection.execute("DROP TABLE alembic_version")
    async with opened(own_url) as database:
        assert (await read_versions(database))[1] is None
