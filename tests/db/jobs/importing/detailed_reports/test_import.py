"""Reports that are imported: once, again, longer, edited; for organizations with and without earlier data.

Covers `db/jobs/importing/detailed_reports/detailed_report.py`, `db/jobs/importing/detailed_reports/report_rows.py`,
`db/jobs/importing/detailed_reports/entry.py` and `db/jobs/importing/detailed_reports/entry_stage.py`.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from db.jobs.importing import staging
from tests.db.jobs.importing.conftest import Select
from tests.db.jobs.importing.detailed_reports import reports
from tests.db.jobs.importing.detailed_reports.conftest import ImportFiles
from tests.db.jobs.importing.detailed_reports.reports import TOGGL_HEADER, Tracker, clockify_line, toggl_line
from tests.factories.rows import Rows

ImportReport = Callable[..., Any]

FIRST = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:30:00", "01:30:00")
SECOND = toggl_line("2026-03-02 11:00:00", "2026-03-02 12:00:00", "01:00:00", work="Acme,Shop,", billable="No")
LATER = toggl_line("2026-03-03 09:00:00", "2026-03-03 10:00:00", "01:00:00", user="Bob,bob@example.com")

GONE = datetime(2026, 1, 6, tzinfo=UTC)
ALL_NEW = dict.fromkeys(("members", "clients", "projects", "project_members", "tasks", "timesheets"), (1, 0, 0))
"""What FIRST inserts into an organization that has nothing of it."""

LIVE = (
    "to_char(started_at, 'DD HH24:MI'), extract(epoch FROM ended_at - started_at)::int FROM timesheets"
    " WHERE deleted_at IS NULL ORDER BY started_at, 2"
)


@pytest.fixture
def import_report(import_files: ImportFiles) -> ImportReport:
    """`import_report(LINE, ...)` imports; returns (inserted, updated, deleted) of tables that change, or problems."""

    def run(*lines: str, replaces: bool = False, clockify: bool = False) -> Any:
        tracker, header = (Tracker.clockify, reports.CLOCKIFY_HEADER) if clockify else (Tracker.toggl, TOGGL_HEADER)
        done = import_files(tracker, {"report.csv": [header, *lines]}, replaces=replaces)
        return done.problems or {table: counts for table, counts in done.changes.items() if any(counts)}

    return run


def test_report_is_imported_once(import_report: ImportReport, select: Select) -> None:
    bob = "Bob,bob@example.com"
    lines = [
        toggl_line("2026-03-03 09:00:00", "2026-03-03 10:00:00", "01:00:00"),
        toggl_line("2026-03-02 09:00:00", "2026-03-02 09:30:00", "00:30:00", billable="No"),
        toggl_line("2026-03-01 09:00:00", "2026-03-01 10:00:00", "01:00:00", user=bob, work=",Website,", billable="No"),
        toggl_line("2026-03-01 11:00:00", "2026-03-01 12:00:00", "01:00:00", user=bob, work=",,"),
    ]
    new = {"members": (2, 0, 0), "projects": (2, 0, 0), "project_members": (2, 0, 0), "timesheets": (4, 0, 0)}
    assert import_report(*lines) == ALL_NEW | new
    everything = "t.updated_at, m.updated_at, p.updated_at FROM timesheets t, members m, projects p ORDER BY 1, 2, 3"
    before = select(everything)
    assert import_report(*lines) == {}
    assert import_report(*lines[::-1], replaces=True) == {}
    assert select(everything) == before
    assert select(
        "status, role, email, full_name, joined_at::text, first_joined_at::text, last_tracked_at::text FROM members"
        " ORDER BY email"
    ) == [
        ("active", "member", "ann@example.com", "Ann Lee", *["2026-03-02 08:00:00+00"] * 2, "2026-03-03 09:00:00+00"),
        ("active", "member", "bob@example.com", "Bob", *["2026-03-01 08:00:00+00"] * 2, "2026-03-01 11:00:00+00"),
    ]
    assert select(
        "c.name, p.name, is_billable, p.currency, full_name, m.joined_at::text FROM projects p LEFT JOIN clients c"
        " ON c.id = client_id JOIN project_members m ON p.id = project_id JOIN members USING (user_id) ORDER BY 1"
    ) == [
        ("Acme", "Website", True, "EUR", "Ann Lee", "2026-03-02 08:00:00+00"),
        (None, "Website", False, "EUR", "Bob", "2026-03-01 08:00:00+00"),
    ]
    assert select(
        "started_at::text, ended_at::text, p.client_id IS NOT NULL, k.name, t.is_billable, kind, t.source, note, tags"
        " FROM timesheets t LEFT JOIN projects p ON p.id = project_id LEFT JOIN tasks k ON k.id = task_id ORDER BY 1"
    ) == [
        (f"2026-03-0{start}:00:00+00", f"2026-03-0{end}:00+00", *work, "automatic", "api", None, [])
        for start, end, *work in (
            ("1 08", "1 09:00", False, None, False),
            ("1 10", "1 11:00", False, None, True),
            ("2 08", "2 08:30", True, "Design", False),
            ("3 08", "3 09:00", True, "Design", True),
        )
    ]


def test_known_people_and_work_are_used(import_report: ImportReport, select: Select, rows: Rows, own: UUID) -> None:
    ann = rows.member(own, email="Ann@Example.com")
    project = rows.project(own, name="Website", client_id=rows.client(own, name="Acme"))
    task = rows.task(own, project, name="Design")
    rows.project_member(own, project, ann)
    assert import_report(FIRST) == {"timesheets": (1, 0, 0)}
    assert select("user_id, project_id, task_id FROM timesheets") == [(ann, project, task)]


def test_work_of_the_same_name_elsewhere_is_not_used(import_report: ImportReport, rows: Rows, own: UUID) -> None:
    other = rows.organization()
    rows.client(other, name="Acme")
    rows.member(other, email="ann@example.com")
    rows.project(own, name="Website", client_id=rows.client(own, name="Acme", deleted_at=GONE))
    rows.project(own, name="Website")
    rows.project(own, name="website", client_id=rows.client(own, name="ACME"))
    assert import_report(FIRST) == ALL_NEW


def test_other_letter_case_is_told(import_files: ImportFiles, rows: Rows, own: UUID) -> None:
    rows.project(own, name="website", client_id=rows.client(own, name="Acme"))
    done = import_files(Tracker.toggl, {"report.csv": [TOGGL_HEADER, FIRST]})
    assert "New clients or projects have a name that is known in other letter case: Website." in done.notes


def test_deleted_work_is_not_used(import_report: ImportReport, select: Select, rows: Rows, own: UUID) -> None:
    client = rows.client(own, name="Acme")
    rows.project(own, name="Website", client_id=client, deleted_at=GONE)
    rows.task(own, rows.project(own, name="Shop", client_id=client), name="Design", deleted_at=GONE)
    changes = import_report(FIRST, toggl_line("2026-03-03 09:00:00", "2026-03-03 10:30:00", work="Acme,Shop,Design"))
    assert (changes["projects"], changes["tasks"]) == ((1, 0, 0), (2, 0, 0))
    assert select("name FROM projects WHERE deleted_at IS NULL ORDER BY name") == [("Shop",), ("Website",)]


def test_deleted_member_is_the_same_person(import_files: ImportFiles, select: Select, rows: Rows, own: UUID) -> None:
    ann = rows.member(own, email="ann@example.com", status="removed", deleted_at=GONE, full_name="Ann Lee")
    done = import_files(Tracker.toggl, {"report.csv": [TOGGL_HEADER, FIRST]})
    assert {table for table, counts in done.changes.items() if any(counts)} == {
        "clients",
        "projects",
        "tasks",
        "timesheets",
    }
    assert select("user_id FROM timesheets") == [(ann,)]
    assert done.notes[0].startswith("Reports count no time of deleted members, Ann Lee: import members.csv")


def test_longer_report_adds_what_is_new(import_report: ImportReport, select: Select) -> None:
    import_report(FIRST)
    new = {"members": (1, 0, 0), "projects": (1, 0, 0), "project_members": (2, 0, 0), "timesheets": (2, 0, 0)}
    assert import_report(LATER, SECOND, FIRST) == new
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
    shown = select("project_id, task_id, is_billable, tracked_until = ended_at FROM timesheets")
    assert shown == [(None, None, False, True)]
    assert select(LIVE) == [("02 08:00", 3600)]


def test_entry_with_another_start_is_a_new_one(import_report: ImportReport, select: Select) -> None:
    import_report(FIRST)
    moved = toggl_line("2026-03-02 09:15:00", "2026-03-02 10:30:00", "01:15:00")
    assert import_report(moved) == {"timesheets": (1, 0, 0)}
    assert select(LIVE) == [("02 08:00", 5400), ("02 08:15", 4500)]
    assert import_report(moved, replaces=True) == {"timesheets": (0, 0, 1)}
    assert select(LIVE) == [("02 08:15", 4500)]
    assert import_report(FIRST) == {"timesheets": (0, 1, 0)}


def test_replace_keeps_everything_else(import_report: ImportReport, select: Select, rows: Rows, own: UUID) -> None:
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
    deleted = select("project_id IS NULL, count(*) FROM timesheets WHERE deleted_at IS NOT NULL GROUP BY 1")
    assert deleted == [(False, 1)]


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
    assert select("is_paid, deleted_at IS NULL, started_at::text, ended_at::text FROM break_times") == [
        (False, False, "2026-03-13 15:00:00+00", "2026-03-13 15:30:00+00")
    ]


def test_report_of_more_problems_than_are_kept_is_refused(
    import_report: ImportReport, select: Select, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_PROBLEMS", 3)
    *shown, rest = import_report(FIRST, *[toggl_line("2026-03-02 09:00:00", "soon", "01:00:00") for _ in range(5)])
    assert len(shown) == 3
    assert rest.startswith("The rest was not read after")
    assert select(LIVE) == []
