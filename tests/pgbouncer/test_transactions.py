"""Transactions behind PgBouncer: each may run in another session, takes all settings along, and leaves none there.

Reads go on while PgBouncer stops, restarts, or replaces its connections to the server.
"""

import asyncio
import time
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Float, Integer, Text, cast, func, select

from db.reading.database import Database
from db.reading.pool import PoolTimeout
from db.reading.statement import Statement
from db.sample.embedded.server import Server
from db.tables.columns import bind, in_organization
from db.tables.people import organizations, teams
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.pgbouncer.conftest import SESSION, SIZE, UNKNOWN_ORGANIZATION, Opened, missing, settings_of
from tests.pgbouncer.pooler import Pooler

pytestmark = [pytest.mark.pgbouncer, missing]

NAME = Statement(select(organizations.c.name, func.pg_backend_pid().label("pid")).where(in_organization(organizations)))
TEAMS = Statement(select(teams.c.name).where(in_organization(teams)))
SLEEP = Statement(select(cast(func.pg_sleep(bind("seconds", Float())), Text)))
INVERSE = Statement(select((100 / bind("number", Integer())).label("inverse")))


@pytest.fixture
def twins(database: Rows) -> tuple[UUID, UUID]:
    """Two organizations, A with a team A and B with a team B."""
    own, other = database.organization(name="A"), database.organization(name="B")
    database.team(own, name="A")
    database.team(other, name="B")
    return own, other


async def test_two_organizations_share_sessions_without_leaks(
    opened: Opened, twins: tuple[UUID, UUID], own_url: str, server: Server
) -> None:
    own, other = twins
    pids = set()
    async with opened() as database:
        for turn in range(1000):
            organization_id, expected = ((own, "A"), (other, "B"))[turn % 2]
            found, of_team = await database.read_rows(organization_id, [(NAME, {}), (TEAMS, {})])
            assert [row.name for row in found + of_team] == [expected, expected]
            pids.add(found[0].pid)
            if turn % 200 == 100:
                await cancel_at_work(database, organization_id, own_url, server)
    assert len(pids) <= SIZE + 5, "each cancelled read may have closed its session"
    assert len(pids) > 1


async def test_more_readers_than_sessions_see_their_own_rows(opened: Opened, twins: tuple[UUID, UUID]) -> None:
    own, other = twins
    async with opened(size=4 * SIZE) as database:
        pairs = [(own, "A"), (other, "B")] * 100
        answers = await asyncio.gather(*(database.read_rows(each, [(NAME, {}), (TEAMS, {})]) for each, _ in pairs))
    assert [[row.name for row in (*found, *of_team)] for found, of_team in answers] == [[name] * 2 for _, name in pairs]
    assert len({found[0].pid for found, _ in answers}) == SIZE


async def test_prepared_statements_still_return_right_rows(opened: Opened) -> None:
    several = [Statement(select((bind("number", Integer()) + n).label("sum"))) for n in range(8)]
    async with opened(prepare_threshold=1) as one, opened(prepare_threshold=1) as another:
        # Each prepares in an order of its own, so that the same number means another statement.
        for turn in range(40):
            for database, order in ((one, several), (another, several[::-1])):
                reads = [
                    database.read_rows(UNKNOWN_ORGANIZATION, [(statement, {"number": turn})]) for statement in order
                ]
                sums = [found[0].sum for (found,) in await asyncio.gather(*reads)]
                expected = range(turn, turn + 8)
                assert sums == list(expected if order is several else reversed(expected))


async def test_each_transaction_has_role_and_limits(opened: Opened) -> None:
    async with opened(statement_timeout=1.5) as one, opened(statement_timeout=2.5) as another:
        for _ in range(10 * SIZE):
            assert await settings_of(one) == ("orgdata_service", "on", "UTC", "1500ms", "off", "1s")
            assert await settings_of(another) == ("orgdata_service", "on", "UTC", "2500ms", "off", "1s")


async def test_unrestricted_statement_sees_no_foreign_row(opened: Opened, twins: tuple[UUID, UUID]) -> None:
    unlocked = Statement(select(teams.c.name).where(in_organization(teams)))
    unlocked.sql = "SELECT name FROM teams"
    async with opened() as database:
        for _ in range(SIZE):
            answers = await asyncio.gather(*(database.read_rows(each, [(unlocked, {})]) for each in twins))
            assert answers == [[[("A",)]], [[("B",)]]]


async def test_other_clients_see_none_of_our_settings(
    opened: Opened, pooler: Pooler, own_url: str, twins: tuple[UUID, UUID]
) -> None:
    own, _ = twins
    texts = "current_setting('app.organization_id', true), pg_backend_pid()"
    async with opened() as database:
        with psycopg.connect(pooler.url(own_url), autocommit=True, prepare_threshold=None) as client:
            met = set()
            for _ in range(4 * SIZE):
                with pytest.raises(psycopg.errors.DivisionByZero):
                    await database.read_rows(own, [(INVERSE, {"number": 0})])
                ours = await asyncio.gather(*(database.read_rows(own, [(NAME, {})]) for _ in range(SIZE)))
                statement = SESSION.sql.replace("SELECT", f"SELECT {texts},", 1).encode()
                theirs = client.execute(statement, SESSION.constants)
                organization, pid, *settings = theirs.fetchone() or ()
                assert organization in (None, "")
                assert settings == ["orgdata_owner", "off", "UTC", "0", "on", "0"]
                met |= {pid} & {found[0].pid for (found,) in ours}
    assert met, "they never shared a session"


