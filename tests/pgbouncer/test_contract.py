"""Every operation behind PgBouncer responds as it does without it, and under load with no row of another one."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from db.admin.migrate import head
from db.reading.hosts.versions import read_versions
from rest_facade.settings import Settings, load
from rest_facade.v1 import ENDPOINTS
from tests.citus.answers import answers_of, overview_of
from tests.factories.rows import Rows
from tests.faults.crowd import build_crowd, run_clients
from tests.faults.service import serving
from tests.faults.store import Store
from tests.pgbouncer.conftest import Opened, missing
from tests.pgbouncer.pooler import Pooler
from tests.rest_facade.graphql.client import token
from tests.world import World, build

pytestmark = [pytest.mark.pgbouncer, missing]


@pytest.fixture
def worlds(database: Rows) -> list[World]:
    """Two organizations with the same row ids."""
    return [build(database, "A"), build(database, "B")]


@pytest.fixture
def unprepared() -> Settings:
    return load({"signing_keys": "a signing key of the tests", "prepare_threshold": "", "quota_limit": 10_000})


async def test_every_operation_responds_the_same_behind_pgbouncer(
    own_url: str, pooler: Pooler, unprepared: Settings, worlds: list[World]
) -> None:
    now = datetime.now(UTC)
    direct = await answers_of(own_url, unprepared, worlds, now)
    assert {operation.split()[0] for operation, _ in direct} == {endpoint.operation for endpoint in ENDPOINTS}
    assert {status for status, _ in direct.values()} == {200}
    pooled = await answers_of(pooler.url(own_url), unprepared, worlds, now)
    assert pooled == direct
    for (_, tag), (_, text) in pooled.items():
        assert {"A": '"B-', "B": '"A-'}[tag] not in text


async def test_overview_is_the_same_behind_pgbouncer(
    own_url: str, database: Rows, pooler: Pooler, opened: Opened, unprepared: Settings, worlds: list[World]
) -> None:
    ids = [*(world.organization_id for world in worlds), database.organization(name="Empty")]
    every, one = token(database), token(database, ids[0])
    direct = await overview_of(own_url, unprepared, every)
    assert {each["id"] for each in direct} == set(map(str, ids))
    assert [each["problem"] for each in direct] == [None] * 3
    pooled = pooler.url(own_url)
    assert await overview_of(pooled, unprepared, every) == direct
    assert await overview_of(pooled, unprepared, one) == [each for each in direct if each["id"] == str(ids[0])]
    async with opened() as pooled_database:
        assert (await read_versions(pooled_database))[1] == head()


LARGE: Any = {"prepare_threshold": "", "quota_limit": "1000000", "graphql_quota": "1000000", "pool_size": "4"}


async def test_no_foreign_row_under_load(own_url: str, pooler: Pooler, folder: Path, tmp_path: Path) -> None:
    made = build_crowd(own_url)
    with (
        Store(tmp_path) as store,
        serving(folder, "--workers=2", database_url=pooler.url(own_url), quota_store=store.url, **LARGE) as service,
    ):
        ports = [int(address.rpartition(":")[2]) for address in (service.public, service.internal)]
        result = await run_clients(made, *ports, rows=100_000, seconds=120)
    result.assert_isolated(rows=100_000)
