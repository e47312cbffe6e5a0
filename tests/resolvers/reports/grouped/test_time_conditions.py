"""Conditions of time by group: sums of the parts of time for which `where` is true, groups for which `having` is.

Covers `resolvers/reports/grouped/time_conditions.py`.
"""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.reports.grouped import time_groups
from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import refusals
from tests.resolvers.reports.grouped.asking import MONDAY, WEEK, groups_of, time_totals
from tests.resolvers.reports.records import CLIENTS, DAY, PROJECTS, TASKS, Place, new_place, write
from tests.resolvers.reports.reference import SECONDS
from tests.resolvers.reports.time_activity_cases import Case, cases, read


class Entry(NamedTuple):
    """An entry of time activity: the numbers of its person, project and task, and its sums."""

    person: int
    project: int | None
    task: int | None
    sums: Mapping[str, int]

    @property
    def client(self) -> int | None:
        return None if self.project is None else PROJECTS[self.project][1]

    def name(self, named: str) -> str | None:
        """The name of its project, client or task."""
        number = getattr(self, named)
        names = {"project": [name for name, _ in PROJECTS], "client": CLIENTS, "task": [name for name, _ in TASKS]}
        return None if number is None else names[named][number]


Condition = tuple[Callable[[Place], Mapping[str, Any]], Callable[[Entry], bool]]
"""A condition as `where` has it, and whether it is true of an entry."""

CONDITIONS: list[Condition] = [
    (lambda place: {"user_id": {"_eq": str(place.people[1])}}, lambda entry: entry.person == 1),
    (lambda _: {"user": {"department": {"_eq": "Design"}}}, lambda entry: entry.person == 0),
    (lambda place: {"project_id": {"_in": [str(place.projects[0])]}}, lambda entry: entry.project == 0),
    (lambda _: {"project_id": {"_is_null": True}}, lambda entry: entry.project is None),
    (lambda place: {"project_id": {"_neq": str(place.projects[0])}}, lambda entry: entry.project in (1, 2, 3)),
    (lambda place: {"_not": {"project_id": {"_eq": str(place.projects[0])}}}, lambda entry: entry.project != 0),
    (lambda place: {"client_id": {"_eq": str(place.clients[1])}}, lambda entry: entry.client == 1),
    (lambda _: {"task": {"name": {"_eq": "Draft"}}}, lambda entry: entry.name("task") == "Draft"),
    (lambda _: {"project": {"client": {"name": {"_eq": "globex"}}}}, lambda entry: entry.name("client") == "globex"),
    (
        lambda _: {"_or": [{"user": {"department": {"_is_null": True}}}, {"project": {"name": {"_eq": "alpha"}}}]},
        lambda entry: entry.person == 1 or entry.name("project") == "alpha",
    ),
]


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    return new_place(rows, people=[{"department": "Design"}, {"department": None}])


def days_of(case: Case) -> dict[str, Any]:
    zone, days, _, _ = case
    return {"start_date": days[0], "end_date": days[-1], "timezone": zone}


SUMS = time_totals(f"count results {{ {' '.join(SECONDS)} }}")
EARLY_SUMS = time_totals("count results { tracked_seconds break_seconds }")
USERS = time_totals("count results { user_id }")
"""Sums that need no counters: most timesheets are summed while they are read."""


@settings(max_examples=examples(8), deadline=None)
@given(case=cases(), chosen=st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=2))
async def test_sums_where_conditions_are_true_equal_those_of_entries(
    service: Service, rows: Rows, place: Place, case: Case, chosen: list[Condition]
) -> None:
    write(rows, place, case[2])
    wanted = dict.fromkeys(SECONDS, 0)
    for person, row in enumerate(await read(service, place, **days_of(case))):
        for shown in row["days"]:
            for each in shown["entries"]:
                project, task = (
                    None if each[f"{name}_id"] is None else [*map(str, ids)].index(each[f"{name}_id"])
                    for name, ids in (("project", place.projects), ("task", place.tasks))
                )
                entry = Entry(person, project, task, each)
                if all(is_true(entry) for _, is_true in chosen):
                    wanted = {name: total + each[name] for name, total in wanted.items()}
    conditions = [make(place) for make, _ in chosen]
    # Those on people decide whose time is read, but in `_and`.
    where: Mapping[str, Any] = {name: each for condition in conditions for name, each in condition.items()}
    where = where if len(where) == len(conditions) else {"_and": conditions}
    asked = days_of(case) | {"where": where}
    assert await groups_of(service, place.organization_id, SUMS, **asked) == [wanted]
    early = {name: wanted[name] for name in ("tracked_seconds", "break_seconds")}
    assert await groups_of(service, place.organization_id, EARLY_SUMS, **asked) == [early]


