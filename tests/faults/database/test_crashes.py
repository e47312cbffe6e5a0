"""The database crashes, hangs or restarts: JSON errors within the deadline, and recovery within seconds."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.errors import assert_error
from tests.faults.database.cluster import Cluster
from tests.faults.database.conftest import DEADLINE, POOL_SIZE, fill_pool, over
from tests.faults.database.traffic import UNEXPECTED, TeamsClient, Traffic
from tests.faults.service import Serving
from tests.helpers.waiting import until

pytestmark = pytest.mark.fault


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


def test_terminated_connections_cause_no_errors(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    for _ in range(3):
        fill_pool(cluster, running)
        assert cluster.terminate() == POOL_SIZE
        assert [asking.teams().status for _ in range(5)] == [200] * 5
    with Traffic(running, cluster.tenants, pause=0.02) as traffic:
        for _ in range(3):
            traffic.wait_for(20)
            assert cluster.terminate()
        traffic.wait_for(20)
    assert set(traffic.counts()) == {200}


def test_fast_restart_recovers_within_seconds(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    with Traffic(running, cluster.tenants, clients=10, pause=0.2) as traffic:
        traffic.wait_for(20)
        began = time.monotonic()
        cluster.restart()
        traffic.wait_for(60)
    assert set(traffic.counts()) <= {200, 500}
    assert all(answer.ended < began + 3 for answer in traffic.errors())


def test_service_starts_before_its_database(cluster: Cluster, tmp_path: Path) -> None:
    cluster.server.stop()
    try:
        with over(cluster.url, tmp_path) as early, TeamsClient(early, cluster.tenants[0]) as asking:
            ready = f"{early.internal}/ready"
            assert asking.http.get(f"{early.internal}/live").status_code == 200
            assert asking.http.get(ready).status_code == 503
            assert_error(asking.get("/v1/teams/", cluster.tenants[0].key), 500, "INTERNAL_ERROR", UNEXPECTED)
            cluster.start()
            until(lambda: asking.http.get(ready).status_code == 200, 3)
            assert asking.until_well() < 3
            assert early.process.poll() is None
            # It stops with exit code 0 without its database, too.
            cluster.server.stop()
            assert asking.teams().status == 500
            assert early.stop() == 0
    finally:
        cluster.start()
