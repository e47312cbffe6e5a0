"""Every operation over distributed tables answers as it did when the same tables were plain, through any node."""

import json
from datetime import datetime

import pytest

from db.reading.transaction import SERVICE_ROLE
from db.sample.embedded.database import OWNER
from rest_facade.settings import Settings
from rest_facade.v1 import ENDPOINTS
from tests.citus.answers import answers_of, overview_of
from tests.citus.cluster import Cluster
from tests.citus.conftest import Distributed, missing
from tests.rest_facade.graphql.client import GraphQLClient, varied

pytestmark = [pytest.mark.citus, missing]

every_node = pytest.mark.parametrize("node", [0, 1, 2], ids=["coordinator", "one worker", "other worker"])


def test_plain_answers_cover_every_operation(distributed: Distributed) -> None:
    assert {operation.split()[0] for operation, _ in distributed.plain} == {each.operation for each in ENDPOINTS}
    assert {status for status, _ in distributed.plain.values()} == {200}


@pytest.mark.parametrize("role", [OWNER, SERVICE_ROLE])
@every_node
async def test_every_operation_answers_the_same(
    cluster: Cluster, distributed: Distributed, unlimited: Settings, node: int, role: str
) -> None:
    found = await answers_of(cluster.nodes[node].url(role), unlimited, distributed.worlds, distributed.now)
    assert found == distributed.plain


@every_node
async def test_service_over_distributed_tables_is_ready(
    cluster: Cluster, distributed: Distributed, unlimited: Settings, node: int
) -> None:
    async with varied(unlimited, cluster.nodes[node].url(OWNER)) as service:
        response = await GraphQLClient(service, {}).request("GET", "/ready")
    assert (response.status_code, response.json()["status"]) == (200, "ready")


@every_node
async def test_overview_is_the_same(cluster: Cluster, distributed: Distributed, unlimited: Settings, node: int) -> None:
    assert [each["problem"] for each in distributed.plain_overview] == [None, None]
    found = await overview_of(cluster.nodes[node].url(OWNER), unlimited, distributed.token)
    assert found == distributed.plain_overview


async def test_polling_finds_changes_by_node(cluster: Cluster, distributed: Distributed, unlimited: Settings) -> None:
    world = distributed.worlds[0]
    own = world.organization_id
    cluster.coordinator.transact(
        "SET LOCAL citus.propagate_set_commands = 'local'",
        f"SET LOCAL app.organization_id = '{own}'",
        f"UPDATE teams SET name = name || '!' WHERE organization_id = '{own}' AND id = '{world.ids['team_id']}'",
        f"UPDATE teams SET name = trim('!' FROM name) WHERE organization_id = '{own}'",
        role=OWNER,
    )
    changed = await answers_of(cluster.owner_url, unlimited, [world], distributed.now)
    before, after = (json.loads(found["listTeams ", "A"][1])["results"] for found in (distributed.plain, changed))
    moved = [old["id"] for old, new in zip(before, after, strict=True) if _time(new) > _time(old)]
    assert moved == [str(world.ids["team_id"])]


def _time(row: dict[str, str]) -> datetime:
    return datetime.fromisoformat(row["updated_at"])
