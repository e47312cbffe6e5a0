"""Connection: pipelined statements, prepared statements, parameters, rows, errors, cancellation, and broken answers.

Covers `db/reading/parsed_sql.py`.
"""

import asyncio
import weakref
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo

from db.reading.connection import MAX_PREPARED, Connection
from db.reading.parsed_sql import ParsedSql, parse_sql
from tests.db.reading.hosts.conftest import socket_of
from tests.faults.proxy import Proxy

ECHO = "SELECT %(value)s::text AS value"


@pytest.fixture
async def connection(owner_url: str) -> AsyncIterator[Connection]:
    async with await Connection.connect(owner_url, autocommit=True, prepare_threshold=2) as connection:
        yield connection


async def test_each_query_gets_its_own_rows(connection: Connection) -> None:
    for _ in range(4):
        found = await connection.exchange(
            [
                (ECHO, {"value": "a"}),
                ("SELECT n AS number, 'x' AS letter FROM generate_series(1, %(most)s::int) n", {"most": 2}),
                (ECHO, {"value": None}),
            ]
        )
        assert found == [[("a",)], [(1, "x"), (2, "x")], [(None,)]]
        assert (found[1][0].number, found[1][0].letter) == (1, "x")


async def test_rows_with_the_same_columns_share_a_class(connection: Connection) -> None:
    # A class takes 8 KB: a thousand statements would have a thousand.
    queries = ("SELECT 1 AS n", "SELECT 2 AS n", "SELECT 3 AS m")
    ((one,), (two,), (other,)) = await connection.exchange([(query, {}) for query in queries])
    assert type(one) is type(two) is not type(other)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("uuid", UUID("01890a5d-ac96-774b-bcce-b302099a8057")),
        ("uuid[]", [UUID("01890a5d-ac96-774b-bcce-b302099a8057"), UUID(int=7)]),
        ("uuid[]", []),
        ("text[]", ['a"b', "c,d", "{e}", "\\", "NULL", ""]),
        ("int", 7),
        ("bigint", 2**40),
        ("bigint[]", [1, 2**40]),
        ("boolean", True),
        ("numeric", Decimal("0.10")),
        ("date", date(2026, 1, 5)),
        ("timestamptz", datetime(2026, 1, 5, 9, 0, 0, 123456, tzinfo=UTC)),
        ("timestamptz[]", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]),
        ("interval", timedelta(hours=24)),
        ("jsonb", None),
    ],
)
async def test_values_round_trip(connection: Connection, type_: str, value: Any) -> None:
    await connection.execute("SET TIME ZONE 'UTC'")
    # Not prepared at first, then prepared.
    for _ in range(4):
        (((found,),),) = await connection.exchange([(f"SELECT %(value)s::{type_}", {"value": value})])
        assert found == value


async def test_prepared_statement_takes_integers_of_any_size(connection: Connection) -> None:
    for number in (1, 2, 3, 2**14, 2**30, 2**50, -(2**62)):
        assert await connection.exchange([("SELECT %(n)s::bigint AS n", {"n": number})]) == [[(number,)]]


async def test_queries_share_one_transaction(connection: Connection) -> None:
    ((first,), (second,)) = await connection.exchange([("SELECT now()", {}), ("SELECT now() FROM pg_sleep(0.001)", {})])
    assert first == second
    await connection.exchange([("SELECT set_config('app.organization_id', 'x', true)", {}), ("SELECT 1", {})])
    assert await connection.exchange([("SELECT current_setting('app.organization_id', true)", {})]) == [[("",)]]


async def test_connection_works_after_a_statement_error(connection: Connection) -> None:
    for _ in range(4):
        with pytest.raises(psycopg.errors.DivisionByZero):
            await connection.exchange([(ECHO, {"value": "a"}), ("SELECT 1 / %(n)s::int", {"n": 0}), ("SELECT 2", {})])
        # The statements after the error were not prepared.
        assert await connection.exchange([(ECHO, {"value": "b"}), ("SELECT 2", {})]) == [[("b",)], [(2,)]]
    with pytest.raises(psycopg.errors.SyntaxError):
        await connection.exchange([("SELEC 1", {})])
    assert await connection.exchange([("SELECT 3", {})]) == [[(3,)]]
    assert not connection.closed


BLOCK: list[bytes | tuple[str, dict[str, Any]]] = [b"BEGIN READ ONLY", b"SET LOCAL app.organization_id = 'x'"]
ORGANIZATION = "SELECT current_setting('app.organization_id', true) AS own, %(value)s::text AS value"


async def test_statement_that_an_error_skipped_is_prepared_later(connection: Connection) -> None:
    connection.prepare_threshold = 0
    with pytest.raises(psycopg.errors.DivisionByZero):
        await connection.exchange([("SELECT 1 / %(n)s::int", {"n": 0}), (ECHO, {"value": "a"})])
    assert await connection.exchange([(ECHO, {"value": "a"})]) == [[("a",)]]
    # None would say that the server lost a statement.
    assert connection.prepare_threshold == 0
    prepared = await connection.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%AS value'")
    assert await prepared.fetchone() == (1,)


