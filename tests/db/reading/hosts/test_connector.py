"""Opening connections: over good hosts evenly, past bad ones within the pool's wait, to the role that is meant.

Covers `db/reading/pool.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

import pytest
from psycopg import OperationalError

from db.reading.connection import MAX_AGE_SECONDS, Connection
from db.reading.hosts import connector
from db.reading.hosts.host import Host, HostState
from db.reading.hosts.hosts import Hosts
from db.reading.pool import SPREAD_SECONDS, ConnectionPool, PoolTimeout
from tests.db.reading.hosts.conftest import Proxies, address_of

WAIT = 2.0
"""Seconds, as the pool waits by default."""


class Opening:
    """A pool, and the connections that it opened."""

    def __init__(self, address: str, wait: float) -> None:
        self.hosts = Hosts(address)
        self.pool = ConnectionPool(self.hosts, size=40, timeout=wait)
        self.opened: list[Connection] = []

    async def open(self) -> Connection:
        connection = await self.pool.acquire()
        self.opened.append(connection)
        return connection

    async def failure(self) -> str:
        """Why none of the hosts can be connected to."""
        with pytest.raises(OperationalError) as raised:
            await self.pool._connect(asyncio.get_running_loop().time() + WAIT, ())
        return str(raised.value)

    async def host(self) -> Host | None:
        """The host of another connection."""
        return (await self.open()).host

    def counts(self) -> list[int]:
        """The number of connections to each host."""
        return [self.pool.by_host()[host] for host in self.hosts.all]


@asynccontextmanager
async def opening(address: str, wait: float = WAIT) -> AsyncIterator[Opening]:
    opening = Opening(address, wait)
    try:
        yield opening
    finally:
        for connection in opening.opened:
            connection.finish()


async def test_connections_are_spread_evenly(proxies: Proxies, owner_url: str) -> None:
    async with opening(address_of(proxies(3), owner_url)) as over:
        await asyncio.gather(*(over.open() for _ in range(6)))
        assert over.counts() == [2, 2, 2]
        for connection in over.opened[:3]:
            connection.finish()
        for _ in range(3):
            await over.open()
        assert over.counts() == [2, 2, 2]
        assert [host.state for host in over.hosts.all] == [HostState.up] * 3


async def test_refusing_host_is_passed_over_and_remembered(proxies: Proxies, owner_url: str) -> None:
    bad, good = proxies(2)
    bad.refuse = True
    async with opening(address_of([bad, good], owner_url)) as over:
        await asyncio.gather(*(over.open() for _ in range(4)))
        assert over.counts() == [0, 4]
        tried = bad.opened
        await over.open()
        assert bad.opened == tried, "it is known to be down"
        assert over.hosts.all[0].state is HostState.down


async def test_hung_host_costs_its_share_of_the_wait(proxies: Proxies, owner_url: str) -> None:
    hung, good = proxies(2)
    hung.swallow = True
    async with opening(address_of([hung, good], owner_url)) as over:
        await asyncio.gather(*(over.open() for _ in range(4)))
        assert over.counts() == [0, 4]
        assert over.hosts.all[0].last_error == "no answer within 1.0 s"
        tried = hung.opened
        await over.open()
        assert hung.opened == tried


@pytest.mark.parametrize(
    ("wait", "state"), [(connector.SHORTEST_ATTEMPT / 2, HostState.unknown), (0.3, HostState.down)]
)
async def test_hung_host_is_down_after_a_while(wait: float, state: HostState, proxies: Proxies, owner_url: str) -> None:
    (hung,) = proxies(1)
    hung.swallow = True
    async with opening(address_of([hung], owner_url), wait) as over:
        with pytest.raises(PoolTimeout, match="no answer"):
            await over.open()
        assert over.hosts.all[0].state is state


async def test_short_attempt_tells_the_cause_before(proxies: Proxies, owner_url: str) -> None:
    (hung,) = proxies(1)
    hung.swallow = True
    async with opening(address_of([hung], owner_url), connector.SHORTEST_ATTEMPT / 2) as over:
        over.hosts.all[0].failed("FATAL:  too many connections")
        with pytest.raises(PoolTimeout, match=r"FATAL:  too many connections$"):
            await over.open()


async def test_error_names_each_host_and_no_secret(proxies: Proxies, owner_url: str) -> None:
    (refusing,) = proxies(1)
    refusing.refuse = True
    address = address_of([refusing], owner_url, password="correct-horse")
    address = address.replace("host=127.0.0.1", "host=127.0.0.1,127.0.0.1").replace("port=", "port=1,")
    async with opening(address) as over:
        failure = await over.failure()
        parts = sorted(failure.split("; "))
        assert parts[0] == "127.0.0.1:1: Connection refused"
        assert parts[1].startswith(f"127.0.0.1:{refusing.port}: ")
        assert "correct-horse" not in failure


async def test_hosts_that_are_down_are_tried_without_others(proxies: Proxies, owner_url: str) -> None:
    pair = proxies(2)
    for proxy in pair:
        proxy.refuse = True
    async with opening(address_of(pair, owner_url)) as over:
        assert await over.failure()
        pair[1].refuse = False
        assert await over.host() is over.hosts.all[1]


@pytest.mark.parametrize("target", ["any", "primary", "prefer-standby"])
async def test_primary_is_used_where_it_is_meant(target: str, proxies: Proxies, owner_url: str) -> None:
    async with opening(address_of(proxies(2), owner_url, target_session_attrs=target)) as over:
        await over.open()
        assert sum(over.counts()) == 1
        assert [host.role for host in over.hosts.all].count("primary") >= 1


async def test_standby_is_awaited_in_vain_on_a_primary(proxies: Proxies, owner_url: str) -> None:
    pair = proxies(2)
    async with opening(address_of(pair, owner_url, target_session_attrs="standby")) as over:
        assert "is primary, and target_session_attrs is standby" in await over.failure()
        assert over.counts() == [0, 0]
    for proxy in pair:
        async with asyncio.timeout(10):
            while proxy.connections:
                await asyncio.sleep(0.01)


@pytest.fixture
def standbys(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The ports of the hosts that say that they are standbys."""
    ports: set[int] = set()

    async def ask(connection: Connection) -> None:
        is_standby = connection.host.listed.port in ports
        connection.host.answered(is_standby=is_standby, is_read_only=is_standby)

    monkeypatch.setattr(Connection, "is_primary", False)
    monkeypatch.setattr(connector, "ask_session_state", ask)
    return ports


