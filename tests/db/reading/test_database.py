"""Database: statements of one read share a transaction, which sets role, organization and limits; faults and retries.

Covers `db/reading/transaction.py`, `db/reading/key_statements.py` and `db/tables/keys.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from sqlalchemy import Integer, String, Text, cast, func, literal, select

from db.admin.key_format import parse_key
from db.reading.connection import Connection
from db.reading.database import Database, request_deadline
from db.reading.hosts.distribution import Distribution
from db.reading.key_statements import ACTIVE_ORGANIZATION_OF_KEY, KEY_BY_PUBLIC_ID, QUOTA_OVERRIDES_OF_KEY, find_key
from db.reading.pool import PoolTimeout
from db.reading.reader import Reader
from db.reading.statement import Statement
from db.reading.transaction import StatementTimeout, is_statement_timeout
from db.sample.embedded.server import Server
from db.tables.columns import bind
from db.tables.keys import api_keys
from db.tables.people import teams
from tests.db.reading.hosts.placements import placed, without_shards
from tests.db.reading.recording import INVERSE, NUMBER, SLEEP, TEAMS, UNKNOWN_ORGANIZATION, RecordingDatabase, opened
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.helpers.databases import database_name, superuser_of

VERSION = Statement(select(cast(func.current_setting("server_version_num"), Integer()).label("number")))
SETTINGS = Statement(
    select(func.current_user().label("role")).add_columns(
        cast(func.current_setting("transaction_read_only"), String).label("read_only"),
        cast(func.current_setting("timezone"), String).label("timezone"),
        cast(func.current_setting("statement_timeout"), String).label("statement_timeout"),
        cast(func.current_setting("jit"), String).label("jit"),
        cast(func.current_setting("client_connection_check_interval"), String).label("check_interval"),
        cast(func.current_setting("search_path"), String).label("search_path"),
        cast(func.current_setting("row_security"), String).label("row_security"),
        cast(func.current_setting("app.organization_id", True), String).label("organization_id"),
    )
)


async def read_one(database: Database, statement: Statement = NUMBER, **values: Any) -> Any:
    """The row of a statement that returns one."""
    ((row,),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(statement, values)])
    return row


async def test_no_statements_return_no_rows(database: RecordingDatabase) -> None:
    assert await database.read_rows(UNKNOWN_ORGANIZATION, []) == []


async def test_text_is_never_read_as_sql(database: RecordingDatabase) -> None:
    words = Statement(select(bind("word", Text()).label("word"), literal("100%").label("constant")))
    for word in ("'; DROP TABLE clients; --", "%(number)s", "100%", "é\u2028\\"):
        row = await read_one(database, words, word=word)
        assert (row.word, row.constant) == (word, "100%")


async def test_times_are_utc_whatever_the_server_default(own_url: str, server: Server) -> None:
    name = database_name(own_url)
    with superuser_of(server, own_url) as connection:
        connection.execute(f"ALTER DATABASE {name} SET timezone = 'Asia/Kathmandu'".encode())
    with psycopg.connect(own_url) as connection:
        assert connection.execute("SHOW timezone").fetchone() == ("Asia/Kathmandu",)
    async with opened(own_url) as database:
        assert (await read_one(database, SETTINGS)).timezone == "UTC"
        moment = Statement(select(bind("moment", teams.c.created_at.type).label("moment")))
        found = (await read_one(database, moment, moment=THEN)).moment
    assert found == datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    assert found.isoformat() == "2026-01-05T09:00:00+00:00"


async def test_service_url_reads_as_the_service_role(owner_url: str, server: Server) -> None:
    async with opened(server.url("orgdata_service", database_name(owner_url))) as database:
        assert (await read_one(database, SETTINGS)).role == "orgdata_service"


async def test_writing_statement_is_refused(single: RecordingDatabase) -> None:
    if (await read_one(single, VERSION)).number < 160000:
        pytest.skip("before PostgreSQL 16, lo_create is no writing")
    single.transactions.clear()
    writes = Statement(select(func.lo_create(0)))
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        await read_one(single, writes)
    assert single.transactions == [1]
    assert (await read_one(single, number=1)).number == 1


async def test_settings_end_with_the_transaction(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1, statement_timeout=1.5) as database:
        row = await read_one(database, SETTINGS)
        assert row == ("orgdata_service", "on", "UTC", "1500ms", "off", "1s", "public", "on", str(UNKNOWN_ORGANIZATION))
        with pytest.raises(psycopg.errors.DivisionByZero):
            await read_one(database, INVERSE, number=0)
        # The session has its login settings again: behind a pooler, its next transaction may be another client's.
        async with database.pool.connection() as connection:
            cursor = await connection.execute(SETTINGS.sql.encode(), SETTINGS.constants)
            usual = ("orgdata_owner", "off", "UTC", "0", "on", "0", '"$user", public', "on", "")
            assert await cursor.fetchone() == usual


async def test_role_without_membership_reads_nothing(own_url: str, server: Server) -> None:
    name = database_name(own_url)
    with superuser_of(server, own_url) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    try:
        async with opened(server.url("stranger", name)) as database:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied to set role"):
                await read_one(database, number=1)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await database.ping()
    finally:
        with superuser_of(server, own_url) as connection:
            connection.execute("DROP ROLE stranger")


async def test_prepare_threshold_none_prepares_nothing(owner_url: str) -> None:
    for threshold in (None, 0, 5):
        async with opened(owner_url, size=1, prepare_threshold=threshold) as database:
            for number in range(12):
                assert (await read_one(database, number=number)).number == number
            async with database.pool.connection() as connection:
                cursor = await connection.execute("SELECT count(*) FROM pg_prepared_statements", prepare=False)
                ((prepared,),) = await cursor.fetchall()
        assert (prepared == 0) is (threshold is None)


async def test_statement_timeout_is_not_retried(owner_url: str) -> None:
    async with opened(owner_url, size=1, statement_timeout=0.05) as database:
        with pytest.raises(StatementTimeout) as caught:
            await read_one(database, SLEEP, seconds=60.0)
        assert caught.value.seconds == 0.05
        assert database.transactions == [1]
        assert (await read_one(database, number=1)).number == 1


async def test_statement_cancelled_by_a_user_is_no_timeout(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1) as database:
        reading = asyncio.create_task(read_one(database, SLEEP, seconds=60.0))
        async with asyncio.timeout(10):
            while not signal(own_url, server, "pg_cancel_backend(pid)", "AND state = 'active'"):
                await asyncio.sleep(0.001)
        with pytest.raises(psycopg.errors.QueryCanceled) as caught:
            await reading
        assert not isinstance(caught.value, StatementTimeout)
        assert database.transactions == [1]


@pytest.mark.parametrize(("seconds", "expected"), [(4.9, False), (5.0, True)])
def test_cancel_in_another_language_is_judged_by_time(seconds: float, expected: bool) -> None:
    # An error without the server's fields has no message, like one in a language that is not known.
    assert is_statement_timeout(psycopg.errors.QueryCanceled(), seconds, 5.0) == expected


async def test_terminated_idle_connections_are_replaced(own_url: str, server: Server) -> None:
    idle = 4
    async with opened(own_url, size=idle) as database:
        async with AsyncExitStack() as stack:
            for _ in range(idle):
                await stack.enter_async_context(database.pool.connection())
        assert terminate(own_url, server) == idle
        assert (await read_one(database, number=1)).number == 1
        # They are replaced: as many as before can be used at once.
        assert await asyncio.gather(*(read_one(database, number=n) for n in range(idle))) == [(n,) for n in range(idle)]


async def test_lost_connection_is_retried(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1) as database:
        reading = asyncio.create_task(read_one(database, SLEEP, seconds=0.2))
        async with asyncio.timeout(10):
            while not terminate(own_url, server, "AND state = 'active'"):
                await asyncio.sleep(0.001)
        # A read changes nothing, so it can be repeated.
        assert await reading == ("",)
        assert database.transactions == [1, 1]


async def test_retry_avoids_other_lost_connections(own_url: str, server: Server) -> None:
    async with opened(own_url, size=2) as database:
        # The second connection is idle, but has answered since the read began.
        reading = asyncio.create_task(read_one(database, SLEEP, seconds=0.2))
        async with asyncio.timeout(10):
            while not active(own_url, server):
                await asyncio.sleep(0.001)
        assert (await read_one(database, number=1)).number == 1
        assert terminate(own_url, server) == 2
        assert await reading == ("",)
        assert database.transactions == [1, 1, 1]


async def test_read_that_loses_two_connections_fails(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1) as database:
        reading = asyncio.create_task(read_one(database, SLEEP, seconds=60.0))
        terminated = 0
        async with asyncio.timeout(10):
            while terminated < 2:
                terminated += terminate(own_url, server, "AND state = 'active'")
                await asyncio.sleep(0.001)
        with pytest.raises(psycopg.OperationalError):
            await reading
        assert database.transactions == [1, 1]
        assert (await read_one(database, number=1)).number == 1


async def test_read_deadline_cancels_client_and_server(own_url: str, server: Server) -> None:
    loop = asyncio.get_running_loop()
    async with opened(own_url, size=1, statement_timeout=60.0) as database:
        reader = Reader(database, UNKNOWN_ORGANIZATION)
        with suppress(TimeoutError):
            async with request_deadline(loop.time() + 0.05) as timeout:
                # The first read is awaited after the deadline; its task ends at the deadline all the same.
                abandoned = asyncio.ensure_future(reader.fetch_together(SLEEP, {"seconds": 50.0}))
                await reader.fetch_together(SLEEP, {"seconds": 50.0})
        assert timeout.expired()
        with pytest.raises(TimeoutError):
            await abandoned
        async with asyncio.timeout(10):
            while active(own_url, server):
                await asyncio.sleep(0.01)
        # There is no deadline outside the block, and the connection was replaced.
        assert (await read_one(database, number=1)).number == 1


async def test_read_that_is_left_keeps_its_place_until_it_is_drained(own_url: str, server: Server) -> None:
    loop = asyncio.get_running_loop()

    async def read(seconds: float) -> None:
        async with request_deadline(loop.time() + 60):
            await database.read_rows(UNKNOWN_ORGANIZATION, [(SLEEP, {"seconds": seconds})])

    async with opened(own_url, size=1, statement_timeout=60.0) as database:
        for seconds, is_replaced in ((0.001, False), (50.0, True)):
            await read_one(database, number=1)
            (before,) = database.pool.idle
            reading = asyncio.create_task(read(seconds))
            while not database.pool.queue.in_use:
                await asyncio.sleep(0)
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
            assert database.pool.queue.in_use == 1 or not is_replaced
            async with asyncio.timeout(10):
                assert (await read_one(database, number=1)).number == 1
            assert before.closed is is_replaced
            assert not active(own_url, server)


def active(url: str, server: Server) -> int:
    """The number of statements that the server runs in this database."""
    name = database_name(url)
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state = 'active'"
        (number,) = connection.execute(query, [name]).fetchone() or (0,)
        return int(number)


def terminate(url: str, server: Server, which: str = "") -> int:
    """Terminate the backends of the pool in this database; returns their number."""
    return signal(url, server, "pg_terminate_backend(pid, 5000)", which)


def signal(url: str, server: Server, function: str, which: str) -> int:
    """Call a function for the backends of the pool in this database; returns their number."""
    query = f"SELECT {function} FROM pg_stat_activity"
    with superuser_of(server, url) as connection:
        where = f"WHERE datname = current_database() AND application_name = 'orgdata' {which}"
        return len(connection.execute(f"{query} {where}".encode()).fetchall())


async def test_exhausted_pool_times_out_without_retry(owner_url: str) -> None:
    async with opened(owner_url, size=1, pool_timeout=0.5) as database:
        async with database.pool.connection():
            with pytest.raises(PoolTimeout):
                await read_one(database, number=1)
            assert database.transactions == [1], "a retry would wait again"
        assert (await read_one(database, number=1)).number == 1


async def test_ping_raises_without_a_database(owner_url: str) -> None:
    async with opened(owner_url) as database:
        await database.ping()
    absent = Database("postgresql://nobody@127.0.0.1:1/nowhere", pool_timeout=0.05)
    await absent.open()
    with pytest.raises(PoolTimeout):
        await absent.ping()
    with pytest.raises(PoolTimeout):
        await read_one(absent, number=1)
    await absent.close()


# Distributed tables: what such a transaction sends works on a plain server, too.


@pytest.fixture
async def distributed(owner_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RecordingDatabase]:
    """A database that takes the way of distributed tables."""

    async def found(connection: Connection) -> Distribution:
        return Distribution(placed())

    monkeypatch.setattr("db.reading.hosts.connector.read_distribution", found)
    without_shards(monkeypatch)
    async with opened(owner_url) as database:
        yield database


async def test_distributed_transaction_has_the_same_settings(distributed: RecordingDatabase) -> None:
    row = await read_one(distributed, SETTINGS)
    assert tuple(row)[:-1] == ("orgdata_service", "on", "UTC", "5s", "off", "1s", "public", "on")


async def test_distributed_read_returns_rows_of_the_organization(distributed: RecordingDatabase, rows: Rows) -> None:
    own, other = rows.organization(), rows.organization()
    rows.team(own, name="Own")
    rows.team(other, name="Other")
    for _ in range(10):
        for organization_id, name in ((own, "Own"), (other, "Other")):
            (found,) = await distributed.read_rows(organization_id, [(TEAMS, {})])
            assert [row.name for row in found] == [name]


async def test_distributed_key_is_read_in_two_transactions(distributed: RecordingDatabase, rows: Rows) -> None:
    own = rows.organization()
    rows.quota(own, 7)
    key = parse_key(rows.partner_key(own))
    assert key is not None
    (found,), active, quotas = await find_key(distributed, key.public_id)
    assert (found.organization_id, active, quotas) == (own, [(own,)], [(own, "", 7)])
    assert distributed.transactions == [1, 2]
    assert await find_key(distributed, "Abcd1234") == [[], [], []]
    assert distributed.transactions == [1, 2, 1, 2], "an unknown key takes as long"


async def test_read_key_returns_only_the_row_of_that_key(database: RecordingDatabase, rows: Rows) -> None:
    own = rows.organization()
    first, second = (parse_key(rows.partner_key(own)) for _ in range(2))
    assert first
    assert second
    ((row,),) = await database.read_key(first.public_id, [KEY_BY_PUBLIC_ID])
    assert (row.public_id, row.organization_id, bytes(row.digest)) == (first.public_id, own, first.digest)
    every = Statement(select(api_keys.c.public_id))
    assert await database.read_key(second.public_id, [every]) == [[(second.public_id,)]]
    assert await database.read_key("Abcd1234", [every]) == [[]]
    assert await database.read_rows(own, [(every, {})]) == [[]]
    with pytest.raises(psycopg.ProgrammingError, match="organization_id"):
        await database.read_key(first.public_id, [TEAMS])


async def test_read_key_returns_rows_of_the_organization_of_that_key(database: RecordingDatabase, rows: Rows) -> None:
    own, other = rows.organization(), rows.organization(status="suspended")
    rows.quota(own, 7)
    rows.quota(other, 8)
    key, suspended = parse_key(rows.partner_key(own)), parse_key(rows.partner_key(other))
    assert key
    assert suspended
    statements = [ACTIVE_ORGANIZATION_OF_KEY, QUOTA_OVERRIDES_OF_KEY]
    before = len(database.transactions)
    assert await database.read_key(key.public_id, statements) == [[(own,)], [(own, "", 7)]]
    assert await database.read_key(suspended.public_id, statements) == [[], [(other, "", 8)]]
    assert await database.read_key("Abcd1234", statements) == [[], []]
    assert len(database.transactions) == before + 3


async def test_row_level_security_shows_one_organization_to_read_key(
    database: RecordingDatabase, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = rows.organization()
    rows.organization()
    key = parse_key(rows.partner_key(own))
    assert key
    every = Statement(select(literal(1)))
    monkeypatch.setattr(every, "sql", "SELECT organization_id FROM organizations")
    assert await database.read_key(key.public_id, [every]) == [[(own,)]]
    assert await database.read_key("Abcd1234", [every]) == [[]]


@pytest.mark.parametrize("text", ["", "a'b", "' OR true --", "a b", "a\0b", "é1234567", "\uff11\uff12", "a\n", "a;b"])
async def test_read_key_refuses_other_text(text: str, database: RecordingDatabase) -> None:
    with pytest.raises(ValueError, match="is not the public id of a key"):
        await database.read_key(text, [KEY_BY_PUBLIC_ID])
    assert database.transactions == []
