"""Payroll over HTTP: all fields, every filter, and for which members."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest
from sqlalchemy import text

from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import Acme, SetClock, of

LATER = THEN + timedelta(hours=1)


async def test_payment_settings_are_an_array_oldest_first(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    given = {"currency": "JPY", "pay_rate": "18.5", "bill_rate": "40.12345", "overtime_multiplier": "1.5"}
    second = rows.payment_setting(acme.id, acme.ada, id=UUID(int=1), **given, effective_from="2026-01-01")
    days = {"effective_from": "2025-01-01", "effective_to": "2025-12-31"}
    first = rows.payment_setting(acme.id, acme.ada, id=UUID(int=2), pay_type="none", **days)
    rows.payment_setting(acme.id, acme.ada, deleted_at=LATER)
    rows.payment_setting(acme.id, acme.bob)
    response = await http.get(of(acme.ada, "payment_settings"))
    names = ("id", "pay_rate", "bill_rate", "overtime_multiplier", "currency_digits", "is_current")
    assert [tuple(item[name] for name in names) for item in response.json()] == [
        (str(first), None, None, None, 2, False),
        (str(second), "18.5000", "40.1235", "1.50", 0, True),
    ]
    assert (await http.get(f"{of(acme.ada, 'payment_settings')}?page=0&limit=0&status=x")).json() == response.json()


async def test_more_settings_than_the_most_are_refused(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    many = (
        "INSERT INTO payment_settings (organization_id, id, user_id, pay_type, currency, pay_period, effective_from)"
        " SELECT :own, gen_random_uuid(), :ada, 'none', 'EUR', 'monthly', date '1990-01-01' + n"
        " FROM generate_series(1, 10001) n"
    )
    with rows.transaction(acme.id):
        rows.connection.execute(text(many), {"own": acme.id, "ada": acme.ada})
    response = await http.get(of(acme.ada, "payment_settings"))
    message = "User has 10001 payment settings; maximum is 10000."
    assert_error(response, 400, "VALIDATION_ERROR", message, {"log_count": 10001, "log_cap": 10000})


@pytest.mark.parametrize(
    ("zone", "moment", "current"),
    [
        ("UTC", "2026-01-09T23:59:59", []),
        ("UTC", "2026-01-10T00:00:00", ["10 to 11", "from 10"]),
        ("UTC", "2026-01-11T23:59:59", ["10 to 11", "from 10"]),
        ("UTC", "2026-01-12T00:00:00", ["from 10"]),
        ("Pacific/Auckland", "2026-01-11T11:00:00", ["from 10"]),
        ("Pacific/Auckland", "2026-01-11T10:59:59", ["10 to 11", "from 10"]),
    ],
)
async def test_settings_are_current_from_first_to_last_day(
    moment: str, current: list[str], acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    # The person's own zone decides nothing.
    person = rows.member(acme.id, timezone="America/Los_Angeles")
    ends = {UUID(int=1): ("10 to 11", "2026-01-11"), UUID(int=2): ("from 10", None)}
    for id_, (_, last) in reversed(ends.items()):
        rows.payment_setting(acme.id, person, id=id_, effective_from="2026-01-10", effective_to=last)
    is_now(moment)
    found = (await http.get(of(person, "payment_settings"))).json()
    assert [item["id"] for item in found] == list(map(str, ends)), "settings of one day are ordered by id"
    assert [ends[UUID(item["id"])][0] for item in found if item["is_current"]] == current


async def test_hourly_payment_shows_lines_by_day(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    amounts = {"hourly_rate": "18.5", "overtime_rate": "27.75", "amount": "194.25", "currency": "KWD"}
    id_ = rows.hourly_payment_log(acme.id, acme.ada, **amounts)
    work = {"date": "2026-01-02", "project_id": str(acme.project), "task_id": str(acme.task), "paid_seconds": 32_400}
    rest = {"date": "2026-01-03", "paid_seconds": 3_600}
    rows.hourly_payment_line(acme.id, id_, id=UUID(int=1), **rest, rate=18, amount=18)
    rows.hourly_payment_line(acme.id, id_, id=UUID(int=2), **work, rate="18.5", amount="176.25")
    rows.hourly_payment_line(acme.id, id_, deleted_at=LATER)
    lines = [
        {**work, "rate": "18.5000", "amount": "176.250"},
        {**rest, "rate": "18.0000", "amount": "18.000", "project_id": None, "task_id": None},
    ]
    (log,) = (await http.get(of(acme.ada, "hourly_payment_logs"))).json()["results"]
    assert (log["hourly_rate"], log["overtime_rate"], log["amount"]) == ("18.5000", "27.7500", "194.250")
    assert (log["lines"], log["lines_truncated"]) == (lines, False)


@pytest.mark.parametrize(
    ("zone", "member", "is_current"),
    [
        ("UTC", {"status": "active"}, True),
        ("UTC", {"status": "invited"}, False),
        ("UTC", {"status": "suspended"}, False),
        ("UTC", {"status": "removed"}, False),
        ("UTC", {"deleted_at": LATER}, False),
        ("UTC", {"left_on": "2026-01-09"}, False),
        # The last day of employment, in the organization's zone, whatever the person's is.
        ("UTC", {"left_on": "2026-01-10"}, True),
        ("Pacific/Auckland", {"left_on": "2026-01-10", "timezone": "Pacific/Pago_Pago"}, False),
        ("Pacific/Pago_Pago", {"left_on": "2026-01-10", "timezone": "Pacific/Kiritimati"}, True),
        # Invited again: what counts is the membership of now.
        ("UTC", {"first_joined_at": THEN - timedelta(days=900)}, True),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
async def test_pay_is_of_current_and_payables_of_former_members(
    member: dict[str, Any], is_current: bool, acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    is_now("2026-01-10T23:00:00")
    person = rows.member(acme.id, **member)
    for make in (rows.payment_setting, rows.hourly_payment_log, rows.one_time_payment_log, rows.payable):
        make(acme.id, person)
    for pay in ("payment_settings", "hourly_payment_logs", "one_time_payment_logs", "payables"):
        response = await http.get(of(person, pay))
        if is_current or pay == "payables":
            body = response.json()
            shown = body if pay == "payment_settings" else body["results"]
            assert len(shown) == (0 if "deleted_at" in member else 1), "the pay of a deleted person is not shown"
        else:
            assert_error(response, 404, "RESOURCE_NOT_FOUND", "Member not found.")
