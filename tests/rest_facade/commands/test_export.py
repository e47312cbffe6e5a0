"""`orgdata export`: what it prints, what it refuses, and that an end in the middle leaves no files.

Covers `rest_facade/commands/exports/export_rows.py`.
"""

import json
import signal
from pathlib import Path
from uuid import UUID

import psycopg

from db.jobs.exporting.export_folder import UNFINISHED
from tests.factories.rows import Rows
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
