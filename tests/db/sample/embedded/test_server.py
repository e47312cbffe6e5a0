"""Embedded server, always a real one: data, refusals, and the end of its processes.

Covers `db/sample/embedded/binaries.py`, `db/sample/embedded/data_directory.py` and `db/sample/embedded/database.py`.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

from db.errors import OperatorError
from db.sample.embedded import binaries
from db.sample.embedded import data_directory as home
from db.sample.embedded.binaries import find_binaries
from db.sample.embedded.server import Server
from tests.helpers.folders import open_folder
from tests.helpers.waiting import until
from tests.processes import hear_sigint, is_running, on_linux

pytestmark = pytest.mark.process

FAST = {"fsync": "off"}
PARENT = """
import sys, time
from pathlib import Path
from db.sample.embedded.server import Server

with Server(Path(sys.argv[1]), options={"fsync": "off"}) as server:
    print(server.pid, server.url("postgres"), flush=True)
    time.sleep(60)
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts PostgreSQL as another user")


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with open_folder() as folder, Server(folder, options=FAST) as server:
        yield server


@pytest.fixture
def shared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of /var/lib/orgdata."""
    for module in (binaries, home):
        monkeypatch.setattr(module, "SHARED", folder / "shared")
    return folder / "shared"


@pytest.fixture
def private(folder: Path) -> Path:
    """A folder that only its owner can enter, like those of `mktemp -d`."""
    private = folder / "private"
    private.mkdir(mode=0o700)
    return private


def ask(url: str, statement: LiteralString) -> Any:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def keep(url: str, number: int) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("create table kept (number int)")
        connection.execute("insert into kept values (%s)", [number])


def kept(server: Server) -> Any:
    return ask(server.url("postgres"), "select number from kept")


@contextmanager
def parent(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that starts a server in the folder, prints its pid and URL, and waits."""
    root = Path(__file__).parents[4]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_sigint,  # noqa: PLW1509  it takes no lock that a thread could hold
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_new_server_has_the_expected_settings(running: Server) -> None:
    for statement, answer in (
        ("select current_user::text", "postgres"),
        ("show server_encoding", "UTF8"),
        ("show timezone", "UTC"),
        ("show listen_addresses", ""),
        ("show fsync", "off"),
        ("select datcollate from pg_database where datname = 'postgres'", "C"),
    ):
        assert ask(running.url("postgres"), statement) == answer


def test_url_quotes_role_and_database(running: Server) -> None:
    ask(running.url("postgres"), 'create role "a/b:c@d e?" login')
    ask(running.url("postgres"), 'create database "x/y ?é"')
    url = running.url("a/b:c@d e?", "x/y ?é")
    assert ask(url, "select current_user || ' ' || current_database()") == "a/b:c@d e? x/y ?é"


def test_folder_in_use_is_refused(running: Server) -> None:
    with pytest.raises(OperatorError, match=f"^The folder {running.folder} is in use by another run"):
        Server(running.folder, options=FAST).start()
    assert ask(running.url("postgres"), "select 1") == 1


def test_second_start_keeps_the_data(folder: Path) -> None:
    server = Server(folder, options=FAST)
    with server:
        keep(server.url("postgres"), 1)
    with server:
        assert kept(server) == 1
    with Server(folder, options=FAST) as other:
        assert kept(other) == 1


@pytest.mark.parametrize("name", ["it's \"Zoë's\" $HOME `id` \\ 100% 日本", "long, " * 30], ids=["odd", "long"])
def test_folder_may_have_any_name(folder: Path, name: str) -> None:
    with Server(folder / name, options=FAST) as server:
        socket = Path(ask(server.url("postgres"), "show unix_socket_directories"))
        assert socket.stat().st_mode & 0o777 == 0o700
    assert not socket.exists()
    assert (folder / name / "postgres" / "PG_VERSION").exists()


