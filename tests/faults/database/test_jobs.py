"""Imports, exports and erasures beside faults: a kill, a full disk, a reset connection, and another import."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psycopg
import pytest

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.sample.embedded.server import SOCKET_NAME, Server
from tests.db.migrations.later_revision import add_revision
from tests.factories.rows import Rows
from tests.faults.database.cluster import make_tenant
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.proxy import Proxy
from tests.faults.service import serving
from tests.helpers.waiting import until
from tests.rest_facade.commands.conftest import environment

pytestmark = pytest.mark.fault

TIMEOUT = 30.0

SESSIONS = "SELECT wait_event_type FROM pg_stat_activity WHERE datname = %s AND application_name = 'killed job'"


@pytest.fixture
def own(database: Rows) -> str:
    return str(database.organization())


@pytest.fixture
def watcher(server: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        yield connection


def import_file(url: str, own: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Import members.csv of the folder."""
    return subprocess.run(
        [sys.executable, "-m", "rest_facade", "import", "--organization", own, "members.csv"],
        cwd=folder,
        env=environment(DATABASE_URL=url),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


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
            until(partial(are_locked, watcher, database, 1), TIMEOUT)
            os.kill(process.pid, signal.SIGKILL)
        # The table is locked still.
        until(partial(are_locked, watcher, database, 0), TIMEOUT)
    assert import_file(own_url, own, tmp_path).stdout == "members\t1 new\t0 changed\t0 deleted\t0 unchanged\n"


def are_locked(watcher: psycopg.Connection, database: object, number: int) -> bool:
    """Whether so many jobs wait for locks, and no other job runs."""
    return watcher.execute(SESSIONS, [database]).fetchall() == [("Lock",)] * number


def write_members(folder: Path, count: int) -> None:
    """A file of so many members."""
    lines = (f"m{number}@example.com,Member {number}\n" for number in range(count))
    (folder / "members.csv").write_text("email,full_name\n" + "".join(lines))


def members_of(url: str, own: str) -> int:
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('app.organization_id', %s, true)", [own])
        (count,) = connection.execute("SELECT count(*) FROM members").fetchone() or (-1,)
        return int(count)


def test_second_import_waits_and_says_so(own: str, own_url: str, watcher: psycopg.Connection, tmp_path: Path) -> None:
    write_members(tmp_path, 1)
    database = psycopg.conninfo.conninfo_to_dict(own_url)["dbname"]
    command = [sys.executable, "-m", "rest_facade", "import", "--organization", own, "members.csv"]
    variables = environment(DATABASE_URL=own_url) | {"PGAPPNAME": "killed job"}
    with ExitStack() as stack:
        blocker = stack.enter_context(psycopg.connect(own_url))
        blocker.execute("LOCK TABLE members IN ACCESS EXCLUSIVE MODE")
        running = []
        for number in (1, 2):
            process = subprocess.Popen(
                command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            running.append(stack.enter_context(process))
            until(partial(are_locked, watcher, database, number), TIMEOUT)
        waiting = running[1].stderr
        assert waiting is not None
        assert '"step":"Waiting for another import into the organization"' in waiting.readline()
        blocker.rollback()
        results = [process.communicate(timeout=TIMEOUT)[0] for process in running]
    assert results == [
        "members\t1 new\t0 changed\t0 deleted\t0 unchanged\n",
        "members\t0 new\t0 changed\t0 deleted\t1 unchanged\n",
    ]


@pytest.fixture
def small_disk(server: Server, own_url: str, folder: Path) -> Iterator[None]:
    """Temporary tables of the database are on a disk of 8 MB."""
    if os.geteuid() != 0:
        pytest.skip("Only root may mount a small disk.")
    database = psycopg.conninfo.conninfo_to_dict(own_url)["dbname"]
    account = Path(f"/proc/{server.pid}").stat()
    mount = ["mount", "-t", "tmpfs", "-o", f"size=8m,uid={account.st_uid},gid={account.st_gid},mode=700"]
    with psycopg.connect(server.url("postgres"), autocommit=True) as superuser, ExitStack() as stack:
        subprocess.run([*mount, "tmpfs", str(folder)], check=True)
        stack.callback(subprocess.run, ["umount", str(folder)], check=True)
        superuser.execute(f"CREATE TABLESPACE small_disk LOCATION '{folder}'".encode())
        stack.callback(superuser.execute, "DROP TABLESPACE small_disk")
        superuser.execute("GRANT CREATE ON TABLESPACE small_disk TO PUBLIC")
        superuser.execute(f"ALTER DATABASE {database} SET temp_tablespaces = small_disk".encode())
        stack.callback(superuser.execute, f"ALTER DATABASE {database} RESET temp_tablespaces".encode())
        yield


@pytest.mark.usefixtures("small_disk")
def test_full_disk_is_told_and_nothing_is_written(own: str, own_url: str, tmp_path: Path) -> None:
    write_members(tmp_path, 200_000)
    failed = import_file(own_url, own, tmp_path)
    assert failed.returncode == 1
    assert "No space left on device" in failed.stderr
    assert failed.stderr.splitlines()[-1].startswith("orgdata: The database ended the import: could not ")
    assert "written as a whole or not at all: run the command again." in failed.stderr
    assert members_of(own_url, own) == 0
    write_members(tmp_path, 100)
    assert import_file(own_url, own, tmp_path).stdout == "members\t100 new\t0 changed\t0 deleted\t0 unchanged\n"


def test_reset_connection_is_told_and_nothing_is_written(
    own: str, own_url: str, server: Server, watcher: psycopg.Connection, tmp_path: Path
) -> None:
    write_members(tmp_path, 10)
    parts = psycopg.conninfo.conninfo_to_dict(own_url)
    with Proxy(Path(str(parts["host"]), SOCKET_NAME)) as proxy, ThreadPoolExecutor(1) as pool:
        url = f"postgresql://{parts['user']}@127.0.0.1:{proxy.port}/{parts['dbname']}?sslmode=disable"
        with psycopg.connect(own_url) as blocker:
            blocker.execute("LOCK TABLE members IN ACCESS EXCLUSIVE MODE")
            failing = pool.submit(import_file, f"{url}&application_name=killed%20job", own, tmp_path)
            until(partial(are_locked, watcher, parts["dbname"], 1), TIMEOUT)
            assert proxy.reset() == 1
            failed = failing.result(TIMEOUT)
            # The table is locked still.
            until(partial(are_locked, watcher, parts["dbname"], 0), TIMEOUT)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith("orgdata: The database ended the import: ")
    assert members_of(own_url, own) == 0
    assert import_file(own_url, own, tmp_path).stdout == "members\t10 new\t0 changed\t0 deleted\t0 unchanged\n"


UPGRADE = """
op.execute("ALTER TABLE teams ADD COLUMN motto text")
op.execute("ALTER TABLE api_keys ADD COLUMN motto text")
"""


@pytest.mark.parametrize(
    "holding",
    ["UPDATE api_keys SET label = label", "LOCK TABLE teams, api_keys IN ACCESS SHARE MODE"],
    ids=["writer", "dump"],
)
def test_no_request_fails_while_a_migration_waits(
    holding: str, own_url: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_revision(tmp_path, monkeypatch, UPGRADE)
    rows = Rows(connect(own_url))
    tenant = make_tenant(rows, "First")
    unknown_keys = [rows.partner_key(tenant.id) for _ in range(40)]
    rows.connection.close()
    said: list[str] = []
    waited = threading.Event()

    def step(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 3:
            waited.set()

    with (
        serving(folder, database_url=own_url, quota_limit="1000000") as running,
        psycopg.connect(own_url) as holder,
        connect(own_url).connect() as connection,
        Traffic(running, [tenant]) as traffic,
    ):
        holder.execute(holding.encode())
        migration = threading.Thread(target=migrate, args=(connection,), kwargs={"step": step})
        migration.start()
        with TeamsClient(running, tenant) as asking:
            answers = [asking.teams(unknown_keys.pop()) for _ in range(20)]
            assert waited.wait(60)
            answers += [asking.teams(unknown_keys.pop()) for _ in range(5)]
            holder.rollback()
            migration.join(60)
            answers += [asking.teams(unknown_keys.pop()) for _ in range(5)]
        traffic.wait_for(20)
        with psycopg.connect(own_url) as later:
            assert later.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
    assert set(traffic.counts()) == {200}
    assert {answer.status for answer in answers} == {200}
