"""Covers `bench/before.py`: an earlier version's code from the history, and rows copied into its tables."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from bench.before import EarlierVersion, Skipped, check_out, earlier_version
from bench.data import BenchDatabase, organization_id, rows
from bench.processes import ROOT
from db.sample.embedded.database import OWNER, ensure_database
from db.sample.embedded.server import Server

UNKNOWN = "0123456789abcdef0123456789abcdef01234567"


def superuser(owner_url: str) -> str:
    return owner_url.replace(f"//{OWNER}@", "//postgres@", 1)


@pytest.fixture
def source(own_url: str, server: Server) -> BenchDatabase:
    """A database with two organizations of three projects and two clients."""
    data = BenchDatabase(own_url, superuser(own_url), server, [])
    data.run(rows(1, 2, projects=3, clients=2))
    return data


@pytest.fixture
def earlier(source: BenchDatabase, server: Server, tmp_path: Path) -> Iterator[EarlierVersion]:
    """An earlier version, whose clients have a column less and one more, and whose projects have no table."""
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS earlier")
    ensure_database(server, "earlier")
    with psycopg.connect(server.url("postgres", "earlier")) as connection:
        connection.execute("CREATE TABLE organizations (organization_id uuid PRIMARY KEY, name varchar(99))")
        connection.execute(
            "CREATE TABLE clients (organization_id uuid, name text, id uuid, old int DEFAULT 7,"
            " shout text GENERATED ALWAYS AS (upper(name)) STORED)"
        )
    url = server.url("postgres", "earlier")
    yield EarlierVersion("commit abc", tmp_path, server.url(OWNER, "earlier"), url, tmp_path)
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE earlier")


def clients(earlier: EarlierVersion) -> list[tuple[UUID, str, int, str]]:
    with psycopg.connect(earlier.url) as connection:
        return connection.execute("SELECT organization_id, name, old, shout FROM clients ORDER BY name").fetchall()


def test_rows_are_copied_in_common_columns(source: BenchDatabase, earlier: EarlierVersion) -> None:
    assert earlier.with_rows(source, [organization_id(1)]) is earlier
    assert clients(earlier) == [
        (organization_id(1), "Client 1.1", 7, "CLIENT 1.1"),
        (organization_id(1), "Client 1.2", 7, "CLIENT 1.2"),
    ]


def test_rows_copied_twice_are_replaced(source: BenchDatabase, earlier: EarlierVersion) -> None:
    earlier.with_rows(source, [organization_id(1), organization_id(2)])
    source.run("UPDATE clients SET name = 'New ' || name WHERE name LIKE 'Client 2.%'")
    earlier.with_rows(source, [organization_id(2)])
    assert [row[1] for row in clients(earlier)] == ["Client 1.1", "Client 1.2", "New Client 2.1", "New Client 2.2"]


def test_unknown_commit_is_skipped_with_reason(server: Server, tmp_path: Path) -> None:
    with earlier_version(UNKNOWN, server, tmp_path) as version:
        assert version == Skipped(f"Before is skipped: the history of this checkout lacks commit {UNKNOWN}.")


def test_failing_migration_is_skipped_with_reason(server: Server, tmp_path: Path) -> None:
    (tmp_path / "rest_facade").mkdir()
    (tmp_path / "rest_facade" / "__main__.py").write_text("raise SystemExit('no table')")
    with earlier_version(str(tmp_path), server, tmp_path) as version:
        assert version == Skipped(f"Before is skipped: the migrations of checkout {tmp_path.name} failed: no table")


def test_commit_is_checked_out_into_folder(tmp_path: Path) -> None:
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("not in a checkout")
    assert check_out("HEAD", tmp_path)
    assert (tmp_path / "bench" / "peers" / "ours.py").is_file()
