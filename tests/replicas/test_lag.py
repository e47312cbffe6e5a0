"""Replicas that are behind: responses say the moment of their data, the hosts are avoided, and a new key works."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import UTC, datetime, timedelta

import httpx2 as httpx
import pytest

from db.admin.engine import connect
from db.jobs.exporting.export_run import snapshot_of
from db.reading import pool
from db.reading.data_as_of import DATA_AS_OF, LAG_SECONDS
from db.reading.hosts import monitor
from rest_facade.composition import Service
from rest_facade.settings import load
from tests.conftest import Connect
from tests.helpers.waiting import until
from tests.replicas.cluster import ReplicationCluster, ReplicationNode
from tests.rest_facade.graphql.client import varied

pytestmark = pytest.mark.replicas


@contextmanager
def delayed(replica: ReplicationNode) -> Iterator[None]:
    """A replica that replays no commit in here."""
    replica.set(recovery_min_apply_delay="1h")
    try:
        yield
    finally:
        replica.set(recovery_min_apply_delay="")


def test_export_from_a_replica_leaves_everything_to_the_next(cluster: ReplicationCluster) -> None:
    for node, is_settled in ((cluster.primary, True), (cluster.replicas[0], False)):
        with snapshot_of(connect(node.url()), cluster.tenants[0].id) as snapshot:
            assert (snapshot.settled_at > datetime(1900, 1, 1, tzinfo=UTC)) is is_settled


def serving(address: str, **settings: str) -> AbstractAsyncContextManager[Service]:
    return varied(load({"signing_keys": "a signing key of the tests", "quota_limit": "1000000", **settings}), address)


def moment(response: httpx.Response) -> datetime:
    return datetime.fromisoformat(response.headers["x-data-as-of"])


def rename(cluster: ReplicationCluster, name: str) -> None:
    """Commit a change of a team on the primary."""
    id_ = cluster.tenants[0].id
    cluster.primary.run(f"UPDATE organizations SET name = '{name}' WHERE organization_id = '{id_}'")


async def test_response_of_a_delayed_replica_has_its_own_date(cluster: ReplicationCluster, client: Connect) -> None:
    replica = cluster.replicas[0]
    async with serving(replica.url()) as service, client(cluster.tenants[0].key, of=service) as http:
        before = datetime.now(UTC)
        up_to_date = await http.get("/v1/organization/")
        assert before <= moment(up_to_date) <= datetime.now(UTC)
        rename(cluster, "Before")
        cluster.await_replay()
        with delayed(replica):
            changed_at = datetime.now(UTC)
            rename(cluster, "After")
            # What is on its way counts as soon as it is received.
            until(lambda: replica.run(f"SELECT {DATA_AS_OF} < '{changed_at.isoformat()}'") == [(True,)])
            stale = await http.get("/v1/organization/")
            assert stale.json()["name"] == "Before"
            assert moment(stale) < changed_at
            lag = service.database.hosts.all[0].lag_seconds
            assert lag is not None
            assert lag > 0
        cluster.await_replay(replica)
        fresh = await http.get("/v1/organization/", params={"updated_since": stale.headers["x-data-as-of"]})
        assert fresh.json()["name"] == "After"
        assert moment(fresh) > changed_at


@contextmanager
def hanging_link(cluster: ReplicationCluster, replica: ReplicationNode) -> Iterator[None]:
    """The primary sends nothing to its replicas in here, and keeps their connections; the replica seems up to date."""
    senders = [pid for (pid,) in cluster.primary.run("SELECT pid FROM pg_stat_replication")]

    def signal_senders(number: int) -> None:
        for pid in senders:
            os.kill(pid, number)

    def stop_between_records() -> bool:
        signal_senders(signal.SIGSTOP)
        seems_up_to_date = replica.run(f"SELECT {LAG_SECONDS}") == [(0.0,)]
        if not seems_up_to_date:
            signal_senders(signal.SIGCONT)
        return seems_up_to_date

    until(stop_between_records, every=0.1)
    try:
        yield
    finally:
        signal_senders(signal.SIGCONT)


async def test_hanging_replica_claims_20_seconds_at_most(cluster: ReplicationCluster, client: Connect) -> None:
    replica = cluster.replicas[0]
    rename(cluster, "Before")
    cluster.primary.run("GRANT pg_read_all_stats TO orgdata_service")
    cluster.await_replay()
    try:
        async with serving(replica.url()) as service, client(cluster.tenants[0].key, of=service) as http:
            with hanging_link(cluster, replica):
                changed_at = datetime.now(UTC)
                rename(cluster, "After")
                answers: list[httpx.Response] = []
                while not answers or moment(answers[-1]) > changed_at:
                    assert datetime.now(UTC) < changed_at + timedelta(seconds=30)
                    answers.append(await http.get("/v1/organization/"))
                    await asyncio.sleep(0.2)
            assert moment(answers[0]) > changed_at, "up to date for 15 s after the last message"
            assert {answer.json()["name"] for answer in answers} == {"Before"}
            assert max(map(moment, answers)) - changed_at < timedelta(seconds=20)
            assert service.readiness.host_reports() == {}
    finally:
        cluster.primary.run("REVOKE pg_read_all_stats FROM orgdata_service")
        cluster.await_replay()


async def test_replica_that_notices_a_hanging_link_late_is_reported(
    cluster: ReplicationCluster, caplog: pytest.LogCaptureFixture
) -> None:
    replica = cluster.replicas[0]
    warning = (
        "notices a network to its primary that hangs only after wal_receiver_timeout: set that to 15s, or"
        " GRANT pg_read_all_stats TO orgdata_service"
    )
    async with serving(replica.url()) as service:
        await service.database.ping()
        (report,) = service.readiness.host_reports()["database_hosts"]
        assert (report["state"], report["warning"]) == ("up", warning)
        assert caplog.messages.count(f"database host {replica.host} {warning}") == 1
    replica.set(wal_receiver_timeout="15s")
    try:
        async with serving(replica.url()) as service:
            await service.database.ping()
            assert service.readiness.host_reports() == {}
    finally:
        replica.set(wal_receiver_timeout="")


async def test_replica_without_its_primary_keeps_its_moment(cluster: ReplicationCluster) -> None:
    replica = cluster.replicas[0]
    rename(cluster, "Last")
    cluster.await_replay()
    cluster.primary.kill()
    try:
        until(lambda: replica.run("SELECT pid FROM pg_stat_wal_receiver") == [])
        query = f"SELECT {DATA_AS_OF}, {LAG_SECONDS}"
        ((first, lag),) = replica.run(query)
        ((second, later),) = replica.run(query)
    finally:
        cluster.primary.server.start()
    assert first == second < datetime.now(UTC)
    assert 0 < lag < later
    cluster.await_replay()
    until(lambda: replica.run(f"SELECT {LAG_SECONDS}") == [(0.0,)])


async def test_lagging_replica_is_left_and_used_again(
    cluster: ReplicationCluster, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "CHECK_SECONDS", 0.1)
    late, other = cluster.replicas
    async with (
        serving(cluster.url(late, other), replica_max_lag="0.5", pool_size="4") as service,
        client(cluster.tenants[0].key, of=service) as http,
    ):

        async def ask_until_connections_are(*numbers: int) -> None:
            async with asyncio.timeout(30):
                while list(service.database.connections_by_host().values()) != list(numbers):
                    responses = await asyncio.gather(*(http.get("/v1/organization/") for _ in range(8)))
                    assert {response.status_code for response in responses} == {200}
                    await asyncio.sleep(0.02)

        await ask_until_connections_are(2, 2)
        with delayed(late):
            rename(cluster, "New")
            await ask_until_connections_are(0, 4)
            responses = await asyncio.gather(*(http.get("/v1/organization/") for _ in range(8)))
            assert {response.json()["name"] for response in responses} == {"New"}
            (report, well) = service.readiness.host_reports()["database_hosts"]
            assert report["lag_seconds"] > 0.5
            assert report["last_error"].endswith(" s behind")
            assert (well["state"], well["lag_seconds"], well["last_error"]) == ("up", 0.0, None)
            line = f'orgdata_database_host_lag_seconds{{api="rest",host="{late.host}"}} '
            (sample,) = [each for each in service.public.metrics.exposition().decode().splitlines() if line in each]
            assert float(sample.removeprefix(line)) > 0.5
        # Connections spread again when they are replaced.
        monkeypatch.setattr(pool, "SPREAD_SECONDS", 0.5)
        for connection in [*service.database.pool.idle, *service.database.pool._tickets]:
            connection.expires_at = 0.0
        await ask_until_connections_are(2, 2)


async def test_new_key_works_before_the_replica_has_it(cluster: ReplicationCluster, client: Connect) -> None:
    replica = cluster.replicas[0]
    with delayed(replica):
        # A key that the replica has is needed, to see that the new one is not there.
        key, other_key = cluster.key(cluster.tenants[0]), cluster.key(cluster.tenants[1])
        async with (
            serving(replica.url()) as alone,
            serving(replica.url(), keys_database_url=cluster.primary.url()) as service,
        ):
            assert (await client(key, of=alone).get("/v1/teams/")).status_code == 401
            for each, tenant in ((key, cluster.tenants[0]), (other_key, cluster.tenants[1])):
                response = await client(each, of=service).get("/v1/teams/?limit=100")
                assert response.status_code == 200
                assert sorted(team["name"] for team in response.json()["results"]) == list(tenant.names)
