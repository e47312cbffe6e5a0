"""Groups of lists: the sums of each group are those of the rows on all pages, which Python groups.

Covers `resolvers/lists/calendar_sql.py`, `schema/totals.py`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from db.tables.people import Weekday
from resolvers.lists.groups import group_name
from resolvers.steps.page import GroupTotals
from rest_facade.composition import Service
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, field_of, refusals
from tests.resolvers.lists.summed_rows import DAYS, rows_of, summed_rows
from tests.world import build


@pytest.fixture(scope="module")
def own(rows: Rows) -> UUID:
    return summed_rows(rows)


PERIODS: Mapping[str, tuple[str, Callable[[date], Any]]] = {
    "day": ("date", lambda day: day),
    "week": ("week_start", lambda day: day - timedelta(days=day.weekday())),
    "month": ("month_start", lambda day: day.replace(day=1)),
    "weekday": ("weekday", lambda day: [*Weekday][day.weekday()].value),
}

AMOUNTS = {name: name for name in ("amount", "amount_paid", "amount_due")}
LEAVE = {name: name for name in ("amount", "duration_seconds")}
CASES: list[tuple[str, str, str, str, Mapping[str, str]]] = [
    ("invoices", "invoice_totals", "issue_date", "currency", AMOUNTS | {"amount": "total", "tax_amount": "tax_amount"}),
    ("payables", "payable_totals", "period_end", "currency", AMOUNTS),
    ("hourly_payment_logs", "hourly_payment_totals", "period_end", "currency", {"amount": "amount"}),
    ("one_time_payment_logs", "one_time_payment_totals", "payment_date", "currency", {"amount": "amount"}),
    ("leave_applications", "leave_application_totals", "start_date", "unit leave_type_id", LEAVE),
]
"""Totals: of which list, by which day, apart by what without groups, and the amount of a row that each sum is of."""

FILTERS = ("", "include_deleted: true", "status: [paid]", 'where: {created_at: {_lt: "2000-01-01T00:00:00Z"}}')


@pytest.mark.parametrize(
    ("group", "given"), [*((period, DAYS) for period in PERIODS), *(("", each) for each in FILTERS)]
)
@pytest.mark.parametrize(("name", "totals", "day", "always", "sums"), CASES)
async def test_groups_are_the_sums_of_all_pages(
    service: Service,
    own: UUID,
    name: str,
    totals: str,
    day: str,
    always: str,
    sums: Mapping[str, str],
    group: str,
    given: str,
) -> None:
    given = given.replace("paid", "approved") if name == "leave_applications" else given
    period, start_of = PERIODS.get(group, ("", str))
    # What groups are asked for, those of leave are apart by unit, but not by type.
    keys = [period, "status", always.split(maxsplit=1)[0]] if group else always.split()
    expected: dict[tuple[Any, ...], dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for row in await rows_of(service, own, name, given, [day, "status", always, *sums.values()]):
        of = expected[tuple((row | {period: str(start_of(date.fromisoformat(row[day])))})[key] for key in keys)]
        of["count"] += 1
        for total, amount in sums.items():
            of[total] += Decimal(row[amount])
    asked = f"limit: 1000, {given}" + (f", group_by: [{group}, status]" if group else "")
    shown = f"{' '.join(keys)} count {' '.join(sums)}"
    found = await field_of(service, own, f"{totals}({asked}) {{ {shown} }}")
    assert {
        tuple(row[key] for key in keys): {each: Decimal(row[each]) for each in ("count", *sums)} for row in found
    } == {key: dict(of) for key, of in expected.items()}
    assert len(found) == len(expected)
    assert bool(found) is not given.startswith("where")


ROOT: Any = GRAPHQL_SCHEMA.query_type
GROUPED = {name: step for name, field in ROOT.fields.items() if isinstance(step := declared_step(field), GroupTotals)}
RANGE = 'start_date: "2025-12-25", end_date: "2026-01-15"'


@pytest.fixture(scope="module")
def filled(rows: Rows) -> UUID:
    return build(rows, "grouped").organization_id


async def sums_of(service: Service, own: UUID, name: str, group: str) -> Mapping[tuple[Any, ...], Decimal]:
    """The sums over all groups by `group`, of each unit or currency."""
    groups = GROUPED[name].groups
    unsummed = {"people_count", "waiting_seconds", *groups.averages, *groups.shares}
    sums = [each for each in groups.sums if each not in unsummed]
    shown = " ".join((*groups.by, *sums))
    range_ = RANGE if any(argument.name == "start_date" for argument in GROUPED[name].arguments) else ""
    found: dict[tuple[Any, ...], Decimal] = defaultdict(Decimal)
    for row in await field_of(service, own, f"{name}({range_}{group}, limit: 1000) {{ {shown} }}"):
        for each in sums:
            found[(*(row[always] for always in groups.by), each)] += Decimal(row[each])
    return found


@pytest.mark.parametrize("name", GROUPED)
async def test_groups_of_each_kind_add_up_to_the_whole(service: Service, filled: UUID, name: str) -> None:
    whole = await sums_of(service, filled, name, "")
    assert any(whole.values())
    for column in GROUPED[name].groups.columns:
        assert await sums_of(service, filled, name, f", group_by: [{group_name(column)}]") == whole, column


async def test_usage_is_summed_by_application_and_local_day(service: Service, rows: Rows) -> None:
    own = rows.organization(timezone="Pacific/Auckland")
    user, other = rows.member(own), rows.member(own)
    code, mail = rows.app(own, name="Code", category="development"), rows.app(own, name="Mail", category=None)
    for number, (app, person, at) in enumerate(
        # Half an hour before and after midnight in Auckland.
        [
            (code, user, "2026-01-05T10:30:00Z"),
            (code, user, "2026-01-05T11:30:00Z"),
            (mail, other, "2026-01-05T11:30:00Z"),
        ]
    ):
        start = datetime.fromisoformat(at)
        sheet = rows.timesheet(own, person, started_at=start, ended_at=start + timedelta(minutes=10))
        rows.app_usage(own, app, sheet, person, slot_at=start, duration_seconds=100 + number, active_seconds=number)
    head = 'app_totals(start_date: "2026-01-05", end_date: "2026-01-06", group_by: [app_name, day])'
    shown = "app_name category date people_count duration_seconds active_seconds"
    found = await field_of(service, own, f"{head} {{ {shown} }}")
    assert [tuple(str(value) for value in row.values()) for row in found] == [
        ("Code", "None", "2026-01-05", "1", "100", "0"),
        ("Code", "None", "2026-01-06", "1", "101", "1"),
        ("Mail", "None", "2026-01-06", "1", "102", "2"),
    ]


async def test_usage_of_a_deleted_person_is_not_summed(service: Service, rows: Rows) -> None:
    own = rows.organization()
    gone, user = rows.member(own, deleted_at=THEN), rows.member(own)
    app = rows.app(own)
    for person, seconds in ((gone, 100), (user, 20)):
        sheet = rows.timesheet(own, person)
        rows.app_usage(own, app, sheet, person, slot_at=THEN, duration_seconds=seconds, active_seconds=0)
    assert await field_of(service, own, f"app_totals({RANGE}) {{ people_count duration_seconds }}") == [
        {"people_count": 1, "duration_seconds": 20}
    ]


async def test_person_in_two_teams_counts_in_each_team(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user, teams = rows.member(own), [rows.team(own) for _ in range(2)]
    for team in teams:
        rows.team_member(own, team, user)
    rows.team_member(own, rows.team(own), user, deleted_at=THEN)
    rows.payable(own, user, amount=Decimal(10), currency="EUR")
    by_team = await field_of(service, own, "payable_totals(group_by: [team]) { team_id count amount }")
    assert {row["team_id"]: row["amount"] for row in by_team} == dict.fromkeys(map(str, teams), "10.00")
    of_one = f'payable_totals(group_by: [team], team_id: "{teams[0]}") {{ team_id amount }}'
    assert await field_of(service, own, of_one) == [{"team_id": str(teams[0]), "amount": "10.00"}]


async def test_people_are_counted_once_and_texts_sorted_by_their_bytes(service: Service, rows: Rows) -> None:
    own = rows.organization()
    for department, payables in (("a", 2), ("B", 1)):
        user = rows.member(own, department=department)
        for day in range(1, payables + 1):
            rows.payable(own, user, period_start=date(2026, 1, day), period_end=date(2026, 1, day))
    found = await field_of(service, own, "payable_totals(group_by: [department]) { department count people_count }")
    assert [tuple(row.values()) for row in found] == [("B", 1, 1), ("a", 2, 1)]


async def test_leave_in_a_range_is_that_of_its_days(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user, days = rows.member(own), [date(2026, 1, 5), date(2026, 1, 6)]
    span = {"start_date": days[0], "end_date": days[1]}
    leave = rows.leave_application(own, rows.leave_type(own), user, **span, amount=2, duration_seconds=57600)
    for day in days:
        rows.leave_day(own, leave, date=day, amount=1, duration_seconds=28800)
    one = 'start_date: "2026-01-06", end_date: "2026-01-08"'
    shown = f"{{ leave_day_totals({one}) {{ count amount duration_seconds }}"
    shown += f" leave_application_totals({one}) {{ amount amount_in_range duration_seconds_in_range }} }}"
    data = await data_of(service.database, own, shown)
    assert [[str(each) for each in row.values()] for row in data["leave_day_totals"]] == [["1", "1.00", "28800"]]
    sums = [[str(each) for each in row.values()] for row in data["leave_application_totals"]]
    assert sums == [["2.00", "1.00", "28800"]]


async def test_totals_below_parents_are_one_statement(service: Service, own: UUID, round_trips: list[Any]) -> None:
    field = "clients { results { invoice_totals { currency count } invoices { count } } }"
    (client,) = (await field_of(service, own, field))["results"]
    assert sum(row["count"] for row in client["invoice_totals"]) == client["invoices"]["count"] == 21
    assert sum(map(len, round_trips)) == 3, "the clients, their totals and their counts"


async def test_list_without_rows_has_no_group(service: Service, rows: Rows) -> None:
    assert await field_of(service, rows.organization(), f"manual_timesheet_totals({RANGE}) {{ count }}") == []


async def test_days_of_attendance_need_a_range(service: Service, rows: Rows) -> None:
    document = "{ suspicious_activity_totals(group_by: [day]) { count } }"
    refused = await refusals(service.database, rows.organization(), document)
    assert refused == ["Groups by days need start_date and end_date."]


async def test_having_order_and_pages_choose_groups(service: Service, own: UUID) -> None:
    head = f"invoice_totals({DAYS}, group_by: [status, client], order_by: amount_desc"
    every = await field_of(service, own, f"{head}) {{ status currency count amount }}")
    amounts = [Decimal(row["amount"]) for row in every]
    assert amounts == sorted(amounts, reverse=True)
    least = f'having: {{amount: {{_gte: "{amounts[2]}"}}}}'
    many = await field_of(service, own, f"{head}, {least}) {{ amount }}")
    assert [row["amount"] for row in many] == [row["amount"] for row in every[:3]]
    unsorted = f"invoice_totals({DAYS}, group_by: [status, client], {least}) {{ count }}"
    counts = await field_of(service, own, unsorted)
    assert sorted(row["count"] for row in counts) == sorted(row["count"] for row in every[:3])
    page = await field_of(service, own, f"{head}, limit: 2, page: 2) {{ amount }}")
    assert [row["amount"] for row in page] == [row["amount"] for row in every[2:4]]


async def test_clock_records_are_grouped_by_local_weekday(service: Service, rows: Rows) -> None:
    own = rows.organization(timezone="Pacific/Auckland")
    user = rows.member(own, department="Design")
    for start, minutes in (("2026-01-05T12:00:00Z", 60), ("2026-01-05T10:00:00Z", 30), ("2026-01-09T01:00:00Z", 120)):
        at = datetime.fromisoformat(start)
        rows.clock_record(own, user, clock_in_at=at, clock_out_at=at + timedelta(minutes=minutes))
    head = 'clockinout_totals(start_date: "2026-01-05", end_date: "2026-01-09", group_by: [weekday, department])'
    found = await field_of(service, own, f"{head} {{ weekday department people_count elapsed_seconds }}")
    days = [("monday", "Design", 1, 1800), ("tuesday", "Design", 1, 3600), ("friday", "Design", 1, 7200)]
    assert [tuple(row.values()) for row in found] == days


async def test_groups_by_manager_count_what_waits_for_each(service: Service, rows: Rows) -> None:
    own = rows.organization()
    manager = rows.member(own)
    for above, requests in ((manager, 2), (manager, 1), (None, 1)):
        user = rows.member(own, manager_user_id=above)
        for _ in range(requests):
            rows.manual_request(own, user)
    shown = "manager { user_id } count people_count"
    assert await field_of(service, own, f"manual_timesheet_totals({RANGE}, group_by: [manager]) {{ {shown} }}") == [
        {"manager": {"user_id": str(manager)}, "count": 3, "people_count": 2},
        {"manager": None, "count": 1, "people_count": 1},
    ]


async def test_headcount_leaves_out_those_whom_the_list_does(service: Service, rows: Rows) -> None:
    own = rows.organization()
    for columns in (
        *({"department": "Design", "hired_on": date(2026, 1, 31)}, {"department": "Design", "status": "invited"}),
        *({"department": "Design", "status": "removed"}, {"deleted_at": THEN}, {"employment_type": "intern"}),
    ):
        rows.member(own, expected_weekly_seconds=3600, **columns)
    shown = "department employment_type count expected_weekly_seconds"
    found = await field_of(service, own, f"member_totals(group_by: [department, employment_type]) {{ {shown} }}")
    assert [tuple(row.values()) for row in found] == [("Design", None, 2, 7200), (None, "intern", 1, 3600)]
    months = await field_of(service, own, "member_totals(group_by: [month]) { month_start count }")
    assert [tuple(row.values()) for row in months] == [("2026-01-01", 1), (None, 2)]


async def test_leave_that_is_left_is_summed_by_type_and_unit(service: Service, rows: Rows) -> None:
    own = rows.organization()
    days, hours = rows.leave_type(own, name="Vacation"), rows.leave_type(own, name="Time off", unit="hour")
    period = rows.leave_period(own)
    for type_ in (days, days, hours):
        policy = rows.leave_policy(own, type_)
        rows.leave_balance(own, policy, period, rows.member(own), accrued="10.25", used="2.5", pending=1)
    document = f"""{{
      leave_balance_totals {{ leave_type {{ name }} unit people_count used available }}
      leave_period(id: "{period}") {{ leave_balance_totals(group_by: [leave_policy]) {{ count available }} }}
    }}"""
    data = await data_of(service.database, own, document)
    found = {each["leave_type"]["name"]: tuple(map(str, each.values()))[1:] for each in data["leave_balance_totals"]}
    assert found == {"Vacation": ("day", "2", "5.00", "13.50"), "Time off": ("hour", "1", "2.50", "6.75")}
    below = data["leave_period"]["leave_balance_totals"]
    assert [(row["count"], str(row["available"])) for row in below] == [(1, "6.75")] * 3


async def test_usage_has_a_filter_by_rating(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user = rows.member(own)
    sheet = rows.timesheet(own, user)
    for name, rating in (("Editor", "productive"), ("Game", "unproductive"), ("Other", "unrated")):
        rows.app_usage(own, rows.app(own, name=name, productivity=rating), sheet, user, slot_at=THEN)
    head = f"app_totals({RANGE}, group_by: [app_name], productivity: [unproductive, unrated])"
    assert await field_of(service, own, f"{head} {{ app_name }}") == [{"app_name": "Game"}, {"app_name": "Other"}]
