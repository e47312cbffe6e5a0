"""Payroll over HTTP: all fields, every filter, and for which members."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from sqlalchemy import text

from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN, set_row_organization
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import STAMPS, Acme, is_now
from tests.rest_facade.v1.money import PAY, filtered, of, seen

pytestmark = pytest.mark.anyio

AFTER, LATER = THEN + timedelta(minutes=1), THEN + timedelta(hours=1)


async def test_payment_settings_are_an_array_oldest_first(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    second = rows.payment_setting(
        acme.id,
        acme.ada,
        id=UUID(int=1),
        pay_rate=Decimal("18.5"),
        bill_rate=Decimal("40.12345"),
        currency="JPY",
        pay_period="biweekly",
        period_anchor_date=date(2026, 1, 5),
        overtime_enabled=True,
        overtime_daily_threshold_seconds=28_800,
        overtime_weekly_threshold_seconds=144_000,
        overtime_multiplier=Decimal("1.5"),
        requires_approval=True,
        payment_method="wise",
        effective_from=date(2026, 1, 1),
        effective_to=None,
    )
    first = rows.payment_setting(
        acme.id,
        acme.ada,
        id=UUID(int=2),
        pay_type="none",
        effective_from=date(2025, 1, 1),
        effective_to=date(2025, 12, 31),
    )
    rows.payment_setting(acme.id, acme.ada, deleted_at=LATER)
    rows.payment_setting(acme.id, acme.bob)
    response = await http.get(of(acme.ada, "payment_settings"))
    assert response.json() == [
        {"id": str(first), "user_id": str(acme.ada), "pay_type": "none", "pay_rate": None, "bill_rate": None}
        | {"currency": "EUR", "pay_period": "monthly", "period_anchor_date": None, "overtime_enabled": False}
        | {"overtime_daily_threshold_seconds": None, "overtime_weekly_threshold_seconds": None}
        | {"overtime_multiplier": None, "requires_approval": False, "payment_method": None}
        | {"effective_from": "2025-01-01", "effective_to": "2025-12-31", "is_current": False}
        | {"created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:00:00Z"},
        {"id": str(second), "user_id": str(acme.ada), "pay_type": "hourly", "pay_rate": "18.5000"}
        | {"bill_rate": "40.1235", "currency": "JPY", "pay_period": "biweekly", "period_anchor_date": "2026-01-05"}
        | {"overtime_enabled": True, "overtime_daily_threshold_seconds": 28800}
        | {"overtime_weekly_threshold_seconds": 144000, "overtime_multiplier": "1.50", "requires_approval": True}
        | {"payment_method": "wise", "effective_from": "2026-01-01", "effective_to": None, "is_current": True}
        | {"created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:00:00Z"},
    ]
    assert (await http.get(f"{of(acme.ada, 'payment_settings')}?page=0&limit=0&status=x")).json() == response.json()


@pytest.mark.parametrize(("count", "is_refused"), [(201, False), (10_001, True)])
async def test_settings_are_complete_or_refused(
    count: int, is_refused: bool, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    with rows.connection.begin():
        set_row_organization(rows.connection, acme.id)
        many = (
            "INSERT INTO payment_settings"
            " (organization_id, id, user_id, pay_type, currency, pay_period, effective_from)"
            " SELECT :own, gen_random_uuid(), :ada, 'none', 'EUR', 'monthly', date '1990-01-01' + n"
            " FROM generate_series(1, :count) n"
        )
        rows.connection.execute(text(many), {"own": acme.id, "ada": acme.ada, "count": count})
    response = await http.get(of(acme.ada, "payment_settings"))
    if is_refused:
        message = "User has 10001 payment settings; maximum is 10000."
        assert_error(response, 400, "VALIDATION_ERROR", message, {"log_count": 10001, "log_cap": 10000})
    else:
        assert len({item["id"] for item in response.json()}) == count


async def test_settings_of_one_day_are_ordered_by_id(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    ids = [str(rows.payment_setting(acme.id, acme.ada)) for _ in range(5)]
    found = (await http.get(of(acme.ada, "payment_settings"))).json()
    assert [item["id"] for item in found] == sorted(ids)


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
    zone: str, moment: str, current: list[str], rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = rows.organization(timezone=zone)
    # The person's own zone decides nothing.
    person = rows.member(own, timezone="America/Los_Angeles")
    first, last = date(2026, 1, 10), date(2026, 1, 11)
    names = {
        str(rows.payment_setting(own, person, effective_from=first, effective_to=last)): "10 to 11",
        str(rows.payment_setting(own, person, effective_from=first, effective_to=None)): "from 10",
    }
    is_now(monkeypatch, moment)
    async with client(rows.partner_key(own)) as http:
        found = (await http.get(of(person, "payment_settings"))).json()
    assert sorted(names[item["id"]] for item in found if item["is_current"]) == current


async def test_hourly_payment_shows_lines_by_day(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    payable = rows.payable(acme.id, acme.ada)
    id_ = rows.hourly_payment_log(
        acme.id,
        acme.ada,
        period_start=date(2026, 1, 1),
        period_end=date(2026, 1, 15),
        tracked_seconds=40_000,
        paid_seconds=36_000,
        overtime_seconds=3_600,
        hourly_rate=Decimal("18.5"),
        overtime_rate=Decimal("27.75"),
        amount=Decimal("194.25"),
        currency="KWD",
        status="paid",
        payment_method="bank_transfer",
        paid_at=LATER,
        paid_by_user_id=acme.bob,
        reference="REF",
        note="Thanks",
        payable_id=payable,
    )
    rows.hourly_payment_line(
        acme.id, id_, id=UUID(int=1), date=date(2026, 1, 3), paid_seconds=3_600, rate=18, amount=18
    )
    rows.hourly_payment_line(
        acme.id,
        id_,
        id=UUID(int=2),
        date=date(2026, 1, 2),
        project_id=acme.project,
        task_id=acme.task,
        paid_seconds=32_400,
        rate=Decimal("18.5"),
        amount=Decimal("176.25"),
    )
    rows.hourly_payment_line(acme.id, id_, deleted_at=LATER)
    assert (await http.get(of(acme.ada, "hourly_payment_logs"))).json()["results"] == [
        {"id": str(id_), "user_id": str(acme.ada), "period_start": "2026-01-01", "period_end": "2026-01-15"}
        | {"tracked_seconds": 40000, "paid_seconds": 36000, "overtime_seconds": 3600, "hourly_rate": "18.5000"}
        | {"overtime_rate": "27.7500", "amount": "194.250", "currency": "KWD", "status": "paid"}
        | {"payment_method": "bank_transfer", "paid_at": "2026-01-05T10:00:00Z"}
        | {"paid_by_user_id": str(acme.bob), "reference": "REF", "note": "Thanks"}
        | {
            "lines": [
                {"date": "2026-01-02", "project_id": str(acme.project), "task_id": str(acme.task)}
                | {"paid_seconds": 32400, "rate": "18.5000", "amount": "176.250"},
                {"date": "2026-01-03", "project_id": None, "task_id": None, "paid_seconds": 3600}
                | {"rate": "18.0000", "amount": "18.000"},
            ]
        }
        | {"lines_truncated": False, "payable_id": str(payable)}
        | STAMPS
    ]


async def test_one_time_payment_shows_all_fields(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    bonus = rows.one_time_payment_log(
        acme.id,
        acme.ada,
        amount=Decimal(1250),
        currency="JPY",
        description="Well done",
        payment_date=date(2026, 1, 6),
        period_start=date(2025, 1, 1),
        period_end=date(2025, 12, 31),
        project_id=acme.project,
        status="processing",
        payment_method="paypal",
        paid_at=LATER,
        paid_by_user_id=acme.bob,
        reference="REF",
        is_taxable=True,
    )
    deduction = rows.one_time_payment_log(
        acme.id, acme.ada, type="deduction", amount=Decimal(-50), created_at=LATER, updated_at=LATER
    )
    assert (await http.get(of(acme.ada, "one_time_payment_logs"))).json()["results"] == [
        {"id": str(bonus), "user_id": str(acme.ada), "type": "bonus", "amount": "1250", "currency": "JPY"}
        | {"description": "Well done", "payment_date": "2026-01-06", "period_start": "2025-01-01"}
        | {"period_end": "2025-12-31", "project_id": str(acme.project), "status": "processing"}
        | {"payment_method": "paypal", "paid_at": "2026-01-05T10:00:00Z", "paid_by_user_id": str(acme.bob)}
        | {"reference": "REF", "is_taxable": True}
        | STAMPS,
        {"id": str(deduction), "user_id": str(acme.ada), "type": "deduction", "amount": "-50.00"}
        | {"currency": "EUR", "description": None, "payment_date": "2026-01-05", "period_start": None}
        | {"period_end": None, "project_id": None, "status": "pending", "payment_method": None, "paid_at": None}
        | {"paid_by_user_id": None, "reference": None, "is_taxable": None, "created_at": "2026-01-05T10:00:00Z"}
        | {"updated_at": "2026-01-05T10:00:00Z", "deleted_at": None},
    ]


async def test_payable_shows_amount_due_and_overpayment(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    source = uuid4()
    owed = rows.payable(
        acme.id,
        acme.ada,
        kind="leave",
        period_start=date(2026, 1, 1),
        period_end=date(2026, 1, 31),
        tracked_seconds=7_200,
        payable_seconds=3_600,
        rate=Decimal("0.3333"),
        amount=Decimal("100.10"),
        amount_paid=Decimal("0.20"),
        status="partially_paid",
        is_final=True,
        due_date=date(2026, 2, 5),
        approved_at=LATER,
        approved_by_user_id=acme.bob,
        source_id=source,
        note="Sick",
    )
    rows.payable(acme.id, acme.ada, amount=1, amount_paid=2, created_at=LATER)
    first, second = (await http.get(of(acme.ada, "payables"))).json()["results"]
    assert (
        first
        == {"id": str(owed), "user_id": str(acme.ada), "kind": "leave", "period_start": "2026-01-01"}
        | {"period_end": "2026-01-31", "tracked_seconds": 7200, "payable_seconds": 3600, "rate": "0.3333"}
        | {"amount": "100.10", "amount_paid": "0.20", "amount_due": "99.90", "currency": "EUR"}
        | {"status": "partially_paid", "is_final": True, "due_date": "2026-02-05"}
        | {"approved_at": "2026-01-05T10:00:00Z", "approved_by_user_id": str(acme.bob), "source_id": str(source)}
        | {"note": "Sick"}
        | STAMPS
    )
    assert (second["amount"], second["amount_paid"], second["amount_due"]) == ("1.00", "2.00", "-1.00")
    assert (second["rate"], second["is_final"], second["status"]) == (None, False, "open")


def periods(make: Callable[..., UUID], acme: Acme) -> dict[str, UUID]:
    """Rows of Ada's for the 10th to the 12th, the 13th, and the 31st with the 1st, and one of Bob's."""
    make(acme.id, acme.bob)
    days = {"a": (date(2026, 1, 10), date(2026, 1, 12)), "b": (date(2026, 1, 13),) * 2}
    days["c"] = (date(2026, 1, 31), date(2026, 2, 1))
    return {
        name: make(acme.id, acme.ada, period_start=first, period_end=last, created_at=THEN + timedelta(hours=hour))
        for hour, (name, (first, last)) in enumerate(days.items())
    }


@pytest.mark.parametrize("pay", ["hourly_payment_logs", "payables"])
async def test_range_selects_overlapping_pay_periods(pay: str, acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    ids = periods(rows.hourly_payment_log if pay == "hourly_payment_logs" else rows.payable, acme)
    for start, end, expected in [
        ("2026-01-01", "2026-01-09", ""),
        ("2026-01-01", "2026-01-10", "a"),
        ("2026-01-11", "2026-01-11", "a"),
        ("2026-01-12", "2026-01-13", "a b"),
        ("2026-01-13", "2026-01-30", "b"),
        ("2026-01-01", "2026-01-31", "a b c"),
        ("2026-02-01", "2026-02-28", "c"),
        ("2026-02-02", "2026-02-28", ""),
    ]:
        found = await seen(http, of(acme.ada, pay), "id", start_date=start, end_date=end)
        assert found == [str(ids[name]) for name in expected.split()], (start, end)


async def test_hourly_payments_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    def paid(name: str, status: str, **given: Any) -> UUID:
        return rows.hourly_payment_log(acme.id, acme.ada, note=name, status=status, **given)

    a, b = paid("A", "paid"), paid("B", "failed", created_at=LATER)
    paid("C", "pending", created_at=LATER + timedelta(hours=1), deleted_at=LATER)
    other = rows.hourly_payment_log(acme.id, acme.bob, note="D")
    await filtered(
        http,
        of(acme.ada, "hourly_payment_logs"),
        "note",
        {
            "": "A B",
            f"id={b},{other},{a}": "A B",
            f"id={other}": "",
            "status=paid": "A",
            "status=paid,failed,pending,processing,cancelled,refunded": "A B",
            "include_deleted=true": "A B C",
            "updated_since=2026-01-05T10:00:00Z": "B",
            "updated_since=2026-01-05&include_deleted=true&status=pending": "C",
        },
    )


async def test_one_time_payments_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    def paid(name: str, type: str, day: int, **given: Any) -> UUID:
        day_ = date(2026, 1, day)
        return rows.one_time_payment_log(acme.id, acme.ada, description=name, type=type, payment_date=day_, **given)

    a = paid("A", "bonus", 10, status="paid", period_start=date(2025, 1, 1), period_end=date(2026, 12, 31))
    paid("B", "fixed_salary", 11, created_at=LATER)
    paid("C", "advance", 12, created_at=LATER + timedelta(hours=1), deleted_at=LATER)
    rows.one_time_payment_log(acme.id, acme.bob, description="D")
    await filtered(
        http,
        of(acme.ada, "one_time_payment_logs"),
        "description",
        {
            "": "A B",
            f"id={a}": "A",
            "status=paid": "A",
            "status=pending": "B",
            "type=bonus": "A",
            "type=bonus,fixed_salary": "A B",
            "type=other": "",
            # By the day of the payment, whatever it was for.
            "start_date=2026-01-10&end_date=2026-01-10": "A",
            "start_date=2026-01-11&end_date=2026-01-31": "B",
            "start_date=2026-01-01&end_date=2026-01-09": "",
            "include_deleted=true": "A B C",
            "include_deleted=true&type=advance": "C",
            "updated_since=2026-01-05T10:00:00Z": "B",
        },
    )


async def test_payables_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    def owed(name: str, kind: str, **given: Any) -> UUID:
        return rows.payable(acme.id, acme.ada, note=name, kind=kind, **given)

    a = owed("A", "hourly", status="paid", is_final=True)
    owed("B", "overtime", created_at=LATER)
    owed("C", "leave", created_at=LATER + timedelta(hours=1), deleted_at=LATER)
    rows.payable(acme.id, acme.bob, note="D")
    await filtered(
        http,
        of(acme.ada, "payables"),
        "note",
        {
            "": "A B",
            f"id={a}": "A",
            "status=paid": "A",
            "status=open,approved,partially_paid,void": "B",
            "kind=overtime": "B",
            "kind=hourly,overtime,leave": "A B",
            "is_final=true": "A",
            "is_final=false": "B",
            "include_deleted=true": "A B C",
            "updated_since=2026-01-05T10:00:00Z": "B",
            "is_final=false&kind=overtime&status=open&start_date=2026-01-05&end_date=2026-01-05": "B",
        },
    )


@pytest.mark.parametrize(
    ("member", "statuses"),
    [
        ({"status": "active"}, (200, 200, 200, 200)),
        ({"status": "invited"}, (404, 404, 404, 200)),
        ({"status": "suspended"}, (404, 404, 404, 200)),
        ({"status": "removed"}, (404, 404, 404, 200)),
        ({"status": "active", "deleted_at": LATER}, (404, 404, 404, 200)),
        ({"status": "active", "left_on": date(2026, 1, 9)}, (404, 404, 404, 200)),
        # The last day of employment, in the organization's zone.
        ({"status": "active", "left_on": date(2026, 1, 10)}, (200, 200, 200, 200)),
        # Invited again: what counts is the membership of now.
        ({"status": "active", "first_joined_at": THEN - timedelta(days=900)}, (200, 200, 200, 200)),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
async def test_pay_is_of_current_and_payables_of_former_members(
    member: dict[str, Any],
    statuses: tuple[int, ...],
    acme: Acme,
    rows: Rows,
    http: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_now(monkeypatch, "2026-01-10T23:00:00")
    person = rows.member(acme.id, **member)
    rows.payment_setting(acme.id, person)
    rows.hourly_payment_log(acme.id, person)
    rows.one_time_payment_log(acme.id, person)
    rows.payable(acme.id, person)
    for pay, status in zip(PAY, statuses, strict=True):
        response = await http.get(of(person, pay))
        if status == 404:
            assert_error(response, 404, "RESOURCE_NOT_FOUND", "Member not found.")
        else:
            body = response.json()
            shown = body if pay == "payment_settings" else body["results"]
            assert len(shown) == (0 if "deleted_at" in member else 1), "the pay of a deleted person is not shown"


@pytest.mark.parametrize(("zone", "status"), [("Pacific/Auckland", 404), ("UTC", 200), ("Pacific/Pago_Pago", 200)])
async def test_member_leaves_at_midnight_in_the_organizations_zone(
    zone: str, status: int, rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_now(monkeypatch, "2026-01-10T23:00:00")
    own = rows.organization(timezone=zone)
    person = rows.member(own, left_on=date(2026, 1, 10), timezone="Pacific/Kiritimati")
    async with client(rows.partner_key(own)) as http:
        assert [(await http.get(of(person, pay))).status_code for pay in PAY] == [status, status, status, 200]


@pytest.mark.parametrize("pay", PAY)
async def test_pay_of_unknown_member_is_404_after_400(
    pay: str, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    stranger = rows.member(rows.organization())
    answers = [await http.get(of(person, pay)) for person in (stranger, uuid4(), acme.client)]
    for response in answers:
        assert_error(response, 404, "RESOURCE_NOT_FOUND", "Member not found.")
    response = await http.get("/v1/members/me/" + pay + "/")
    assert_error(response, 400, "VALIDATION_ERROR", "Invalid UUID format.", {"user_id": ["Invalid UUID format."]})
    if pay != "payment_settings":
        response = await http.get(f"{of(stranger, pay)}?limit=101")
        assert_error(response, 400, "VALIDATION_ERROR", "limit cannot exceed 100.")
        # A person of no rows is not a person of no membership.
    empty = (await http.get(of(acme.ada, pay))).json()
    assert empty == ([] if pay == "payment_settings" else {"count": 0, "next": None, "previous": None, "results": []})


async def test_pay_lists_share_one_quota_and_scope(rows: Rows, client: Connect) -> None:
    own = rows.organization()
    person = rows.member(own)
    async with client(rows.mcp_key(own, "payroll:read")) as http:
        left = [(await http.get(of(person, pay))).headers["ratelimit-remaining"] for pay in PAY]
        assert left == ["29", "28", "27", "26"]
        assert_error(await http.get("/v1/invoices/"), 403, "SCOPE_DENIED")
        members = await http.get(f"/v1/members/{person}/projects/")
        assert_error(members, 403, "SCOPE_DENIED")
        assert members.headers["ratelimit-remaining"] == "29"
    async with client(rows.mcp_key(own, "members:read", "invoices:read")) as http:
        for pay in PAY:
            assert_error(await http.get(of(person, pay)), 403, "SCOPE_DENIED")
        invoices = [await http.get("/v1/invoices/"), await http.get(f"/v1/invoices/{uuid4()}/")]
        # The refusal above was counted too.
        assert [response.headers["ratelimit-remaining"] for response in invoices] == ["28", "27"]


async def test_organizations_with_equal_ids_see_their_own_lines(rows: Rows, client: Connect) -> None:
    invoice, log, person, customer = uuid4(), uuid4(), uuid4(), uuid4()
    keys = {}
    for currency, note in (("EUR", "A"), ("JPY", "B")):
        own = rows.organization()
        keys[note] = rows.partner_key(own)
        rows.member(own, user_id=person)
        rows.client(own, id=customer, name=note)
        rows.invoice(own, customer, id=invoice, number=note, currency=currency)
        rows.invoice_line(own, invoice, id=invoice, description=note, amount=7)
        rows.invoice_tax(own, invoice, id=invoice, name=note, amount=7)
        rows.hourly_payment_log(own, person, id=log, note=note, currency=currency)
        rows.hourly_payment_line(own, log, id=log, amount=7)
    for note, amount in (("A", "7.00"), ("B", "7")):
        async with client(keys[note]) as http:
            found = (await http.get(f"/v1/invoices/{invoice}/")).json()
            paid = (await http.get(of(person, "hourly_payment_logs"))).json()["results"]
        assert (found["client_name"], found["number"], found["line_items_count"]) == (note, note, 1)
        assert [(line["description"], line["amount"]) for line in found["line_items"]] == [(note, amount)]
        assert [(tax["name"], tax["amount"]) for tax in found["taxes"]] == [(note, amount)]
        assert [(log["note"], [line["amount"] for line in log["lines"]]) for log in paid] == [(note, [amount])]
