"""The database is locked, full or changed: only requests that need the locked part fail."""

import time
from contextlib import ExitStack, closing, suppress

import psycopg
import pytest

from tests.errors import assert_error
from tests.faults.database.cluster import DATABASE, Cluster
from tests.faults.database.conftest import DEADLINE, POOL_WAIT
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.service import Serving
from tests.helpers.waiting import until
from tests.rest_facade.graphql.locks import locked

pytestmark = pytest.mark.fault


def fill(cluster: Cluster, stack: ExitStack) -> None:
    """Take all connections of the server that are not reserved for superusers."""
    with suppress(psycopg.OperationalError):
        while True:
            stack.enter_context(closing(psycopg.connect(cluster.server.url("orgdata_owner", DATABASE))))


def test_server_without_free_connections_is_500(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    with ExitStack() as others:

        def is_refused() -> bool:
            # The service may be the first to take one of its connections again.
            cluster.terminate()
            fill(cluster, others)
            return asking.teams().status == 500

        until(is_refused, 30)
        answer = asking.teams()
        assert answer.status == 500
        assert answer.seconds < DEADLINE
    assert asking.until_well() < 3


def test_exhausted_pool_does_not_delay_other_answers(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    url = cluster.server.url("postgres", DATABASE)
    with TeamsClient(running, cluster.tenants[0], "127.0.0.77") as blocked:
        for _ in range(10):
            assert_error(blocked.get("/v1/teams/", "malformed"), 401, "INVALID_API_KEY")
        with locked(url, "teams"), Traffic(running, cluster.tenants, pause=0) as traffic:
            until(lambda: len(cluster.pids("active")) == 4)
            took = []
            for _ in range(3):
                began = time.monotonic()
                assert_error(asking.get("/v1/nowhere/"), 404, "ROUTE_NOT_FOUND")
                assert_error(asking.get("/v1/teams/", method="POST"), 405, "METHOD_NOT_ALLOWED")
                assert asking.get("/v1/teams/", method="OPTIONS").status_code == 204
                assert_error(blocked.get("/v1/teams/", "malformed"), 429, "AUTH_FAILURE_THROTTLE")
                took.append(time.monotonic() - began)
            with TeamsClient(running, cluster.tenants[0], "127.0.0.78") as other:
                assert_error(other.get("/v1/teams/", "malformed"), 401, "INVALID_API_KEY")
            assert min(took) < 0.2
            traffic.wait_for(8)
        failed = traffic.errors()
        assert failed
        assert all(answer.seconds < DEADLINE + 0.5 for answer in failed)
        # Requests without a connection waited for POOL_WAIT.
        assert min(answer.seconds for answer in failed) < POOL_WAIT + 0.5


def test_read_only_server_is_served(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    try:
        cluster.run("ALTER SYSTEM SET default_transaction_read_only = on")
        cluster.run("SELECT pg_reload_conf()")
        until(lambda: cluster.run("SHOW default_transaction_read_only") == [("on",)])
        with Traffic(running, cluster.tenants, pause=0) as traffic:
            traffic.wait_for(40)
        assert set(traffic.counts()) == {200}
        assert asking.teams(cluster.tenants[0].key).status == 200
    finally:
        with cluster.session() as session:
            session.execute("SET default_transaction_read_only = off")
            session.execute("ALTER SYSTEM RESET default_transaction_read_only")
            session.execute("SELECT pg_reload_conf()")


def test_migration_delays_requests_for_its_lock_only(cluster: Cluster, running: Serving, asking: TeamsClient) -> None:
    with Traffic(running, cluster.tenants, pause=0.02) as traffic:
        traffic.wait_for(60)
        for type_ in ("varchar", "text", "varchar", "text"):
            cluster.run(f"ALTER TABLE teams ALTER COLUMN name TYPE {type_}")
            traffic.wait_for(60)
        cluster.run("ALTER TABLE teams ADD COLUMN later int NOT NULL DEFAULT 0")
        traffic.wait_for(60)
        cluster.run("ALTER TABLE teams DROP COLUMN later")
        traffic.wait_for(60)
    assert set(traffic.counts()) == {200}
    assert "cached plan" not in running.log_text()
