"""Names of hosts: one host for each IP address, resolved again after a while, kept when a name server fails.

Covers `db/reading/hosts/hosts.py`.
"""

import asyncio
import socket
from collections.abc import Sequence
from typing import Any

import pytest

from db.reading.hosts import hosts
from db.reading.hosts.host import HostState
from db.reading.hosts.hosts import Hosts
from db.reading.hosts.monitor import MonitoredHosts
from tests.helpers.waiting import becomes


class Names:
    """Stands for the name server: the IP addresses of each name."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.addresses: dict[str, Sequence[str]] = {}
        self.asked: list[str] = []
        self.seconds = 0.0
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", self._resolve, raising=False)
        monkeypatch.setattr(hosts, "RESOLVED_SECONDS", 0.0)

    async def _resolve(self, host: str, port: int, **_: Any) -> list[Any]:
        self.asked.append(host)
        await asyncio.sleep(self.seconds)
        if host not in self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in self.addresses[host]]


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    return Names(monkeypatch)


def labels(of: Hosts) -> list[str]:
    return [host.label for host in of.all]


async def test_each_address_of_a_name_is_a_host(names: Names) -> None:
    names.addresses = {"db": ["192.0.2.1", "192.0.2.2", "192.0.2.1"], "other": ["192.0.2.9"]}
    of = Hosts("host=db,other port=5433")
    assert labels(of) == ["db:5433", "other:5433"]
    await of.refresh()
    assert labels(of) == ["db:5433 (192.0.2.1)", "db:5433 (192.0.2.2)", "other:5433"]
    assert [of.parameters(host) for host in of.all][1:] == [
        {"host": "db", "hostaddr": "192.0.2.2", "port": 5433, "target_session_attrs": "any"},
        {"host": "other", "hostaddr": "192.0.2.9", "port": 5433, "target_session_attrs": "any"},
    ]


async def test_host_is_kept_while_its_name_has_the_address(names: Names) -> None:
    names.addresses = {"db": ["192.0.2.1"]}
    of = Hosts("host=db")
    await of.refresh()
    (first,) = of.all
    names.addresses = {"db": ["192.0.2.2", "192.0.2.1"]}
    await of.refresh()
    assert of.all[1] is first
    assert labels(of) == ["db:5432 (192.0.2.2)", "db:5432 (192.0.2.1)"]
    names.addresses = {"db": ["192.0.2.2"]}
    await of.refresh()
    assert labels(of) == ["db:5432"]
    names.addresses = {}
    await of.refresh()
    assert labels(of) == ["db:5432"], "a name that can't be resolved keeps its hosts"


async def test_unknown_name_is_down(names: Names) -> None:
    of = Hosts("host=db")
    await of.refresh()
    (host,) = of.all
    assert (host.state, host.last_error) == (HostState.down, "its name can't be resolved")


async def test_concurrent_refreshes_share_one_resolution(names: Names) -> None:
    names.addresses = {"db": ["192.0.2.1"]}
    of = Hosts("host=db")
    waiting = [asyncio.create_task(of.refresh()) for _ in range(5)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert names.asked == ["db"]
    assert labels(of) == ["db:5432"]


async def test_known_addresses_are_used_while_the_name_server_hangs(names: Names) -> None:
    names.addresses = {"db": ["192.0.2.1"]}
    of = Hosts("host=db")
    await of.refresh()
    names.seconds, names.addresses = 0.5, {"db": ["192.0.2.2"]}
    async with asyncio.timeout(0.45):
        assert [host.hostaddr for host in await of.in_order({})] == ["192.0.2.1"]
    async with asyncio.timeout(0.1):
        await of.in_order({})  # Another caller has waited.
    await asyncio.sleep(0.4)
    assert [host.hostaddr for host in of.all] == ["192.0.2.2"], "the resolution goes on"
    assert names.asked == ["db", "db"]


async def test_first_resolution_is_waited_for(names: Names) -> None:
    names.seconds, names.addresses = 0.5, {"db": ["192.0.2.1"]}
    assert [host.hostaddr for host in await Hosts("host=db").in_order({})] == ["192.0.2.1"]


async def test_close_ends_a_resolution(names: Names) -> None:
    names.addresses = {"db": ["192.0.2.1"]}
    of = MonitoredHosts("host=db")
    of.open()
    await of.refresh()
    names.seconds = 2.0
    others = asyncio.all_tasks()
    await of.refresh()
    assert asyncio.all_tasks() - others
    of.close()
    await becomes(lambda: not asyncio.all_tasks() - others)


async def test_loop_without_threads_keeps_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def shut_down(*arguments: object, **options: object) -> None:
        raise RuntimeError("Executor shutdown has been called")

    of = Hosts("host=localhost")
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", shut_down, raising=False)
    await of.refresh()
    assert [host.last_error for host in of.all] == ["its name can't be resolved"]


async def test_names_are_kept_for_a_while(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "RESOLVED_SECONDS", 60.0)
    names.addresses = {"db": ["192.0.2.1"]}
    of = Hosts("host=db")
    await of.refresh()
    await of.refresh()
    assert names.asked == ["db"]


@pytest.mark.parametrize(
    ("address", "is_checked"),
    [
        ("host=db", True),
        ("host=192.0.2.1,192.0.2.2", True),
        ("host=192.0.2.1", False),
        ("host=::1", False),
        ("host=/run/postgresql", False),
        ("dbname=db", False),
        ("host=db hostaddr=192.0.2.1", False),
    ],
)
async def test_names_and_lists_are_checked(address: str, is_checked: bool, names: Names) -> None:
    of = MonitoredHosts(address)
    of.open()
    assert (of._task is not None) is is_checked
    of.close()
    await of.refresh()
    assert names.asked == (["db"] if address == "host=db" else [])
