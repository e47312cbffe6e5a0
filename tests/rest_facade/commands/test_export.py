"""`orgdata export`: what it prints and refuses, that an end leaves no files, and the lines of docs/exporting.md.

Covers `rest_facade/commands/exports/export_rows.py`.
"""

import json
import re
import shlex
import signal
from errno import EPIPE
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from typer.testing import CliRunner

from db.jobs.exporting.export_folder import UNFINISHED
from rest_facade.__main__ import app
from tests.factories.rows import Rows
from tests.helpers.repository import ROOT
from tests.helpers.waiting import until
from tests.rest_facade.commands.conftest import TIMEOUT, CommandResult, OnTerminal, Run, assert_refused, succeed

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'teams'::regclass"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_export_says_what_the_files_have(run: Run, own: str, organization: UUID, rows: Rows, folder: Path) -> None:
    rows.team(organization)
    export = ("--organization", own, "--resource", "teams", "--resource", "members")
    first = run("export", *export, "--to", "first")
    assert first == CommandResult(0, "members\t0 rows\t0 files\nteams\t1 rows\t1 files\n", "")
    assert names(folder / "first") == {"teams.ndjson", "manifest.json", "state.json"}
    succeed(run("export", *export, "--to", "second", "--since", "first/state.json", "--format", "csv"))
    assert names(folder / "second") == {"manifest.json", "state.json"}


def test_unusable_state_is_one_sentence(run: Run, own: str, folder: Path) -> None:
    (folder / "notes").touch()
    assert_refused(
        run("export", "--organization", own, "--to", "to", "--since", "notes"),
        "notes is not the state of an export: Invalid JSON: EOF while parsing a value at line 1 column 0.",
    )
    assert not (folder / "to").exists()


def test_all_organizations_are_exported_once(run: Run, own_url: str, database: Rows, folder: Path) -> None:
    export = ("export", "--all", "--resource", "teams")
    first = database.organization()
    database.team(first)
    line = "{}\t{} rows\t{} files\n"
    assert run(*export, "--to", "a", url=own_url) == CommandResult(0, line.format(first, 1, 1), "")
    second = database.organization()
    database.team(second)
    assert run(*export, "--to", "a", url=own_url) == CommandResult(0, line.format(second, 1, 1), "")
    assert names(folder / "a" / str(second)) == {"teams.ndjson", "manifest.json", "state.json"}
    third = database.organization()
    database.team(third)
    since = run(*export, "--to", "b", "--since", "a", "--json", url=own_url)
    assert run(*export, "--to", "c", "--since", "a/none", url=own_url).code == 2
    exported = {row["organization_id"]: (row["rows"], row["files"]) for row in json.loads(since.out)}
    assert exported == {str(first): (0, 0), str(second): (0, 0), str(third): (1, 1)}


class BlockedExport(OnTerminal):
    """An export that waits for a lock of the table of teams, when it has written members."""

    def __init__(self, url: str, own: UUID, folder: Path) -> None:
        self.connection = psycopg.connect(url)
        self.connection.execute("LOCK TABLE teams IN ACCESS EXCLUSIVE MODE")
        chosen = ("--resource", "members", "--resource", "teams")
        super().__init__(url, "export", "--organization", str(own), "--to", str(folder), *chosen)
        with psycopg.connect(url, autocommit=True) as watcher:
            until(lambda: watcher.execute(WAITING).fetchone() == (1,), TIMEOUT)

    def end_by(self, number: signal.Signals) -> tuple[int, str]:
        """The exit code after a signal, and what is on the terminal."""
        self.process.send_signal(number)
        ended = self.end()
        self.connection.close()
        return ended


def test_killed_export_leaves_no_file_and_runs_again(own_url: str, database: Rows, run: Run, folder: Path) -> None:
    own = database.organization()
    database.member(own)
    to = folder / "to"
    export = BlockedExport(own_url, own, to)
    assert (to / UNFINISHED / "members.ndjson").exists()
    assert export.end_by(signal.SIGKILL)[0] == -signal.SIGKILL
    assert names(to) == {UNFINISHED}
    again = run("export", "--organization", str(own), "--to", str(to), "--resource", "members", url=own_url)
    assert again == CommandResult(0, "members\t1 rows\t1 files\n", "")
    assert names(to) == {"members.ndjson", "manifest.json", "state.json"}


def test_interrupted_export_leaves_nothing_behind(own_url: str, database: Rows, folder: Path) -> None:
    own = database.organization()
    database.member(own)
    export = BlockedExport(own_url, own, folder / "to")
    code, shown = export.end_by(signal.SIGINT)
    assert code == 130, shown
    assert "orgdata: Interrupted. Nothing was exported." in shown
    assert "1 rows" in shown
    assert names(folder / "to") == set()


def test_closed_output_is_no_export_without_files(
    run: Run, own: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BrokenPipeError(EPIPE, "Broken pipe")

    monkeypatch.setattr("rest_facade.commands.exports.export_rows.print_rows", refuse)
    assert "without files" not in run("export", "--organization", own, "--to", "to", "--resource", "teams").err
    assert names(folder / "to") == {"manifest.json", "state.json"}


LINE = re.compile(
    r"^    (?:(?P<variables>ORGDATA_DATABASE_URL=\$OTHER_DATABASE) )?orgdata (?P<words>.*)$", re.MULTILINE
)


def test_lines_of_the_page_export_and_restore(
    owner_url: str, own_url: str, rows: Rows, database: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = rows.organization()
    rows.timesheet(own, rows.member(own))
    rows.team(own)
    shown = []
    for line in LINE.finditer((ROOT / "docs" / "exporting.md").read_text()):
        words = line["words"].replace("ID", str(own)).replace("/srv", str(tmp_path))
        url = own_url if line["variables"] else owner_url
        result = CliRunner().invoke(app, shlex.split(words), env={"ORGDATA_DATABASE_URL": url})
        assert result.exit_code == 0, result.output
        shown.append({line for line in result.output.splitlines() if line.startswith(("teams", "timesheets"))})
    assert shown == [
        {"teams\t1 rows\t1 files", "timesheets\t1 rows\t1 files"},
        {"teams\t0 rows\t0 files", "timesheets\t0 rows\t0 files"},
        {"teams\t0 rows\t0 files", "timesheets\t0 rows\t0 files"},
        {"teams\t1 rows\t1 files", "timesheets\t1 rows\t1 files"},
        {f"{table}\t1 new\t0 changed\t0 deleted\t0 unchanged" for table in ("teams", "timesheets")},
        set(),
    ]
    with database.transaction(own):
        assert database.connection.exec_driver_sql("SELECT count(*) FROM timesheets").scalar() == 1
