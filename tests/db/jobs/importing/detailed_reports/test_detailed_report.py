"""Rows of reports, for organizations with and without earlier data.

Covers `db/jobs/importing/detailed_reports/report_rows.py` and `db/jobs/importing/detailed_reports/entry.py`.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID
from zipfile import ZipFile
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection

from db.admin.keys import set_organization
from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.entry import Omission
from db.jobs.importing.detailed_reports.mapping import ColumnMapping
from db.jobs.importing.rows import Problem, SourceItem, SourceQuery, SourceRow
from db.jobs.importing.statements import run
from tests.db.jobs.importing.detailed_reports.reports import (
    BERLIN,
    CLOCKIFY,
    CLOCKIFY_HEADER,
    TOGGL,
    TOGGL_HEADER,
    clockify_line,
    toggl_line,
)
from tests.factories.rows import Rows


@pytest.fixture
def organization_id(rows: Rows) -> UUID:
    return rows.organization(currency="CHF")


class Reports:
    """Reads reports as an import does."""

    def __init__(self, rows: Rows, folder: Path) -> None:
        self._rows = rows
        self._path = folder / "report.csv"
        self.last: DetailedReport

    def __call__(self, organization_id: UUID, *lines: str, mapping: ColumnMapping = TOGGL) -> list[SourceRow | Problem]:
        header = TOGGL_HEADER if mapping is TOGGL else CLOCKIFY_HEADER
        self._path.write_text("\n".join([header, *lines]))
        self.last = DetailedReport([self._path], mapping, ZoneInfo(BERLIN))
        with self._rows.connection.begin():
            set_organization(self._rows.connection, organization_id)
            return rows_of(self._rows.connection, self.last.rows(self._rows.connection, organization_id))


def rows_of(connection: Connection, items: Iterable[SourceItem]) -> list[SourceRow | Problem]:
    """The items, with the rows of queries as texts."""
    found: list[SourceRow | Problem] = []
    for item in items:
        if isinstance(item, SourceQuery):
            for row in run(connection, f"SELECT * FROM ({item.sql}) q ORDER BY row").mappings():
                values = {column: _text(row[column]) for column in item.columns}
                found.append(SourceRow(item.table, item.files[row["file"]], row["line"], values))
        else:
            assert isinstance(item, SourceRow | Problem)
            found.append(item)
    return found


def _text(value: object) -> str | None:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat()
        case bool():
            return str(value).lower()
        case _:
            return None if value is None else str(value)


@pytest.fixture
def reports(rows: Rows, tmp_path: Path) -> Reports:
    return Reports(rows, tmp_path)


def of(table: str, items: list[SourceRow | Problem]) -> list[dict[str, str | None]]:
    """The values of the rows of a table. Fails if there are problems."""
    assert not [item for item in items if isinstance(item, Problem)]
    return [dict(item.values) for item in items if isinstance(item, SourceRow) and item.table == table]


def tables(items: list[SourceRow | Problem]) -> Iterator[str]:
    """The tables of the rows, without repetitions."""
    return iter(dict.fromkeys(item.table for item in items if isinstance(item, SourceRow)))


def test_empty_organization_gets_all_rows(reports: Reports, organization_id: UUID) -> None:
    bob = "Bob,bob@example.com"
    items = reports(
        organization_id,
        toggl_line("2026-03-03 09:00:00", "2026-03-03 10:00:00", "01:00:00"),
        toggl_line("2026-03-02 09:00:00", "2026-03-02 09:30:00", "00:30:00", billable="No"),
        toggl_line("2026-03-01 09:00:00", "2026-03-01 10:00:00", "01:00:00", user=bob, work=",Website,", billable="No"),
        toggl_line("2026-03-01 11:00:00", "2026-03-01 12:00:00", "01:00:00", user=bob, work=",,"),
    )
    assert list(tables(items)) == ["members", "clients", "projects", "project_members", "tasks", "timesheets"]
    ann, bob_row = of("members", items)
    (acme,) = of("clients", items)
    website, internal = of("projects", items)
    first, second = of("project_members", items)
    (design,) = of("tasks", items)
    assert ann == {
        "user_id": ann["user_id"],
        "email": "ann@example.com",
        "full_name": "Ann Lee",
        "joined_at": "2026-03-02T08:00:00+00:00",
        "first_joined_at": "2026-03-02T08:00:00+00:00",
    }
    assert bob_row["email"] == "bob@example.com"
    assert acme == {"id": acme["id"], "name": "Acme"}
    assert website == {"id": website["id"], "client_id": acme["id"], "name": "Website", "is_billable": "true"}
    assert internal == {"id": internal["id"], "client_id": None, "name": "Website", "is_billable": "false"}
    assert first == {
        "id": first["id"],
        "project_id": website["id"],
        "user_id": ann["user_id"],
        "joined_at": "2026-03-02T08:00:00+00:00",
    }
    assert (second["project_id"], second["user_id"]) == (internal["id"], bob_row["user_id"])
    assert design == {"id": design["id"], "project_id": website["id"], "name": "Design"}
    times = of("timesheets", items)
    assert times[0] == {
        "id": times[0]["id"],
        "user_id": ann["user_id"],
        "project_id": website["id"],
        "task_id": design["id"],
        "started_at": "2026-03-03T08:00:00+00:00",
        "ended_at": "2026-03-03T09:00:00+00:00",
        "kind": "automatic",
        "source": "api",
        "is_billable": "true",
        "note": None,
        "tags": "[]",
    }
    assert [(row["project_id"], row["task_id"], row["is_billable"]) for row in times[1:]] == [
        (website["id"], design["id"], "false"),
        (internal["id"], None, "false"),
        (None, None, "true"),
    ]
    assert [item.line for item in items if item.table == "timesheets"] == [2, 3, 4, 5]  # type: ignore[union-attr]  # rows
    assert reports.last.notes() == ["Columns that are not imported: Amount (EUR)."]


def test_known_people_and_work_are_used(reports: Reports, rows: Rows, organization_id: UUID) -> None:
    ann = rows.member(organization_id, email="Ann@Example.com")
    client = rows.client(organization_id, name="Acme")
    project = rows.project(organization_id, name="Website", client_id=client)
    task = rows.task(organization_id, project, name="Design")
    rows.project_member(organization_id, project, ann)
    items = reports(organization_id, toggl_line())
    assert list(tables(items)) == ["timesheets"]
    (timesheet,) = of("timesheets", items)
    assert [timesheet[column] for column in ("user_id", "project_id", "task_id")] == [str(ann), str(project), str(task)]


def test_work_of_the_same_name_elsewhere_is_not_used(reports: Reports, rows: Rows, organization_id: UUID) -> None:
    gone = datetime(2026, 1, 1, tzinfo=UTC)
    other = rows.organization()
    rows.client(other, name="Acme")
    rows.member(other, email="ann@example.com")
    deleted = rows.client(organization_id, name="Acme", deleted_at=gone)
    rows.project(organization_id, name="Website", client_id=deleted)
    rows.project(organization_id, name="Website")
    rows.project(organization_id, name="website", client_id=rows.client(organization_id, name="ACME"))
    items = reports(organization_id, toggl_line())
    assert list(tables(items)) == ["members", "clients", "projects", "project_members", "tasks", "timesheets"]


def test_deleted_project_is_not_used(reports: Reports, rows: Rows, organization_id: UUID) -> None:
    client = rows.client(organization_id, name="Acme")
    rows.project(organization_id, name="Website", client_id=client, deleted_at=datetime(2026, 1, 6, tzinfo=UTC))
    kept = rows.project(organization_id, name="Shop", client_id=client)
    rows.task(organization_id, kept, name="Design", deleted_at=datetime(2026, 1, 6, tzinfo=UTC))
    items = reports(organization_id, toggl_line(), toggl_line(work="Acme,Shop,Design"))
    assert [row["name"] for row in of("projects", items)] == ["Website"]
    assert len(of("tasks", items)) == 2


def test_deleted_member_is_the_same_person(reports: Reports, rows: Rows, organization_id: UUID) -> None:
    gone = datetime(2026, 1, 6, tzinfo=UTC)
    ann = rows.member(organization_id, email="ann@example.com", status="removed", deleted_at=gone)
    items = reports(organization_id, toggl_line())
    assert [row["user_id"] for row in of("timesheets", items)] == [str(ann)]
    assert list(tables(items)) == ["clients", "projects", "tasks", "timesheets"]


def test_entries_that_start_together_have_ids_of_their_own(reports: Reports, rows: Rows, organization_id: UUID) -> None:
    rows.member(organization_id, email="ann@example.com")
    one, two, other = toggl_line(), toggl_line(work=",,"), toggl_line("2026-03-01 09:00:00", "2026-03-01 10:30:00")
    first, _, second = (row["id"] for row in of("timesheets", reports(organization_id, one, other, two)))
    assert first != second
    assert [row["id"] for row in of("timesheets", reports(organization_id, one, two, other))][:2] == [first, second]


def test_long_entry_is_split(reports: Reports, organization_id: UUID) -> None:
    items = reports(organization_id, toggl_line("2026-03-02 09:00:00", "2026-03-04 19:00:00", "58:00:00"))
    pieces = of("timesheets", items)
    assert [(row["started_at"], row["ended_at"]) for row in pieces] == [
        ("2026-03-02T08:00:00+00:00", "2026-03-03T08:00:00+00:00"),
        ("2026-03-03T08:00:00+00:00", "2026-03-04T08:00:00+00:00"),
        ("2026-03-04T08:00:00+00:00", "2026-03-04T18:00:00+00:00"),
    ]
    assert len({row["id"] for row in pieces}) == 3


def test_break_becomes_a_break_time(reports: Reports, organization_id: UUID) -> None:
    items = reports(organization_id, clockify_line(kind="Break", created="03/14/2026"), mapping=CLOCKIFY)
    assert list(tables(items)) == ["members", "break_times"]
    (row,) = of("break_times", items)
    assert row | {"id": "", "user_id": ""} == {
        "id": "",
        "user_id": "",
        "started_at": "2026-03-02T08:00:00+00:00",
        "ended_at": "2026-03-02T09:30:00+00:00",
    }


def test_lines_without_time_are_counted(reports: Reports, organization_id: UUID) -> None:
    lines = [clockify_line(created="03/14/2026"), clockify_line(kind="Holiday"), clockify_line(kind="Time off")]
    items = reports(organization_id, *lines, mapping=CLOCKIFY)
    assert len(of("timesheets", items)) == 1
    assert reports.last.omitted == {Omission.time_off: (2, 3)}


def test_files_of_two_years_are_one_report(rows: Rows, organization_id: UUID, tmp_path: Path) -> None:
    night = toggl_line("2025-12-31 23:00:00", "2026-01-01 01:00:00", "02:00:00")
    first = toggl_line("2025-03-02 09:00:00", "2025-03-02 10:00:00", "01:00:00")
    second = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:00:00", "01:00:00")
    (tmp_path / "2025.csv").write_text(f"{TOGGL_HEADER}\n{first}\n{night}")
    with ZipFile(tmp_path / "2026.zip", "w") as archive:
        archive.writestr("2026.csv", f"{TOGGL_HEADER}\n{night}\n{second}")
    report = DetailedReport([tmp_path / "2025.csv", tmp_path / "2026.zip"], TOGGL, ZoneInfo(BERLIN))
    with rows.connection.begin():
        set_organization(rows.connection, organization_id)
        items = rows_of(rows.connection, report.rows(rows.connection, organization_id))
    # Both files have the entry of the night.
    assert [item[1:3] for item in items if item.table == "timesheets"] == [  # type: ignore[union-attr]  # rows
        ("2025.csv", 2),
        ("2025.csv", 3),
        ("2026.csv", 3),
    ]
    assert len(of("members", items)) == 1
