"""Fixtures: a database server that tests break, and the service over it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.faults.database.cluster import Cluster
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.service import Serving, serving
from tests.helpers.folders import open_folder
from tests.helpers.waiting import until

POOL_SIZE = 4
POOL_WAIT, STATEMENT_TIMEOUT, DEADLINE = 1.0, 1.5, 2.5
"""Seconds. Shorter than by default, so that waiting for them is short."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL for all tests of its faults; each leaves it running and well."""
    with open_folder() as folder, Cluster(folder) as cluster:
        yield cluster


def over(address: str, folder: Path, **settings: str) -> AbstractContextManager[Serving]:
    """The service over an address, with short timeouts."""
    short = {"pool_wait": str(POOL_WAIT), "statement_timeout": str(STATEMENT_TIMEOUT), "deadline": str(DEADLINE)}
    values = {"pool_size": str(POOL_SIZE), "quota_limit": "1000000", "request_log": "0", **short, **settings}
    return serving(folder, database_url=address, **values)  # type: ignore[arg-type]  # its ports stay


def fill_pool(cluster: Cluster, running: Serving) -> None:
    """Have so many ask at once that the service opens all its connections."""
    with Traffic(running, cluster.tenants, pause=0) as traffic:
        until(lambda: len(cluster.pids("idle") + cluster.pids("active")) == POOL_SIZE)
        traffic.wait_for(10)
    assert set(traffic.counts()) == {200}


@pytest.fixture(scope="session")
def running(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """The service, which no fault of its database ends."""
    with over(cluster.url, tmp_path_factory.mktemp("service")) as running:
        yield running
        assert running.process.poll() is None


@pytest.fixture
def asking(cluster: Cluster, running: Serving) -> Iterator[TeamsClient]:
    """A client, with which the test begins and ends well."""
    with TeamsClient(running, cluster.tenants[0]) as asking:
        asking.until_well()
        yield asking
        asking.until_well()
        with Traffic(running, cluster.tenants, pause=0) as traffic:
            traffic.wait_for(40)
        assert set(traffic.counts()) == {200}
        # No place in the pool was lost.
        until(lambda: 'orgdata_pool_in_use{api="rest"} 0.0' in asking.http.get(f"{running.internal}/metrics").text)