async def test_settings_of_other_clients_do_not_reach_ours(opened: Opened, pooler: Pooler, own_url: str) -> None:
    with psycopg.connect(pooler.url(own_url), autocommit=True, prepare_threshold=None) as client:
        for _ in range(3 * SIZE):
            client.execute("SET statement_timeout = '1s'; SET timezone = 'Asia/Kathmandu'; SET jit = on")
            client.execute("SET default_transaction_read_only = off; SET app.organization_id = 'nobody'")
        async with opened(statement_timeout=1.5) as database:
            for _ in range(3 * SIZE):
                assert await settings_of(database) == ("orgdata_service", "on", "UTC", "1500ms", "off", "1s")


async def test_cancelled_read_ends(opened: Opened, twins: tuple[UUID, UUID], own_url: str, server: Server) -> None:
    async with opened(size=1, statement_timeout=60.0) as database:
        await cancel_at_work(database, twins[0], own_url, server)
        await becomes(lambda: not active(own_url, server))
        assert [row.name for row in (await database.read_rows(twins[0], [(TEAMS, {})]))[0]] == ["A"]


async def cancel_at_work(database: Database, organization_id: UUID, url: str, server: Server) -> None:
    """Cancel a read while the server runs it."""
    # The server may still run the read that was cancelled before.
    await becomes(lambda: not active(url, server))
    reading = asyncio.create_task(database.read_rows(organization_id, [(NAME, {}), (SLEEP, {"seconds": 50.0})]))
    await becomes(lambda: active(url, server))
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


def active(url: str, server: Server) -> int:
    """The number of sleeps that the server runs in this database."""
    name = str(conninfo_to_dict(url)["dbname"])
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state = 'active' AND query LIKE %s"
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        (number,) = connection.execute(query, [name, "%pg_sleep(%"]).fetchone() or (0,)
        return int(number)


PID = Statement(
    select(
        bind("number", Integer()).label("number"),
        func.pg_backend_pid().label("pid"),
        cast(func.pg_sleep(0.005), Text).label("pause"),
    )
)


async def pid_of(database: Database, number: int) -> int:
    """The session that returned the number."""
    ((row,),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(PID, {"number": number})])
    assert row.number == number
    return int(row.pid)


@pytest.mark.parametrize("pause", [0.0, 0.5], ids=["at once", "after a while"])
async def test_reads_resume_after_pgbouncer_restart(opened: Opened, pooler: Pooler, pause: float) -> None:
    async with opened(pool_timeout=0.5) as database:
        await asyncio.gather(*(settings_of(database) for _ in range(20)))
        pooler.kill()
        if pause:
            with pytest.raises((psycopg.OperationalError, PoolTimeout)):
                await settings_of(database)
            await asyncio.sleep(pause)
        pooler.start()
        async with asyncio.timeout(15):
            while True:
                try:
                    assert await settings_of(database) == ("orgdata_service", "on", "UTC", "5s", "off", "1s")
                    break
                except (psycopg.OperationalError, PoolTimeout):
                    await asyncio.sleep(0.05)
        answers = await asyncio.gather(*(pid_of(database, number) for number in range(20)))
        assert len(answers) == 20


async def test_replaced_sessions_fail_no_read(server: Server, folder: Path, own_url: str) -> None:
    with Pooler(server, folder, size=2, lifetime=1) as pooler:
        database = Database(pooler.url(own_url), prepare_threshold=None)
        await database.open()
        pids, number, ends = set[int](), 0, time.monotonic() + 30
        while len(pids) < 4 and time.monotonic() < ends:
            found = await asyncio.gather(*(pid_of(database, number + at) for at in range(4)))
            pids |= set(found)
            number += 4
        await database.close()
    assert len(pids) >= 4, "two at a time, so each was replaced"


async def test_reconnect_fails_no_read(opened: Opened, pooler: Pooler) -> None:
    met = set()
    async with opened() as database:
        for _ in range(3):
            async with asyncio.timeout(10):
                # After RECONNECT, PgBouncer counts a connection that it is opening as failed.
                while len(found := await pids_of(database)) < SIZE:
                    pass
            met |= found
            reading = asyncio.create_task(pids_of(database))
            await asyncio.to_thread(pooler.ask, "RECONNECT")
            met |= await reading
    assert len(met) >= 3 * SIZE


async def pids_of(database: Database) -> set[int]:
    """The sessions that many concurrent reads used."""
    return set(await asyncio.gather(*(pid_of(database, number) for number in range(50))))
