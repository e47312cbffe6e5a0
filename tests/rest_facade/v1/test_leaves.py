"""Leave over HTTP: all fields, every filter, dates without a zone, and today."""

from datetime import date, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import httpx2 as httpx
import pytest

from tests.conftest import Connect
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import ADA, BOB, SetClock, ids, results

LATER = THEN + timedelta(hours=1)


class Acme(NamedTuple):
    """An organization with two people, two types of leave with a policy each, and two years."""

    id: UUID
    key: str
    ada: UUID
    bob: UUID
    vacation: UUID
    overtime: UUID
    full_time: UUID
    comp_time: UUID
    past: UUID
    always: UUID


@pytest.fixture
def acme(rows: Rows, zone: str) -> Acme:
    own = rows.organization(timezone=zone)
    lieu = {"name": "Lieu", "category": "compensatory", "unit": "hour", "is_active": False}
    vacation, overtime = rows.leave_type(own, created_at=THEN), rows.leave_type(own, **lieu, created_at=LATER)
    year = {"name": "2025", "start_date": "2025-01-01", "end_date": "2025-12-31", "status": "closed"}
    return Acme(
        *(own, rows.partner_key(own), rows.member(own, **ADA), rows.member(own, **BOB), vacation, overtime),
        full_time=rows.leave_policy(own, vacation, name="Full", created_at=THEN),
        comp_time=rows.leave_policy(own, overtime, name="Comp", is_active=False, created_at=LATER),
        past=rows.leave_period(own, **year, created_at=THEN),
        always=rows.leave_period(own, name="Always", created_at=LATER),
    )