def test_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
    (folder / "file").write_text("kept")
    for place in (folder / "file", folder / "file" / "data"):
        with pytest.raises(OperatorError, match=f"^The folder {place} cannot be written: "):
            Server(place).start()
    assert (folder / "file").read_text() == "kept"


def test_cluster_folder_with_other_files_is_refused(folder: Path) -> None:
    (folder / "postgres").mkdir()
    (folder / "postgres" / "mine").write_text("kept")
    with pytest.raises(OperatorError, match=f"^PostgreSQL cannot be started in {folder}: .*not empty"):
        Server(folder).start()
    assert (folder / "postgres" / "mine").read_text() == "kept"


def test_cluster_of_another_version_is_refused(folder: Path) -> None:
    (folder / "postgres").mkdir()
    (folder / "postgres" / "PG_VERSION").write_text("12\n")
    with pytest.raises(OperatorError, match=r"was made by PostgreSQL 12, .* install PostgreSQL 12, or choose"):
        Server(folder).start()


def test_cluster_is_served_by_the_version_that_made_it(folder: Path) -> None:
    made, found = min((binaries.version(each), each) for each in binaries._candidates() if binaries.version(each) >= 15)
    for given in (found, None):
        with Server(folder, binaries=given, options=FAST) as server:
            assert ask(server.url("postgres"), "select current_setting('server_version_num')::int / 10000") == made


def test_failed_start_quotes_the_log(folder: Path) -> None:
    with pytest.raises(OperatorError, match=r'^PostgreSQL did not start; (.*\n)*.*"no_such_setting"'):
        Server(folder, options={"no_such_setting": "1"}).start()
    assert not list(folder.glob("socket-*"))
    with Server(folder, options=FAST) as server:
        assert ask(server.url("postgres"), "select 1") == 1


def test_stop_leaves_no_process(folder: Path) -> None:
    server = Server(folder, options=FAST)
    server.start()
    server.start()
    # Without client backends and autovacuum workers, which may end before the server does.
    lasting = "backend_type not in ('client backend', 'autovacuum worker')"
    pids = ask(server.url("postgres"), f"select array_agg(pid) from pg_stat_activity where {lasting}")
    assert pids
    assert server.pid not in pids
    assert all(map(is_running, [server.pid, *pids]))
    pids.append(server.pid)
    server.stop()
    server.stop()
    until(lambda: not any(map(is_running, pids)))
    for use in (lambda: server.pid, lambda: server.url("postgres")):
        with pytest.raises(OperatorError, match="not started"):
            use()


@on_linux
@pytest.mark.parametrize("wait", [True, False], ids=["later", "at once"])
def test_server_ends_with_killed_parent_without_data_loss(folder: Path, wait: bool) -> None:
    with parent(folder) as process:
        assert process.stdout
        pid, url = process.stdout.readline().split()
        keep(url, 1)
        process.kill()
    if wait:
        until(lambda: not is_running(int(pid)))
    with Server(folder, options=FAST) as server:
        assert kept(server) == 1
        assert not is_running(int(pid))
        assert len(list(folder.glob("socket-*"))) == 1


@on_linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
@pytest.mark.parametrize("moment", ["unfinished-*/base/1", "postgres/postmaster.pid"], ids=["initdb", "start"])
def test_start_recovers_from_interrupted_start(folder: Path, moment: str, number: int) -> None:
    with parent(folder) as process:
        until(lambda: any(folder.glob(moment)))
        process.send_signal(number)
        assert process.wait(10)
    until(lambda: not any(folder.glob("postgres/postmaster.pid")))
    with Server(folder, options=FAST) as server:
        assert ask(server.url("postgres"), "select 1") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["lock", "postgres", "postgres.log"]
    assert (folder / "postgres.log").stat().st_mode & 0o077 == 0


