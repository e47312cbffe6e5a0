"""Fixtures of the tests over distributed tables, which are skipped where the extension is not installed."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from db.admin.engine import connect
from db.admin.migrate import migrate
from rest_facade.settings import Settings, load
from tests.citus.answers import Answers, answers_of
from tests.citus.cluster import Cluster, find_citus
from tests.factories.rows import Rows
from tests.faults.service import environment
from tests.world import World, build

missing = pytest.mark.skipif(find_citus() is None, reason="No PostgreSQL with the extension Citus is installed.")

Orgdata = Callable[..., str]
"""`orgdata("keys", "list")`: runs the command as the owner, on the coordinator; returns what it prints."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster whose tables were distributed after they had rows: two worlds, with the same row ids."""
    binaries = find_citus()
    assert binaries is not None
    # Not under pytest's own folder, which another user could not enter.
    with tempfile.TemporaryDirectory(prefix="orgdata-citus-") as name:
        Path(name).chmod(0o755)
        with Cluster(Path(name), binaries) as cluster:
            with connect(cluster.owner_url).connect() as connection:
                migrate(connection)
            yield cluster


@pytest.fixture(scope="session")
def orgdata(cluster: Cluster) -> Orgdata:
    def run(*arguments: str, code: int = 0, url: str = cluster.owner_url) -> str:
        command = [sys.executable, "-m", "rest_facade", *map(str, arguments)]
        found = subprocess.run(
            command,
            capture_output=True,
            check=False,
            text=True,
            env=environment(database_url=url),
            cwd=tempfile.gettempdir(),
        )
        assert found.returncode == code, f"{arguments}: {found.stdout}{found.stderr}"
        return found.stdout + (found.stderr if code else "")

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


@pytest.fixture(scope="session")
async def distributed(cluster: Cluster, orgdata: Orgdata, unlimited: Settings, anyio_backend: str) -> Distributed:
    rows = Rows(connect(cluster.owner_url))
    worlds = [build(rows, tag) for tag in "AB"]
    rows.connection.close()
    now = datetime.now(UTC)
    plain = await answers_of(cluster.owner_url, unlimited, worlds, now)
    orgdata("distribute")
    return Distributed(worlds, plain, now)
