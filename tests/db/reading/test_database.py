"""Database: statements of one read share a transaction, which sets role, organization and limits; faults and retries.

Covers `db/reading/transaction.py`.
"""

import asyncio
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Integer, String, Text, cast, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY

from db.admin.key_format import parse_key
from db.embedded.server import Server
from db.reading.database import Database, read_deadline
from db.reading.key_statements import KEY_BY_PUBLIC_ID
from db.reading.pool import PoolTimeout
from db.reading.reader import Reader
from db.reading.statement import Statement
from db.tables.columns import bind
from db.tables.keys import api_keys
from db.tables.people import teams
from tests.db.reading.recording import (
    INVERSE,
    NUMBER,
    SLEEP,
    TEAMS,
    TRANSACTION,
    UNKNOWN_ORGANIZATION,
    RecordingDatabase,
    opened,
)
from tests.factories.base import THEN
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

VERSION = Statement(select(cast(func.current_setting("server_version_num"), Integer()).label("number")))
SETTINGS = Statement(
    select(func.current_user().label("role")).add_columns(
        cast(func.current_setting("transaction_read_only"), String).label("read_only"),
        cast(func.current_setting("timezone"), String).label("timezone"),
        cast(func.current_setting("statement_timeout"), String).label("statement_timeout"),
        cast(func.current_setting("jit"), String).label("jit"),
        cast(func.current_setting("client_connection_check_interval"), String).label("check_interval"),
    )
)


async def ask(database: Database, statement: Statement = NUMBER, **values: Any) -> Any:
    """The only row of one statement."""
    ((row,),) = await database.read(UNKNOWN_ORGANIZATION, [(statement, values)])
    return row


# What is read.


async def test_each_call_gets_its_rows_in_the_order_of_the_calls(database: RecordingDatabase) -> None:
    calls = [(NUMBER, {"number": number}) for number in range(20)]
    assert [rows[0].number for rows in await database.read(UNKNOWN_ORGANIZATION, calls)] == list(range(20))
    assert database.transactions == [20]


async def test_no_calls_are_no_rows(database: RecordingDatabase) -> None:
    assert await database.read(UNKNOWN_ORGANIZATION, []) == []


async def test_many_rows_come_whole(database: RecordingDatabase) -> None:
    series = Statement(select(func.unnest(bind("numbers", ARRAY(Integer()))).label("number")))
    rows = (await database.read(UNKNOWN_ORGANIZATION, [(series, {"numbers": list(range(10_000))})]))[0]
    assert [row.number for row in rows] == list(range(10_000))


async def test_text_is_never_read_as_sql(database: RecordingDatabase) -> None:
    words = Statement(select(bind("word", Text()).label("word"), literal("100%").label("constant")))
    for word in ("'; DROP TABLE clients; --", "%(number)s", "100%", "é\u2028\\"):
        row = await ask(database, words, word=word)
        assert (row.word, row.constant) == (word, "100%")


async def test_the_organization_restricts_what_is_read(database: RecordingDatabase, rows: Rows) -> None:
    own, other = rows.organization(), rows.organization()
    rows.team(own, name="Own")
    rows.team(other, name="Other")
    assert [[row.name for row in found] for found in await database.read(own, [(TEAMS, {}), (TEAMS, {})])] == [
        ["Own"],
        ["Own"],
    ]


