"""What operators do while the service runs, and what fails: each once, beside the load, in the first half."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from bench.soak.instances import Instances
from bench.soak.load import SteadyLoad
from db.admin.engine import connect
from db.admin.migrate import migrate
from tests.db.migrations.later_revision import add_revision
from tests.faults.service import environment
from tests.faults.store import Store
from tests.replicas.cluster import ReplicationCluster

OUTAGE_SECONDS, GRACE_SECONDS = 15.0, 5.0
"""How long the store is away, and for how long each worker counts by itself."""

FIRST_KEY, SECOND_KEY = "the first key of the soak", "the second key of the soak"
IMPORTED_TEAMS = 20_000
COMMAND_SECONDS = 600.0

UPGRADE = """
op.execute("ALTER TABLE teams ADD COLUMN motto text")
op.execute("ALTER TABLE api_keys ADD COLUMN motto text")
"""


@dataclass(frozen=True)
class Operation:
    """An operation or a fault. `allows` is the failure of requests that it may cause while it lasts."""

    name: str
    run: Callable[[], object]
    allows: str = ""


@dataclass(frozen=True)
class World:
    """What operations act on. `url` is the address of the owner, with all hosts; `key` that of an organization."""

    folder: Path
    url: str
    key: str
    cluster: ReplicationCluster
    store: Store
    instances: Instances
    load: SteadyLoad


def operations(world: World) -> list[Operation]:
    """The operations in their order. A command that fails ends the soak test with what it printed."""

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "rest_facade", *arguments]
        done = subprocess.run(
            command,
            cwd=world.folder,
            env=environment(database_url=world.url),
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"soak: orgdata {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def upgrade() -> None:
        with (
            pytest.MonkeyPatch.context() as patch,
            tempfile.TemporaryDirectory() as folder,
            connect(world.url).connect() as connection,
        ):
            add_revision(Path(folder), patch, UPGRADE)
            migrate(connection)

    def import_teams() -> None:
        own = run("organizations", "create", "--name", "Imported", "--timezone", "UTC", "--currency", "EUR")
        file = world.folder / "teams.csv"
        file.write_text("id,name\n" + "".join(f"{uuid4()},Team {number}\n" for number in range(IMPORTED_TEAMS)))
        run("import", "--organization", own, str(file))

    def rotate_key() -> None:
        new = run("keys", "rotate", world.key.split("_")[2], "--overlap", "2")
        world.load.rotate_key(world.key, new.split()[-1])

    def promote() -> None:
        # A shutdown sends the replicas all that was committed.
        world.cluster.primary.server.stop()
        promoted = world.cluster.replicas[0]
        promoted.promote()
        world.cluster.follow(promoted)

    def outage() -> None:
        world.store.kill()
        time.sleep(OUTAGE_SECONDS)
        world.store.start()

    def signing_keys(*keys: str) -> Callable[[], None]:
        return lambda: world.instances.replace(signing_keys=",".join(keys))

    return [
        Operation("SIGKILL of a worker", lambda: os.kill(world.instances.running[0].children()[0], signal.SIGKILL)),
        Operation("signing keys, step 1: both instances verify the new one", signing_keys(FIRST_KEY, SECOND_KEY)),
        Operation("migration that adds columns to two tables", upgrade),
        Operation("signing keys, step 2: both instances sign with the new one", signing_keys(SECOND_KEY, FIRST_KEY)),
        Operation(f"import of {IMPORTED_TEAMS:,} rows", import_teams),
        Operation("rotation of an API key with an overlap", rotate_key),
        Operation(f"{OUTAGE_SECONDS:.0f} s without a store, {GRACE_SECONDS:.0f} s of grace", outage, allows="503"),
        Operation("stop of the primary, promotion of a replica, copies of it in place of both others", promote),
        Operation("signing keys, step 3: without the old one", signing_keys(SECOND_KEY)),
        Operation(
            "retention of all organizations",
            lambda: run("retain", "--all", "--objects", str(world.folder / "objects.ndjson")),
        ),
    ]


def versions(cluster: ReplicationCluster, store: Store) -> str:
    """The servers of the soak test and their versions."""
    ((postgres,),) = cluster.primary.run("SHOW server_version")
    said = store.ask("INFO", "server").decode()
    found = re.search(r"(valkey)_version:(\S+)", said) or re.search(r"(redis)_version:(\S+)", said)
    assert found is not None, said
    replicas = f"a primary and {len(cluster.replicas)} replicas"
    return f"PostgreSQL {postgres.split()[0]}, {replicas}; {found[1].title()} {found[2]}"
