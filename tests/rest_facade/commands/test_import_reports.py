"""`orgdata import --from`: a report of another time tracker, up to the time report of the service.

Covers `rest_facade/commands/imports/import_rows.py`, `rest_facade/commands/imports/import_summary.py` and
`db/jobs/importing/time_summary.py`.
"""

import os
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import httpx2 as httpx
import orjson
import pytest

from tests.db.jobs.importing.detailed_reports.reports import CLOCKIFY_HEADER, TOGGL_HEADER, clockify_line, toggl_line
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run, assert_refused, succeed


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A file for a report."""
    return tmp_path / "report.csv"


async def test_clockify_needs_order_and_zone(run: Run, own: str, http: httpx.AsyncClient, report: Path) -> None:
    pause = clockify_line("03/04/2026 12:00:00 PM", "03/04/2026 12:30:00 PM", "00:30:00", kind="Break")
    entry = clockify_line("03/04/2026 12:30:00 PM", "03/04/2026 02:00:00 PM")
    report.write_text("\n".join([CLOCKIFY_HEADER, entry, pause, clockify_line(kind="Holiday")]))
    arguments = ("import", "--organization", own, "--from", "clockify", str(report))
    assert 'report.csv:2: Start Date "03/04/2026" may begin with day or month' in run(*arguments).err
    assert "Europa/Berlin" in run(*arguments, "--dates", "mdy", "--timezone", "Europa/Berlin").err
    out = succeed(run(*arguments, "--dates", "mdy", "--timezone", "America/New_York"))
    assert "1 line was left out: the entry is a holiday or time off (line 4)." in out
    response = await http.get("/v1/time_activity_reports/?start_date=2026-03-04&end_date=2026-03-04")
    (row,) = response.json()["results"]
    assert (row["tracked_seconds"], row["break_seconds"]) == (5_400, 1_800)
    assert row["first_started_at"] == f"{datetime(2026, 3, 4, 17, 30, tzinfo=UTC):%Y-%m-%dT%H:%M:%SZ}"


def test_dry_run_shows_days_people_and_hours(run: Run, rows: Rows, report: Path) -> None:
    own = str(rows.organization(timezone="Europe/Berlin"))
    bob = "Bob Ray,bob@example.com"
    second = toggl_line("2026-03-29 09:00:00", "2026-03-29 09:10:00", "00:10:00", user=bob, work=",,")
    report.write_text(f"{TOGGL_HEADER}\n{toggl_line()}\n{second}")
    arguments = ("import", "--organization", own, "--from", "toggl", "--timezone", "UTC", str(report), "--dry-run")
    starts = "half of the entries start between 10:00 and 11:00"
    assert succeed(run(*arguments)).splitlines()[:5] == [
        f"time\t2026-03-02 to 2026-03-29\t2 people\t1 project\t{starts} (Europe/Berlin)",
        "hours\t1:30\tAnn Lee",
        "hours\t0:10\tBob Ray",
        "project\t1:30\tWebsite",
        "project\t0:10\tno project",
    ]
    shown = orjson.loads(succeed(run(*arguments, "--json")))
    assert shown["time"]["people"][1] == {"full_name": "Bob Ray", "seconds": 600}
    assert shown["time"]["project_time"][1] == {"name": "no project", "seconds": 600}
    assert shown["dry_run"] is True
    assert shown["notes"] == ["Columns that are not imported: Amount (EUR)."]
    counts = dict.fromkeys(("updated", "deleted", "unchanged"), 0)
    assert shown["tables"][-1] == {"table": "timesheets", "read": 2, "inserted": 2, **counts}


def test_equal_names_are_told_apart(run: Run, own: str, report: Path) -> None:
    lines = [
        toggl_line(),
        toggl_line("2026-03-02 11:00:00", "2026-03-02 12:00:00", "01:00:00", work="Globex,Website,"),
        toggl_line(
            "2026-03-02 12:00:00", "2026-03-02 12:20:00", "00:20:00", user="Ann Lee,lee@example.com", work=",Shop,"
        ),
        toggl_line("2026-03-02 13:00:00", "2026-03-02 13:10:00", "00:10:00", work=",Website,"),
    ]
    report.write_text("\n".join([TOGGL_HEADER, *lines]))
    assert succeed(run("import", "--organization", own, "--from", "toggl", str(report))).splitlines()[1:7] == [
        "hours\t2:40\tAnn Lee (ann@example.com)",
        "hours\t0:20\tAnn Lee (lee@example.com)",
        "project\t1:30\tWebsite (Acme)",
        "project\t1:00\tWebsite (Globex)",
        "project\t0:20\tShop",
        "project\t0:10\tWebsite (none)",
    ]


def test_stored_and_deleted_hours_of_namesakes_are_told_apart(run: Run, own: str, report: Path) -> None:
    namesake = "Ann Lee,lee@example.com"
    first = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:00:00", "01:00:00")
    second = toggl_line("2026-03-02 09:00:00", "2026-03-02 09:30:00", "00:30:00", user=namesake)
    third = toggl_line("2026-03-02 11:00:00", "2026-03-02 11:20:00", "00:20:00", user=namesake)
    arguments = ("import", "--organization", own, "--from", "toggl", str(report))
    report.write_text(f"{TOGGL_HEADER}\n{first}\n{second}")
    succeed(run(*arguments))
    report.write_text(f"{TOGGL_HEADER}\n{first}\n{third}")
    assert "stored\t0:30\tAnn Lee (lee@example.com)" in succeed(run(*arguments)).splitlines()
    report.write_text("\n".join([TOGGL_HEADER, toggl_line("2026-03-02 15:00:00", "2026-03-02 16:00:00", "01:00:00")]))
    out = succeed(run(*arguments, "--replace", "--days", "2026-03-02..2026-03-02")).splitlines()
    assert [line for line in out if line.startswith("deleted")] == [
        "deleted\t1:00\tAnn Lee (ann@example.com)",
        "deleted\t0:50\tAnn Lee (lee@example.com)",
    ]


def test_days_that_reports_refuse_are_told(run: Run, own: str, report: Path) -> None:
    moments = [f"2026-03-02 09:{second // 60:02}:{second % 60:02}" for second in range(1_002)]
    lines = [toggl_line(start, end, "00:00:01") for start, end in pairwise(moments)]
    report.write_text("\n".join([TOGGL_HEADER, *lines]))
    arguments = ("import", "--organization", own, "--from", "toggl", str(report))
    told = "Reports refuse days with more than 1,000 timesheets of a person: Ann Lee on 2026-03-02."
    assert told in succeed(run(*arguments))
    shown = orjson.loads(succeed(run(*arguments, "--dry-run", "--json")))
    assert shown["time"]["crowded"] == [{"full_name": "Ann Lee", "date": "2026-03-02"}]
    report.write_text("\n".join([TOGGL_HEADER, *lines[:1_000]]))
    assert told not in succeed(run(*arguments, "--replace"))


def test_entries_that_mean_durations_are_told_and_placed(run: Run, own: str, report: Path) -> None:
    lines = [
        toggl_line("2026-03-02 08:00:00", "2026-03-02 13:00:00", "05:00:00"),
        toggl_line("2026-03-02 08:00:00", "2026-03-02 11:00:00", "03:00:00", work="Acme,Brand,"),
    ]
    report.write_text("\n".join([TOGGL_HEADER, *lines]))
    arguments = ("import", "--organization", own, "--from", "toggl", str(report))
    sentence = (
        "Reports count 3:00 less than the files have, for Ann Lee: time of a person that overlaps counts once, and"
        " breaks and discarded idle time do not count. Entries of a person start together: if they only mean durations,"
        " import with --durations."
    )
    out = succeed(run(*arguments)).splitlines()
    assert [line for line in out if "Ann" in line][:2] == ["hours\t8:00\tAnn Lee", "less\t3:00\tAnn Lee"]
    assert out[-2] == sentence
    shown = orjson.loads(succeed(run(*arguments, "--dry-run", "--json")))
    assert shown["time"]["uncounted"] == [{"full_name": "Ann Lee", "seconds": 10_800}]
    assert shown["notes"][-1] == sentence
    placed = orjson.loads(succeed(run(*arguments, "--durations", "--json")))
    assert placed["time"]["uncounted"] == []
    assert (placed["tables"][-1]["inserted"], placed["tables"][-1]["deleted"]) == (2, 2)


def test_hours_that_a_file_deletes_are_told(run: Run, rows: Rows, organization: UUID, tmp_path: Path) -> None:
    rows.member(organization, email="ann@example.com", full_name="Ann Lee")
    arguments = ("import", "--organization", str(organization), str(tmp_path))
    file, line = tmp_path / "timesheets.csv", "a,ann@example.com,2026-03-02T08:00:00Z,2026-03-02T10:00:00Z"
    file.write_text(f"external_id,user_email,started_at,ended_at\n{line}")
    succeed(run(*arguments))
    file.write_text(f"external_id,user_email,started_at,ended_at,deleted_at\n{line},2026-03-05T00:00:00Z")
    deleted = ["deleted\t2:00\tAnn Lee", "timesheets\t0 new\t0 changed\t1 deleted\t0 unchanged"]
    assert succeed(run(*arguments, "--dry-run")).splitlines()[:2] == deleted
    assert succeed(run(*arguments)).splitlines() == deleted
    # What is deleted already is not deleted again.
    assert "deleted\t2:00" not in succeed(run(*arguments))


def test_summary_says_what_reports_count_less(run: Run, rows: Rows, organization: UUID, tmp_path: Path) -> None:
    rows.member(organization, email="ann@example.com", full_name="Ann Lee")
    lines = [
        "external_id,user_email,started_at,ended_at",
        "a,ann@example.com,2026-03-02T08:00:00Z,2026-03-02T10:00:00Z",
        "b,ann@example.com,2026-03-02T08:00:00Z,2026-03-02T09:00:00Z",
    ]
    (tmp_path / "timesheets.csv").write_text("\n".join(lines))
    rests = ["user_email,started_at,ended_at", "ann@example.com,2026-03-02T09:30:00Z,2026-03-02T09:45:00Z"]
    (tmp_path / "break_times.csv").write_text("\n".join(rests))
    out = succeed(run("import", "--organization", str(organization), str(tmp_path), "--dry-run"))
    assert "less\t1:15\tAnn Lee" in out
    assert "if they only mean durations, let each start where the one before it ends." in out


def test_import_of_a_tracker_is_taken_back(run: Run, own: str, report: Path) -> None:
    report.write_text(f"{TOGGL_HEADER}\n{toggl_line()}")
    command = ("import", "--organization", own, "--from", "toggl")
    succeed(run(*command, str(report)))
    dry = succeed(run(*command, "--undo", "--days", "2026-03-02..2026-03-02", "--dry-run"))
    assert dry.splitlines()[:2] == ["deleted\t1:30\tAnn Lee", "timesheets\t0 new\t0 changed\t1 deleted\t0 unchanged"]
    nothing = "Nothing was deleted: no entry from toggl is stored, 2026-03-03 to 2026-03-03.\n"
    assert succeed(run(*command, "--undo", "--days", "2026-03-03")) == nothing
    assert "Deleted: the entries of all people, 2026-03-02 to 2026-03-02." in dry
    done = orjson.loads(succeed(run(*command, "--undo", "--json")))
    assert (done["tables"][0]["read"], done["tables"][0]["deleted"]) == (0, 1)
    assert done["deleted"] == [{"full_name": "Ann Lee", "seconds": 5400}]


def test_entry_that_is_stored_with_another_start_is_told(run: Run, rows: Rows, report: Path) -> None:
    own = str(rows.organization(timezone="Europe/Berlin"))
    late = toggl_line("2026-03-02 20:00:00", "2026-03-02 23:30:00", "03:30:00", description="a")
    report.write_text("\n".join([TOGGL_HEADER, late, toggl_line("2026-03-04 09:00:00", "2026-03-04 10:30:00")]))
    command = ("import", "--organization", own, "--from", "toggl", str(report))
    sentence = (
        "5:00 of Ann Lee is stored with another start, too, and both count: if the entries moved, or --timezone or"
        " --dates was another, import with --replace --days 2026-03-02..2026-03-04.\n"
    )
    succeed(run(*command, "--timezone", "America/New_York"))
    assert succeed(run(*command, "--replace", "--dry-run")).count("is stored with another start") == 0
    assert sentence in succeed(run(*command, "--dry-run"))
    assert sentence in succeed(run(*command))
    assert "deleted\t5:00\tAnn Lee" in succeed(run(*command, "--replace", "--days", "2026-03-02..2026-03-04"))
    # On another day and at another time: only a correction says it, since work repeats.
    report.write_text(f"{TOGGL_HEADER}\n{toggl_line('2026-03-05 13:00:00', '2026-03-05 14:30:00')}")
    assert "with another start" not in succeed(run(*command, "--dry-run"))
    assert "--replace --days 2026-03-04..2026-03-05." in succeed(run(*command, "--replace", "--dry-run"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--days", "2026-03-02", "report.csv"], "needs --replace or --undo"),
        (["--replace", "--days", "2026-03-02..2026-03-01", "report.csv"], "ends before it begins"),
        (["--replace", "--days", "March", "report.csv"], "write 2026-03-01..2026-03-31"),
        (["--undo", "report.csv"], "stands without PATHS"),
        ([], "names no file"),
    ],
)
def test_contradiction_is_refused(run: Run, own: str, report: Path, options: list[str], message: str) -> None:
    report.write_text(f"{TOGGL_HEADER}\n{toggl_line()}")
    given = [str(report) if option == "report.csv" else option for option in options]
    result = run("import", "--organization", own, "--from", "toggl", *given)
    assert result.code == 2
    assert message in result.err


def test_report_in_a_pipe_is_refused_before_it_is_opened(run: Run, own: str, report: Path) -> None:
    """It is read several times: of a pipe with 20,000 lines, 19,093 were imported, and no word said so."""
    os.mkfifo(report)
    for path in (report, Path("/dev/zero")):
        result = run("import", "--organization", own, "--from", "toggl", str(path))
        assert_refused(result, f"{path} is no file but a pipe, a device or a folder: save the report as a file.")
