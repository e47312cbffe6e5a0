"""What is made of the sums of groups: shares, and what is expected of people, as Python makes it of days and people.

Covers `resolvers/reports/grouped/compared_groups_sql.py`, `resolvers/reports/grouped/summed_people_sql.py` and
`resolvers/values/percent.py`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from db.tables.people import MemberStatus, members
from rest_facade.composition import Service
from schema.execution.operation import Operation
from tests.factories.base import set_row_organization
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of, field_of, refusals
from tests.resolvers.reports.grouped.asking import MONDAY, WEEK, groups_of, time_totals
from tests.resolvers.reports.records import DAY, Place, new_place, write
from tests.resolvers.reports.time_activity_cases import Case, cases

DEPARTMENTS = ["Design", None]

SHOWN = (
    *("user_id", "department", "date", "week_start", "month_start", "tracked_seconds", "billable_seconds"),
    *("idle_seconds", "expected_seconds", "utilization_percent", "limit_seconds", "over_limit_seconds"),
    *("billable_percent", "idle_percent"),
)

COMPARED = time_totals(f"count results {{ {' '.join(SHOWN)} }}")

REPORT = Operation("""query($start_date: Date!, $end_date: Date!, $timezone: Timezone) {
  time_activity_reports(start_date: $start_date, end_date: $end_date, timezone: $timezone) {
    results { user { user_id } expected_seconds }
  }
}""")


class Terms(NamedTuple):
    """What is set for a person, who may never have joined; days are counted from the first one of the range."""

    expected: int | None
    limit: int | None
    hired: int | None
    left: int | None
    removed: int | None
    joined: int | None = -9

    def is_there(self, day: int) -> bool:
        last = self.removed if self.left is None else self.left
        return (self.hired is None or self.hired <= day) and (last is None or day <= last)


Days = dict[tuple[Terms, int], int]
"""The days on which each person of a group is there, by the terms and the number of the person."""

weekly = st.sampled_from([None, 0, 36_000, 144_001])
number = st.none() | st.integers(-2, 5)
terms = st.builds(Terms, weekly, weekly, number, number, number, number | st.just(-9))

GROUPS: list[list[str]] = [
    *([], ["member"], ["department"], ["day"], ["week"], ["month"]),
    *(["member", "day"], ["department", "week"], ["member", "month"]),
]

KEYS: Mapping[str, tuple[str, Callable[[Place, int, date], Any]]] = {
    "member": ("user_id", lambda place, person, _: str(place.people[person])),
    "department": ("department", lambda _, person, __: DEPARTMENTS[person]),
    "day": ("date", lambda _, __, day: str(day)),
    "week": ("week_start", lambda _, __, day: str(day - day.weekday() * DAY)),
    "month": ("month_start", lambda _, __, day: str(day.replace(day=1))),
}


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    return new_place(rows)


def set_terms(rows: Rows, place: Place, first: date, chosen: tuple[Terms, Terms]) -> None:
    with rows.connection.begin():
        set_row_organization(rows.connection, place.organization_id)
        for id_, department, each in zip(place.people, DEPARTMENTS, chosen, strict=True):
            status = MemberStatus.invited if each.joined is None else MemberStatus.active
            status = status if each.removed is None else MemberStatus.removed
            hired, left, removed, joined = (None if n is None else first + n * DAY for n in each[2:])
            values = {
                "department": department,
                "expected_weekly_seconds": each.expected,
                "weekly_limit_seconds": each.limit,
                "hired_on": hired,
                "left_on": left,
                **dict.fromkeys(
                    ("first_joined_at", "joined_at"),
                    None if joined is None else datetime.combine(joined, time(12), UTC),
                ),
                "removed_at": None if removed is None else datetime.combine(removed, time(23, 30), UTC),
                "status": status,
            }
            rows.connection.execute(update(members).where(members.c.user_id == id_).values(values))


def was_skipped(day: date, zone: str) -> bool:
    noon = datetime.combine(day, time(12), ZoneInfo(zone))
    return noon.astimezone(UTC).astimezone(ZoneInfo(zone)).date() != day


def percent_of(part: int, whole: int | None) -> int | None:
    return part * 100 // whole if whole else None


@settings(max_examples=examples(12), deadline=None)
@given(case=cases(), chosen=st.tuples(terms, terms), by=st.sampled_from(GROUPS), untracked=st.booleans())
async def test_groups_compare_time_with_what_is_expected_of_their_people(
    service: Service, rows: Rows, place: Place, case: Case, chosen: tuple[Terms, Terms], by: list[str], untracked: bool
) -> None:
    zone, days, persons, _ = case
    set_terms(rows, place, days[0], chosen)
    write(rows, place, persons)
    asked = {"start_date": days[0], "end_date": days[-1], "timezone": zone}
    sums: dict[tuple[Any, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in await groups_of(service, place.organization_id, COMPARED, **asked, group_by=["member", "day"]):
        person, day = [*map(str, place.people)].index(row["user_id"]), date.fromisoformat(row["date"])
        key = tuple(KEYS[each][1](place, person, day) for each in by)
        for name in ("tracked_seconds", "billable_seconds", "idle_seconds"):
            sums[key][name] += row[name]
    tracked, set_for = {*sums, *([] if by else [()])}, defaultdict[tuple[Any, ...], Days](lambda: defaultdict(int))
    listed = await expected_by_person(service, place.organization_id, **asked)
    for person, (id_, each) in enumerate(zip(place.people, chosen, strict=True)):
        for place_of_day, day in enumerate(days if str(id_) in listed else []):
            if was_skipped(day, zone):
                continue
            key = tuple(KEYS[group][1](place, person, day) for group in by)
            set_for[key][each, person] += each.is_there(place_of_day)
    there = {key for key, found in set_for.items() if any(found.values())}
    expected = {key: wanted(sums[key], set_for[key]) for key in tracked | (there if untracked else set())}
    found = await groups_of(service, place.organization_id, COMPARED, **asked, group_by=by, include_untracked=untracked)
    keys = [KEYS[group][0] for group in by]
    of_groups = {tuple(row[key] for key in keys): {name: row[name] for name in SHOWN[5:]} for row in found}
    assert of_groups == expected
    assert len(found) == len(expected)


async def expected_by_person(service: Service, own: UUID, **asked: Any) -> dict[str, int | None]:
    """The expected time of each person of time activity."""
    page = (await data_of(service.database, own, REPORT, **asked))["time_activity_reports"]
    return {row["user"]["user_id"]: row["expected_seconds"] for row in page["results"]}


def wanted(sums: Mapping[str, int], found: Days) -> dict[str, Any]:
    """The sums of a group, with what is made of them by the terms of its people on its days."""
    set_for = {
        name: [getattr(each, name) * days // 7 for (each, _), days in found.items() if getattr(each, name) is not None]
        for name in ("expected", "limit")
    }
    expected, limit = (sum(each) if each else None for each in set_for.values())
    tracked, billable, idle = (sums.get(name, 0) for name in ("tracked_seconds", "billable_seconds", "idle_seconds"))
    return {
        "tracked_seconds": tracked,
        "billable_seconds": billable,
        "idle_seconds": idle,
        "expected_seconds": expected,
        "utilization_percent": percent_of(tracked, expected),
        "limit_seconds": limit,
        "over_limit_seconds": None if limit is None else tracked - limit,
        "billable_percent": percent_of(billable, tracked),
        "idle_percent": percent_of(idle, tracked),
    }


@pytest.mark.parametrize(("first", "last"), [("28", "30"), ("29", "31")])
async def test_nothing_is_expected_of_a_skipped_day(first: str, last: str, service: Service, rows: Rows) -> None:
    own = rows.organization()
    user_id = rows.member(own, expected_weekly_seconds=36_000, first_joined_at=datetime(2011, 1, 1, tzinfo=UTC))
    asked = {"start_date": f"2011-12-{first}", "end_date": f"2011-12-{last}", "timezone": "Pacific/Apia"}
    assert await expected_by_person(service, own, **asked) == {str(user_id): 10_285}
    (group,) = await groups_of(service, own, COMPARED, **asked, group_by=["member"], include_untracked=True)
    assert group["expected_seconds"] == 10_285


async def test_expected_time_is_the_sum_of_that_of_time_activity(service: Service, rows: Rows) -> None:
    own, weekly = rows.organization(), {"expected_weekly_seconds": 144_000, "weekly_limit_seconds": 36_001}
    low, high = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 12, tzinfo=UTC)

    def member(name: str, joined: datetime | None = low - DAY, **more: Any) -> UUID:
        return rows.member(own, full_name=name, **{"first_joined_at": joined, **weekly, **more})

    removed: Any = {"status": "removed"}
    counted = {
        member("hired within", hired_on=date(2026, 3, 4)): 8,
        member("joined within", low + 3 * DAY): 10,
        member("removed within", removed_at=low + 2 * DAY, **removed): 3,
        member("nothing expected", expected_weekly_seconds=None): 10,
        (early := member("tracks before joining", high + DAY)): 10,
        (late := member("tracked after removal", removed_at=low - DAY / 2, **removed)): 0,
    }
    member("invited", None, status="invited")
    member("joins later", high)
    member("removed before", removed_at=low, **removed)
    member("deleted", deleted_at=high)
    rows.timesheet(own, early, started_at=MONDAY, ended_at=MONDAY + DAY / 24, tracked_until=MONDAY + DAY / 24)
    rows.break_time(own, late, started_at=MONDAY, ended_at=MONDAY + DAY / 24)
    asked = {"start_date": date(2026, 3, 2), "end_date": date(2026, 3, 11), "timezone": "UTC"}
    by_person = await expected_by_person(service, own, **asked)
    assert by_person.keys() == {str(id_) for id_ in counted}
    (total,) = await groups_of(service, own, COMPARED, **asked)
    assert total["expected_seconds"] == sum(filter(None, by_person.values()))
    assert total["limit_seconds"] == sum(36_001 * days // 7 for days in counted.values())
    people = await groups_of(service, own, COMPARED, **asked, group_by=["member"], include_untracked=True)
    there = {str(id_) for id_, days in counted.items() if days}
    assert {row["user_id"] for row in people} - {str(late)} == there
    assert all(row["expected_seconds"] == by_person[row["user_id"]] for row in people)


class Week:
    """Ada tracked 8 of 10 expected hours, half of them billable, and has a limit of 6. Ben tracked none of 10, and is
    in a team with her. Cleo left before.
    """

    def __init__(self, rows: Rows) -> None:
        self.organization_id = own = rows.organization()
        people: Any = {"Ada": {"weekly_limit_seconds": 21_600}, "Ben": {}, "Cleo": {"left_on": date(2026, 3, 1)}}
        self.people = {
            name: rows.member(own, full_name=name, expected_weekly_seconds=36_000, **more)
            for name, more in people.items()
        }
        self.team = rows.team(own)
        for name in ("Ada", "Ben"):
            rows.team_member(own, self.team, self.people[name])
        self.project, hours = rows.project(own), timedelta(hours=4)
        for number, billable in enumerate((True, False)):
            start = MONDAY + number * hours
            times = {"started_at": start, "ended_at": start + hours, "tracked_until": start + hours}
            rows.timesheet(own, self.people["Ada"], project_id=self.project, is_billable=billable, **times)


@pytest.fixture
def week(rows: Rows) -> Week:
    return Week(rows)


@pytest.mark.parametrize(
    ("having", "names"),
    [
        ({"utilization_percent": {"_lt": 70}}, ["Ben"]),
        ({"utilization_percent": {"_gte": 80}}, ["Ada"]),
        ({"billable_percent": {"_eq": 50}}, ["Ada"]),
        ({"over_limit_seconds": {"_gt": 0}}, ["Ada"]),
        ({"expected_seconds": {"_gt": 0}}, ["Ben", "Ada"]),
    ],
)
async def test_people_without_time_are_groups_if_asked_for(
    service: Service, week: Week, having: Mapping[str, Any], names: list[str]
) -> None:
    asked = {**WEEK, "group_by": ["member"], "having": having, "order_by": "utilization_percent_asc"}
    found = await groups_of(service, week.organization_id, COMPARED, **asked, include_untracked=True)
    people = {str(id_): name for name, id_ in week.people.items()}
    assert [people[row["user_id"]] for row in found] == names
    tracked = await groups_of(service, week.organization_id, COMPARED, **asked)
    assert [people[row["user_id"]] for row in tracked] == [name for name in names if name == "Ada"]


async def test_teams_and_members_are_compared_with_their_own_expected_time(service: Service, week: Week) -> None:
    range_ = 'start_date: "2026-03-02", end_date: "2026-03-08", timezone: "UTC"'
    shown = f"{{ results {{ time_totals({range_}) {{ results {{ expected_seconds utilization_percent }} }} }} }}"
    document = f"{{ teams {shown} members(order_by: full_name_asc) {shown} projects {shown} }}"
    found = {
        name: [row[key] for each in page["results"] for row in each["time_totals"]["results"] for key in row]
        for name, page in (await data_of(service.database, week.organization_id, document)).items()
    }
    assert found == {"teams": [72_000, 40], "members": [36_000, 80, 36_000, 0, 0, None], "projects": [None, None]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"group_by": ["project"], "include_untracked": True},
        {"group_by": ["member", "billable"], "having": {"utilization_percent": {"_lt": 70}}},
        {"group_by": ["client"], "order_by": "over_limit_seconds_desc"},
    ],
)
async def test_groups_of_work_refuse_expected_time(service: Service, week: Week, wrong: Mapping[str, Any]) -> None:
    assert await refusals(service.database, week.organization_id, COMPARED, **{**WEEK, **wrong}) == [
        "Untracked groups, and comparisons with what is expected, are by people and periods alone."
    ]


async def test_tasks_are_sorted_by_the_share_of_their_estimate(service: Service, week: Week, rows: Rows) -> None:
    for number, estimate in enumerate((None, 7200, 3000)):
        task = rows.task(week.organization_id, week.project, estimate_seconds=estimate)
        start, hour = MONDAY + DAY + number * timedelta(hours=1), timedelta(hours=1)
        times = {"started_at": start, "ended_at": start + hour, "tracked_until": start + hour}
        rows.timesheet(week.organization_id, week.people["Ben"], project_id=week.project, task_id=task, **times)
    field = """time_totals(
      start_date: "2026-03-02", end_date: "2026-03-08", timezone: "UTC", group_by: [task],
      order_by: estimate_used_percent_desc, having: {billable_percent: {_eq: 0}}
    ) { results { estimate_used_percent } }"""
    page = await field_of(service, week.organization_id, field)
    assert [row["estimate_used_percent"] for row in page["results"]] == [120, 50, None]
