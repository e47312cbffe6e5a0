"""Leave over HTTP: all fields, every filter, dates without a zone, and today."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest

from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import ADA, BOB, STAMPS, ids, is_now, results

pytestmark = pytest.mark.anyio

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
def acme(rows: Rows) -> Acme:
    own = rows.organization()
    vacation = rows.leave_type(own, name="Vacation", created_at=THEN)
    overtime = rows.leave_type(
        own, name="Time off in lieu", category="compensatory", unit="hour", is_active=False, created_at=LATER
    )
    return Acme(
        own,
        rows.partner_key(own),
        rows.member(own, **ADA),
        rows.member(own, **BOB),
        vacation,
        overtime,
        rows.leave_policy(own, vacation, name="Full time", created_at=THEN),
        rows.leave_policy(own, overtime, name="Comp time", is_active=False, created_at=LATER),
        rows.leave_period(
            own, name="2025", start_date=date(2025, 1, 1), end_date=date(2025, 12, 31), status="closed", created_at=THEN
        ),
        rows.leave_period(own, name="Always", created_at=LATER),
    )


async def test_application_in_days_shows_each_day_in_order(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    leave = rows.leave_application(
        acme.id,
        acme.vacation,
        acme.ada,
        leave_policy_id=acme.full_time,
        leave_period_id=acme.always,
        status="approved",
        start_date=date(2025, 12, 31),
        end_date=date(2026, 1, 2),
        start_day_part="second_half",
        timezone="Asia/Kolkata",
        amount="1.5",
        duration_seconds=43_200,
        reason="New year",
        applied_at=datetime(2025, 12, 1, 9, tzinfo=UTC),
        reviewed_by_user_id=acme.bob,
        reviewed_at=datetime(2025, 12, 2, 9, 30, tzinfo=UTC),
        review_note="Enjoy",
        has_attachment=True,
    )
    days: list[dict[str, Any]] = [
        {"date": date(2026, 1, 2)},
        {"date": date(2025, 12, 31), "amount": "0.5", "duration_seconds": 14_400},
        {"date": date(2026, 1, 1), "amount": 0, "duration_seconds": 0, "is_holiday": True},
    ]
    for number, day in enumerate(days):
        rows.leave_day(acme.id, leave, id=UUID(int=number), **day)
    rows.leave_day(acme.id, leave, date=date(2026, 1, 3), deleted_at=THEN)
    assert await results(http, "leave_applications") == [
        {"id": str(leave), "user": ADA | {"user_id": str(acme.ada)}, "leave_type_id": str(acme.vacation)}
        | {"leave_type_name": "Vacation", "leave_policy_id": str(acme.full_time), "leave_period_id": str(acme.always)}
        | {"status": "approved", "start_date": "2025-12-31", "end_date": "2026-01-02"}
        | {"start_day_part": "second_half", "end_day_part": "full", "started_at": None, "ended_at": None}
        | {"timezone": "Asia/Kolkata", "unit": "day", "amount": "1.50", "duration_seconds": 43_200, "is_paid": True}
        | {"reason": "New year"}
        | {
            "days": [
                {"date": "2025-12-31", "amount": "0.50", "duration_seconds": 14_400, "is_holiday": False},
                {"date": "2026-01-01", "amount": "0.00", "duration_seconds": 0, "is_holiday": True},
                {"date": "2026-01-02", "amount": "1.00", "duration_seconds": 28_800, "is_holiday": False},
            ]
        }
        | {"applied_at": "2025-12-01T09:00:00Z", "reviewed_by_user_id": str(acme.bob)}
        | {"reviewed_at": "2025-12-02T09:30:00Z", "review_note": "Enjoy", "cancelled_at": None}
        | {"has_attachment": True}
        | STAMPS
    ]


async def test_application_in_hours_shows_start_and_end(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    rows.leave_application(
        acme.id,
        acme.overtime,
        acme.ada,
        started_at=datetime(2026, 1, 5, 13, tzinfo=UTC),
        ended_at=datetime(2026, 1, 5, 16, 15, tzinfo=UTC),
        amount="3.25",
        duration_seconds=11_700,
        is_paid=False,
        status="cancelled",
        cancelled_at=datetime(2026, 1, 4, 8, tzinfo=UTC),
    )
    (leave,) = await results(http, "leave_applications")
    shown = ("leave_type_name", "unit", "amount", "duration_seconds", "started_at", "ended_at", "is_paid", "days")
    assert [leave[name] for name in shown] == [
        "Time off in lieu",
        "hour",
        "3.25",
        11_700,
        "2026-01-05T13:00:00Z",
        "2026-01-05T16:15:00Z",
        False,
        [],
    ]
    assert (leave["status"], leave["cancelled_at"]) == ("cancelled", "2026-01-04T08:00:00Z")
    assert (leave["leave_policy_id"], leave["leave_period_id"], leave["reason"]) == (None, None, None)


async def test_leave_type_shows_all_fields(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    sick = rows.leave_type(
        acme.id,
        name="Sick leave",
        code="SICK",
        description="With a certificate from the third day on.",
        color="#d81b60",
        category="sick",
        is_paid=False,
        requires_approval=False,
        requires_attachment=True,
        allows_half_day=False,
    )
    assert (await results(http, "leave_types", id=sick)) == [
        {"id": str(sick), "name": "Sick leave", "code": "SICK"}
        | {"description": "With a certificate from the third day on.", "color": "#d81b60", "category": "sick"}
        | {"unit": "day", "is_paid": False, "requires_approval": False, "requires_attachment": True}
        | {"allows_half_day": False, "is_active": True, "created_at": "2026-01-05T09:00:00Z"}
        | {"updated_at": "2026-01-05T09:00:00Z", "deleted_at": None}
    ]


async def test_leave_policy_shows_all_fields(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    policy = rows.leave_policy(
        acme.id,
        acme.overtime,
        name="Lieu",
        entitlement=40,
        accrual_type="hours_worked",
        accrual_amount="1.5",
        accrual_cap="80.25",
        carry_over_max="16",
        carry_over_expires_on_month_day="03-31",
        allows_negative_balance=True,
        max_negative="8",
        waiting_period_days=90,
        prorate_on_hire=False,
        min_notice_days=14,
        max_consecutive="24.00",
        day_length_seconds=27_000,
        auto_assign_new_members=True,
        created_at=LATER,
    )
    plain, lieu = await results(http, "leave_policies", id=f"{policy},{acme.full_time}")
    assert [lieu] == [
        {"id": str(policy), "name": "Lieu", "leave_type_id": str(acme.overtime), "unit": "hour"}
        | {"leave_type_name": "Time off in lieu", "entitlement": "40.00", "accrual_type": "hours_worked"}
        | {"accrual_amount": "1.50", "accrual_cap": "80.25", "carry_over_max": "16.00"}
        | {"carry_over_expires_on_month_day": "03-31", "allows_negative_balance": True, "max_negative": "8.00"}
        | {"waiting_period_days": 90, "prorate_on_hire": False, "min_notice_days": 14, "max_consecutive": "24.00"}
        | {"day_length_seconds": 27_000, "auto_assign_new_members": True, "is_active": True}
        | {"created_at": "2026-01-05T10:00:00Z", "updated_at": "2026-01-05T10:00:00Z", "deleted_at": None}
    ]
    unlimited = ("entitlement", "accrual_amount", "accrual_cap", "carry_over_max", "max_negative", "max_consecutive")
    assert [plain[name] for name in unlimited] == [None] * 6
    assert (plain["unit"], plain["leave_type_name"]) == ("day", "Vacation")


async def test_leave_assignment_shows_policy_and_type(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    assignment = rows.leave_assignment(
        acme.id,
        acme.comp_time,
        acme.ada,
        leave_period_id=acme.always,
        entitlement="37.5",
        effective_from=date(2026, 1, 1),
        effective_to=date(2026, 6, 30),
        assigned_by_user_id=acme.bob,
    )
    assert await results(http, "leave_assignments") == [
        {"id": str(assignment), "user": ADA | {"user_id": str(acme.ada)}, "leave_policy_id": str(acme.comp_time)}
        | {"leave_policy_name": "Comp time", "leave_type_id": str(acme.overtime), "leave_period_id": str(acme.always)}
        | {"entitlement": "37.50", "effective_from": "2026-01-01", "effective_to": "2026-06-30", "is_active": True}
        | {"assigned_by_user_id": str(acme.bob)}
        | STAMPS
    ]


async def test_available_is_credits_minus_debits(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    balance = rows.leave_balance(
        acme.id,
        acme.full_time,
        acme.always,
        acme.ada,
        entitled=30,
        accrued="12.5",
        carried_over="4.25",
        adjusted="-1.5",
        used="6.75",
        pending=2,
        expired="0.25",
        as_of=date(2026, 5, 31),
    )
    assert await results(http, "leave_balances") == [
        {"id": str(balance), "user": ADA | {"user_id": str(acme.ada)}, "leave_type_id": str(acme.vacation)}
        | {"leave_type_name": "Vacation", "leave_policy_id": str(acme.full_time), "leave_period_id": str(acme.always)}
        | {"period_start": "2000-01-01", "period_end": "2099-12-31", "unit": "day", "entitled": "30.00"}
        | {"accrued": "12.50", "carried_over": "4.25", "adjusted": "-1.50", "used": "6.75", "pending": "2.00"}
        | {"expired": "0.25", "available": "6.25", "as_of": "2026-05-31"}
        | STAMPS
    ]


async def test_available_may_be_negative(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    rows.leave_balance(acme.id, acme.comp_time, acme.always, acme.ada, accrued="7.5", used="7.75", pending=8)
    (balance,) = await results(http, "leave_balances")
    assert (balance["available"], balance["unit"], balance["entitled"]) == ("-8.25", "hour", "0.00")


async def test_names_of_deleted_rows_are_shown(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    gone = rows.leave_type(acme.id, name="Old", deleted_at=THEN)
    policy = rows.leave_policy(acme.id, gone, name="Old policy", deleted_at=THEN)
    rows.leave_application(acme.id, gone, acme.ada)
    rows.leave_assignment(acme.id, policy, acme.ada)
    assert (await results(http, "leave_applications"))[0]["leave_type_name"] == "Old"
    assert await results(http, "leave_assignments") == [], "which belong to their policy"
    (assignment,) = await results(http, "leave_assignments", include_deleted="true")
    assert (assignment["leave_policy_name"], assignment["leave_type_id"]) == ("Old policy", str(gone))


async def test_leave_types_are_filtered(acme: Acme, http: httpx.AsyncClient) -> None:
    path = "leave_types"
    assert await ids(http, path) == [acme.vacation, acme.overtime]
    assert await ids(http, path, is_active="true") == [acme.vacation]
    assert await ids(http, path, is_active="false") == [acme.overtime]
    assert await ids(http, path, id=f"{acme.overtime},{uuid4()}") == [acme.overtime]


async def test_leave_policies_are_filtered(acme: Acme, http: httpx.AsyncClient) -> None:
    path = "leave_policies"
    assert await ids(http, path) == [acme.full_time, acme.comp_time]
    assert await ids(http, path, is_active="true") == [acme.full_time]
    assert await ids(http, path, is_active="false") == [acme.comp_time]
    assert await ids(http, path, id=acme.comp_time) == [acme.comp_time]
    assert await ids(http, path, leave_type_id=acme.overtime) == [acme.comp_time]
    assert await ids(http, path, leave_type_id=uuid4()) == []


async def test_leave_periods_are_filtered(acme: Acme, http: httpx.AsyncClient) -> None:
    path = "leave_periods"
    assert await ids(http, path) == [acme.past, acme.always]
    assert await ids(http, path, status="closed") == [acme.past]
    assert await ids(http, path, status="open,closed") == [acme.past, acme.always]
    assert await ids(http, path, status="upcoming") == []
    assert await ids(http, path, id=acme.always) == [acme.always]


async def test_leave_applications_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    first = rows.leave_application(
        acme.id, acme.vacation, acme.ada, leave_policy_id=acme.full_time, leave_period_id=acme.always, created_at=THEN
    )
    second = rows.leave_application(
        acme.id,
        acme.overtime,
        acme.bob,
        leave_policy_id=acme.comp_time,
        leave_period_id=acme.past,
        status="rejected",
        created_at=LATER,
    )
    path = "leave_applications"
    assert await ids(http, path) == [first, second]
    assert await ids(http, path, id=second) == [second]
    assert await ids(http, path, user_id=acme.bob) == [second]
    assert await ids(http, path, status="pending") == [first]
    assert await ids(http, path, status="rejected,pending,approved,cancelled,withdrawn") == [first, second]
    assert await ids(http, path, leave_type_id=acme.overtime) == [second]
    assert await ids(http, path, leave_policy_id=acme.full_time) == [first]
    assert await ids(http, path, leave_period_id=acme.past) == [second]
    assert await ids(http, path, user_id=acme.ada, leave_type_id=acme.overtime) == []
    for name in ("user_id", "leave_type_id", "leave_policy_id", "leave_period_id"):
        assert await ids(http, path, **{name: uuid4()}) == []


async def test_leave_assignments_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    first = rows.leave_assignment(acme.id, acme.full_time, acme.ada, created_at=THEN)
    second = rows.leave_assignment(acme.id, acme.comp_time, acme.bob, is_active=False, created_at=LATER)
    path = "leave_assignments"
    assert await ids(http, path) == [first, second]
    assert await ids(http, path, user_id=acme.bob) == [second]
    assert await ids(http, path, leave_policy_id=acme.full_time) == [first]
    assert await ids(http, path, leave_type_id=acme.overtime) == [second]
    assert await ids(http, path, is_active="true") == [first]
    assert await ids(http, path, is_active="false") == [second]
    assert await ids(http, path, leave_type_id=uuid4()) == []


async def test_leave_balances_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    first = rows.leave_balance(acme.id, acme.full_time, acme.always, acme.ada, created_at=THEN)
    second = rows.leave_balance(acme.id, acme.comp_time, acme.always, acme.bob, created_at=LATER)
    over = rows.leave_balance(acme.id, acme.full_time, acme.past, acme.ada, created_at=LATER)
    path = "leave_balances"
    assert await ids(http, path, user_id=acme.bob) == [second]
    assert await ids(http, path, leave_policy_id=acme.full_time) == [first]
    assert await ids(http, path, leave_type_id=acme.overtime) == [second]
    assert await ids(http, path, leave_period_id=acme.past) == [over]
    assert await ids(http, path, leave_period_id=acme.past, user_id=acme.bob) == []
    assert await ids(http, path, leave_period_id=uuid4()) == []


@pytest.mark.parametrize("path", ["leave_applications", "leave_balances", "leave_assignments"])
async def test_team_filter_is_current_members_and_unknown_is_empty(
    path: str, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    team = rows.team(acme.id)
    rows.team_member(acme.id, team, acme.ada)
    rows.team_member(acme.id, team, acme.bob, deleted_at=THEN)
    rows.team_member(acme.id, rows.team(acme.id), acme.bob)
    for user in (acme.ada, acme.bob):
        rows.leave_application(acme.id, acme.vacation, user)
        rows.leave_assignment(acme.id, acme.full_time, user)
        rows.leave_balance(acme.id, acme.full_time, acme.always, user)
    (item,) = await results(http, path, team_id=team)
    assert item["user"]["user_id"] == str(acme.ada)
    assert await ids(http, path, team_id=uuid4()) == []
    together = await http.get(f"/v1/{path}/?user_id={acme.ada}&team_id={team}")
    assert_error(together, 400, "VALIDATION_ERROR", "Cannot combine user_id and team_id filters.")


@pytest.mark.parametrize(
    "path", ["leave_applications", "leave_types", "leave_policies", "leave_periods", "leave_assignments"]
)
async def test_deleted_rows_are_shown_on_request_only(
    path: str, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    gone = {"deleted_at": LATER, "updated_at": LATER}
    made = {
        "leave_types": rows.leave_type(acme.id, **gone),
        "leave_policies": rows.leave_policy(acme.id, acme.vacation, **gone),
        "leave_periods": rows.leave_period(acme.id, **gone),
        "leave_assignments": rows.leave_assignment(acme.id, acme.full_time, acme.ada, **gone),
        "leave_applications": rows.leave_application(acme.id, acme.vacation, acme.ada, **gone),
    }
    deleted = made[path]
    since = "2026-01-05T10:00:00Z"
    assert deleted not in await ids(http, path)
    assert deleted not in await ids(http, path, updated_since=since)
    shown = await results(http, path, updated_since=since, include_deleted="true")
    (item,) = (item for item in shown if item["id"] == str(deleted))
    assert item["deleted_at"] == item["updated_at"] == since


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
    year_end = rows.leave_application(
        acme.id, acme.vacation, acme.ada, start_date=date(2025, 12, 29), end_date=date(2026, 1, 2), created_at=THEN
    )
    day = rows.leave_application(acme.id, acme.vacation, acme.ada, start_date=date(2026, 1, 3), created_at=LATER)
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
        found = await ids(http, "leave_applications", start_date=start, end_date=end)
        assert found == expected, (start, end)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])
async def test_zone_does_not_shift_days_of_leave(zone: str, rows: Rows, client: Connect) -> None:
    own = rows.organization(timezone=zone)
    leave = rows.leave_application(
        own, rows.leave_type(own), rows.member(own, timezone=zone), start_date=date(2026, 3, 29), timezone=zone
    )
    rows.leave_day(own, leave, date=date(2026, 3, 29))
    async with client(rows.partner_key(own)) as http:
        for asked in ({}, {"timezone": "Asia/Kathmandu"}, {"timezone": "nowhere"}):
            days = {"start_date": "2026-03-29", "end_date": "2026-03-29"}
            (item,) = await results(http, "leave_applications", **days, **asked)
            assert item["start_date"] == item["end_date"] == item["days"][0]["date"] == "2026-03-29"
            for other in ("2026-03-28", "2026-03-30"):
                assert await results(http, "leave_applications", start_date=other, end_date=other, **asked) == []


@pytest.mark.parametrize(
    ("zone", "moment", "current"),
    [
        ("UTC", "2025-12-31T23:59:59", "2025"),
        ("UTC", "2026-01-01T00:00:00", "2026"),
        ("Asia/Kolkata", "2025-12-31T18:29:59", "2025"),
        ("Asia/Kolkata", "2025-12-31T18:30:00", "2026"),
        ("America/New_York", "2026-01-01T04:59:59", "2025"),
        ("America/New_York", "2026-01-01T05:00:00", "2026"),
        ("UTC", "2026-12-31T23:59:59", "2026"),
        ("UTC", "2027-01-01T00:00:00", None),
    ],
)
async def test_current_period_is_by_the_organizations_day(
    zone: str, moment: str, current: str | None, rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = rows.organization(timezone=zone)
    user = rows.member(own, timezone="Pacific/Kiritimati")
    policy = rows.leave_policy(own, rows.leave_type(own))
    for year in (2025, 2026):
        period = rows.leave_period(
            own, name=str(year), start_date=date(year, 1, 1), end_date=date(year, 12, 31), status="upcoming"
        )
        rows.leave_balance(own, policy, period, user)
    key = rows.partner_key(own)
    is_now(monkeypatch, moment)
    async with client(key) as http:
        periods = await results(http, "leave_periods", timezone="Pacific/Niue")
        balances = await results(http, "leave_balances", timezone="Pacific/Niue")
    assert [item["name"] for item in periods if item["is_current"]] == ([current] if current else [])
    assert [item["period_start"] for item in balances] == ([f"{current}-01-01"] if current else [])


async def test_balances_are_of_current_periods_by_default(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    fiscal = rows.leave_period(acme.id, start_date=date(2025, 7, 1), end_date=date(2026, 6, 30))
    gone = rows.leave_period(acme.id, start_date=date(2025, 7, 1), end_date=date(2026, 6, 30), deleted_at=THEN)
    made = {
        period: rows.leave_balance(
            acme.id, acme.full_time, period, acme.ada, created_at=THEN + timedelta(minutes=minutes)
        )
        for minutes, period in enumerate((acme.past, acme.always, fiscal, gone))
    }
    is_now(monkeypatch, "2026-06-30T12:00:00")
    assert await ids(http, "leave_balances") == [made[acme.always], made[fiscal]]
    assert await ids(http, "leave_balances", leave_period_id=acme.past) == [made[acme.past]]
    assert await ids(http, "leave_balances", leave_period_id=gone) == [], "which belong to their period"
    is_now(monkeypatch, "2025-12-31T12:00:00")
    assert await ids(http, "leave_balances") == [made[acme.past], made[acme.always], made[fiscal]]
    is_now(monkeypatch, "2026-07-01T00:00:00")
    assert await ids(http, "leave_balances") == [made[acme.always]]


async def test_leave_lists_share_a_scope_and_have_own_quotas(acme: Acme, rows: Rows, client: Connect) -> None:
    paths = [
        f"/v1/leave_{name}/" for name in ("applications", "types", "policies", "periods", "balances", "assignments")
    ]
    async with client(rows.mcp_key(acme.id, "leave:read")) as http:
        for path in paths:
            response = await http.get(path)
            assert response.status_code == 200
            assert response.headers["ratelimit-remaining"] == "29"
    async with client(rows.mcp_key(acme.id, "members:read", "time:read")) as http:
        for path in paths:
            assert_error(await http.get(path), 403, "SCOPE_DENIED")
