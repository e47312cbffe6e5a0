"""Members of reports: the parts of a range add up to it for every person, whether they were members or not.

Covers `resolvers/reports/report_members.py`.
"""

from collections import Counter
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from db.tables.people import members
from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.execution.executor import Executor
from tests.factories.base import set_row_organization
from tests.factories.rows import Rows
from tests.local_days import first_moment
from tests.property_tests import examples
from tests.resolvers.reports.records import DAY, HOUR, RANGES, Person, Place, new_place, people, write
from tests.resolvers.reports.reference import SECONDS

pytestmark = pytest.mark.anyio

IDLE, TIME, APPS = (
    next(endpoint.compiled for endpoint in ENDPOINTS if endpoint.operation == operation)
    for operation in ("listTimesheetIdleTime", "listTimeActivityReport", "listAppReports")
)

LONG_AGO = datetime.fromisoformat("2000-01-01T00:00:00Z")


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    return new_place(rows)


def set_membership(rows: Rows, place: Place, user_id: Any, joined: datetime, removed: datetime | None) -> None:
    status = "active" if removed is None else "removed"
    with rows.connection.begin():
        set_row_organization(rows.connection, place.organization_id)
        rows.connection.execute(
            update(members)
            .where(members.c.organization_id == place.organization_id, members.c.user_id == user_id)
            .values(first_joined_at=joined, joined_at=joined, removed_at=removed, status=status)
        )


async def seconds(service: Service, place: Place, zone: str, first: date, last: date) -> dict[str, Counter[str]]:
    """The additive values of each person, without zeros; the idle times of a range count as seconds, too."""
    variables = {"limit": 20, "start_date": first, "end_date": last, "timezone": zone}
    found: dict[str, Counter[str]] = {}
    report = await Executor(service.database).execute(TIME, place.organization_id, variables | {"page": 1})
    assert report.data is not None
    for row in report.data["time_activity_reports"]["results"]:
        found[row["user"]["user_id"]] = +Counter({name: row[name] for name in (*SECONDS, "days_worked")})
    idle = await Executor(service.database).execute(IDLE, place.organization_id, variables)
    assert idle.data is not None
    for row in idle.data["timesheet_idle_times"]["results"]:
        sums = found.setdefault(row["user"]["user_id"], Counter())
        sums["timesheets"] += len(row["timesheets"])
    return {user_id: sums for user_id, sums in found.items() if +sums}


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[date], list[Person], list[tuple[datetime, datetime | None]], int]:
    zone, first = draw(st.sampled_from(RANGES))
    days = [first + n * DAY for n in range(draw(st.integers(2, 4)))]
    origin = first_moment(zone, first) - 26 * HOUR
    length = len(days) * DAY + 50 * HOUR
    persons = [draw(people(origin, length)) for _ in range(2)]
    hours = st.integers(0, length // HOUR)
    memberships: list[tuple[datetime, datetime | None]] = []
    for _ in persons:
        joined, lasts = draw(hours), draw(st.none() | hours)
        memberships.append((origin + joined * HOUR, None if lasts is None else origin + (joined + lasts + 1) * HOUR))
    return zone, days, persons, memberships, draw(st.integers(1, len(days) - 1))


@settings(max_examples=examples(10), deadline=None)
@given(case=cases())
async def test_parts_add_up_to_the_whole_range(
    service: Service,
    rows: Rows,
    place: Place,
    case: tuple[str, list[date], list[Person], list[tuple[datetime, datetime | None]], int],
) -> None:
    zone, days, persons, memberships, cut = case
    write(rows, place, persons)
    whole, parts = [], []
    for stays in ([(LONG_AGO, None)] * 2, memberships):
        for user_id, (joined, removed) in zip(place.people, stays, strict=True):
            set_membership(rows, place, user_id, joined, removed)
        whole.append(await seconds(service, place, zone, days[0], days[-1]))
        before = await seconds(service, place, zone, days[0], days[cut - 1])
        after = await seconds(service, place, zone, days[cut], days[-1])
        users = before.keys() | after.keys()
        parts.append({user: before.get(user, Counter()) + after.get(user, Counter()) for user in users})
    # The sums of a person depend neither on the cut nor on the membership.
    assert whole[0] == whole[1] == parts[0] == parts[1]


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
    rows.app_usage(own, app, sheet, used, slot_at=noon)
    variables = {"limit": 20, "start_date": date(2026, 1, 5), "end_date": date(2026, 1, 5), "timezone": "UTC"}

    async def listed(operation: Any, name: str, **paging: int) -> set[str]:
        result = await Executor(service.database).execute(operation, own, variables | paging)
        assert result.data is not None
        page = result.data[name]
        assert (page["count"] if paging else page["pagination"]["total_users"]) == len(page["results"])
        return {str(row["user"]["user_id"]) for row in page["results"]}

    assert await listed(TIME, "time_activity_reports", page=1) == {str(leaver), str(rested), str(early)}
    assert await listed(IDLE, "timesheet_idle_times") == {str(leaver), str(early)}
    assert await listed(APPS, "app_reports", page=1) == {str(used)}
