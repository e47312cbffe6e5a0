"""Replicas that are killed, hang or are promoted under load: no request fails but those that find no server."""

import time
from pathlib import Path

import pytest

from tests.faults.clients import metric_value
from tests.faults.database.conftest import over
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.service import Serving
from tests.helpers.waiting import until
from tests.replicas.cluster import ReplicationCluster, ReplicationNode

pytestmark = pytest.mark.replicas


def connections(running: Serving, node: ReplicationNode) -> float:
    """The connections of REST requests to a server."""
    return metric_value(running, "orgdata_database_host_connections", 'api="rest"', f'host="{node.host}"')


def fill_pool(running: Serving, cluster: ReplicationCluster, *nodes: ReplicationNode) -> None:
    """Have so many ask at once that the service has connections to each of these servers."""
    with Traffic(running, cluster.tenants, pause=0) as traffic:
        until(lambda: all(connections(running, node) for node in nodes))
        traffic.wait_for(10)
    assert set(traffic.counts()) == {200}


def test_killed_replica_fails_no_request(cluster: ReplicationCluster, tmp_path: Path) -> None:
    killed, other = cluster.replicas
    with over(cluster.url(killed, other), tmp_path) as running:
        fill_pool(running, cluster, killed, other)
        with Traffic(running, cluster.tenants, pause=0.02) as traffic:
            traffic.wait_for(40)
            killed.kill()
            try:
                traffic.wait_for(200)
                until(lambda: connections(running, killed) == 0)
            finally:
                killed.server.start()
        assert set(traffic.counts()) == {200}


def test_hung_replica_fails_no_request(cluster: ReplicationCluster, tmp_path: Path) -> None:
    hung, other = cluster.replicas
    # The hosts have the time to notice: a request on a connection that hangs is late, not lost.
    times = {"pool_wait": "2", "statement_timeout": "5", "deadline": "20"}
    with over(cluster.conninfo(hung, other), tmp_path, **times) as running:
        fill_pool(running, cluster, hung, other)
        with Traffic(running, cluster.tenants, pause=0.02) as traffic:
            traffic.wait_for(40)
            hung.hang()
            try:
                # Each client has asked again.
                traffic.wait_for(200)
            finally:
                hung.resume()
        assert set(traffic.counts()) == {200}


def test_promotion_under_load_needs_no_restart(cluster: ReplicationCluster, tmp_path: Path) -> None:
    primary, promoted = cluster.primary, cluster.replicas[0]
    with over(cluster.url(primary, promoted, target="primary"), tmp_path) as running:
        fill_pool(running, cluster, primary)
        with Traffic(running, cluster.tenants, pause=0.05) as traffic:
            traffic.wait_for(40)
            primary.kill()
            try:
                promoted.promote()
                # Requests that came before the promotion may have found no primary.
                with TeamsClient(running, cluster.tenants[0]) as asking:
                    asking.until_well(10)
                again = time.monotonic()
                traffic.wait_for(100)
            finally:
                cluster.follow(promoted)
    assert set(traffic.counts()) <= {200, 500}
    assert {answer.status for answer in traffic.answers if answer.began > again} == {200}
