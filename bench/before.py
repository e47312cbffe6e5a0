"""An earlier version of the service as a competitor: its code and migrations, a database of its own, the same rows."""

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg import sql

from bench.data import BenchDatabase
from bench.processes import ROOT, Process, clean_environment, module, serving
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server

COMMIT = "c20d811"
"""The commit that the targets compare with."""

DATABASE = "before"

# Columns of the tables of an organization, without those that the database computes.
COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = 'public' AND is_generated = 'NEVER' AND table_name IN (
  SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'organization_id')
ORDER BY table_name, ordinal_position
"""


@dataclass(frozen=True)
class Skipped:
    """The reason why there is no earlier version to compare with."""

    reason: str


@dataclass(frozen=True)
class EarlierVersion:
    """A checkout of an earlier commit, and a database that its migrations made. `name` says which it is."""

    name: str
    folder: Path
    owner_url: str
    url: str
    log_folder: Path

    def with_rows(self, source: BenchDatabase) -> "EarlierVersion | Skipped":
        """The version with the rows and keys of all organizations of `source`, in the columns that both versions have.

        Skipped if its tables cannot hold them.
        """
        try:
            self._take_rows(source)
        except psycopg.Error as error:
            reason = error.diag.message_primary or error
            return Skipped(f"Before is skipped: the tables of {self.name} cannot hold the rows: {reason}")
        return self

    def _take_rows(self, source: BenchDatabase) -> None:
        """Copy the organizations that are missing. No other one may be: a plan depends on all rows of a table."""
        with psycopg.connect(source.url) as reading, psycopg.connect(self.url) as writing:
            organizations = _organizations(reading) - _organizations(writing)
            if not organizations:
                return
            # No foreign key is checked, so that the order of the tables is of no importance.
            writing.execute("SET session_replication_role = replica")
            wanted, present = _columns(writing), _columns(reading)
            for table in sorted(wanted.keys() & present.keys()):
                columns = [column for column in wanted[table] if column in present[table]]
                _copy(reading, writing, table, columns, organizations)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")

    def service(self, name: str = "before", **environment: str) -> AbstractContextManager[Process]:
        """The earlier service, pinned to the core of the servers."""
        command = module("bench.peers.ours", "--url", self.owner_url, "--port", "{port}")
        variables = {"PYTHONPATH": str(self.folder), **environment}
        return serving(name, command, folder=self.log_folder, environment=variables)


@contextmanager
def earlier_version(commit: str, server: Server, log_folder: Path) -> Iterator[EarlierVersion | Skipped]:
    """The version of a commit, or of the checkout in a folder of this name; Skipped if it cannot be had."""
    with tempfile.TemporaryDirectory(prefix="orgdata-bench-before-") as name:
        folder = Path(commit).resolve() if Path(commit).is_dir() else Path(name)
        if folder == Path(name) and not check_out(commit, folder):
            yield Skipped(f"Before is skipped: the history of this checkout lacks commit {commit}.")
            return
        title = f"commit {commit}" if folder == Path(name) else f"checkout {folder.name}"
        owner_url = ensure_database(server, DATABASE)
        variables = clean_environment() | {"PYTHONPATH": str(folder), "ORGDATA_DATABASE_URL": owner_url}
        migrated = subprocess.run(
            [sys.executable, "-m", "rest_facade", "migrate"],
            cwd=log_folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if migrated.returncode:
            last = (migrated.stderr.strip().splitlines() or ["no message"])[-1]
            yield Skipped(f"Before is skipped: the migrations of {title} failed: {last}")
            return
        yield EarlierVersion(title, folder, owner_url, server.url("postgres", DATABASE), log_folder)


def check_out(commit: str, folder: Path) -> bool:
    """Write the files of a commit of this repository into a folder. False if there is no such commit."""
    try:
        archive = subprocess.run(["git", "archive", "--format=zip", commit], cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError:
        return False
    if archive.returncode:
        return False
    # A tar archive would need the argument `filter`, which Python has from 3.11.4 on.
    with zipfile.ZipFile(io.BytesIO(archive.stdout)) as files:
        files.extractall(folder)
    return True


def _organizations(connection: psycopg.Connection) -> set[UUID]:
    return {id_ for (id_,) in connection.execute("SELECT organization_id FROM organizations")}


def _columns(connection: psycopg.Connection) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for table, column in connection.execute(COLUMNS):
        columns.setdefault(table, []).append(column)
    return columns


def _copy(
    reading: psycopg.Connection,
    writing: psycopg.Connection,
    table: str,
    columns: Sequence[str],
    organizations: Collection[UUID],
) -> None:
    """Copy the rows of organizations from one database to the other, as text: a type may have changed."""
    words = {
        "table": sql.Identifier(table),
        "columns": sql.SQL(", ").join(map(sql.Identifier, columns)),
        "organizations": sql.SQL(", ").join(sql.Literal(each) for each in organizations),
    }
    where = sql.SQL("organization_id IN ({organizations})").format(**words)
    source = sql.SQL("COPY (SELECT {columns} FROM {table} WHERE ").format(**words) + where + sql.SQL(") TO STDOUT")
    target = sql.SQL("COPY {table} ({columns}) FROM STDIN").format(**words)
    with reading.cursor().copy(source) as rows, writing.cursor().copy(target) as copied:
        for block in rows:
            copied.write(block)
