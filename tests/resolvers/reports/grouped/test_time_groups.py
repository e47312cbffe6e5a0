"""Time by group: its sums equal those of time activity, and its amounts hours times rates.

Covers `resolvers/reports/grouped/hourly_rates_sql.py`, `resolvers/reports/grouped/summed_time_sql.py`,
`resolvers/reports/grouped/time_groups.py`, `resolvers/reports/grouped/time_groups_sql.py` and
`resolvers/reports/grouped/variants.py`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resolvers.reports.grouped import time_groups
from resolvers.reports.grouped.time_conditions import MONEY, TIME_ORDERS
from resolvers.reports.grouped.variants import SumKind, TimeGroup
from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from tests.amounts import amount_text
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import refusals
from tests.resolvers.reports.grouped.asking import MONDAY, WEEK, time_totals
from tests.resolvers.reports.records import DAY, PROJECTS, Place, new_place, write
from tests.resolvers.reports.reference import SECONDS, facts_of
from tests.resolvers.reports.time_activity_cases import STARTED_TOGETHER, Case, cases, read

AMOUNTS = "billable_amounts { currency amount billable_seconds }"
MARGINS = "margins { currency billable_amount billable_seconds cost paid_seconds margin }"
ESTIMATES = "estimate_seconds over_estimate_seconds"
GROUP_NAMES = " ".join(group.column for group in TimeGroup)
ROW = f"{GROUP_NAMES} {' '.join(SECONDS)} activity_percent timesheets_count {AMOUNTS} {MARGINS} {ESTIMATES}"

TIME_TOTALS = time_totals(f"count results {{ {ROW} }}")
COUNT = time_totals("count")
COMPARED = (*MONEY, *SumKind.expected.value, "billable_percent", "idle_percent", "estimate_used_percent")
ORDERS = [str(each) for each in TIME_ORDERS if not each.startswith(COMPARED)]
"""The orders by time. `test_time_conditions.py` has those by money, `test_compared_groups.py` those by comparisons."""

FIRST_TEAM, SECOND_TEAM = UUID(int=1), UUID(int=2)
TEAMS = [[FIRST_TEAM, SECOND_TEAM], []]
"""The teams of each person, by their numbers."""

NEW_SETTINGS = date(2024, 10, 28)
"""The day on which the first person's payment settings change, inside some ranges."""

RATES: Mapping[tuple[int, int | None], tuple[str, str]] = {
    (0, 0): ("33.3333", "EUR"),
    (1, 0): ("100", "EUR"),
    (0, 3): ("7777", "JPY"),
    (1, 3): ("0.001", "USD"),
}
"""The rate of a person on a project, by their numbers, where it does not depend on the day."""

DEPARTMENTS = ["Design", None]
ESTIMATED_SECONDS = [4 * 3600, None, 3600]
"""The departments of people and the estimates of tasks, by their numbers."""

PROJECT_RATES: Sequence[dict[str, Any]] = [
    {"billing_type": "hourly", "bill_rate": 100, "currency": "EUR"},
    {},
    {"billing_type": "fixed", "bill_rate": 50},
    {"billing_type": "hourly", "bill_rate": 7777, "currency": "JPY"},
]


def rate_of(person: int, project: int | None, day: date) -> tuple[str, str] | None:
    if person == 0 and project in (None, 1):
        return ("10.01", "KWD") if day < NEW_SETTINGS else ("11", "USD")
    return RATES.get((person, project))