async def test_connection_frees_statements_that_the_process_dropped(connection: Connection) -> None:
    connection.prepare_threshold = 0
    queries: list[tuple[str, dict[str, Any]]] = [(f"SELECT {number}", {}) for number in range(MAX_PREPARED + 1)]
    await connection.exchange(queries)
    first = weakref.ref(parse_sql(queries[0][0]))
    parse_sql.cache_clear()
    assert first() is None


async def test_block_of_commands_returns_rows_and_ends(connection: Connection) -> None:
    for _ in range(4):
        queries = [*BLOCK, (ORGANIZATION, {"value": "a"}), ("SHOW transaction_read_only", {})]
        assert await connection.exchange(queries) == [[("x", "a")], [("on",)]]
        assert await connection.exchange([(ORGANIZATION, {"value": "b"})]) == [[("", "b")]]
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


async def test_error_in_a_block_leaves_no_aborted_transaction(connection: Connection) -> None:
    failing = [*BLOCK, (ECHO, {"value": "a"}), ("SELECT 1 / %(n)s::int", {"n": 0}), ("SELECT 2", {})]
    for _ in range(4):
        with pytest.raises(psycopg.errors.DivisionByZero):
            await connection.exchange(failing)
        with pytest.raises(psycopg.errors.SyntaxError):
            await connection.exchange([b"BEGIN", b"SET LOCAL", (ECHO, {"value": "a"})])
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert await connection.exchange([*BLOCK, (ECHO, {"value": "b"}), ("SELECT 2", {})]) == [[("b",)], [(2,)]]


async def test_commands_are_not_prepared(connection: Connection) -> None:
    for number in range(10):
        await connection.exchange([b"BEGIN", f"SET LOCAL app.number = '{number}'".encode()])
    assert await connection.exchange([("SELECT count(*) FROM pg_prepared_statements", {})]) == [[(0,)]]


async def test_missing_value_raises_before_sending(connection: Connection) -> None:
    with pytest.raises(psycopg.ProgrammingError, match="value"):
        await connection.exchange([(ECHO, {})])
    assert await connection.exchange([("SELECT 3", {})]) == [[(3,)]]


async def test_large_values_are_sent_and_received(connection: Connection) -> None:
    large = "x" * 20_000_000
    (((sent,),), ((answered,),)) = await connection.exchange(
        [("SELECT length(%(value)s::text)", {"value": large}), ("SELECT repeat('y', 20000000)", {})]
    )
    assert sent == len(large)
    assert answered == "y" * 20_000_000


async def test_prepared_statements_are_limited(connection: Connection) -> None:
    queries: list[tuple[str, dict[str, Any]]] = [(f"SELECT {number} AS n", {}) for number in range(MAX_PREPARED + 20)]
    for _ in range(4):
        assert [row.n for (row,) in await connection.exchange(queries)] == list(range(MAX_PREPARED + 20))
    assert await connection.exchange([("SELECT count(*) FROM pg_prepared_statements", {})]) == [[(MAX_PREPARED,)]]


async def test_changed_column_type_is_prepared_again(connection: Connection, owner_url: str) -> None:
    # Temporary: visible to this connection only.
    await connection.execute("CREATE TEMPORARY TABLE changing (id int)")
    await connection.execute("INSERT INTO changing VALUES (1)")
    queries: list[tuple[str, dict[str, Any]]] = [(ECHO, {"value": "a"}), ("SELECT id FROM changing", {})]
    for type_, found in (("int", 1), ("text", "1"), ("bigint", 1)):
        await connection.execute(f"ALTER TABLE changing ALTER COLUMN id TYPE {type_} USING id::{type_}".encode())
        # Prepared at the third read, and again after each change.
        for _ in range(4):
            assert await connection.exchange(queries) == [[("a",)], [(found,)]]
    assert await connection.exchange([("SELECT count(*) > 2 FROM pg_prepared_statements", {})]) == [[(True,)]]


async def test_lost_prepared_statements_disable_preparing(connection: Connection) -> None:
    queries = [(ECHO, {"value": "a"}), (ECHO, {"value": "b"})]
    for _ in range(4):
        await connection.exchange(queries)
    # As if a pooler ran the next transaction in another session.
    await connection.execute("DEALLOCATE ALL")
    for _ in range(4):
        assert await connection.exchange(queries) == [[("a",)], [("b",)]]
    # It may happen again, so nothing is prepared any more.
    assert await connection.exchange([("SELECT count(*) FROM pg_prepared_statements", {})]) == [[(0,)]]