async def test_application_in_days_shows_each_day_in_order(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    given = {"start_date": "2025-12-31", "end_date": "2026-01-02", "start_day_part": "second_half"}
    leave = rows.leave_application(acme.id, acme.vacation, acme.ada, **given, amount="1.5")
    days: list[dict[str, Any]] = [
        {"date": "2026-01-02"},
        {"date": "2025-12-31", "amount": "0.5", "duration_seconds": 14_400},
        {"date": "2026-01-01", "amount": 0, "duration_seconds": 0, "is_holiday": True},
    ]
    for number, day in enumerate(days):
        rows.leave_day(acme.id, leave, id=UUID(int=number), **day)
    rows.leave_day(acme.id, leave, date="2026-01-03", deleted_at=THEN)
    shown_days = [
        {"date": "2025-12-31", "amount": "0.50", "duration_seconds": 14_400, "is_holiday": False},
        {"date": "2026-01-01", "amount": "0.00", "duration_seconds": 0, "is_holiday": True},
        {"date": "2026-01-02", "amount": "1.00", "duration_seconds": 28_800, "is_holiday": False},
    ]
    (shown,) = await results(http, "leave_applications")
    expected = {"user": ADA | {"user_id": str(acme.ada)}, "leave_type_name": "Vacation", "unit": "day"}
    assert shown.items() >= {**given, **expected, "amount": "1.50", "days": shown_days}.items()


async def test_balances_include_deleted_and_past_ones(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    deleted = rows.leave_balance(acme.id, acme.full_time, acme.always, acme.ada, deleted_at=THEN)
    kept = rows.leave_balance(acme.id, acme.full_time, acme.always, acme.ada)
    period = rows.leave_period(acme.id, start_date=date(2001, 1, 1), end_date=date(2001, 12, 31))
    past = rows.leave_balance(acme.id, acme.full_time, period, acme.ada)
    assert await ids(http, "leave_balances", updated_since="2026-01-01") == [kept]
    assert set(await ids(http, "leave_balances", include_deleted="true")) == {deleted, kept, past}
    polled = await ids(http, "leave_balances", include_deleted="true", updated_since="2026-01-01")
    assert set(polled) == {deleted, kept, past}


async def test_range_selects_overlapping_leave_with_both_ends(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    leave = (acme.id, acme.vacation, acme.ada)
    days: dict[str, Any] = {"start_date": "2025-12-29", "end_date": "2026-01-02"}
    year_end = rows.leave_application(*leave, **days, created_at=THEN)
    day = rows.leave_application(*leave, start_date="2026-01-03", created_at=LATER)
    for start, end, expected in [
        ("2025-12-28", "2025-12-28", []),
        ("2025-12-01", "2025-12-29", [year_end]),
        ("2026-01-01", "2026-01-01", [year_end]),
        ("2026-01-02", "2026-01-02", [year_end]),
        ("2026-01-02", "2026-01-03", [year_end, day]),
        ("2026-01-03", "2026-02-02", [day]),
        ("2026-01-04", "2026-02-03", []),
        ("0001-01-01", "0001-01-31", []),
        ("9999-12-01", "9999-12-31", []),
    ]:
        assert await ids(http, "leave_applications", start_date=start, end_date=end) == expected, (start, end)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])
async def test_zone_does_not_shift_days_of_leave(zone: str, acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    day, person = "2026-03-29", rows.member(acme.id, timezone=zone)
    leave = rows.leave_application(acme.id, acme.vacation, person, start_date=day, timezone=zone)
    rows.leave_day(acme.id, leave, date=day)
    for asked in ({}, {"timezone": "Asia/Kathmandu"}, {"timezone": "nowhere"}):
        (item,) = await results(http, "leave_applications", start_date=day, end_date=day, **asked)
        assert item["start_date"] == item["end_date"] == item["days"][0]["date"] == day
        for other in ("2026-03-28", "2026-03-30"):
            assert await results(http, "leave_applications", start_date=other, end_date=other, **asked) == []


@pytest.mark.parametrize(
    ("zone", "moment", "current"),
    [
        ("UTC", "2025-12-31T23:59:59", ["2025"]),
        ("UTC", "2026-01-01T00:00:00", ["2026"]),
        ("Asia/Kolkata", "2025-12-31T18:29:59", ["2025"]),
        ("Asia/Kolkata", "2025-12-31T18:30:00", ["2026"]),
        ("America/New_York", "2026-01-01T04:59:59", ["2025"]),
        ("America/New_York", "2026-01-01T05:00:00", ["2026"]),
        ("UTC", "2026-12-31T23:59:59", ["2026"]),
        ("UTC", "2027-01-01T00:00:00", []),
    ],
)
async def test_current_period_is_by_the_organizations_day(
    zone: str, moment: str, current: list[str], rows: Rows, client: Connect, is_now: SetClock
) -> None:
    own = rows.organization(timezone=zone)
    user = rows.member(own, timezone="Pacific/Kiritimati")
    policy = rows.leave_policy(own, rows.leave_type(own))
    for year in ("2025", "2026"):
        days = {"start_date": f"{year}-01-01", "end_date": f"{year}-12-31"}
        rows.leave_balance(own, policy, rows.leave_period(own, name=year, **days, status="upcoming"), user)
    is_now(moment)
    http = client(rows.partner_key(own))
    periods = await results(http, "leave_periods", timezone="Pacific/Niue")
    balances = await results(http, "leave_balances", timezone="Pacific/Niue")
    assert [item["name"] for item in periods if item["is_current"]] == current
    assert [item["period_start"] for item in balances] == [f"{year}-01-01" for year in current]


async def test_balances_are_of_current_periods_by_default(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    days = {"start_date": "2025-07-01", "end_date": "2026-06-30"}
    fiscal, gone = rows.leave_period(acme.id, **days), rows.leave_period(acme.id, **days, deleted_at=THEN)
    past, always, of_year, of_gone = (
        rows.leave_balance(acme.id, acme.full_time, period, acme.ada, created_at=THEN + timedelta(minutes=n))
        for n, period in enumerate((acme.past, acme.always, fiscal, gone))
    )
    is_now("2026-06-30T12:00:00")
    assert await ids(http, "leave_balances") == [always, of_year]
    assert await ids(http, "leave_balances", include_deleted="true") == [past, always, of_year, of_gone]
    assert await ids(http, "leave_balances", leave_period_id=acme.past) == [past]
    assert await ids(http, "leave_balances", leave_period_id=gone) == [], "which belong to their period"
    is_now("2025-12-31T12:00:00")
    assert await ids(http, "leave_balances") == [past, always, of_year]
    is_now("2026-07-01T00:00:00")
    assert await ids(http, "leave_balances") == [always]
