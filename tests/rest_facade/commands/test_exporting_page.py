"""docs/exporting.md: its lines run in their order, as a reader pastes them."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rest_facade.__main__ import app
from tests.factories.rows import Rows

PAGE = Path(__file__).parents[3] / "docs" / "exporting.md"

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
    for line in LINE.finditer(PAGE.read_text()):
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
