"""Reads while hosts fail: repeated on another host within the deadline; recovery conflicts; pings past a hung host.

Covers `db/reading/database.py` and `db/reading/pool.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from time import perf_counter
from typing import Any

import psycopg
import pytest

from db.reading.connection import BoundSql, Connection, Row
from db.reading.database import RepeatCause, request_deadline
from db.reading.hosts import monitor
from db.reading.hosts.host import Host, HostState
from tests.db.reading.hosts.conftest import Proxies, address_of
from tests.db.reading.recording import NUMBER, SLEEP, UNKNOWN_ORGANIZATION, RecordingDatabase, opened
from tests.faults.proxy import Proxy


class Failover:
    """A database over two hosts, which are proxies to one server."""

    def __init__(self, database: RecordingDatabase, proxies: list[Proxy]) -> None:
        self.database = database
        self.proxies = dict(zip(database.hosts.all, proxies, strict=True))

    async def read(self, number: int = 1) -> int:
        (((found,),),) = await self.database.read_rows(UNKNOWN_ORGANIZATION, [(NUMBER, {"number": number})])
        return int(found)

    async def fill(self) -> None:
        """Open all connections: a half of them to each host."""
        pool = self.database.pool
        for connection in [await pool.acquire() for _ in range(pool.size)]:
            pool.release(connection)
        assert set(self.database.connections_by_host().values()) == {pool.size // 2}

    def next_host(self) -> Host:
        """The host of the connection that the next read uses."""
        return self.database.pool.idle[-1].host

    def hang(self, host: Host) -> None:
        self.proxies[host].swallow = True
        self.proxies[host].silence()


@pytest.fixture
async def failover(proxies: Proxies, owner_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Failover]:
    monkeypatch.setattr(monitor, "SILENT_SECONDS", 0.2)
    monkeypatch.setattr(monitor, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(monitor, "KEPT_SECONDS", 0.3)
    monkeypatch.setattr(monitor, "NEW_SECONDS", 0.3)
    pair = proxies(2)
    async with opened(address_of(pair, owner_url), size=4) as database:
        failover = Failover(database, pair)
        async with asyncio.timeout(20):
            while any(host.state is not HostState.up for host in failover.proxies) or not database.pool.idle:
                await asyncio.sleep(0.005)
        yield failover


async def test_lost_connections_fail_no_read(failover: Failover) -> None:
    await failover.fill()
    host = failover.next_host()
    failover.proxies[host].refuse = True
    failover.proxies[host].reset()
    assert await asyncio.gather(*(failover.read(number) for number in range(8))) == list(range(8))
    assert failover.database.connections_by_host()[host] == 0
    assert failover.database.repeated[RepeatCause.lost_connection] >= 1


async def test_read_on_a_host_that_hangs_is_repeated(failover: Failover) -> None:
    await failover.fill()
    host = failover.next_host()
    failover.hang(host)
    async with request_deadline(asyncio.get_running_loop().time() + 60):
        assert await asyncio.gather(*(failover.read(number) for number in range(4))) == list(range(4))
    assert host.state is HostState.down
    assert failover.database.repeated[RepeatCause.lost_connection] == 2
    assert failover.database.connections_by_host()[host] == 0


async def test_repetition_ends_at_the_deadline(failover: Failover) -> None:
    for host in failover.proxies:
        failover.hang(host)
    loop = asyncio.get_running_loop()
    with pytest.raises(TimeoutError):
        async with request_deadline(loop.time() + 0.3):
            await failover.read()


async def test_slow_read_is_not_repeated(failover: Failover) -> None:
    await failover.database.read_rows(UNKNOWN_ORGANIZATION, [(SLEEP, {"seconds": 1.5})])
    assert failover.database.transactions == [1]


async def test_read_without_an_answer_makes_its_host_suspect(proxies: Proxies, owner_url: str) -> None:
    (hung,) = proxies(1)
    async with opened(address_of([hung], owner_url), size=1, statement_timeout=0.05) as database:
        await database.ping()
        hung.swallow = True
        hung.silence()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await database.ping()
        assert database.hosts.all[0].suspect_before > 0


async def test_ping_passes_a_hung_host(failover: Failover) -> None:
    await failover.fill()
    failover.hang(failover.next_host())
    async with asyncio.timeout(10):
        await failover.database.ping()


async def test_connections_spread_again_when_a_host_returns(failover: Failover) -> None:
    host = failover.next_host()
    failover.proxies[host].refuse = True
    failover.proxies[host].reset()
    assert await failover.read(2) == 2
    pool = failover.database.pool
    connections = [await pool.acquire() for _ in range(4)]
    for connection in connections:
        pool.release(connection)
        connection.expires_at = perf_counter() + 60
    assert failover.database.connections_by_host()[host] == 0
    failover.proxies[host].refuse = False
    host.answered(is_standby=False, is_read_only=False)
    await asyncio.gather(*(failover.read() for _ in range(4)))
    assert failover.database.connections_by_host()[host] == 0, "the others are not old enough"
    for connection in connections:
        connection.expires_at -= 61
    await failover.fill()


class Conflicts:
    """Lets the next reads fail as PostgreSQL does on a standby that must apply a change."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 0
        self.hosts: list[Host] = []
        read = Connection.exchange

        async def conflicting(connection: Connection, queries: Sequence[BoundSql], **keywords: Any) -> list[list[Row]]:
            # A connection that is being opened asks how tables are placed.
            if connection not in connection.host.reads:
                return await read(connection, queries, **keywords)
            self.hosts.append(connection.host)
            if self.left:
                self.left -= 1
                raise psycopg.errors.SerializationFailure("canceling statement due to conflict with recovery")
            return await read(connection, queries, **keywords)

        monkeypatch.setattr(Connection, "exchange", conflicting)


async def test_recovery_conflict_is_repeated_elsewhere(failover: Failover, monkeypatch: pytest.MonkeyPatch) -> None:
    failover.database.hosts.close()  # its checks read, too
    conflicts = Conflicts(monkeypatch)
    conflicts.left = 1
    assert await failover.read(3) == 3
    assert set(conflicts.hosts) == set(failover.proxies)
    assert failover.database.repeated == {**dict.fromkeys(RepeatCause, 0), RepeatCause.recovery_conflict: 1}
    conflicts.left = 2
    with pytest.raises(psycopg.errors.SerializationFailure):
        await failover.read()
    failover.database.hosts.open()


async def test_recovery_conflict_of_one_host_is_repeated_there(owner_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(owner_url, size=1) as database:
        await database.ping()
        conflicts = Conflicts(monkeypatch)
        conflicts.left = 1
        (((number,),),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(NUMBER, {"number": 3})])
        assert number == 3
        assert database.repeated[RepeatCause.recovery_conflict] == 1
        assert len(set(conflicts.hosts)) == 1


async def test_retry_makes_room_in_a_full_pool(failover: Failover) -> None:
    pool = failover.database.pool
    await failover.fill()
    connections = [await pool.acquire() for _ in range(4)]
    first = connections[0].host
    busy = [connection for connection in connections if connection.host is not first]
    for connection in connections:
        if connection.host is first:
            pool.release(connection)
    another = await pool.acquire(avoid={first})
    assert another.host is not first
    assert (pool.queue.in_use, len(pool.idle)) == (3, 1)
    for connection in [another, *busy]:
        pool.release(connection)
