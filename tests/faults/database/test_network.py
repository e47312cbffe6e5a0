"""A slow or broken network to the database: responses are late or a 500, never truncated or mixed up.

The database crashes, hangs or restarts: JSON errors within the deadline, and recovery within seconds.
"""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.faults.database.cluster import Cluster
from tests.faults.database.conftest import DEADLINE, POOL_SIZE, fill_pool
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.proxy import Proxy
from tests.faults.service import Serving
from tests.helpers.waiting import until

pytestmark = pytest.mark.fault

LATENCY = 0.2
MEGABIT = 125_000
"""Bytes a second."""


@pytest.fixture
def network(cluster: Cluster, asking: TeamsClient) -> Iterator[Proxy]:
    """The proxy between the service and its database; repaired after the test."""
    yield cluster.proxy
    cluster.proxy.latency, cluster.proxy.bandwidth, cluster.proxy.slice, cluster.proxy.limit = 0.0, None, None, None
    cluster.proxy.once = cluster.proxy.abrupt = cluster.proxy.swallow = False


@pytest.mark.parametrize("known", [True, False], ids=["known key", "new key"])
def test_latency_is_added_per_round_trip(known: bool, cluster: Cluster, network: Proxy, asking: TeamsClient) -> None:
    # Key look-ups have connections of their own, which a crash may have closed, and prepare their statements in time.
    for _ in range(6):
        asking.teams(cluster.key(asking.tenant))
    network.latency, network.bandwidth = LATENCY, MEGABIT
    rest = []
    for _ in range(5):
        key = asking.tenant.key if known else cluster.key(asking.tenant)
        before = network.round_trips
        answer = asking.teams(key)
        trips = network.round_trips - before
        assert answer.status == 200
        assert trips == (1 if known else 2)
        rest.append(answer.seconds - LATENCY * trips)
    # The rest is transfer at the limited bandwidth, and load of this machine.
    assert min(rest) <= 0.15
    assert max(rest) <= 0.5


def test_fragmented_answers_are_read_whole(network: Proxy, cluster: Cluster, running: Serving) -> None:
    network.slice = 100
    with Traffic(running, cluster.tenants, pause=0) as traffic:
        traffic.wait_for(16)
    assert set(traffic.counts()) == {200}


@pytest.mark.parametrize("abrupt", [False, True], ids=["closed", "reset"])
def test_truncated_answer_is_retried_once(abrupt: bool, network: Proxy, cluster: Cluster, running: Serving) -> None:
    network.abrupt, network.once = abrupt, True
    with Traffic(running, cluster.tenants, pause=0.02) as traffic:
        for limit in range(100, 8000, 400):
            network.limit = limit
            until(lambda: network.limit is None)
            # The next cut must not hit the second attempt of the same request.
            traffic.wait_for_pending()
    assert traffic.counts()[200] >= 80
    assert traffic.errors() == []


def test_always_truncated_answer_is_500(network: Proxy, asking: TeamsClient) -> None:
    network.limit = 3000
    answer = asking.teams()
    assert answer.status == 500
    assert answer.seconds < DEADLINE + 0.5
    network.limit = None
    assert asking.until_well() < 3


def test_resets_do_not_mix_up_answers(network: Proxy, cluster: Cluster, running: Serving) -> None:
    with Traffic(running, cluster.tenants, pause=0) as traffic:
        for _ in range(20):
            network.reset()
            traffic.wait_for(4)
    assert traffic.counts()[200] >= 60


def test_black_hole_is_500_at_deadline(network: Proxy, cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    with Traffic(running, cluster.tenants) as traffic:
        traffic.wait_for(20)
        network.swallow = True
        # All of them have waited at least twice.
        until(lambda: len(traffic.errors()) >= 20 or bool(traffic.unexpected))
        network.swallow = False
        back = time.monotonic()
        until(lambda: any(each.status == 200 and each.began > back for each in traffic.answers), 3)
        traffic.wait_for(60)
    assert set(traffic.counts()) == {200, 500}
    assert all(answer.seconds < DEADLINE + 0.5 for answer in traffic.errors())
    assert not [answer for answer in traffic.errors() if answer.began > back + 3]


def test_silently_lost_connections_cost_one_deadline(
    network: Proxy, cluster: Cluster, running: Serving, asking: TeamsClient
) -> None:
    fill_pool(cluster, running)
    assert network.silence() >= POOL_SIZE
    answer = asking.teams()
    assert answer.status == 500
    assert answer.seconds < DEADLINE + 0.5
    # At most one more lost connection is used; not each of them costs a request.
    asking.until_well()


@pytest.mark.parametrize("outage", [0.0, 10.0], ids=["short", "long"])
def test_crash_is_500_until_restart(outage: float, cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    with Traffic(running, cluster.tenants, clients=20, pause=0.4) as traffic:
        traffic.wait_for(20)
        cluster.kill()
        # A pool with exponential back-off would reconnect five seconds too late.
        time.sleep(outage)
        cluster.start()
        back = time.monotonic()
        traffic.wait_for(100)
    counts = traffic.counts()
    assert set(counts) <= {200, 500}
    assert all(answer.seconds <= DEADLINE for answer in traffic.errors())
    assert min(answer.ended for answer in traffic.answers if answer.status == 200 and answer.ended > back) < back + 3
    assert not [answer for answer in traffic.errors() if answer.began > back + 3]


def test_hanging_backend_delays_one_request(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    # The connection that was used last is used next.
    pid = cluster.pids()[0]
    os.kill(pid, signal.SIGSTOP)
    try:
        with Traffic(running, cluster.tenants) as traffic:
            until(lambda: bool(traffic.errors()) or bool(traffic.unexpected))
        counts = traffic.counts()
        assert counts[500] == 1
        assert counts[200] > 20
        (failed,) = traffic.errors()
        assert DEADLINE <= failed.seconds < DEADLINE + 1
    finally:
        os.kill(pid, signal.SIGCONT)


def test_fast_restart_recovers_within_seconds(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    with Traffic(running, cluster.tenants, clients=10, pause=0.2) as traffic:
        traffic.wait_for(20)
        began = time.monotonic()
        cluster.restart()
        traffic.wait_for(60)
    assert set(traffic.counts()) <= {200, 500}
    assert all(answer.ended < began + 3 for answer in traffic.errors())
