"""What operators do while the service runs: each operation once, as a command of its own beside the load."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from tests.faults.service import environment
from tests.faults.store import Store

OUTAGE_SECONDS, GRACE_SECONDS = 3.0, 10.0
"""How long the store is away, and for how long each worker counts by itself."""

IMPORTED_TEAMS = 20_000
COMMAND_SECONDS = 600.0


def operations(folder: Path, url: str, store: Store) -> list[tuple[str, Callable[[], object]]]:
    """Names and actions, in their order. A command that fails ends the soak test with what it printed."""

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "rest_facade", *arguments]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(database_url=url),
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"soak: orgdata {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def import_teams() -> None:
        own = run("organizations", "create", "--name", "Imported", "--timezone", "UTC", "--currency", "EUR")
        file = folder / "teams.csv"
        file.write_text("id,name\n" + "".join(f"{uuid4()},Team {number}\n" for number in range(IMPORTED_TEAMS)))
        run("import", "--organization", own, str(file))
        key = run("keys", "create", "--purpose", "partner", "--organization", own)
        run("keys", "rotate", key.split()[-1].split("_")[2], "--overlap", "1")

    def outage() -> None:
        store.kill()
        time.sleep(OUTAGE_SECONDS)
        store.start()

    return [
        ("migration beside the load", lambda: run("migrate")),
        (f"import of {IMPORTED_TEAMS:,} rows, rotation of a key", import_teams),
        ("retention of all organizations", lambda: run("retain", "--all", "--objects", str(folder / "objects.ndjson"))),
        (f"{OUTAGE_SECONDS:.0f} s without Redis, {GRACE_SECONDS:.0f} s of grace", outage),
    ]
