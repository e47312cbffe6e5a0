"""A Citus cluster on this machine: a coordinator and two workers, each a PostgreSQL server on a loopback port."""

import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import psycopg

from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from tests.faults.store import free_port

DATABASE = "orgdata"

# The time zone is not UTC: what a node writes as text must not depend on its own zone.
OPTIONS = (
    {"listen_addresses": "127.0.0.1", "shared_preload_libraries": "citus", "timezone": "Asia/Kathmandu"}
    | {"fsync": "off", "synchronous_commit": "off", "shared_buffers": "32MB", "max_connections": "200"}
    | {"max_prepared_transactions": "100", "max_locks_per_transaction": "512", "citus.shard_count": "6"}
    | {"citus.enable_statistics_collection": "off", "citus.enable_stat_counters": "on"}
)


def find_citus() -> Path | None:
    """The folder of the programs of a PostgreSQL that has the extension; None if there is none."""
    config = shutil.which("pg_config")
    if config is None:
        return None

    def ask(option: str) -> Path:
        return Path(subprocess.run([config, option], capture_output=True, check=True, text=True).stdout.strip())

    return ask("--bindir") if (ask("--sharedir") / "extension" / "citus.control").is_file() else None


class Node(Server):
    """A server of the cluster. Its programs are those of the PostgreSQL that has the extension."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.port = free_port()
        super().__init__(folder, binaries=binaries, options=OPTIONS | {"port": str(self.port)})

    def url(self, role: str, database: str = DATABASE) -> str:
        """The URL of a database over TCP, as the other nodes use it."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str, database: str = DATABASE) -> list[Any]:
        """Run statements as the superuser; returns the rows of the last."""
        return self._run(statements, self.url("postgres", database), autocommit=True)

    def transact(self, *statements: str, role: str) -> list[Any]:
        """Run statements in one transaction of a role; returns the rows of the last."""
        return self._run(statements, self.url(role), autocommit=False)

    def _run(self, statements: Sequence[str], url: str, *, autocommit: bool) -> list[Any]:
        rows: list[Any] = []
        with psycopg.connect(url, autocommit=autocommit) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
                rows = cursor.fetchall() if cursor.description else []
        return rows


class Cluster:
    """A coordinator and workers with an empty database, whose owner is not a superuser."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.coordinator, *self.workers = [Node(folder / name, binaries) for name in ("coordinator", "one", "two")]
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for node in self.nodes:
                # A node that a test has stopped and started again is stopped, too.
                stack.callback(node.stop)
                node.start()
            self._create_database()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def nodes(self) -> Sequence[Node]:
        return (self.coordinator, *self.workers)

    @property
    def owner_url(self) -> str:
        """The URL of the database on the coordinator, as the owner of the tables."""
        return self.coordinator.url(OWNER)

    def _create_database(self) -> None:
        for node in self.nodes:
            node.run(f"CREATE DATABASE {DATABASE}", database="postgres")
            node.run("CREATE EXTENSION citus")
        first = self.coordinator
        first.run(f"SELECT citus_set_coordinator_host('127.0.0.1', {first.port})")
        for worker in self.workers:
            first.run(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
        # Citus creates the role on the workers as well, because they have been added before.
        first.run(f"CREATE ROLE {OWNER} LOGIN CREATEROLE", f"ALTER DATABASE {DATABASE} OWNER TO {OWNER}")
