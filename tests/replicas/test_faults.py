"""Replicas that are killed, hang or are promoted under load: no request fails but those that find no server.

Connections spread again after a return, and recovery conflicts are repeated elsewhere.
"""

import asyncio
import time
from pathlib import Path
from uuid import uuid4

import pytest

from db.reading import pool
from db.reading.database import Database, RepeatCause
from tests.db.reading.recording import NUMBER, SLEEP, opened
from tests.faults.clients import metric_value
from tests.faults.database.conftest import over
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.service import Serving
from tests.helpers.waiting import becomes, until
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


SIZE = 4


async def read_at_once(database: Database) -> None:
    """As many reads as there are connections."""
    await asyncio.gather(*(database.read_rows(uuid4(), [(NUMBER, {"number": n})]) for n in range(SIZE)))


async def read_until_connections_are(database: Database, *numbers: int) -> None:
    """Read until there are so many connections to each host, in the order of the address."""
    async with asyncio.timeout(30):
        while list(database.connections_by_host().values()) != list(numbers):
            await read_at_once(database)
            await asyncio.sleep(0.02)


async def test_connections_spread_after_a_return(cluster: ReplicationCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SPREAD_SECONDS", 0.5)
    killed, other = cluster.replicas
    async with opened(cluster.url(killed, other), size=SIZE, tenant_share=1.0) as database:
        await read_until_connections_are(database, 2, 2)
        killed.kill()
        try:
            await read_until_connections_are(database, 0, 4)
        finally:
            killed.server.start()
        await read_until_connections_are(database, 2, 2)


async def test_recovery_conflict_is_repeated_on_the_other_replica(cluster: ReplicationCluster) -> None:
    strict, other = cluster.replicas
    with cluster.primary.session() as primary:
        primary.execute("CREATE TABLE removed AS SELECT generate_series(1, 1000) AS number")
        strict.set(max_standby_streaming_delay="0")
        try:
            async with opened(cluster.url(strict, other), size=SIZE, tenant_share=1.0) as database:
                await read_until_connections_are(database, 2, 2)
                slow = [(SLEEP, {"seconds": 2.0})]
                reading = [asyncio.create_task(database.read_rows(uuid4(), slow)) for _ in range(SIZE)]
                sleeping = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(%'"
                await becomes(lambda: strict.run(f"{sleeping} AND pid <> pg_backend_pid()") == [(2,)])
                primary.execute("DELETE FROM removed")
                primary.execute("VACUUM removed")
                await asyncio.gather(*reading)
                assert database.repeated == {**dict.fromkeys(RepeatCause, 0), RepeatCause.recovery_conflict: 2}
        finally:
            strict.set(max_standby_streaming_delay="")
            primary.execute("DROP TABLE removed")
