"""Checks in the background: hosts that fail and return, reads on a host that hangs, an address of one host."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from time import perf_counter

import psycopg
import pytest

from db.reading.hosts import monitor
from db.reading.hosts.host import Host, HostState
from db.reading.hosts.monitor import MonitoredHosts
from tests.db.reading.hosts.conftest import Proxies, StubRead, address_of
from tests.faults.proxy import Proxy


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks follow each other at once."""
    monkeypatch.setattr(monitor, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(monitor, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(monitor, "SILENT_SECONDS", 0.1)
    monkeypatch.setattr(monitor, "KEPT_SECONDS", 0.3)
    monkeypatch.setattr(monitor, "NEW_SECONDS", 0.3)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.005)


def is_unused(proxy: Proxy) -> bool:
    return proxy.connections == 0


class Watched:
    """Two proxies to one server, and their hosts, which are checked."""

    def __init__(self, proxies: list[Proxy], url: str) -> None:
        self.proxies = proxies
        self.hosts = MonitoredHosts(address_of(proxies, url))

    def are(self, *states: HostState) -> bool:
        return [host.state for host in self.hosts.all] == list(states)


@pytest.fixture
async def pair(proxies: Proxies, owner_url: str) -> AsyncIterator[Watched]:
    watched = Watched(proxies(2), owner_url)
    watched.hosts.open()
    await until(lambda: watched.are(HostState.up, HostState.up))
    yield watched
    watched.hosts.close()
    for proxy in watched.proxies:
        await until(partial(is_unused, proxy))


async def test_host_that_fails_and_returns_is_noticed(pair: Watched) -> None:
    pair.proxies[0].refuse = True
    pair.proxies[0].reset()
    await until(lambda: pair.are(HostState.down, HostState.up))
    assert pair.hosts.all[0].last_error
    pair.proxies[0].refuse = False
    await until(lambda: pair.are(HostState.up, HostState.up))
    assert pair.hosts.all[0].last_error is None


async def test_host_that_hangs_and_returns_is_noticed(pair: Watched) -> None:
    pair.proxies[1].swallow = True
    pair.proxies[1].silence()
    await until(lambda: pair.are(HostState.up, HostState.down))
    assert str(pair.hosts.all[1].last_error).startswith("no answer within ")
    assert pair.hosts.all[1].suspect_before > 0, "connections without a later answer are not used again"
    pair.proxies[1].swallow = False
    await until(lambda: pair.are(HostState.up, HostState.up))


async def test_check_keeps_one_connection(pair: Watched) -> None:
    asked = pair.proxies[0].round_trips
    await until(lambda: pair.proxies[0].round_trips >= asked + 5)
    assert [proxy.opened for proxy in pair.proxies] == [1, 1]


async def test_host_that_left_its_name_keeps_no_connection(pair: Watched) -> None:
    pair.hosts.all = pair.hosts.all[:1]
    await until(partial(is_unused, pair.proxies[1]))


def read_without_answer(host: Host) -> StubRead:
    """Let a read begin on the host that never ends."""
    read = StubRead()
    host.reads[read] = perf_counter()
    return read


async def test_reads_on_a_hanging_host_are_given_up(pair: Watched) -> None:
    read = read_without_answer(pair.hosts.all[0])
    asked = pair.proxies[0].round_trips
    await until(lambda: pair.proxies[0].round_trips >= asked + 5)
    assert read.errors == [], "a read that takes long is not given up while its host answers"
    pair.proxies[0].swallow = True
    pair.proxies[0].silence()
    await until(lambda: read.errors != [])


async def test_reads_are_not_given_up_without_a_better_host(pair: Watched) -> None:
    for proxy in pair.proxies:
        proxy.swallow = True
        proxy.silence()
    await until(lambda: pair.are(HostState.down, HostState.down))
    read = read_without_answer(pair.hosts.all[0])
    tried = pair.proxies[0].opened
    await until(lambda: pair.proxies[0].opened >= tried + 2)
    assert read.errors == []


async def test_reads_go_on_while_a_host_refuses_connections(pair: Watched) -> None:
    """As a server with too many clients does."""
    read = read_without_answer(pair.hosts.all[0])
    pair.proxies[0].refuse = True
    pair.proxies[0].reset()
    tried = pair.proxies[0].opened
    await until(lambda: pair.proxies[0].opened >= tried + 2)
    assert pair.are(HostState.down, HostState.up)
    assert read.errors == []


async def test_promoted_standby_loses_connections_meant_for_standbys(proxies: Proxies, owner_url: str) -> None:
    hosts = MonitoredHosts(address_of(proxies(2), owner_url, target_session_attrs="standby"))
    first = hosts.all[0]
    first.answered(is_standby=True, is_read_only=True)
    hosts.open()
    try:
        await until(lambda: first.role == "primary")
        assert first.suspect_before > 0
    finally:
        hosts.close()


async def test_one_host_is_not_checked(proxies: Proxies, owner_url: str) -> None:
    (proxy,) = proxies(1)
    hosts = MonitoredHosts(address_of([proxy], owner_url))
    hosts.open()
    with psycopg.connect(address_of([proxy], owner_url)):
        await asyncio.sleep(0.05)
    hosts.close()
    assert proxy.opened == 1


async def test_checks_stop_with_the_last_user(pair: Watched) -> None:
    pair.hosts.open()
    pair.hosts.close()
    asked = pair.proxies[0].round_trips
    await until(lambda: pair.proxies[0].round_trips >= asked + 2)
