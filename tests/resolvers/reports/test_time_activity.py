"""Time activity: its totals equal those of a reference in Python, and its JSON is what the encoder would write.

Covers `resolvers/records/changes_sql.py`, `resolvers/records/interval_sql.py`, `resolvers/reports/report_members.py`,
`resolvers/reports/report_page.py`, `resolvers/reports/time_totals_sql.py` and `resolvers/reports/tracked/`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import pytest
from graphql import get_named_type, is_leaf_type
from hypothesis import example, given, settings

from resolvers.context import Context
from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.documents.endpoint_document import GRAPH_ALONE
from schema.execution.operation import Executor, Operation
from schema.execution.state import ExecutionBudget
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of, field_of
from tests.resolvers.reports import records
from tests.resolvers.reports.records import DAY, HOUR, QUARTER, SECOND, Idle, Person, Place, Sheet, new_place, write
from tests.resolvers.reports.reference import report
from tests.resolvers.reports.time_activity_cases import NEW_YEAR, REPORT, STARTED_TOGETHER, Case, cases, in_json, read
from tests.schema.interpreter import interpret


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    return new_place(rows)


def asked_of(place: Place, content: Mapping[str, int]) -> dict[str, Any]:
    """The filters by content: the ids of things by their numbers."""
    things = {"project_id": place.projects, "client_id": place.clients, "task_id": place.tasks}
    return {name: things[name][number] for name, number in content.items()}


def sheet_with_input(start: datetime, end: datetime, *idle: Idle) -> Sheet:
    """A timesheet with input in each second of its quarters of an hour."""
    slots = [start + n * QUARTER for n in range((end - start) // QUARTER)]
    return Sheet(start=start, end=end, idle=idle, slots={at: dict.fromkeys(records.COUNTERS, 900) for at in slots})


def discarded(start: datetime, end: datetime) -> Idle:
    return Idle(start=start, end=end, action="discarded")


NEXT_DAY = NEW_YEAR + DAY
LOST_TO_A_LATER_ONE: Case = (
    "UTC",
    [NEW_YEAR.date(), NEXT_DAY.date()],
    [
        Person(
            [
                sheet_with_input(NEW_YEAR, NEW_YEAR + HOUR, discarded(NEW_YEAR + SECOND, NEW_YEAR + HOUR)),
                sheet_with_input(NEW_YEAR, NEW_YEAR + HOUR),
            ]
        ),
        Person(
            [
                sheet_with_input(NEXT_DAY - 3 * HOUR, NEXT_DAY - 1.5 * HOUR),
                sheet_with_input(
                    NEXT_DAY - 2 * HOUR, NEXT_DAY + HOUR, discarded(NEXT_DAY + QUARTER, NEXT_DAY + 3 * QUARTER)
                ),
                sheet_with_input(NEXT_DAY - HOUR / 2, NEXT_DAY + HOUR),
            ]
        ),
    ],
    {},
)
"""Timesheets whose discarded seconds a later one keeps. An earlier one overlaps one of these, on the day before."""

IN_QUARTERS = [NEW_YEAR + n * QUARTER for n in range(4)]
IDLE_TWICE: Case = (
    "UTC",
    [NEW_YEAR.date()],
    [
        Person(
            [sheet_with_input(NEW_YEAR, NEW_YEAR + HOUR, *(discarded(at, at + 2 * QUARTER) for at in IN_QUARTERS[:3]))]
        ),
        Person([sheet_with_input(NEW_YEAR, NEW_YEAR + HOUR, *(discarded(at, at + QUARTER) for at in IN_QUARTERS[:3]))]),
    ],
    {},
)
"""Idle times of a timesheet that overlap, and those that follow each other."""


def of_all_work(**content: int) -> Case:
    """Timesheets of all projects and tasks, each of which overlaps the one before and its break."""
    starts = [NEW_YEAR + n * HOUR for n in range(len(records.WORK))]
    works = zip(starts, records.WORK, strict=True)
    sheets = [Sheet(start=at, end=at + 2 * HOUR, project=project, task=task) for at, (project, task) in works]
    breaks = [records.Break(start=at, end=at + QUARTER) for at in (*starts, NEW_YEAR + 12 * HOUR)]
    return "UTC", [NEW_YEAR.date()], [Person(sheets, breaks), Person([], [replace(breaks[-1], lasts=True)])], content


@settings(max_examples=examples(10), deadline=None)
@example(case=STARTED_TOGETHER)
@example(case=LOST_TO_A_LATER_ONE)
@example(case=IDLE_TWICE)
@example(case=of_all_work())
@example(case=of_all_work(project_id=0))
@example(case=of_all_work(client_id=0))
@example(case=of_all_work(task_id=0))
@given(case=cases())
async def test_totals_equal_the_reference(service: Service, rows: Rows, place: Place, case: Case) -> None:
    zone, days, persons, content = case
    write(rows, place, persons)
    asked = {"start_date": days[0], "end_date": days[-1], "timezone": zone} | asked_of(place, content)
    found = await read(service, place, **asked)
    for part in ({"page": 2, "limit": 1}, {"user_id": place.people[1]}):
        assert await read(service, place, **asked, **part) == found[1:]
    assert [row.pop("user")["user_id"] for row in found] == in_json(place.people)
    assert found == in_json([report(place, person, zone, days, content) for person in persons])


def columns_of(type_name: str) -> Iterator[str]:
    """The leaf fields that REST shows: the whole report that a column is compared with is that of REST."""
    type_: Any = GRAPHQL_SCHEMA.type_map[type_name]
    for name, field in type_.fields.items():
        if is_leaf_type(get_named_type(field.type)) and name not in GRAPH_ALONE:
            yield name


PATHS = [
    (*above, column)
    for type_name, *above in (("TimeActivity",), ("TimeActivityDay", "days"), ("TimeActivityEntry", "days", "entries"))
    for column in columns_of(type_name)
]


async def test_each_column_alone_is_that_of_the_whole(service: Service, worked: Place) -> None:
    whole = await read(service, worked, **WORKDAY)
    assert len(PATHS) > 40
    for path in PATHS:
        text = f"""{{
          time_activity_reports(limit: 20, start_date: "2026-03-02", end_date: "2026-03-02", timezone: "UTC")
          {{ results {{ {" { ".join(path)} {"}" * len(path)} }} }}"""
        found = (await data_of(service.database, worked.organization_id, text))["time_activity_reports"]["results"]
        assert found == [part_of(row, path) for row in whole]


def part_of(row: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The one field of an object that has all fields."""
    name, *below = path
    return {name: [part_of(each, below) for each in row[name]] if below else row[name]}


QUOTED = '"quoted" \\ / back\bform\ffeed\nline\rreturn\ttab'
ODD = "\x01\x1f\x7f\u2028 é 漢 😀 \ufffd \U0010ffff " + "x" * 70_000
WORKDAY = {"start_date": date(2026, 3, 2), "end_date": date(2026, 3, 2), "timezone": "UTC"}


@pytest.fixture
def worked(rows: Rows) -> Place:
    """An organization whose two people worked for an hour on two projects with unusual names."""
    place = new_place(rows)
    for n, name in enumerate([QUOTED, ODD]):
        project_id = rows.project(place.organization_id, name=name)
        start = datetime(2026, 3, 2, 9 + n, tzinfo=UTC)
        for user_id in place.people:
            rows.timesheet(place.organization_id, user_id, started_at=start, project_id=project_id)
    return place


ENTRY = {"task_name": None, "tracked_seconds": 3600}
NAMES = [{"project_name": ODD}, {"project_name": QUOTED}]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ("{ date entries { task_name tracked_seconds } }", {"date": "2026-03-02", "entries": [ENTRY, ENTRY]}),
        ("{ entries { task: task_name } day: date }", {"entries": [{"task": None}] * 2, "day": "2026-03-02"}),
        ("{ entries { project_name } }", {"entries": NAMES}),
        ("{ last_ended_at __typename }", {"last_ended_at": "2026-03-02T11:00:00Z", "__typename": "TimeActivityDay"}),
    ],
)
async def test_other_selections_read_the_same_days(
    selection: str, expected: dict[str, Any], service: Service, worked: Place
) -> None:
    text = f"""{{
          time_activity_reports(limit: 20, start_date: "2026-03-02", end_date: "2026-03-02", timezone: "UTC") {{
            results {{ tracked_seconds days {selection} }}
          }}
        }}"""
    operation, executor, own = Operation(text), Executor(service.database), worked.organization_id
    for result in [
        await executor.execute(operation, own, {}),
        await executor.execute(operation, own, {}, ExecutionBudget()),
        await interpret(text, {}, partial(Context, service.database, own, None)),
    ]:
        assert result.errors is None
        assert result.data is not None
        row = {"tracked_seconds": 7200, "days": [expected]}
        assert in_json(result.data["time_activity_reports"]["results"]) == [row, row]