def test_start_removes_folder_still_being_written(folder: Path) -> None:
    left_over = folder / "unfinished-x"
    left_over.mkdir(parents=True)
    written = "i=0; while [ $i -lt 100000 ]; do mkdir $i || exit 1; i=$((i+1)); done"
    with subprocess.Popen(["sh", "-c", written], cwd=left_over, stderr=subprocess.DEVNULL) as writer:
        until((left_over / "9").exists)
        with Server(folder, options=FAST):
            assert not left_over.exists()
        assert writer.wait(10) == 1


@pytest.mark.parametrize("source", ["wheel", "path", "installed"])
def test_each_source_of_binaries_works(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in {"wheel", "path", "installed"} - {source}:
        hide(other, monkeypatch)
    try:
        found = find_binaries()
    except OperatorError:
        pytest.skip(f"no PostgreSQL from this source: {source}")
    with Server(folder, options=FAST) as server:
        running = ask(server.url("postgres"), "select current_setting('server_version_num')::int / 10000")
        assert running == binaries.version(found) >= 15


def test_error_without_binaries_names_remedies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in ("wheel", "path", "installed"):
        hide(source, monkeypatch)
    with pytest.raises(OperatorError, match=r"`embedded`.*PostgreSQL 15 or newer.*ORGDATA_DATABASE_URL"):
        Server(folder).start()


def hide(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if source == "wheel":
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    elif source == "path":
        monkeypatch.setenv("PATH", "")
    else:
        monkeypatch.setattr(binaries, "INSTALLED", Path("/nonexistent"))


@as_root
def test_root_puts_cluster_where_server_can_reach_it(private: Path, shared: Path) -> None:
    with Server(private / "data", options=FAST) as server:
        keep(server.url("postgres"), 1)
    with Server(private / "data", options=FAST) as server:
        assert kept(server) == 1
    assert (private / "data" / "postgres").readlink().is_relative_to(shared)
    assert private.stat().st_mode & 0o777 == 0o700


@as_root
def test_root_copies_unreachable_binaries(private: Path, shared: Path, folder: Path) -> None:
    found = find_binaries()
    package = found.parents[1]
    for part in (found.name, "lib", "share"):
        shutil.copytree(found.parent / part, private / "package" / "install" / part, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, private / libraries.name)
        (private / "package").rename(private / package.name)
    unreachable = next(private.glob("*/install")) / found.name
    for _ in range(2):
        with Server(folder / "data", binaries=unreachable, options=FAST) as server:
            assert ask(server.url("postgres"), "select 1") == 1
    assert len(list(shared.iterdir())) == 1


@as_root
def test_cluster_of_removed_temporary_folder_is_removed(private: Path, shared: Path) -> None:
    def cluster_of(name: str) -> Path:
        return (private / name / "postgres").readlink()

    for name in ("kept", "removed"):
        with Server(private / name, options=FAST):
            pass
    kept, removed = cluster_of("kept"), cluster_of("removed")
    with Server(private / "running", options=FAST) as running:
        used = cluster_of("running")
        for name in ("removed", "running"):
            shutil.rmtree(private / name)
        with Server(private / "next", options=FAST):
            assert {kept, used, cluster_of("next")} == set(shared.glob("*/postgres"))
        assert not removed.exists()
        assert ask(running.url("postgres"), "select 1") == 1


@as_root
def test_cluster_of_moved_folder_stays(private: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(private / "data", options=FAST):
        cluster = (private / "data" / "postgres").readlink()
    assert cluster.is_relative_to(shared)
    (private / "data").rename(private / "moved")
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    with Server(private / "next", options=FAST):
        assert cluster.exists()
    with Server(private / "moved", options=FAST):
        assert (cluster.parent / "link").read_text() == str(private / "moved" / "postgres")


@as_root
def test_copied_folder_cannot_run_beside_the_original(private: Path, shared: Path) -> None:
    with Server(private / "data", options=FAST) as server:
        assert shared.exists()
        shutil.copytree(private / "data", private / "copy", symlinks=True)
        with pytest.raises(OperatorError, match="in use by another run"):
            Server(private / "copy").start()
        assert ask(server.url("postgres"), "select 1") == 1
