"""Fixtures of the tests over distributed tables, which are skipped where the extension is not installed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from db.admin.engine import connect
from db.admin.migrate import migrate
from rest_facade.settings import Settings, load
from tests.citus.answers import Answers, answers_of, overview_of
from tests.citus.cluster import Cluster, find_citus
from tests.factories.rows import Rows
from tests.faults.service import environment
from tests.helpers.folders import open_folder
from tests.rest_facade.commands.conftest import run_command
from tests.rest_facade.graphql.client import token
from tests.world import World, build

missing = pytest.mark.skipif(find_citus() is None, reason="No PostgreSQL with the extension Citus is installed.")

COMMAND_TIMEOUT = 300.0
"""Seconds after which a command counts as failed. The longest takes half a minute on a busy machine."""

Orgdata = Callable[..., str]
"""`orgdata("keys", "list")`: runs the command as the owner, on the coordinator; returns what it prints."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster whose tables were distributed after they had rows: two worlds, with the same row ids."""
    binaries = find_citus()
    assert binaries is not None
    with open_folder() as folder, Cluster(folder, binaries) as cluster:
        with connect(cluster.owner_url).connect() as connection:
            migrate(connection)
        yield cluster


@pytest.fixture(scope="session")
def orgdata(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Orgdata:
    folder = tmp_path_factory.mktemp("folder")

    def run(*arguments: object, code: int = 0, url: str = cluster.owner_url) -> str:
        variables = environment(database_url=url)
        found = run_command(list(map(str, arguments)), variables, folder, COMMAND_TIMEOUT)
        assert found.code == code, f"{arguments}: {found.out}{found.err}"
        return found.out + (found.err if code else "")

    return run


@pytest.fixture(scope="session")
def unlimited() -> Settings:
    return load({"signing_keys": "a signing key of the tests", "quota_limit": 1_000_000})


@dataclass(frozen=True)
class Distributed:
    """Two organizations with the same row ids, and what they were answered before their tables were distributed."""

    worlds: list[World]
    plain: Answers
    now: datetime
    token: str
    """An internal token for both, and what the overview showed with it."""
    plain_overview: list[dict[str, Any]]


@pytest.fixture(scope="session")
async def distributed(cluster: Cluster, orgdata: Orgdata, unlimited: Settings, anyio_backend: str) -> Distributed:
    rows = Rows(connect(cluster.owner_url))
    worlds = [build(rows, tag) for tag in "AB"]
    key = token(rows, *(world.organization_id for world in worlds))
    rows.connection.close()
    now = datetime.now(UTC)
    plain = await answers_of(cluster.owner_url, unlimited, worlds, now)
    plain_overview = await overview_of(cluster.owner_url, unlimited, key)
    orgdata("distribute")
    return Distributed(worlds, plain, now, key, plain_overview)