async def test_objects_of_json_count_within_a_budget(service: Service, worked: Place) -> None:
    endpoint = REPORT.compiled
    variables = {"page": 1, "limit": 20} | WORKDAY
    execute = partial(Executor(service.database).execute, endpoint, worked.organization_id, variables)
    # The query, a page, two rows with their users, a day for each, and two entries for each day.
    enough, too_few = ExecutionBudget(objects=12), ExecutionBudget(objects=11)
    assert (await execute(enough)).errors is None
    assert (await execute(too_few)).errors is not None


IDLE, TIME, APPS = (
    next(endpoint.compiled for endpoint in ENDPOINTS if endpoint.operation == operation)
    for operation in ("listTimesheetIdleTime", "listTimeActivityReport", "listAppReports")
)

LONG_AGO = datetime.fromisoformat("2000-01-01T00:00:00Z")


async def test_person_outside_membership_has_a_row_only_with_time(service: Service, rows: Rows) -> None:
    own = rows.organization(timezone="UTC")
    noon = datetime.fromisoformat("2026-01-05T12:00:00Z")
    removed = {"first_joined_at": LONG_AGO, "removed_at": noon - 2 * DAY, "status": "removed"}
    leaver, rested, used, _ = (rows.member(own, full_name=name, **removed) for name in "abcd")
    early = rows.member(own, full_name="e", first_joined_at=noon + DAY)
    deleted = rows.member(own, full_name="f", deleted_at=noon, **removed)
    app = rows.app(own)
    for user_id in (leaver, early, deleted):
        rows.timesheet(own, user_id, started_at=noon)
    rows.break_time(own, rested, started_at=noon)
    sheet = rows.timesheet(own, used, started_at=noon - 3 * DAY)
    rows.app_usage(own, app, sheet, used, slot_at=noon, duration_seconds=600)
    variables = {"limit": 20, "start_date": date(2026, 1, 5), "end_date": date(2026, 1, 5), "timezone": "UTC"}

    async def listed(operation: Any, name: str, shown: str, **paging: int) -> dict[str, Any]:
        """What the row of each person shows: a number, or how many."""
        result = await Executor(service.database).execute(operation, own, variables | paging)
        assert result.data is not None
        page = result.data[name]
        assert (page["count"] if paging else page["pagination"]["total_users"]) == len(page["results"])
        values = {str(row["user"]["user_id"]): row[shown] for row in page["results"]}
        return {user_id: value if isinstance(value, int) else len(value) for user_id, value in values.items()}

    seconds = {str(leaver): 3600, str(rested): 0, str(early): 3600}
    assert await listed(TIME, "time_activity_reports", "tracked_seconds", page=1) == seconds
    assert await listed(IDLE, "timesheet_idle_times", "timesheets") == {str(leaver): 1, str(early): 1}
    assert await listed(APPS, "app_reports", "total_seconds", page=1) == {str(used): 600}
    # A report has the ids, names and addresses of its people; other values are read for all of them.
    days = 'start_date: "2026-01-05", end_date: "2026-01-05"'
    found = await field_of(service, own, f"time_activity_reports({days}) {{ results {{ user {{ user_id status }} }} }}")
    statuses = {row["user"]["user_id"]: row["user"]["status"] for row in found["results"]}
    assert statuses == {str(leaver): "removed", str(rested): "removed", str(early): "active"}
