"""Jobs that are killed while the database works for them: it stops within seconds, and the next one starts at once."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from db.admin.engine import connect
from db.sample.embedded.server import Server
from tests.factories.rows import Rows
from tests.faults.service import until
from tests.rest_facade.commands.conftest import environment

pytestmark = pytest.mark.fault

TIMEOUT = 30.0

SESSIONS = "SELECT wait_event_type FROM pg_stat_activity WHERE datname = %s AND application_name = 'killed job'"


@pytest.fixture
def own(own_url: str) -> str:
    rows = Rows(connect(own_url))
    own = str(rows.organization())
    rows.connection.close()
    return own


@pytest.fixture
def watcher(server: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    "job",
    [
        "import --organization {own} members.csv",
        "export --organization {own} --to exported",
        "erase --organization {own} --user {own}",
    ],
    ids=["import", "export", "erase"],
)
def test_statement_of_a_killed_job_ends(
    job: str, own: str, own_url: str, watcher: psycopg.Connection, tmp_path: Path
) -> None:
    (tmp_path / "members.csv").write_text("email,full_name\nada@example.com,Ada\n")
    database = psycopg.conninfo.conninfo_to_dict(own_url)["dbname"]
    with psycopg.connect(own_url) as blocker:
        blocker.execute("LOCK TABLE members IN ACCESS EXCLUSIVE MODE")
        with subprocess.Popen(
            [sys.executable, "-m", "rest_facade", *job.format(own=own).split()],
            cwd=tmp_path,
            env=environment(DATABASE_URL=own_url) | {"PGAPPNAME": "killed job"},
        ) as process:
            until(lambda: watcher.execute(SESSIONS, [database]).fetchall() == [("Lock",)], TIMEOUT)
            os.kill(process.pid, signal.SIGKILL)
        # The table is locked still.
        until(lambda: watcher.execute(SESSIONS, [database]).fetchall() == [], TIMEOUT)
    again = subprocess.run(
        [sys.executable, "-m", "rest_facade", "import", "--organization", own, "members.csv"],
        cwd=tmp_path,
        env=environment(DATABASE_URL=own_url),
        stdout=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert again.stdout == "members\t1 new\t0 changed\t0 deleted\n"
