"""Reports of Harvest, Kimai and solidtime, whose columns differ most: people by name, ends without a date, hours alone.

Covers `db/jobs/importing/detailed_reports/mapping.py`.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from db.jobs.importing.detailed_reports.mapping import recognized
from tests.db.jobs.importing.conftest import Select
from tests.db.jobs.importing.detailed_reports.conftest import ImportFiles
from tests.db.jobs.importing.detailed_reports.reports import Tracker
from tests.factories.rows import Rows
from tests.rest_facade.commands.import_corpus import CASES

HARVEST = (
    "Date,Client,Project,Project Code,Task,Notes,Hours,Hours Rounded,Billable?,Invoiced?,Approved?,First Name,Last"
    " Name,Employee Id,Roles,Employee?,Billable Rate,Billable Amount,Cost Rate,Cost Amount,Currency,"
    "External Reference URL"
)
KIMAI = (
    "Date,From,To,Duration,Currency,Price,Internal price,Hourly price,Fixed price,Name,User,E-mail,Staff number,"
    "Customer,Project,Activity,Description,Billable,Tags,Type,Category,Account,Project number,VAT-ID,Order number"
)

Import = Callable[..., list[str]]

ROWS = (
    "to_char(t.started_at AT TIME ZONE 'Europe/Berlin', 'MM-DD HH24:MI:SS'), extract(epoch FROM ended_at - started_at)"
    "::int, p.name, k.name, t.kind, t.is_billable, t.note, t.tags FROM timesheets t LEFT JOIN projects p ON p.id ="
    " project_id LEFT JOIN tasks k ON k.id = task_id WHERE t.deleted_at IS NULL ORDER BY t.started_at"
)


def harvest(day: str, hours: str, note: str = "", *, billable: str = "Yes") -> str:
    return f"2026-{day},Acme,Website,WEB,Design,{note},{hours},{hours},{billable},No,No,Ann,Lee,,,Yes,,,,,EUR,"


@pytest.fixture
def load(import_files: ImportFiles) -> Import:
    """`load(Tracker.harvest, HEADER, LINE)` imports a report; returns the problems."""
    return lambda tracker, *lines, **options: import_files(tracker, {"report.csv": lines}, **options).problems


@pytest.mark.usefixtures("ann")
def test_harvest_hours_are_manual_time_of_their_day(load: Import, select: Select) -> None:
    lines = [harvest("03-29", "1.5", "Sketches"), harvest("03-29", "0.25", billable="No"), harvest("03-30", "8")]
    assert load(Tracker.harvest, HARVEST, *lines) == []
    stored: list[tuple[Any, ...]] = [
        ("03-29 00:00:00", 5_400, "Website", "Design", "manual", True, "Sketches", []),
        ("03-29 01:30:00", 900, "Website", "Design", "manual", False, None, []),
        ("03-30 00:00:00", 28_800, "Website", "Design", "manual", True, None, []),
    ]
    assert select(ROWS) == stored
    assert load(Tracker.harvest, HARVEST, *lines) == []
    assert select(ROWS) == stored
    # An entry that was shortened moves those after it; one that was deleted is deleted with --replace.
    assert load(Tracker.harvest, HARVEST, harvest("03-29", "1"), *lines[2:], replaces=True) == []
    assert [row[:2] for row in select(ROWS)] == [("03-29 00:00:00", 3_600), ("03-30 00:00:00", 28_800)]


@pytest.mark.usefixtures("ann")
def test_hours_of_the_longest_day_are_two_rows(load: Import, select: Select) -> None:
    for _ in range(2):
        assert load(Tracker.harvest, HARVEST, harvest("10-25", "25")) == []
    assert [row[:2] for row in select(ROWS)] == [("10-25 00:00:00", 86_400), ("10-25 23:00:00", 3_600)]


def test_person_without_address_must_be_one_member(load: Import, rows: Rows, own: UUID) -> None:
    with rows.transaction(own):
        for _ in range(2):
            rows.member(own, full_name="Ann Lee")
    twins = "is the name of 2 members: give them names that differ, here and in the time tracker"
    assert load(Tracker.harvest, HARVEST, harvest("03-29", "1")) == [f'report.csv:2: First Name "Ann Lee" {twins}']


def test_kimai_end_is_on_the_day_that_fits(load: Import, select: Select) -> None:
    who, work = "EUR,0,0,0,0,Ann Lee,ann,ann@example.com,", "Acme,Website,Design,,,,timesheet,work,,,,"
    lines = [f"2026-03-02,23:30,00:15,0.75,{who},{work}", f"2026-03-03,08:00,09:00,25,{who},{work}"]
    assert load(Tracker.kimai, KIMAI, *lines) == []
    assert select(ROWS) == [
        ("03-02 23:30:00", 2_700, "Website", "Design", "automatic", False, None, []),
        ("03-03 08:00:00", 86_400, "Website", "Design", "automatic", False, None, []),
        ("03-04 08:00:00", 3_600, "Website", "Design", "automatic", False, None, []),
    ]


@pytest.mark.parametrize(
    ("case", "tracker"),
    [
        ("harvest with rounded hours and employee ids", Tracker.harvest),
        ("kimai export", Tracker.kimai),
        ("solidtime detailed", Tracker.solidtime),
        ("clockify in German", Tracker.clockify),
        ("clockify in Spanish", Tracker.clockify),
    ],
)
def test_header_tells_the_tracker(case: str, tracker: Tracker) -> None:
    found = recognized(CASES[case].content.splitlines()[0].split(","))
    assert found is not None
    assert found.name == tracker


@pytest.mark.parametrize(
    "header",
    [
        # Hubstaff has no times of day, and Timewarrior no people.
        "Date,Project,Task,Name,Email,Start,End,Duration,Note,Billable",
        "description,billable,client,project,tags,start,end,task,user_name,user_email",
    ],
)
def test_header_that_says_more_is_no_tracker(header: str) -> None:
    assert recognized(header.split(",")) is None