@pytest.mark.parametrize("target", ["standby", "prefer-standby", "read-only"])
async def test_standby_is_found_among_others(target: str, proxies: Proxies, owner_url: str, standbys: set[int]) -> None:
    primary, standby, another = trio = proxies(3)
    standbys.add(standby.port)
    for _ in range(4):
        async with opening(address_of(trio, owner_url, target_session_attrs=target)) as over:
            await asyncio.gather(*(over.open() for _ in range(3)))
            assert over.counts() == [0, 3, 0]
            async with asyncio.timeout(10):
                while primary.connections or another.connections:
                    await asyncio.sleep(0.01)


async def test_primary_is_preferred_to_hosts_that_fail(proxies: Proxies, owner_url: str, standbys: set[int]) -> None:
    pair = proxies(2)
    standby = pair[1]
    standbys.add(standby.port)
    standby.refuse = True
    async with opening(address_of(pair, owner_url, target_session_attrs="prefer-standby")) as over:
        await over.open()
        await over.open()
        assert over.counts() == [2, 0]
        standby.refuse = False
        over.hosts.all[1].answered(is_standby=True, is_read_only=True)
        await over.open()
        assert over.counts() == [2, 1]


async def test_promoted_host_is_found_among_standbys(proxies: Proxies, owner_url: str, standbys: set[int]) -> None:
    old, new = pair = proxies(2)
    standbys.add(new.port)
    async with opening(address_of(pair, owner_url, target_session_attrs="primary")) as over:
        assert await over.host() is over.hosts.all[0]
        standbys.clear()
        old.refuse = True
        assert await over.host() is over.hosts.all[1]


async def test_role_behind_pooler_is_asked(proxies: Proxies, owner_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "is_primary", False)
    async with opening(address_of(proxies(1), owner_url)) as over:
        await over.open()
        (host,) = over.hosts.all
        assert (host.role, host.access) == ("primary", "read-write")


async def test_read_write_follows_the_default_of_the_role(proxies: Proxies, owner_url: str) -> None:
    parameters = {"target_session_attrs": "read-write", "options": "-cdefault_transaction_read_only=on"}
    async with opening(address_of(proxies(1), owner_url, **parameters)) as over:
        assert "is read-only, and target_session_attrs is read-write" in await over.failure()


async def test_age_is_limited_only_among_several_hosts(proxies: Proxies, owner_url: str) -> None:
    pair = proxies(2)
    async with opening(address_of(pair, owner_url)) as over, opening(address_of(pair[:1], owner_url)) as alone:
        opened_at = perf_counter()
        ages = [(await over.open()).expires_at - opened_at for _ in range(4)]
        assert all(0.8 * SPREAD_SECONDS <= age <= SPREAD_SECONDS + WAIT for age in ages)
        assert max(ages) - min(ages) > 1.0
        assert (await alone.open()).expires_at - opened_at >= MAX_AGE_SECONDS


async def test_cancelled_opening_leaves_no_connection(proxies: Proxies, owner_url: str) -> None:
    async with opening(address_of(proxies(2), owner_url)) as over:
        for turns in range(0, 60, 3):
            task = asyncio.create_task(over.open())
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert sum(over.counts()) == len(over.opened)


async def test_stale_standby_is_no_better_than_a_primary(proxies: Proxies, owner_url: str) -> None:
    pair = proxies(2)
    async with opening(address_of(pair, owner_url, target_session_attrs="prefer-standby")) as over:
        unknown, stale = over.hosts.all
        stale.answered(is_standby=True, is_read_only=True)
        stale.lag_seconds = 31.0
        assert [await over.host() for _ in range(3)] == [unknown] * 3
        assert pair[1].opened == 0
