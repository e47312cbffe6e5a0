"""Order of hosts: good before bad, wanted before unwanted, few connections before many; and what is reported.

Covers `db/reading/hosts/host.py`.
"""

from math import inf

import pytest

from db.reading.hosts.address import SessionTarget
from db.reading.hosts.host import Host
from db.reading.hosts.hosts import Hosts
from tests.db.reading.hosts.conftest import StubRead


def three(target: SessionTarget = SessionTarget.any) -> tuple[Hosts, Host, Host, Host]:
    hosts = Hosts(f"host=192.0.2.1,192.0.2.2,192.0.2.3 target_session_attrs={target}")
    first, second, third = hosts.all
    return hosts, first, second, third


def is_primary(host: Host) -> None:
    host.answered(is_standby=False, is_read_only=False)


def is_standby(host: Host) -> None:
    host.answered(is_standby=True, is_read_only=True)


async def test_host_with_fewest_connections_comes_first() -> None:
    hosts, first, second, third = three()
    for _ in range(10):
        assert await hosts.in_order({first: 2, second: 1}) == [third, second, first]


async def test_equal_hosts_are_drawn() -> None:
    hosts, *all_hosts = three()
    assert {(await hosts.in_order({}))[0] for _ in range(200)} == set(all_hosts)


async def test_host_that_is_down_comes_last() -> None:
    hosts, first, second, third = three()
    second.failed("Connection refused")
    assert await hosts.in_order({first: 2, third: 1}) == [third, first, second]
    is_primary(second)
    assert (await hosts.in_order({first: 2, third: 1}))[0] is second


async def test_avoided_host_comes_after_its_equals() -> None:
    hosts, first, second, third = three()
    third.failed("Connection refused")
    assert await hosts.in_order({second: 5}, {first}) == [second, first, third]


async def test_hosts_in_another_role_come_later() -> None:
    hosts, first, second, third = three(SessionTarget.primary)
    is_standby(first)
    is_standby(second)
    is_primary(third)
    assert (await hosts.in_order({third: 8}))[0] is third
    third.failed("Connection refused")
    assert (await hosts.in_order({first: 1}))[0] is second, "it may have been promoted"


async def test_prefer_standby_tries_the_primary_later() -> None:
    hosts, first, second, third = three(SessionTarget.prefer_standby)
    is_primary(first)
    is_standby(second)
    third.failed("Connection refused")
    assert await hosts.in_order({second: 5}) == [second, first, third]
    assert hosts.refusal(first) is None


async def test_stale_host_comes_before_those_that_are_down_only() -> None:
    hosts, first, second, third = three(SessionTarget.prefer_standby)
    is_primary(first)
    is_standby(second)
    second.lag_seconds = 30.1
    third.failed("Connection refused")
    assert await hosts.in_order({first: 5}) == [first, second, third]
    second.lag_seconds = 30.0
    assert await hosts.in_order({second: 5}) == [second, first, third]


async def test_connections_to_a_stale_host_end_while_another_is_better() -> None:
    hosts, first, second, third = three(SessionTarget.standby)
    is_primary(third)
    is_standby(first)
    is_standby(second)
    first.lag_seconds, second.lag_seconds = inf, 31.0
    for lag, retires in ((31.0, False), (0.5, True), (inf, False)):
        second.lag_seconds = lag
        hosts.judge_lag(first)
        assert first.retires_connections is retires
    second.lag_seconds = 0.5
    second.failed("Connection refused")
    hosts.judge_lag(first)
    assert not first.retires_connections
    is_standby(second)
    first.lag_seconds = 30.0
    hosts.judge_lag(first)
    assert not first.retires_connections


async def test_report_says_the_lag() -> None:
    hosts, first, second, third = three()
    for host, lag in ((first, 45.0004), (second, inf), (third, 0.0)):
        is_standby(host)
        host.lag_seconds = lag
    assert [(report["lag_seconds"], report["last_error"]) for report in hosts.report()] == [
        (45.0, "is 45 s behind"),
        (None, "has an unknown lag"),
        (0.0, None),
    ]


@pytest.mark.parametrize(
    ("target", "of_primary", "of_standby"),
    [
        (SessionTarget.any, None, None),
        (SessionTarget.prefer_standby, None, None),
        (SessionTarget.primary, None, "is standby, and target_session_attrs is primary"),
        (SessionTarget.standby, "is primary, and target_session_attrs is standby", None),
        (SessionTarget.read_write, None, "is read-only, and target_session_attrs is read-write"),
        (SessionTarget.read_only, "is read-write, and target_session_attrs is read-only", None),
    ],
)
async def test_target_refuses_roles(target: SessionTarget, of_primary: str | None, of_standby: str | None) -> None:
    hosts, first, second, third = three(target)
    is_primary(first)
    is_standby(second)
    assert [hosts.refusal(host) for host in (first, second, third)] == [of_primary, of_standby, None]


async def test_read_write_never_holds_for_a_read_only_role() -> None:
    hosts, first, *_ = three(SessionTarget.read_write)
    first.answered(is_standby=False, is_read_only=True)
    assert hosts.refusal(first) == "is read-only, and target_session_attrs is read-write"


async def test_report_says_state_role_and_error() -> None:
    hosts, first, second, _ = three(SessionTarget.standby)
    is_primary(first)
    second.failed("Connection refused")
    assert [list(report.values()) for report in hosts.report()] == [
        ["192.0.2.1:5432", "up", "primary", "is primary, and target_session_attrs is standby", 0.0, None],
        ["192.0.2.2:5432", "down", None, "Connection refused", None, None],
        ["192.0.2.3:5432", "unknown", None, None, None, None],
    ]


async def test_better_host_is_up_and_wanted() -> None:
    hosts, first, second, third = three(SessionTarget.standby)
    assert list(hosts.better_than(first)) == []
    is_primary(second)
    assert list(hosts.better_than(first)) == []
    is_standby(third)
    assert list(hosts.better_than(first)) == [third]
    assert list(hosts.better_than(third)) == []


async def test_old_reads_are_given_up() -> None:
    _, host, *_ = three()
    old, later = StubRead(), StubRead()
    assert host.waits_since() == inf
    host.reads = {old: 1.0, later: 2.0}
    assert host.waits_since() == 1.0
    host.give_up_reads(2.0)
    assert [str(error) for error in old.errors] == ["database host 192.0.2.1:5432 does not answer"]
    assert later.errors == []