class Agency:
    """An organization in EUR: Ada is worth 10 EUR an hour, Ben costs 20 EUR more than he earns, Cleo earns USD."""

    def __init__(self, rows: Rows) -> None:
        self.rows, own = rows, rows.organization(currency="EUR")
        self.organization_id = own
        self.people = {name: rows.member(own, full_name=name) for name in ("Ada", "Ben", "Cleo", "Dora")}
        terms = {"bill_rate": 60, "billing_type": "hourly"}
        self.projects = {currency: rows.project(own, currency=currency, **terms) for currency in ("EUR", "USD")}
        for name, rate in (("Ada", 50), ("Ben", 80)):
            rows.payment_setting(own, self.people[name], pay_rate=rate, currency="EUR", effective_from=date(2026, 1, 1))
        self.work("Ada", hours=1, project="EUR")
        self.work("Ben", hours=1, project="EUR")
        self.work("Cleo", hours=2, project="USD")
        self.work("Dora", hours=3, project=None)

    def work(self, name: str, *, hours: int, project: str | None, **columns: Any) -> None:
        end = MONDAY + timedelta(hours=hours)
        project_id = None if project is None else self.projects[project]
        columns = {"started_at": MONDAY, "ended_at": end, "tracked_until": end, "project_id": project_id} | columns
        self.rows.timesheet(self.organization_id, self.people[name], is_billable=project is not None, **columns)

    async def names(self, service: Service, **variables: Any) -> list[str]:
        """The people who have a group."""
        asked = {**WEEK, "group_by": ["member"], **variables}
        found = await groups_of(service, self.organization_id, USERS, **asked)
        names = {str(id_): name for name, id_ in self.people.items()}
        return [names[row["user_id"]] for row in found]


@pytest.fixture
def agency(rows: Rows) -> Agency:
    return Agency(rows)


@pytest.mark.parametrize(
    ("order", "currency", "names"),
    [
        ("margin_desc", None, ["Ada", "Ben"]),
        ("margin_asc", None, ["Ben", "Ada"]),
        ("margin_percent_desc", None, ["Ada", "Ben"]),
        ("cost_desc", "EUR", ["Ben", "Ada"]),
        ("cost_asc", "EUR", ["Ada", "Ben"]),
        ("billable_amount_desc", "USD", ["Cleo"]),
        ("billable_amount_desc", "usd", ["Cleo"]),
    ],
)
async def test_groups_are_sorted_by_money_of_one_currency(
    service: Service, agency: Agency, order: str, currency: str | None, names: list[str]
) -> None:
    found = await agency.names(service, order_by=order, currency=currency)
    assert found[: len(names)] == names
    assert sorted(found) == ["Ada", "Ben", "Cleo", "Dora"], "groups without such money are last"


@pytest.mark.parametrize(
    ("having", "names"),
    [
        ({"margin": {"_lt": "0"}}, {"Ben"}),
        ({"margin_percent": {"_in": [16, -34]}}, {"Ada", "Ben"}),
        ({"margin": {"_eq": "10.00"}, "cost": {"_gte": 50}}, {"Ada"}),
        ({"billable_amount": {"_is_null": True}}, {"Cleo", "Dora"}),
        ({"_or": [{"cost": {"_gt": "79.99"}}, {"tracked_seconds": {"_gte": 10_800}}]}, {"Ben", "Dora"}),
        ({"timesheets_count": {"_eq": 1}, "billable_seconds": {"_gt": 3600}}, {"Cleo"}),
        ({"activity_percent": {"_is_null": False}}, set[str]()),
    ],
)
async def test_sums_select_groups(service: Service, agency: Agency, having: Mapping[str, Any], names: set[str]) -> None:
    assert set(await agency.names(service, having=having)) == names


async def test_breaks_outside_timesheets_are_time_without_project_that_is_not_billable(
    service: Service, rows: Rows, agency: Agency
) -> None:
    day = MONDAY + DAY
    rows.break_time(agency.organization_id, agency.people["Ada"], started_at=day, ended_at=day + timedelta(minutes=5))
    for where, seconds in (
        ({"is_billable": {"_eq": False}}, 300),
        ({"project_id": {"_is_null": True}}, 300),
        ({"user": {"full_name": {"_eq": "Ada"}}}, 300),
        ({"is_billable": {"_eq": True}}, 0),
        ({"project": {"currency": {"_eq": "EUR"}}}, 0),
    ):
        (row,) = await groups_of(service, agency.organization_id, SUMS, **WEEK, where=where)
        assert row["break_seconds"] == seconds, where


async def test_conditions_on_people_restrict_the_timesheets_of_a_long_range(
    service: Service, agency: Agency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_groups, "MAX_TIMESHEETS", 1)
    year = {**WEEK, "end_date": date(2026, 12, 31)}
    where = {"user": {"full_name": {"_starts_with": "ad"}}}
    (row,) = await groups_of(service, agency.organization_id, SUMS, **year, where=where)
    assert row["tracked_seconds"] == 3600
    year["where"] = {"_not": where}
    (message,) = await refusals(service.database, agency.organization_id, SUMS, **year)
    assert "has more than 1 timesheets" in message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"having": {"estimate_seconds": {"_gt": 0}}}, "A comparison with estimates needs `task` in group_by."),
        ({"where": {}}, "where is empty: a variable in it may have no value."),
        ({"having": {"margin": {"_gt": None}}}, "having.margin._gt is null: use _is_null for rows without a value."),
    ],
)
async def test_nonsense_is_refused(service: Service, agency: Agency, wrong: Mapping[str, Any], message: str) -> None:
    assert await refusals(service.database, agency.organization_id, SUMS, **{**WEEK, **wrong}) == [message]
