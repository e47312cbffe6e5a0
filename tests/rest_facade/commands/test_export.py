"""`orgdata export`: what it prints, what it refuses, and that an end in the middle leaves no files.

Covers `rest_facade/commands/exports/export_rows.py` and `rest_facade/commands/exports/export_progress.py`.
"""

import os
import pty
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from typer.testing import CliRunner

from db.admin.engine import connect
from db.jobs.exporting.export_folder import UNFINISHED
from rest_facade.__main__ import app
from tests.db.sample.embedded.test_server import until
from tests.factories.rows import Rows
from tests.processes import orgdata_command
from tests.rest_facade.commands.conftest import TIMEOUT, CommandResult, assert_refused, environment

Export = Callable[..., CommandResult]

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'teams'::regclass"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def run(owner_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Export:
    """`run("--to", "first")` exports in this process: a process of its own would load the schema anew."""
    monkeypatch.chdir(folder)

    def run(*arguments: str, url: str = owner_url) -> CommandResult:
        result = CliRunner().invoke(app, ["export", *arguments], env={"ORGDATA_DATABASE_URL": url})
        return CommandResult(result.exit_code, result.stdout, result.stderr)

    return run


def test_export_says_what_the_files_have(run: Export, own: str, rows: Rows, folder: Path) -> None:
    rows.team(UUID(own))
    export = ("--organization", own, "--resource", "teams", "--resource", "members")
    first = run(*export, "--to", "first")
    assert first == CommandResult(0, "members\t0 rows\t0 files\nteams\t1 rows\t1 files\n", "")
    assert names(folder / "first") == {"teams.ndjson", "manifest.json", "state.json"}
    again = run(*export, "--to", "second", "--since", "first/state.json", "--format", "csv")
    assert (again.code, again.err) == (0, "")
    assert names(folder / "second") == {"manifest.json", "state.json"}


def test_unusable_arguments_are_one_sentence(run: Export, own: str, folder: Path) -> None:
    (folder / "notes").touch()
    assert_refused(
        run("--organization", own, "--to", "to", "--since", "notes"),
        "notes is not the state of an export: Invalid JSON: EOF while parsing a value at line 1 column 0.",
    )
    unknown = run("--organization", own, "--to", "to", "--resource", "team")
    assert unknown.code == 2
    assert "'team' is none of" in unknown.err
    assert not (folder / "to").exists()


class BlockedExport:
    """An export that waits for a lock of the table of teams, when it has written members."""

    def __init__(self, url: str, own: str, folder: Path) -> None:
        self.connection = psycopg.connect(url)
        self.connection.execute("LOCK TABLE teams IN ACCESS EXCLUSIVE MODE")
        self.errors, terminal = pty.openpty()
        chosen = ["--resource", "members", "--resource", "teams"]
        self.process = subprocess.Popen(
            [*orgdata_command(), "export", "--organization", own, "--to", str(folder), *chosen],
            env=environment(DATABASE_URL=url) | {"COLUMNS": "120", "TERM": "xterm"},
            stdout=subprocess.DEVNULL,
            stderr=terminal,
        )
        os.close(terminal)
        with psycopg.connect(url, autocommit=True) as watcher:
            until(lambda: watcher.execute(WAITING).fetchone() == (1,), TIMEOUT)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """The exit code after a signal, and what is on the terminal."""
        self.process.send_signal(number)
        shown = b""
        with suppress(OSError):  # the other end of the terminal is closed
            while data := os.read(self.errors, 65536):
                shown += data
        os.close(self.errors)
        self.connection.close()
        return self.process.wait(TIMEOUT), shown.decode()


@pytest.fixture
def database(own_url: str) -> Iterator[Rows]:
    rows = Rows(connect(own_url))
    yield rows
    rows.connection.close()


def test_killed_export_leaves_no_file_and_runs_again(own_url: str, database: Rows, run: Export, folder: Path) -> None:
    own = database.organization()
    database.member(own)
    to = folder / "to"
    export = BlockedExport(own_url, str(own), to)
    assert (to / UNFINISHED / "members.ndjson").exists()
    assert export.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert names(to) == {UNFINISHED}
    again = run("--organization", str(own), "--to", str(to), "--resource", "members", url=own_url)
    assert again == CommandResult(0, "members\t1 rows\t1 files\n", "")
    assert names(to) == {"members.ndjson", "manifest.json", "state.json"}


def test_interrupted_export_leaves_nothing_behind(own_url: str, database: Rows, folder: Path) -> None:
    own = database.organization()
    database.member(own)
    export = BlockedExport(own_url, str(own), folder / "to")
    code, shown = export.end(signal.SIGINT)
    assert code == 130, shown
    assert "orgdata: Interrupted. Nothing was exported." in shown
    assert "1 rows" in shown
    assert names(folder / "to") == set()
