"""A column that a file does not have is no value: what is stored stays, and the summary says what new rows get."""

from collections.abc import Callable
from uuid import UUID

import pytest

from tests.db.jobs.importing.conftest import Select
from tests.db.jobs.importing.detailed_reports.conftest import ImportFiles
from tests.db.jobs.importing.detailed_reports.reports import Tracker
from tests.factories.rows import Rows

Load = Callable[..., list[str]]

STORED = (
    "c.name, p.name, k.name, t.is_billable, t.note, t.tags, extract(epoch FROM ended_at - started_at)::int"
    " FROM timesheets t LEFT JOIN projects p ON p.id = project_id LEFT JOIN clients c ON c.id = p.client_id"
    " LEFT JOIN tasks k ON k.id = task_id WHERE t.deleted_at IS NULL ORDER BY t.started_at"
)

COMMON = {"Client": "Acme", "Project": "Site", "Task": "Design", "Description": "a", "Billable": "Yes", "Tags": "x"}
TIMES = {"Start date": "2026-03-02", "Start time": "09:00:00", "End date": "2026-03-02", "End time": "11:00:00"}
SENT = {
    Tracker.toggl: {"User": "Ann Lee", "Email": "ann@example.com", **COMMON, **TIMES},
    Tracker.clockify: {"User": "Ann Lee", "Email": "ann@example.com", **COMMON, **TIMES, "Duration (h)": "2:00"},
    # It has no tags.
    Tracker.harvest: {
        "Date": "2026-03-02",
        "Hours": "2",
        "First Name": "Ann",
        "Last Name": "Lee",
        **{name: value for name, value in COMMON.items() if name != "Tags"},
    },
    Tracker.kimai: {
        "Date": "2026-03-02",
        "From": "09:00",
        "To": "11:00",
        "Name": "Ann Lee",
        "E-mail": "ann@example.com",
        **{{"Client": "Customer", "Task": "Activity"}.get(name, name): value for name, value in COMMON.items()},
    },
    Tracker.solidtime: {
        "User": "Ann Lee",
        "Start": "2026-03-02 09:00:00",
        "End": "2026-03-02 11:00:00",
        "Duration": "2:00:00",
        **COMMON,
    },
}


@pytest.fixture
def load(import_files: ImportFiles, ann: None) -> Load:
    """`load(Tracker.toggl, {"User": "Ann"})` imports files of one line each; returns notes, or problems."""

    def run(tracker: Tracker, *files: dict[str, str]) -> list[str]:
        lines = {f"{number}.csv": [",".join(each), ",".join(each.values())] for number, each in enumerate(files)}
        done = import_files(tracker, lines)
        return done.problems or done.notes

    return run


@pytest.mark.parametrize("tracker", SENT)
def test_columns_of_each_tracker_are_stored(tracker: Tracker, load: Load, select: Select) -> None:
    sent = SENT[tracker]
    load(tracker, sent)
    assert select(STORED) == [("Acme", "Site", "Design", True, "a", ["x"] if "Tags" in sent else [], 7200)]


def test_without_a_column_stored_values_stay(load: Load, select: Select) -> None:
    sent = SENT[Tracker.toggl]
    load(Tracker.toggl, sent)
    stored = select(STORED)
    for column in COMMON:
        # A task belongs to a project.
        left_out = {column, "Task"} if column == "Project" else {column}
        notes = load(Tracker.toggl, {name: value for name, value in sent.items() if name not in left_out})
        assert any("Stored values stay" in note for note in notes), column
        assert select(STORED) == stored, column


def test_summary_names_what_new_rows_get(load: Load, select: Select) -> None:
    without = {name: value for name, value in SENT[Tracker.toggl].items() if name not in ("Billable", "Client", "Tags")}
    (note,) = load(Tracker.toggl, without)
    assert note == (
        "Stored values stay, since the file has no columns for them; new rows get: client (that of the project of this"
        " name, else none), billable (no), tags (none)."
    )
    assert select(STORED) == [(None, "Site", "Design", False, "a", [], 7200)]
    assert select("is_billable FROM projects") == [(True,)]


def test_project_of_two_clients_is_refused_without_client(load: Load, rows: Rows, own: UUID) -> None:
    with rows.transaction(own):
        for name in ("Acme", "Globex"):
            rows.project(own, name="Site", client_id=rows.client(own, name=name))
    without = {name: value for name, value in SENT[Tracker.toggl].items() if name != "Client"}
    reason = "is the name of several projects, and the report does not name clients: export it with them"
    assert load(Tracker.toggl, without) == [f'0.csv:2: Project "Site" {reason}']


def test_files_of_other_columns_are_imported_apart(load: Load) -> None:
    sent = SENT[Tracker.toggl]
    without = {name: value for name, value in sent.items() if name != "Billable"}
    reason = "differs from 0.csv in having Billable: import each in a command of its own"
    assert load(Tracker.toggl, sent, without) == [f"1.csv:1: {reason}"]


def test_columns_are_not_compared_with_an_unreadable_file(load: Load) -> None:
    parquet, sent = {"PAR1": ""}, SENT[Tracker.toggl]
    reason = "is a Parquet file: give the file a name that ends in .parquet"
    assert load(Tracker.toggl, parquet, sent) == [f"0.csv: {reason}"]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"To": "09:00", "Duration": "24"}, "24 hours, or 24 seconds: export durations as 0:00:24 or"),
        ({"To": "09:05", "Duration": "300"}, "300 hours, or 300 seconds"),
        (
            {"Duration": "120"},
            "has a duration of 120 hours, and 120 minutes from start to end: give --map minutes=COLUMN",
        ),
        ({"Duration": "7200"}, "looks like seconds: give --map seconds=COLUMN"),
        ({"Duration": "1:30", "Break": "0:15"}, "but 1:45 from start to end without the break"),
        ({"Break": "30"}, "is more than 5 hours: if these are minutes or seconds, give --map break_minutes=COLUMN"),
        ({"Break": "3:00"}, "has a break that is longer than the time from start to end"),
    ],
)
def test_unclear_time_is_refused(values: dict[str, str], problem: str, load: Load) -> None:
    (line,) = load(Tracker.kimai, SENT[Tracker.kimai] | values)
    assert problem in line