def pay_of(person: int, project: int | None, day: date) -> tuple[str, str] | None:
    """The pay of an hour: of memberships, else of the first person's settings. The second is paid by the month."""
    if project == 0 and person == 0:
        return "20.5", "EUR"
    if person == 0:
        return ("7.777", "KWD") if day < NEW_SETTINGS else ("12", "JPY")
    return ("0.002", "USD") if project == 3 else None


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    """Two people with rates of memberships, of projects, of payment settings. The third project has a fixed price.

    Weeks begin on Wednesday.
    """
    place = new_place(
        rows,
        week_start_day="wednesday",
        people=[{"department": each} for each in DEPARTMENTS],
        projects=PROJECT_RATES,
        tasks=[{"estimate_seconds": each} for each in ESTIMATED_SECONDS],
    )
    own, (ada, ben), projects = place.organization_id, place.people, place.projects
    for id_ in (FIRST_TEAM, SECOND_TEAM):
        rows.team(own, id=id_)
        rows.team_member(own, id_, ada)
    rows.team_member(own, SECOND_TEAM, ben, deleted_at=THEN)
    rows.project_member(own, projects[0], ada, bill_rate=Decimal("33.3333"), pay_rate=Decimal("20.5"))
    rows.project_member(own, projects[0], ben, bill_rate=Decimal(55), pay_rate=9, deleted_at=THEN)
    rates = {"bill_rate": Decimal("0.001"), "pay_rate": Decimal("0.002")}
    rows.project_member(own, projects[3], ben, currency="USD", **rates)
    rows.payment_setting(own, ben, pay_type="fixed", pay_rate=3000, effective_from=date(2000, 1, 1))
    for bill, pay, currency, first, last in (
        (Decimal("10.01"), Decimal("7.777"), "KWD", date(2000, 1, 1), NEW_SETTINGS - DAY),
        (11, None, "USD", NEW_SETTINGS, None),
        (None, 12, "JPY", NEW_SETTINGS, None),
    ):
        values = {"bill_rate": bill, "pay_rate": pay, "currency": currency}
        rows.payment_setting(own, ada, effective_from=first, effective_to=last, **values)
    return place


async def totals(service: Service, own: UUID, operation: Operation = TIME_TOTALS, **variables: Any) -> dict[str, Any]:
    result = await Executor(service.database).execute(operation, own, variables)
    assert result.errors is None
    assert result.data is not None
    found: dict[str, Any] = result.data["time_totals"]
    for row in found.get("results", []):
        # The amounts are JSON of the database.
        row |= {name: orjson.loads(orjson.dumps(row[name])) for name in SELECTED if name in row}
    return found


def keys_of(
    place: Place, groups: list[TimeGroup], person: int, day: date, project: int | None, task: int | None
) -> list[tuple[Any, ...]]:
    """The groups that have an entry of time activity, without whether it is billable."""
    client = None if project is None else PROJECTS[project][1]
    values = {
        TimeGroup.day: day,
        TimeGroup.week: day - (day.weekday() - 2) % 7 * DAY,
        TimeGroup.month: day.replace(day=1),
        TimeGroup.member: place.people[person],
        TimeGroup.department: DEPARTMENTS[person],
        TimeGroup.project: None if project is None else place.projects[project],
        TimeGroup.client: None if client is None else place.clients[client],
        TimeGroup.task: None if task is None else place.tasks[task],
    }
    teams: list[UUID | None] = [*TEAMS[person]] if TimeGroup.team in groups else []
    keys = [group for group in groups if group is not TimeGroup.billable]
    return [tuple((values | {TimeGroup.team: team})[key] for key in keys) for team in teams or [None]]


def things_of(place: Place) -> dict[str, Sequence[UUID]]:
    """The ids that a filter by content may have, by the number of the thing."""
    return {"project_id": place.projects, "client_id": place.clients, "task_id": place.tasks}


def arguments_of(place: Place, case: Case) -> dict[str, Any]:
    """The range, time zone and filters by content of a case."""
    zone, days, _, content = case
    asked = {name: things_of(place)[name][number] for name, number in content.items()}
    return {"start_date": days[0], "end_date": days[-1], "timezone": zone, **asked}


