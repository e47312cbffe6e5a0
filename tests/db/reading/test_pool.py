"""Connection pool: limits, order, timeouts, health and cancellation, on real connections."""

import asyncio
import random
import socket
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any

import psycopg
import pytest

from db.reading.connection import MAX_AGE_SECONDS, Connection
from db.reading.hosts.host import Host
from db.reading.hosts.hosts import Hosts
from db.reading.pool import MAX_IDLE_SECONDS, ConnectionPool, PoolBusy, PoolTimeout

NUMBER = "SELECT %(number)s::int AS number"
SLOW_NUMBER = f"{NUMBER} FROM pg_sleep(0.001)"


class RecordingConnect:
    """Opens real connections in place of `connect_to`, and records them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.hosts = Hosts("host=/server")
        (self.host,) = self.hosts.all
        self.opened: list[Connection] = []
        self.most_open = 0
        self.tries = 0
        self.refused = 0

    async def __call__(self, host: Host, parameters: Mapping[str, Any], seconds: float) -> Connection:
        self.tries += 1
        if self.refused:
            self.refused -= 1
            return await Connection.connect("postgresql://nobody@127.0.0.1:1/nowhere")
        connection = await Connection.connect(self.url, autocommit=True)
        connection.host = host
        self.opened.append(connection)
        self.most_open = max(self.most_open, self.open)
        return connection

    @property
    def open(self) -> int:
        return sum(not connection.closed for connection in self.opened)


@pytest.fixture
async def connecting(owner_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RecordingConnect]:
    connecting = RecordingConnect(owner_url)
    monkeypatch.setattr("db.reading.pool.connect_to", connecting)
    yield connecting
    for connection in connecting.opened:
        connection.finish()


async def read(pool: ConnectionPool, number: int = 1) -> int:
    async with pool.connection() as connection:
        (((found,),),) = await connection.exchange([(NUMBER, {"number": number})])
    return int(found)


async def run_loop(number: int = 10) -> None:
    """Run the event loop for `number` turns."""
    for _ in range(number):
        await asyncio.sleep(0)


def is_unused(pool: ConnectionPool) -> bool:
    return (pool.queue.in_use, pool.queue.waiting) == (0, 0)


async def assert_whole(pool: ConnectionPool, connecting: RecordingConnect) -> None:
    """Assert that no connection is in use, and that exactly `size` can be used at once."""
    assert is_unused(pool)
    async with AsyncExitStack() as stack:
        for _ in range(pool.size):
            await stack.enter_async_context(pool.connection())
        assert (pool.queue.in_use, len(pool.idle), connecting.open) == (pool.size, 0, pool.size)
        another = asyncio.create_task(read(pool))
        await run_loop()
        assert pool.queue.waiting == 1
    assert await another == 1
    assert is_unused(pool)


async def test_connections_are_opened_on_demand_and_reused(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=3, timeout=5.0)
    assert connecting.opened == []
    for number in range(10):
        assert await read(pool, number) == number
    assert (len(connecting.opened), len(pool.idle)) == (1, 1)
    assert await asyncio.gather(*(read(pool, number) for number in range(30))) == list(range(30))
    assert (len(connecting.opened), connecting.most_open, len(pool.idle)) == (3, 3, 3)


async def test_last_released_connection_is_acquired_first(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=3, timeout=5.0)
    first, second, third = [await pool.acquire() for _ in range(3)]
    for connection in (third, first, second):
        pool.release(connection)
    assert [await pool.acquire() for _ in range(3)] == [second, first, third]
    assert len(connecting.opened) == 3
    for connection in (first, second, third):
        pool.release(connection)


async def test_acquire_is_first_come_first_served(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=30.0)
    served = []

    async def wait(number: int) -> None:
        async with pool.connection():
            served.append(number)
            await asyncio.sleep(0)

    held = await pool.acquire()
    waiting = []
    for number in range(10):
        waiting.append(asyncio.create_task(wait(number)))
        await run_loop(1)
    assert pool.queue.waiting == 10
    waiting[3].cancel()
    pool.release(held)
    # An acquire that comes at a release waits behind the others.
    waiting.append(asyncio.create_task(wait(10)))
    await asyncio.gather(*waiting, return_exceptions=True)
    assert served == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10]
    await assert_whole(pool, connecting)


async def test_acquire_times_out_and_is_counted(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=0.2)
    async with pool.connection():
        began = perf_counter()
        async with asyncio.timeout(10):
            refused = await asyncio.gather(*(read(pool) for _ in range(3)), return_exceptions=True)
        assert 0.2 <= perf_counter() - began < 2
        assert [str(error) for error in refused] == ["No connection was free for 0.2 s."] * 3
        assert [type(error) for error in refused] == [PoolBusy] * 3
        assert (pool.timeouts_total, pool.queue.waiting, pool.queue.in_use) == (3, 0, 1)
    await assert_whole(pool, connecting)


async def test_reads_cancelled_at_random_lose_no_connection(connecting: RecordingConnect) -> None:
    """Cancels while waiting, while opening a connection, while reading, and in between."""
    chance = random.Random(7)
    pool = ConnectionPool(connecting.hosts, size=3, timeout=30.0)
    ended: Counter[str] = Counter()

    async def work(number: int) -> None:
        state = "waiting"
        try:
            async with pool.connection() as connection:
                state = "reading"
                assert pool.queue.in_use <= 3
                assert await connection.exchange([(SLOW_NUMBER, {"number": number})]) == [[(number,)]]
        except asyncio.CancelledError:
            ended[state] += 1
            raise

    for _ in range(20):
        reads = [asyncio.create_task(work(number)) for number in range(24)]
        await run_loop(1)
        for reading in chance.sample(reads, 20):
            await run_loop(chance.randrange(40))
            reading.cancel()
        for outcome in await asyncio.gather(*reads, return_exceptions=True):
            assert outcome is None or isinstance(outcome, asyncio.CancelledError), outcome
        assert is_unused(pool)
    assert ended["waiting"] > 125
    assert ended["reading"] > 12
    assert connecting.tries - len(connecting.opened) > 6
    assert connecting.most_open <= 3
    assert pool.timeouts_total == 0
    await assert_whole(pool, connecting)


async def test_old_connection_is_replaced(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=5.0)
    async with pool.connection() as young:
        young.expires_at -= MAX_AGE_SECONDS - 60
    async with pool.connection() as same:
        assert same is young
        same.expires_at -= 61
    assert young.closed
    assert await read(pool) == 1
    assert len(connecting.opened) == 2


async def test_surplus_idle_connections_are_closed(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=3, timeout=5.0)
    busy, rests, fresh = [await pool.acquire() for _ in range(3)]
    for connection in (rests, fresh, busy):
        pool.release(connection)
    rests.last_answer_at -= MAX_IDLE_SECONDS + 1
    fresh.last_answer_at -= MAX_IDLE_SECONDS - 60
    for _ in range(3):
        assert await read(pool) == 1
    assert (rests.closed, fresh.closed, busy.closed) == (True, False, False)
    assert len(pool.idle) == 2


async def test_connections_idle_too_long_are_replaced(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=2, timeout=5.0)
    await asyncio.gather(read(pool), read(pool))
    for connection in connecting.opened:
        connection.last_answer_at -= MAX_IDLE_SECONDS + 1
    assert await read(pool) == 1
    assert (len(connecting.opened), connecting.open) == (3, 1)


async def test_retiring_host_closes_connections_at_their_release(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=2, timeout=1)
    async with pool.connection(), pool.connection():
        pass
    async with pool.connection():
        connecting.host.retires_connections = True
        assert connecting.open == 2, "one is used, the other idle"
    assert (connecting.open, len(pool.idle)) == (0, 0)
    assert await read(pool) == 1, "without another host it is used all the same"
    assert pool.idle == []
    connecting.host.retires_connections = False
    assert await read(pool) == 1
    assert len(pool.idle) == 1


async def test_suspect_connections_are_replaced(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=4, timeout=5.0)
    silent, used, later, lost = [await pool.acquire() for _ in range(4)]
    pool.release(silent)
    moment = perf_counter()
    await later.exchange([(NUMBER, {"number": 1})])
    pool.release(later)
    lost.finish()
    connecting.host.suspect(moment)
    # An older moment changes nothing.
    connecting.host.suspect(moment - 60)
    pool.release(lost)
    pool.release(used)
    assert used.closed, "its last answer is older, too"
    assert await asyncio.gather(*(read(pool, number) for number in range(4))) == [0, 1, 2, 3]
    assert [connection.closed for connection in (silent, used, later, lost)] == [True, True, False, True]
    assert connecting.most_open <= 4
    await assert_whole(pool, connecting)


async def test_statement_error_counts_as_an_answer(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=5.0)
    async with pool.connection() as connection:
        moment = perf_counter()
        with pytest.raises(psycopg.errors.DivisionByZero):
            await connection.exchange([("SELECT 1 / %(number)s::int", {"number": 0})])
        connecting.host.suspect(moment)
    assert await read(pool) == 1
    assert connecting.opened == [connection]


async def test_acquire_waits_for_server_to_come_back(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=2, timeout=10.0)
    connecting.refused = 3
    assert await asyncio.gather(*(read(pool, number) for number in range(4))) == [0, 1, 2, 3]
    assert (connecting.refused, pool.timeouts_total) == (0, 0)
    await assert_whole(pool, connecting)


async def test_acquire_times_out_without_server(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=0.3)
    connecting.refused = 1_000_000
    began = perf_counter()
    # The second waits for the permit of the first, and no longer than it would wait alone.
    first, second = await asyncio.gather(read(pool), read(pool), return_exceptions=True)
    assert perf_counter() - began < 2
    assert str(first).startswith("No connection could be opened within 0.3 s: /server:5432: connection failed: ")
    assert isinstance(first, PoolTimeout)
    assert isinstance(second, PoolTimeout)
    assert 2 <= connecting.tries <= 5, "with pauses"
    assert pool.timeouts_total == 2
    connecting.refused = 0
    await assert_whole(pool, connecting)


async def test_acquire_times_out_on_silent_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        pool = ConnectionPool(Hosts(f"postgresql://a@127.0.0.1:{silent.getsockname()[1]}/b"), size=1, timeout=0.3)
        began = perf_counter()
        sentence = r"^No connection could be opened within 0\.3 s: .*: no answer within 0\.3 s$"
        with pytest.raises(PoolTimeout, match=sentence):
            async with asyncio.timeout(10):
                await pool.acquire()
        assert perf_counter() - began < 2
        assert is_unused(pool)
        assert pool.timeouts_total == 1


async def test_close_leaves_no_connection_open(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=2, timeout=5.0)
    used, idle = [await pool.acquire() for _ in range(2)]
    pool.release(idle)
    pool.close()
    assert (idle.closed, used.closed, len(pool.idle)) == (True, False, 0)
    assert await used.exchange([(NUMBER, {"number": 1})]) == [[(1,)]]
    pool.release(used)
    assert (used.closed, len(pool.idle)) == (True, 0)
    with pytest.raises(PoolTimeout, match="closed"):
        await pool.acquire()
    assert is_unused(pool)
    assert len(connecting.opened) == 2


async def test_close_fails_waiting_acquires(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=30.0)
    held = await pool.acquire()
    waiting = [asyncio.create_task(pool.acquire()) for _ in range(3)]
    await run_loop()
    pool.close()
    pool.release(held)
    for task in waiting:
        with pytest.raises(PoolTimeout, match="closed"):
            await task
    assert is_unused(pool)
    assert len(connecting.opened) == 1


async def test_connection_opened_during_close_is_closed(connecting: RecordingConnect) -> None:
    pool = ConnectionPool(connecting.hosts, size=1, timeout=30.0)
    taking = asyncio.create_task(pool.acquire())
    await run_loop(1)
    pool.close()
    connection = await taking
    assert not connection.closed
    pool.release(connection)
    assert connection.closed
    assert is_unused(pool)