async def test_moments_are_in_utc_whatever_the_server_thinks(own_url: str, server: Server) -> None:
    name = str(conninfo_to_dict(own_url)["dbname"])
    with psycopg.connect(server.url("postgres", name), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET timezone = 'Asia/Kathmandu'".encode())
    with psycopg.connect(own_url) as connection:
        assert connection.execute("SHOW timezone").fetchone() == ("Asia/Kathmandu",)
    async with opened(own_url) as database:
        assert (await ask(database, SETTINGS)).timezone == "UTC"
        moment = Statement(select(bind("moment", teams.c.created_at.type).label("moment")))
        found = (await ask(database, moment, moment=THEN)).moment
    assert found == datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    assert found.isoformat() == "2026-01-05T09:00:00+00:00"


# As whom.


async def test_the_owner_s_address_serves_as_the_service(database: RecordingDatabase, owner_url: str) -> None:
    assert conninfo_to_dict(owner_url)["user"] == "orgdata_owner"
    row = await ask(database, SETTINGS)
    assert (row.role, row.read_only) == ("orgdata_service", "on")


async def test_the_address_of_the_service_serves(owner_url: str, server: Server) -> None:
    name = str(conninfo_to_dict(owner_url)["dbname"])
    async with opened(server.url("orgdata_service", name)) as database:
        assert (await ask(database, SETTINGS)).role == "orgdata_service"


async def test_a_statement_that_writes_is_refused(single: RecordingDatabase) -> None:
    if (await ask(single, VERSION)).number < 160000:
        pytest.skip("before PostgreSQL 16, lo_create is no writing")
    single.transactions.clear()
    writes = Statement(select(func.lo_create(0)))
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        await ask(single, writes)
    assert single.transactions == [1]
    assert (await ask(single, number=1)).number == 1


async def test_the_settings_are_those_asked_for(owner_url: str) -> None:
    async with opened(owner_url, statement_timeout=1.5) as database:
        assert (await ask(database, SETTINGS)).statement_timeout == "1500ms"


async def test_what_a_transaction_is_told_ends_with_it(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1, statement_timeout=1.5) as database:
        told = await ask(database, SETTINGS)
        assert told == ("orgdata_service", "on", "UTC", "1500ms", "off", "1s")
        with pytest.raises(psycopg.errors.DivisionByZero):
            await ask(database, INVERSE, number=0)
        # The session is as whoever logged in has it: behind a pooler, the next transaction on it is somebody else's.
        async with database._pool.connection() as connection:
            cursor = await connection.execute(SETTINGS.sql.encode(), SETTINGS.constants)
            assert await cursor.fetchone() == ("orgdata_owner", "off", "UTC", "0", "on", "0")


async def test_who_may_not_step_down_reads_nothing(own_url: str, server: Server) -> None:
    name = str(conninfo_to_dict(own_url)["dbname"])
    with psycopg.connect(server.url("postgres", name), autocommit=True) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    try:
        async with opened(server.url("stranger", name)) as database:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied to set role"):
                await ask(database, number=1)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await database.ping()
    finally:
        with psycopg.connect(server.url("postgres", name), autocommit=True) as connection:
            connection.execute("DROP ROLE stranger")


async def test_statements_need_not_be_prepared(owner_url: str) -> None:
    for threshold in (None, 0, 5):
        async with opened(owner_url, size=1, prepare_threshold=threshold) as database:
            for number in range(12):
                assert (await ask(database, number=number)).number == number
            async with database._pool.connection() as connection:
                cursor = await connection.execute("SELECT count(*) FROM pg_prepared_statements", prepare=False)
                ((prepared,),) = await cursor.fetchall()
        assert (prepared == 0) is (threshold is None)


# What a fault costs.


async def test_an_error_leaves_the_connection_as_it_was(single: RecordingDatabase) -> None:
    first = await ask(single, TRANSACTION)
    for calls in (
        [(INVERSE, {"number": 0})],
        [(NUMBER, {"number": 1}), (INVERSE, {"number": 0}), (NUMBER, {"number": 2})],
    ):
        with pytest.raises(psycopg.errors.DivisionByZero):
            await single.read(UNKNOWN_ORGANIZATION, calls)
        assert (await ask(single, TRANSACTION)).pid == first.pid
    assert (await ask(single, INVERSE, number=4)).inverse == 25


async def test_a_missing_value_is_an_error_and_no_more(single: RecordingDatabase) -> None:
    with pytest.raises(psycopg.ProgrammingError):
        await ask(single)
    assert (await ask(single, number=1)).number == 1


async def test_a_statement_that_takes_too_long_is_not_tried_again(owner_url: str) -> None:
    async with opened(owner_url, size=1, statement_timeout=0.05) as database:
        with pytest.raises(psycopg.errors.QueryCanceled):
            await ask(database, SLEEP, seconds=60.0)
        assert database.transactions == [1]
        assert (await ask(database, number=1)).number == 1


@pytest.mark.parametrize("idle", [1, 4], ids=["one", "several"])
async def test_idle_connections_that_were_terminated_cost_nothing(own_url: str, server: Server, idle: int) -> None:
    async with opened(own_url, size=idle) as database:
        async with AsyncExitStack() as stack:
            for _ in range(idle):
                await stack.enter_async_context(database._pool.connection())
        assert terminate(own_url, server) == idle
        assert (await ask(database, number=1)).number == 1
        # And they are replaced: as many as before can be used at once.
        assert await asyncio.gather(*(ask(database, number=n) for n in range(idle))) == [(n,) for n in range(idle)]


async def test_a_connection_that_dies_at_work_is_replaced(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1) as database:
        reading = asyncio.create_task(ask(database, SLEEP, seconds=0.2))
        async with asyncio.timeout(10):
            while not terminate(own_url, server, "AND state = 'active'"):
                await asyncio.sleep(0.001)
        # A read changes nothing, so that it may be asked for a second time.
        assert await reading == ("",)
        assert database.transactions == [1, 1]


async def test_a_second_try_does_not_meet_another_connection_that_died(own_url: str, server: Server) -> None:
    async with opened(own_url, size=2) as database:
        # The second one rests, but has answered since the read began.
        reading = asyncio.create_task(ask(database, SLEEP, seconds=0.2))
        async with asyncio.timeout(10):
            while not active(own_url, server):
                await asyncio.sleep(0.001)
        assert (await ask(database, number=1)).number == 1
        assert terminate(own_url, server) == 2
        assert await reading == ("",)
        assert database.transactions == [1, 1, 1]


async def test_a_read_that_fails_twice_fails(own_url: str, server: Server) -> None:
    async with opened(own_url, size=1) as database:
        reading = asyncio.create_task(ask(database, SLEEP, seconds=60.0))
        terminated = 0
        async with asyncio.timeout(10):
            while terminated < 2:
                terminated += terminate(own_url, server, "AND state = 'active'")
                await asyncio.sleep(0.001)
        with pytest.raises(psycopg.OperationalError):
            await reading
        assert database.transactions == [1, 1]
        assert (await ask(database, number=1)).number == 1


async def test_what_takes_too_long_is_given_up_by_both_sides(own_url: str, server: Server) -> None:
    loop = asyncio.get_running_loop()
    async with opened(own_url, size=1, statement_timeout=60.0) as database:
        reader = Reader(database, UNKNOWN_ORGANIZATION)
        with read_deadline(loop.time() + 0.05):
            # Nobody waits for the second one; it is read by a task all the same.
            abandoned = asyncio.ensure_future(reader.read(SLEEP, {"seconds": 50.0}))
            with pytest.raises(TimeoutError):
                await reader.read(SLEEP, {"seconds": 50.0})
        with pytest.raises(TimeoutError):
            await abandoned
        async with asyncio.timeout(10):
            while active(own_url, server):
                await asyncio.sleep(0.01)
        # Outside, there is no such moment; and the connection was replaced.
        assert (await ask(database, number=1)).number == 1


async def test_what_is_read_in_time_is_read(own_url: str) -> None:
    loop = asyncio.get_running_loop()
    async with opened(own_url) as database:
        with read_deadline(loop.time() + 60):
            assert (await ask(database, number=1)).number == 1
        with read_deadline(loop.time() - 1), pytest.raises(TimeoutError):
            await ask(database, number=1)


def active(url: str, server: Server) -> int:
    """How many statements the server works on in this database."""
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state = 'active'"
        (number,) = connection.execute(query, [name]).fetchone() or (0,)
        return int(number)


def terminate(url: str, server: Server, which: str = "") -> int:
    """End the backends that serve the pool in this database; returns how many."""
    name = str(conninfo_to_dict(url)["dbname"])
    query = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    with psycopg.connect(server.url("postgres", name), autocommit=True) as connection:
        where = f"WHERE datname = current_database() AND application_name = 'orgdata' {which}"
        return len(connection.execute(f"{query} {where}".encode()).fetchall())


async def test_a_pool_that_is_used_up_makes_the_next_wait_and_no_longer_than_agreed(owner_url: str) -> None:
    async with opened(owner_url, size=1, pool_timeout=0.5) as database:
        async with database._pool.connection():
            with pytest.raises(PoolTimeout):
                await ask(database, number=1)
            assert database.transactions == [1], "a second try would wait once more"
        assert (await ask(database, number=1)).number == 1


async def test_more_reads_than_connections_take_turns(owner_url: str) -> None:
    async with opened(owner_url, size=2) as database:
        answers = await asyncio.gather(*(ask(database, number=number) for number in range(50)))
    assert answers == [(number,) for number in range(50)]


async def test_a_read_that_was_given_up_gives_its_connection_back(single: RecordingDatabase) -> None:
    for _ in range(5):
        reading = asyncio.create_task(ask(single, SLEEP, seconds=60.0))
        while not single.transactions:
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        single.transactions.clear()
        assert (await ask(single, number=1)).number == 1


async def test_reads_that_are_given_up_at_any_moment_lose_no_connection(owner_url: str) -> None:
    async with opened(owner_url, size=3) as database:

        async def hurried(seconds: float) -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while True:
                        assert await ask(database, number=1) == (1,)

        for _ in range(10):
            await asyncio.gather(*(hurried(number / 3000) for number in range(30)))
        assert database.pool_stats()[2:] == (0, 0, 0)
        answers = await asyncio.gather(*(ask(database, number=number) for number in range(9)))
        assert answers == [(number,) for number in range(9)]


async def test_ping_says_whether_the_database_answers(owner_url: str) -> None:
    async with opened(owner_url) as database:
        await database.ping()
    absent = Database("postgresql://nobody@127.0.0.1:1/nowhere", pool_timeout=0.05)
    await absent.open()
    with pytest.raises(PoolTimeout):
        await absent.ping()
    with pytest.raises(PoolTimeout):
        await ask(absent, number=1)
    await absent.close()


# Keys.


async def test_read_key_returns_only_the_row_of_that_key(database: RecordingDatabase, rows: Rows) -> None:
    own = rows.organization()
    first, second = (parse_key(rows.partner_key(own)) for _ in range(2))
    assert first
    assert second
    (row,) = await database.read_key(first.public_id, KEY_BY_PUBLIC_ID)
    assert (row.public_id, row.organization_id, bytes(row.digest)) == (first.public_id, own, first.digest)
    every = Statement(select(api_keys.c.public_id))
    assert await database.read_key(second.public_id, every) == [(second.public_id,)]
    assert await database.read_key("Abcd1234", every) == []
    assert await database.read(own, [(every, {})]) == [[]]
    with pytest.raises(psycopg.ProgrammingError, match="organization_id"):
        await database.read_key(first.public_id, TEAMS)


@pytest.mark.parametrize("text", ["", "a'b", "' OR true --", "a b", "a\0b", "é1234567", "\uff11\uff12", "a\n", "a;b"])
async def test_only_a_public_id_is_looked_up(text: str, database: RecordingDatabase) -> None:
    with pytest.raises(ValueError, match="is not the public id of a key"):
        await database.read_key(text, KEY_BY_PUBLIC_ID)
    assert database.transactions == []