@settings(max_examples=examples(8), deadline=None)
@example(case=STARTED_TOGETHER, groups=[], order="group")
@given(
    case=cases(), groups=st.lists(st.sampled_from(TimeGroup), unique=True, max_size=4), order=st.sampled_from(ORDERS)
)
async def test_sums_equal_those_of_time_activity(
    service: Service, rows: Rows, place: Place, case: Case, groups: list[TimeGroup], order: str
) -> None:
    zone, days, persons, content = case
    groups += [TimeGroup.task] if "estimate" in order and TimeGroup.task not in groups else []
    write(rows, place, persons)
    things = things_of(place)
    asked = arguments_of(place, case)

    expected: dict[tuple[Any, ...], dict[str, int]] = defaultdict(lambda: dict.fromkeys(SECONDS, 0))
    costs: dict[tuple[Any, ...], dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    paid: dict[tuple[Any, ...], dict[str, list[Decimal]]] = defaultdict(lambda: defaultdict(lambda: [Decimal(0)] * 2))
    for person, row in enumerate(await read(service, place, **asked)):
        for shown in row["days"]:
            for entry in shown["entries"]:
                numbers = [
                    None if entry[name] is None else [str(id_) for id_ in things[name]].index(entry[name])
                    for name in ("project_id", "task_id")
                ]
                day = date.fromisoformat(shown["date"])
                for key in keys_of(place, groups, person, day, *numbers):
                    for name in SECONDS:
                        expected[key][name] += entry[name]
                    rate = rate_of(person, numbers[0], day)
                    if entry["billable_seconds"] and rate is not None:
                        costs[key][rate[1]] += entry["billable_seconds"] * Decimal(rate[0])
                    pay = pay_of(person, numbers[0], day)
                    payable = entry["tracked_seconds"] + entry["paid_break_seconds"]
                    if payable and pay is not None:
                        earlier = paid[key][pay[1]]
                        paid[key][pay[1]] = [earlier[0] + payable, earlier[1] + payable * Decimal(pay[0])]
    counted: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for person, each in enumerate(persons):
        for day, (project, task), kind, value in facts_of(each, zone, days, content):
            if kind == "timesheet":
                for key in keys_of(place, groups, person, day, project, task):
                    counted[key].add(value)

    asked |= {"group_by": [g.name for g in groups], "order_by": order}
    page = await totals(service, place.organization_id, **asked)
    results = page["results"]
    assert page["count"] == len(results)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in results:
        assert {row[group.column] for group in TimeGroup if group not in groups} <= {None}
        key = tuple(row[group.column] for group in groups if group is not TimeGroup.billable)
        sums = found.setdefault(key, dict.fromkeys((*SECONDS, "timesheets_count"), 0) | {"amounts": {}})
        for name in (*SECONDS, "timesheets_count"):
            sums[name] += row[name]
        sums["amounts"] |= {each["currency"]: each["amount"] for each in row["billable_amounts"]}
        margins = {each["currency"]: each for each in row["margins"]}
        assert [each["amount"] for each in row["billable_amounts"]] == [
            each["billable_amount"] for each in margins.values() if each["billable_seconds"]
        ]
        if TimeGroup.billable not in groups:
            assert {
                currency: [each["paid_seconds"], each["cost"], each["margin"]] for currency, each in margins.items()
            } == {
                currency: margin_of(currency, costs[key].get(currency, Decimal(0)), *paid[key][currency])
                for currency in {**costs[key], **paid[key]}
            }
        is_estimated = TimeGroup.task in groups and row["task_id"] is not None
        estimate = ESTIMATED_SECONDS[place.tasks.index(row["task_id"])] if is_estimated else None
        over = None if estimate is None else row["tracked_seconds"] - estimate
        assert (row["estimate_seconds"], row["over_estimate_seconds"]) == (estimate, over)
        if TimeGroup.billable in groups:
            assert row["billable_seconds"] == (row["tracked_seconds"] if row["is_billable"] else 0)
    if not groups:
        expected.setdefault((), dict.fromkeys(SECONDS, 0))
    assert found == {
        key: sums
        | {"timesheets_count": len(counted[key])}
        | {"amounts": {currency: amount_text(cost / 3600, currency) for currency, cost in costs[key].items()}}
        for key, sums in expected.items()
    }
    by_sum, sign = [], -1
    if order != "group":
        by_sum, sign = [order.removesuffix("_asc").removesuffix("_desc")], 1 if order.endswith("_asc") else -1
    shown_order = [
        (
            *((row[name] is None, sign * (row[name] or 0)) for name in by_sum),
            *((row[group.column] is None, row[group.column] or 0) for group in groups),
        )
        for row in results
    ]
    assert shown_order == sorted(shown_order)


def margin_of(currency: str, billed: Decimal, seconds: Decimal, cost: Decimal) -> list[Any]:
    amounts = [str(amount_text(each / 3600, currency)) for each in (billed, cost)]
    return [seconds, amounts[1], str(Decimal(amounts[0]) - Decimal(amounts[1]))]


SELECTED = {"billable_amounts": AMOUNTS, "margins": MARGINS}
SUM_FIELDS = [*SECONDS, "activity_percent", "timesheets_count", *SELECTED, *ESTIMATES.split()]


@settings(max_examples=examples(3), deadline=None)
@given(
    case=cases(),
    groups=st.lists(st.sampled_from(TimeGroup), unique=True, max_size=3),
    order=st.sampled_from(ORDERS),
    fields=st.lists(st.sampled_from(SUM_FIELDS), unique=True, max_size=3),
)
async def test_sums_are_the_same_whatever_a_document_shows(
    service: Service, rows: Rows, place: Place, case: Case, groups: list[TimeGroup], order: str, fields: list[str]
) -> None:
    _, _, persons, _ = case
    groups += [TimeGroup.task] if "estimate" in order and TimeGroup.task not in groups else []
    write(rows, place, persons)
    asked = arguments_of(place, case) | {"group_by": [g.name for g in groups], "order_by": order}
    page = await totals(service, place.organization_id, **asked)
    shown = [*(group.column for group in groups), *fields] or ["timesheets_count"]
    selection = " ".join(SELECTED.get(name, name) for name in shown)
    found = await totals(service, place.organization_id, time_totals(f"count results {{ {selection} }}"), **asked)
    assert found["count"] == page["count"]
    assert found["results"] == [{name: row[name] for name in shown} for row in page["results"]]
    assert await totals(service, place.organization_id, COUNT, **asked) == {"count": page["count"]}


class Studio:
    """An organization with a project for 60 EUR an hour, and a person who worked on it for two hours on Monday."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.organization_id = rows.organization()
        self.ada = rows.member(self.organization_id)
        self.project = rows.project(self.organization_id, bill_rate=60, currency="EUR", billing_type="hourly")
        self.work(self.ada, hours=2)

    def work(self, user_id: UUID, *, hours: int, **columns: Any) -> UUID:
        start: datetime = columns.setdefault("started_at", MONDAY)
        columns = {"project_id": self.project, "is_billable": True} | columns
        ended_at = start + timedelta(hours=hours)
        return self.rows.timesheet(self.organization_id, user_id, ended_at=ended_at, tracked_until=ended_at, **columns)

    async def hours(self, service: Service, *columns: str, **variables: Any) -> list[list[Any]]:
        """The columns, tracked hours and amounts of each group."""
        page = await totals(service, self.organization_id, **WEEK, **variables)
        return [
            [
                *(row[name] for name in columns),
                row["tracked_seconds"] / 3600,
                *(f"{each['amount']} {each['currency']}" for each in row["billable_amounts"]),
            ]
            for row in page["results"]
        ]


@pytest.fixture
def studio(rows: Rows) -> Studio:
    return Studio(rows)


async def test_filter_by_team_shows_no_other_teams_of_its_people(service: Service, rows: Rows, studio: Studio) -> None:
    teams = [rows.team(studio.organization_id) for _ in range(2)]
    for team in teams:
        rows.team_member(studio.organization_id, team, studio.ada)
    studio.work(rows.member(studio.organization_id), hours=1)
    found = await studio.hours(service, "team_id", group_by=["team"], team_id=teams[1])
    assert found == [[teams[1], 2.0, "120.00 EUR"]]


async def test_deleted_people_lose_time_and_deleted_projects_none(service: Service, rows: Rows, studio: Studio) -> None:
    own = studio.organization_id
    studio.work(rows.member(own, deleted_at=THEN), hours=4)
    studio.work(studio.ada, hours=1, started_at=MONDAY + DAY, deleted_at=THEN)
    project = rows.project(own, deleted_at=THEN, name="Gone")
    rows.team_member(own, rows.team(own, deleted_at=THEN), studio.ada)
    studio.work(studio.ada, hours=1, started_at=MONDAY + DAY, project_id=project)
    assert await studio.hours(service, "project_id", group_by=["project"], order_by="tracked_seconds_desc") == [
        [studio.project, 2.0, "120.00 EUR"],
        [project, 1.0],
    ]
    assert await studio.hours(service, "team_id", group_by=["team"]) == [[None, 3.0, "120.00 EUR"]]


async def test_rate_of_a_membership_stays_after_a_removal(service: Service, rows: Rows, studio: Studio) -> None:
    left = rows.member(studio.organization_id, status="removed", removed_at=THEN)
    rows.project_member(studio.organization_id, studio.project, left, bill_rate=90, deleted_at=THEN)
    rows.project_member(studio.organization_id, studio.project, left, bill_rate=500, deleted_at=THEN - DAY)
    studio.work(left, hours=1)
    assert await studio.hours(service, user_id=left) == [[1.0, "90.00 EUR"]]


async def test_rate_of_a_membership_stays_after_deletions(service: Service, rows: Rows, studio: Studio) -> None:
    own, ada = studio.organization_id, studio.ada
    team = rows.team(own, deleted_at=THEN)
    of_team = {"source": "team", "team_id": team, "deleted_at": THEN}
    rows.project_member(own, studio.project, ada, bill_rate=500, deleted_at=THEN - DAY)
    rows.project_member(own, studio.project, ada, bill_rate=90, **of_team)
    assert await studio.hours(service) == [[2.0, "180.00 EUR"]]
    gone = rows.project(own, deleted_at=THEN, bill_rate=60, currency="EUR", billing_type="hourly")
    rows.project_member(own, gone, ada, bill_rate=40, deleted_at=THEN)
    studio.work(ada, hours=1, started_at=MONDAY + DAY, project_id=gone)
    assert await studio.hours(service, project_id=gone) == [[1.0, "40.00 EUR"]]
    rows.project_member(own, studio.project, ada)
    assert await studio.hours(service, project_id=studio.project) == [[2.0, "120.00 EUR"]]


async def test_filter_by_billing_leaves_out_breaks(service: Service, rows: Rows, studio: Studio) -> None:
    studio.work(studio.ada, hours=1, started_at=MONDAY + DAY, is_billable=False)
    rows.break_time(studio.organization_id, studio.ada, started_at=MONDAY + 2 * DAY)
    noon = MONDAY + DAY + timedelta(hours=3)
    rows.break_time(studio.organization_id, studio.ada, started_at=noon, ended_at=noon + timedelta(minutes=5))
    for is_billable, hours in ((True, [[2.0, "120.00 EUR"]]), (False, [[1.0]])):
        assert await studio.hours(service, is_billable=is_billable) == hours
        (row,) = (await totals(service, studio.organization_id, **WEEK, is_billable=is_billable))["results"]
        assert row["break_seconds"] == 0, "neither on a day of other time nor on one without"


async def test_tasks_over_their_estimate_are_found_and_sorted(service: Service, rows: Rows, studio: Studio) -> None:
    tasks_by_name = {
        name: rows.task(studio.organization_id, studio.project, name=name, estimate_seconds=seconds)
        for name, seconds in (("late", 3600), ("later", 1800), ("exact", 7200), ("early", 9000), ("unknown", None))
    }
    for day, task_id in enumerate(tasks_by_name.values(), start=1):
        studio.work(studio.ada, hours=2, started_at=MONDAY + day * DAY, task_id=task_id)
    by_task: dict[str, Any] = {"group_by": ["task"], "order_by": "over_estimate_seconds_desc"}
    for over_estimate, expected in (
        (True, [("later", 5400), ("late", 3600)]),
        (False, [("exact", 0), ("early", -1800)]),
        (None, [("later", 5400), ("late", 3600), ("exact", 0), ("early", -1800), ("unknown", None), (None, None)]),
    ):
        page = await totals(service, studio.organization_id, **WEEK, **by_task, over_estimate=over_estimate)
        assert [(row["task_id"], row["over_estimate_seconds"]) for row in page["results"]] == [
            (tasks_by_name.get(name or ""), seconds) for name, seconds in expected
        ]
        assert page["count"] == len(expected)


async def test_settings_pay_nothing_outside_their_days(service: Service, rows: Rows, studio: Studio) -> None:
    days = dict.fromkeys(("effective_from", "effective_to"), MONDAY.date() + DAY)
    rows.payment_setting(studio.organization_id, studio.ada, pay_rate=30, currency="EUR", **days)
    for n in (1, 2):
        studio.work(studio.ada, hours=2, started_at=MONDAY + n * DAY)
    found = await totals(service, studio.organization_id, time_totals(f"results {{ {MARGINS} }}"), **WEEK)
    ((margin,),) = (row["margins"] for row in found["results"])
    assert (margin["billable_amount"], margin["cost"], margin["paid_seconds"]) == ("360.00", "60.00", 7200)


RATES_TABLES, COUNTER_TABLES = {"payment_settings", "project_members"}, {"activity_slots"}
SOME_TABLES = sorted({"idle_times", *RATES_TABLES, *COUNTER_TABLES})
"""Tables that some sums need."""


@pytest.mark.parametrize(
    ("selection", "tables"),
    [
        ("count", {"idle_times"}),
        ("results { timesheets_count }", {"idle_times"}),
        ("results { break_seconds tracked_seconds }", {"idle_times"}),
        ("results { idle_seconds }", {"idle_times"}),
        ("results { activity_percent }", {"idle_times", *COUNTER_TABLES}),
        ("results { billable_amounts { amount } }", {"idle_times", *RATES_TABLES}),
        ("results { margins { cost } }", {"idle_times", *RATES_TABLES}),
        ("results { mouse_seconds billable_amounts { amount } }", {"idle_times", *RATES_TABLES, *COUNTER_TABLES}),
    ],
)
async def test_tables_of_sums_that_are_not_shown_are_not_read(
    service: Service, studio: Studio, round_trips: list[Any], selection: str, tables: set[str]
) -> None:
    await totals(service, studio.organization_id, time_totals(selection), **WEEK, group_by=["client"])
    (sql,) = (bound[0].sql for trip in round_trips for bound in trip if "group_count" in bound[0].sql)
    assert {table for table in SOME_TABLES if f"FROM {table} " in sql.replace("\n", " ")} == tables


async def test_pages_have_the_number_of_all_groups(service: Service, studio: Studio) -> None:
    for n in range(1, 5):
        studio.work(studio.ada, hours=1, started_at=MONDAY + n * DAY)
    by_day = {**WEEK, "group_by": ["day"], "limit": 2}
    pages = [await totals(service, studio.organization_id, **by_day, page=page) for page in (1, 3, 4)]
    assert [page["count"] for page in pages] == [5, 5, 5]
    assert [[row["date"].day for row in page["results"]] for page in pages] == [[2, 3], [6], []]


async def test_long_range_is_summed_up_to_a_number_of_timesheets(
    service: Service, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    for month in range(1, 12):
        studio.work(studio.ada, hours=1, started_at=MONDAY + month * 30 * DAY)
    year = {**WEEK, "end_date": MONDAY.date() + 365 * DAY}
    page = await totals(service, studio.organization_id, **year)
    assert page["results"][0]["timesheets_count"] == 12
    monkeypatch.setattr(time_groups, "MAX_TIMESHEETS", 11)
    (message,) = await refusals(service.database, studio.organization_id, TIME_TOTALS, **year)
    assert message == (
        "The range of 366 days has more than 11 timesheets, which one statement does not sum in its time: ask for 31 "
        "days, or for a team or a person."
    )
    page = await totals(service, studio.organization_id, **year | {"end_date": MONDAY.date() + 30 * DAY})
    assert page["results"][0]["timesheets_count"] == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"end_date": date(2027, 3, 3)}, "Date range cannot exceed 366 days."),
        ({"limit": 1001}, "limit must be from 1 to 1000."),
        ({"over_estimate": False}, "A comparison with estimates needs `task` in group_by."),
        ({"order_by": "over_estimate_seconds_desc"}, "A comparison with estimates needs `task` in group_by."),
    ],
)
async def test_wrong_argument_is_refused(service: Service, studio: Studio, wrong: dict[str, Any], message: str) -> None:
    assert await refusals(service.database, studio.organization_id, TIME_TOTALS, **{**WEEK, **wrong}) == [message]
