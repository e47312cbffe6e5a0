"""Distributed tables answer as plain ones did, through any node, and each organization with its own rows.

Tenancy over them: row-level security on nodes, one shard a statement, errors, moves, a dead worker.
Covers `db/reading/hosts/distribution.py`.
"""

import asyncio
import json
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import func, select

from db.admin.engine import connect
from db.reading.database import RepeatCause
from db.reading.statement import Statement
from db.reading.transaction import SERVICE_ROLE
from db.sample.embedded.database import OWNER
from db.tables.columns import in_organization
from db.tables.people import teams
from rest_facade.settings import Settings
from rest_facade.v1 import ENDPOINTS
from tests.citus.answers import answers_of, overview_of
from tests.citus.cluster import DATABASE, Cluster, Node
from tests.citus.conftest import Distributed, missing
from tests.db.reading.recording import INVERSE, TEAMS, opened
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import GraphQLClient, varied

pytestmark = [pytest.mark.citus, missing]

PLACE = """
SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
WHERE shardid = get_shard_id_for_distribution_column('organizations', '{}'::uuid)
"""


def node_of(cluster: Cluster, organization_id: UUID) -> Node:
    """The worker that has the organization."""
    ((port,),) = cluster.coordinator.run(PLACE.format(organization_id))
    return next(node for node in cluster.workers if node.port == port)


def organization_on(cluster: Cluster, rows: Rows, node: Node) -> UUID:
    """A new organization on a worker, with one team, which has the name of its id."""
    own = next(each for each in iter(uuid4, None) if node_of(cluster, each) is node)
    rows.organization(organization_id=own)
    rows.team(own, name=str(own))
    return own


@pytest.fixture
def rows(cluster: Cluster, distributed: Distributed) -> Iterator[Rows]:
    rows = Rows(connect(cluster.owner_url))
    yield rows
    rows.connection.close()


def unrestricted() -> Statement:
    """A statement whose tenancy condition was lost: row-level security alone is left."""
    statement = Statement(select(teams.c.name).where(in_organization(teams)))
    statement.sql = "SELECT name FROM teams"
    # The same as the compiler marks it, for the shards of a node.
    statement._marked = "SELECT name FROM \x02teams\x03"
    return statement


async def test_row_level_security_is_effective_on_the_workers(cluster: Cluster, rows: Rows) -> None:
    for worker in cluster.workers:
        own = [organization_on(cluster, rows, worker) for _ in range(2)]
        for node in cluster.nodes:
            async with opened(node.url(OWNER)) as database:
                # Once through Citus, which says which shard has the organization, and then from the shard.
                for each in own * 2:
                    found = await database.read_rows(each, [(unrestricted(), {})])
                    assert found == [[(str(each),)]]


ALL_COUNTS = f"""
SELECT sum((found.result)::bigint) FROM run_command_on_workers(
  $$SELECT query_execution_single_shard + query_execution_multi_shard FROM citus_stat_counters
    WHERE name = '{DATABASE}'$$) found
"""
MOVE = """
SELECT citus_move_shard_placement(
  get_shard_id_for_distribution_column('organizations', '{}'::uuid), '127.0.0.1', {}, '127.0.0.1', {},
  shard_transfer_mode := 'block_writes')
"""
COUNTS = "SELECT query_execution_single_shard, query_execution_multi_shard FROM citus_stat_counters WHERE name = '{}'"


async def test_each_statement_reads_one_shard(cluster: Cluster, distributed: Distributed, unlimited: Settings) -> None:
    for node in cluster.nodes:
        ((single, several),) = node.run(COUNTS.format(DATABASE))
        found = await answers_of(node.url(OWNER), unlimited, distributed.worlds, distributed.now)
        assert {status for status, _ in found.values()} == {200}
        ((single_after, several_after),) = node.run(COUNTS.format(DATABASE))
        assert several_after == several
        through_citus = sum(node_of(cluster, world.organization_id) is not node for world in distributed.worlds)
        # Of the organizations that the node has, the statements over keys and the first read of a service remain.
        assert (single_after - single > len(found)) is (through_citus > 0)


PORT = Statement(select(func.inet_server_port().label("port")))


async def test_reads_go_to_the_node_of_the_rows(cluster: Cluster, rows: Rows) -> None:
    one, two = cluster.workers
    hosts = [organization_on(cluster, rows, node) for node in (one, two)]
    address = f"postgresql://{OWNER}@127.0.0.1:{one.port},127.0.0.1:{two.port}/{DATABASE}"
    async with opened(address, size=2) as database:
        for own in hosts * 2:
            await database.read_rows(own, [(TEAMS, {})])
        ((before,),) = cluster.coordinator.run(ALL_COUNTS)
        for own, node in zip(hosts * 3, (one, two) * 3, strict=True):
            (team,), (asked,) = await database.read_rows(own, [(TEAMS, {}), (PORT, {})])
            assert (team.name, asked.port) == (str(own), node.port)
        assert cluster.coordinator.run(ALL_COUNTS) == [(before,)], "no statement was planned by Citus"


async def test_moved_shard_is_read_where_it_is(cluster: Cluster, rows: Rows) -> None:
    one, two = cluster.workers
    own = organization_on(cluster, rows, one)
    async with opened(one.url(OWNER)) as database:
        for _ in range(2):
            await database.read_rows(own, [(TEAMS, {})])
        for source, target in ((one, two), (two, one)):
            # The foreign keys of moved rows are checked as the owner, on whom row-level security is forced.
            bypass, force = (f"ALTER ROLE {OWNER} {attribute}" for attribute in ("BYPASSRLS", "NOBYPASSRLS"))
            cluster.coordinator.run(bypass, MOVE.format(own, source.port, target.port), force)
            for _ in range(3):
                ((team,),) = await database.read_rows(own, [(TEAMS, {})])
                assert team.name == str(own)
        assert database.repeated[RepeatCause.tables_distributed] == 1


async def test_error_does_not_reach_the_next_read(cluster: Cluster, rows: Rows) -> None:
    own, other = (organization_on(cluster, rows, worker) for worker in cluster.workers)
    async with opened(cluster.coordinator.url(OWNER), size=1) as database:
        for _ in range(10):
            with pytest.raises(psycopg.errors.DivisionByZero):
                await database.read_rows(own, [(TEAMS, {}), (INVERSE, {"number": 0})])
            for each in (other, own):
                ((team,),) = await database.read_rows(each, [(TEAMS, {})])
                assert team.name == str(each)


async def test_dead_worker_costs_only_its_own_tenants(cluster: Cluster, rows: Rows) -> None:
    alive, dead = cluster.workers
    living, lost = (organization_on(cluster, rows, worker) for worker in (alive, dead))
    async with opened(cluster.coordinator.url(OWNER)) as through, opened(alive.url(OWNER)) as direct:
        dead.stop()
        try:
            for database in (through, direct):
                for _ in range(20):
                    ((team,),) = await database.read_rows(living, [(TEAMS, {})])
                    assert team.name == str(living)
                    with pytest.raises(psycopg.Error):
                        await database.read_rows(lost, [(TEAMS, {})])
        finally:
            dead.start()
        async with asyncio.timeout(20):
            while True:
                try:
                    ((team,),) = await through.read_rows(lost, [(TEAMS, {})])
                    break
                except psycopg.Error:
                    await asyncio.sleep(0.1)
        assert team.name == str(lost)


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