async def test_connections_use_different_statement_names(connection: Connection, owner_url: str) -> None:
    names = []
    async with await Connection.connect(owner_url, autocommit=True, prepare_threshold=2) as other:
        for each in (connection, other):
            for _ in range(4):
                await each.exchange([(ECHO, {"value": "a"})])
            names.append(await each.exchange([("SELECT name FROM pg_prepared_statements", {})]))
    assert names[0] != names[1]


async def test_unsupported_feature_is_an_error(connection: Connection) -> None:
    for _ in range(4):
        assert await connection.exchange([(ECHO, {"value": "a"})]) == [[("a",)]]
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            await connection.exchange([("SELECT 1 FROM nowhere.public.teams", {})])


async def cancel_read(
    other: Connection, watching: Connection, *, must_drain: bool = False
) -> tuple[str, dict[str, int]]:
    """Cancel a read that the server has begun; returns the query for the state of its session."""
    state = ("SELECT state FROM pg_stat_activity WHERE pid = %(pid)s::int", {"pid": other.info.backend_pid})
    reading = asyncio.create_task(other.exchange([("SELECT 'left' FROM pg_sleep(600)", {})], must_drain=must_drain))
    async with asyncio.timeout(20):
        while await watching.exchange([state]) != [[("active",)]]:
            await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    return state


async def test_cancelled_read_closes_connection_and_server_stops(owner_url: str, connection: Connection) -> None:
    async with await Connection.connect(owner_url, autocommit=True) as other:
        await other.execute("SET client_connection_check_interval = '100ms'")
        state = await cancel_read(other, connection)
        assert other.closed
        async with asyncio.timeout(20):
            while await connection.exchange([state]) != [[]]:
                await asyncio.sleep(0.01)


async def test_drained_connection_has_the_answers_of_the_next_read(owner_url: str) -> None:
    async with await Connection.connect(owner_url, autocommit=True) as connection:
        connection.prepare_threshold = 0
        for _ in range(3):
            queries = [("SELECT 1 FROM pg_sleep(0.01)", {}), (ECHO, {"value": "a"})]
            reading = asyncio.create_task(connection.exchange(queries, must_drain=True))
            await asyncio.sleep(0)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            assert connection.is_left
            await connection.drain()
            assert not connection.is_left
            assert await connection.exchange([(ECHO, {"value": "b"})]) == [[("b",)]]


async def test_drain_cancels_a_long_statement(owner_url: str, connection: Connection) -> None:
    """No setting of the session: the server itself would not notice the closed connection."""
    async with await Connection.connect(owner_url, autocommit=True) as other:
        state = await cancel_read(other, connection, must_drain=True)
        assert not other.closed
        async with asyncio.timeout(20):
            await other.drain()
            assert other.closed
            while await connection.exchange([state]) != [[]]:
                await asyncio.sleep(0.01)


async def test_lost_connection_is_an_error(owner_url: str, connection: Connection) -> None:
    async with await Connection.connect(owner_url, autocommit=True) as other:
        reading = asyncio.create_task(other.exchange([("SELECT 1 FROM pg_sleep(600)", {})]))
        end = ("SELECT pg_terminate_backend(%(pid)s::int)", {"pid": other.info.backend_pid})
        async with asyncio.timeout(20):
            await connection.exchange([end])
            with pytest.raises(psycopg.OperationalError):
                await reading
        assert other.closed


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=6), st.text("%()s$1a ", max_size=8))
def test_parsed_sql_matches_reference(names: list[str], literal: str) -> None:
    doubled = literal.replace("%", "%%")
    sql = f"{doubled} " + " ".join(f"%({name})s {doubled}" for name in names)
    order = list(dict.fromkeys(names))
    expected = f"{literal} " + " ".join(f"${order.index(name) + 1} {literal}" for name in names)
    assert (ParsedSql(sql).sql.decode(), [*ParsedSql(sql).numbers]) == (expected, order)


LONG_ANSWER = ("SELECT repeat('x', 100) AS text FROM generate_series(1, %(rows)s::int)", {"rows": 200})


@pytest.mark.parametrize("abrupt", [False, True], ids=["closed", "reset"])
def test_read_fails_where_its_answer_is_cut(abrupt: bool, owner_url: str) -> None:
    async def cut_reads() -> None:
        for limit in range(100, 8000, 400):
            async with await Connection.connect(address, autocommit=True) as connection:
                assert await connection.exchange([LONG_ANSWER])
                proxy.limit = limit
                with pytest.raises(psycopg.OperationalError):
                    async with asyncio.timeout(10):
                        await connection.exchange([LONG_ANSWER])

    with Proxy(socket_of(owner_url)) as proxy, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        address = make_conninfo(owner_url, host="127.0.0.1", port=proxy.port, sslmode="disable")
        proxy.abrupt, proxy.once = abrupt, True
        runner.run(cut_reads())
