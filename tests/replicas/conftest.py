"""Fixtures: a primary with two replicas, skipped where PostgreSQL's programs are missing, and the service over them."""

from collections.abc import Iterator

import httpx2 as httpx
import pytest

from rest_facade.composition import Service
from tests.conftest import BASE_URL, Connect
from tests.helpers.folders import open_folder
from tests.replicas.cluster import PROGRAMS, ReplicationCluster, find_programs


@pytest.fixture(scope="session")
def cluster() -> Iterator[ReplicationCluster]:
    """The cluster of all tests, or the reason why they are skipped; each leaves a primary that two replicas follow."""
    programs = find_programs()
    if programs is None:
        pytest.skip(f"No installed PostgreSQL has the programs {', '.join(PROGRAMS)}.")
    with open_folder() as folder, ReplicationCluster(folder, programs) as cluster:
        cluster.await_replay()
        yield cluster


@pytest.fixture
def client() -> Connect:
    """`client(key, of=service)`: an HTTP client of the public listener, without a network."""

    def connect(key: str, *, of: Service) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(of.public), base_url=BASE_URL, headers={"X-SERVICE-API-KEY": key}
        )

    return connect
