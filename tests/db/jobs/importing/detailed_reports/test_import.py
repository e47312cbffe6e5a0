"""Reports that are imported: once, again, longer, edited.

Covers `db/jobs/importing/detailed_reports/entry_stage.py`.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from db.jobs.importing import staging
from tests.db.jobs.importing.conftest import Select
from tests.db.jobs.importing.detailed_reports.conftest import ImportFiles
from tests.db.jobs.importing.detailed_reports.reports import (
    CLOCKIFY_HEADER,
    TOGGL_HEADER,
    Tracker,
    clockify_line,
    toggl_line,
)
from tests.factories.rows import Rows

ImportReport = Callable[..., Any]

FIRST = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:30:00", "01:30:00")
SECOND = toggl_line("2026-03-02 11:00:00", "2026-03-02 12:00:00", "01:00:00", work="Acme,Shop,", billable="No")
LATER = toggl_line("2026-03-03 09:00:00", "2026-03-03 10:00:00", "01:00:00", user="Bob,bob@example.com")

LIVE = (
    "to_char(started_at, 'DD HH24:MI'), extract(epoch FROM ended_at - started_at)::int FROM timesheets"
    " WHERE deleted_at IS NULL ORDER BY started_at, 2"
)


@pytest.fixture
def import_report(import_files: ImportFiles) -> ImportReport:
    """`import_report(LINE, ...)` imports; returns (inserted, updated, deleted) of tables that change, or problems."""

    def run(*lines: str, replaces: bool = False, clockify: bool = False) -> Any:
        tracker, header = (Tracker.clockify, CLOCKIFY_HEADER) if clockify else (Tracker.toggl, TOGGL_HEADER)
        done = import_files(tracker, {"report.csv": [header, *lines]}, replaces=replaces)
        return done.problems or {table: counts for table, counts in done.changes.items() if any(counts)}

    return run


def test_report_is_imported_once(import_report: ImportReport, select: Select) -> None:
    assert import_report(FIRST, SECOND) == {
        "members": (1, 0, 0),
        "clients": (1, 0, 0),
        "projects": (2, 0, 0),
        "project_members": (2, 0, 0),
        "tasks": (1, 0, 0),
        "timesheets": (2, 0, 0),
    }
    everything = "t.updated_at, m.updated_at, p.updated_at FROM timesheets t, members m, projects p ORDER BY 1, 2, 3"
    before = select(everything)
    assert import_report(FIRST, SECOND) == {}
    assert import_report(SECOND, FIRST, replaces=True) == {}
    assert select(everything) == before
    assert select("status, role, email, full_name, last_tracked_at::text FROM members") == [
        ("active", "member", "ann@example.com", "Ann Lee", "2026-03-02 11:00:00+00")
    ]
    assert select("client_id IS NOT NULL, name, is_billable, currency FROM projects ORDER BY name") == [
        (True, "Shop", False, "EUR"),
        (True, "Website", True, "EUR"),
    ]


def test_longer_report_adds_what_is_new(import_report: ImportReport, select: Select) -> None:
    import_report(FIRST)
    assert import_report(LATER, SECOND, FIRST) == {
        "members": (1, 0, 0),
        "projects": (1, 0, 0),
        "project_members": (2, 0, 0),
        "timesheets": (2, 0, 0),
    }
    assert select(LIVE) == [("02 08:00", 5400), ("02 10:00", 3600), ("03 08:00", 3600)]


def test_earlier_report_moves_the_start_of_members(import_report: ImportReport, select: Select) -> None:
    import_report(LATER)
    earlier = toggl_line("2026-03-01 09:00:00", "2026-03-01 10:00:00", "01:00:00", user="Robert,BOB@example.com")
    assert import_report(earlier) == {"members": (0, 1, 0), "timesheets": (1, 0, 0)}
    assert select("full_name, first_joined_at::text, joined_at::text FROM members") == [
        ("Bob", "2026-03-01 08:00:00+00", "2026-03-03 08:00:00+00")
    ]


def test_edited_entry_is_updated(import_report: ImportReport, select: Select) -> None:
    import_report(FIRST)
    shorter = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:00:00", "01:00:00", work=",,", billable="No")
    assert import_report(shorter) == {"timesheets": (0, 1, 0)}
    assert select("project_id, task_id, is_billable, tracked_until = ended_at FROM timesheets") == [
        (None, None, False, True)
    ]
    assert select(LIVE) == [("02 08:00", 3600)]


def test_entry_with_another_start_is_a_new_one(import_report: ImportReport, select: Select) -> None:
    import_report(FIRST)
    moved = toggl_line("2026-03-02 09:15:00", "2026-03-02 10:30:00", "01:15:00")
    assert import_report(moved) == {"timesheets": (1, 0, 0)}
    assert select(LIVE) == [("02 08:00", 5400), ("02 08:15", 4500)]
    assert import_report(moved, replaces=True) == {"timesheets": (0, 0, 1)}
    assert select(LIVE) == [("02 08:15", 4500)]
    assert import_report(FIRST) == {"timesheets": (0, 1, 0)}


def test_replace_keeps_other_people_days_and_sources(
    import_report: ImportReport, select: Select, rows: Rows, own: UUID
) -> None:
    import_report(FIRST, SECOND, LATER)
    (ann,) = (user_id for user_id, email in select("user_id, email FROM members") if email == "ann@example.com")
    rows.timesheet(own, ann)
    import_report(clockify_line("13/03/2026 15:00", "13/03/2026 16:00", "1:00"), clockify=True)
    before = len(select("id FROM timesheets WHERE deleted_at IS NULL"))
    third = toggl_line("2026-03-13 09:00:00", "2026-03-13 10:00:00", "01:00:00")
    assert import_report(third, replaces=True)["timesheets"] == (1, 0, 0)
    assert import_report(FIRST, SECOND, replaces=True) == {}
    assert import_report(FIRST, third, replaces=True) == {"timesheets": (0, 0, 1)}
    assert len(select("id FROM timesheets WHERE deleted_at IS NULL")) == before
    assert select("project_id IS NULL, count(*) FROM timesheets WHERE deleted_at IS NOT NULL GROUP BY 1") == [
        (False, 1)
    ]


def test_replace_removes_pieces_of_a_long_entry(import_report: ImportReport, select: Select) -> None:
    import_report(toggl_line("2026-03-02 09:00:00", "2026-03-04 19:00:00", "58:00:00"))
    import_report(FIRST, toggl_line("2026-03-05 09:00:00", "2026-03-05 10:00:00", "01:00:00"), replaces=True)
    assert select(LIVE) == [("02 08:00", 5400), ("05 08:00", 3600)]


def test_replace_keeps_days_after_the_last_start(import_report: ImportReport, select: Select) -> None:
    import_report(toggl_line("2026-03-04 09:00:00", "2026-03-04 10:00:00", "01:00:00"))
    import_report(toggl_line("2026-03-02 09:00:00", "2026-03-04 19:00:00", "58:00:00"), replaces=True)
    assert ("04 08:00", 3600) in select(LIVE)


def test_replace_removes_breaks(import_report: ImportReport, select: Select) -> None:
    entry = clockify_line("13/03/2026 15:00", "13/03/2026 16:00", "1:00")
    pause = clockify_line("13/03/2026 16:00", "13/03/2026 16:30", "0:30", kind="Break")
    assert import_report(entry, pause, clockify=True)["break_times"] == (1, 0, 0)
    assert import_report(entry, clockify=True) == {}
    assert import_report(entry, clockify=True, replaces=True) == {"break_times": (0, 0, 1)}
    assert select("is_paid, deleted_at IS NULL FROM break_times") == [(False, False)]


def test_entries_that_start_together_are_all_imported(import_report: ImportReport, select: Select) -> None:
    assert import_report(FIRST, FIRST, FIRST)["timesheets"] == (3, 0, 0)
    assert import_report(FIRST, FIRST, FIRST) == {}
    assert select(LIVE) == [("02 08:00", 5400)] * 3


def test_one_bad_line_imports_nothing(import_report: ImportReport, select: Select) -> None:
    bad = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:30:00", "soon")
    reason = "is not a duration such as 1:30:00, 1:30 or 1.50"
    assert import_report(FIRST, bad) == [f'report.csv:3: Duration "soon" {reason}']
    assert select("count(*) FROM members") == [(0,)]


def test_report_of_more_problems_than_are_kept_is_refused(
    import_report: ImportReport, select: Select, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_PROBLEMS", 3)
    broken = [toggl_line("2026-03-02 09:00:00", "soon", "01:00:00") for _ in range(5)]
    *shown, rest = import_report(FIRST, *broken)
    assert len(shown) == 3
    assert rest.startswith("The rest was not read after")
    assert select(LIVE) == []
