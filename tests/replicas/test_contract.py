"""Every operation responds through replicas as it does through the primary, whatever the spelling of the address."""

from datetime import UTC, datetime

import pytest

from rest_facade.settings import load
from rest_facade.v1 import ENDPOINTS
from tests.citus.answers import answers_of
from tests.replicas.cluster import ReplicationCluster
from tests.world import World

pytestmark = pytest.mark.replicas


@pytest.fixture(scope="module")
def worlds(cluster: ReplicationCluster) -> list[World]:
    made = cluster.build_worlds()
    cluster.await_replay()
    return made


async def test_every_operation_responds_as_through_primary(cluster: ReplicationCluster, worlds: list[World]) -> None:
    now = datetime.now(UTC)
    settings = load({"signing_keys": "a signing key of the tests", "quota_limit": 10_000})
    direct = await answers_of(cluster.primary.url(), settings, worlds, now)
    assert {operation.split()[0] for operation, _ in direct} == {endpoint.operation for endpoint in ENDPOINTS}
    assert {status for status, _ in direct.values()} == {200}
    for address in (
        cluster.url(*cluster.replicas, target="standby"),
        cluster.conninfo(*cluster.replicas, cluster.primary, target="prefer-standby"),
    ):
        assert await answers_of(address, settings, worlds, now) == direct
