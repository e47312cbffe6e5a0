"""Money as a client sees it: whole items, every filter, digits of currencies, who has pay, and what today decides."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest

from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

AFTER, LATER = THEN + timedelta(minutes=1), THEN + timedelta(hours=1)
PAY = ("payment_settings", "hourly_payment_logs", "one_time_payment_logs", "payables")
STAMPS = {
    "created_at": "2026-01-05T09:00:00Z",
    "updated_at": "2026-01-05T09:00:00Z",
    "deleted_at": None,
}


class Acme(NamedTuple):
    """An organization with a client, a project with a task, and two people."""

    id: UUID
    key: str
    customer: UUID
    project: UUID
    task: UUID
    ada: UUID
    bob: UUID


@pytest.fixture
def acme(rows: Rows) -> Acme:
    own = rows.organization()
    rows.quota(own, 1000)
    customer = rows.client(own, name="Globex")
    project = rows.project(own, client_id=customer)
    return Acme(
        own, rows.partner_key(own), customer, project, rows.task(own, project), rows.member(own), rows.member(own)
    )


@pytest.fixture
async def http(acme: Acme, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(acme.key) as http:
        yield http


def is_now(monkeypatch: pytest.MonkeyPatch, *moment: int) -> None:
    """Let it be that time in UTC."""
    monkeypatch.setattr("resolvers.context.clock", lambda: datetime(*moment, tzinfo=UTC))  # type: ignore[arg-type, misc]


async def seen(http: httpx.AsyncClient, path: str, key: str = "number", **query: Any) -> list[Any]:
    """One value of each row of a list, in its order."""
    response = await http.get(path, params=query)
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["count"] == len(body["results"])
    return [item[key] for item in body["results"]]


async def filtered(http: httpx.AsyncClient, path: str, key: str, expected: dict[str, str]) -> None:
    """Each query, as it stands in the URL, finds those rows."""
    for query, names in expected.items():
        response = await http.get(f"{path}?{query}")
        assert response.status_code == 200, (query, response.text)
        assert [item[key] for item in response.json()["results"]] == names.split(), query


async def refused(http: httpx.AsyncClient, path: str, expected: dict[str, tuple[str, Any]]) -> None:
    """Each query, as it stands in the URL, is 400 with that message and those details."""
    for query, (message, details) in expected.items():
        response = await http.get(f"{path}?{query}")
        assert_error(response, 400, "VALIDATION_ERROR", message)
        assert response.json()["error"].get("details") == details, query


def of(user_id: UUID, pay: str) -> str:
    return f"/v1/members/{user_id}/{pay}/"


# Invoices


async def test_an_invoice_shows_itself_with_its_lines(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    other = rows.project(acme.id)
    id_ = rows.invoice(
        acme.id,
        acme.customer,
        number="2026-001",
        status="partially_paid",
        issue_date=date(2026, 1, 5),
        due_date=date(2026, 1, 19),
        period_start=date(2025, 12, 1),
        period_end=date(2025, 12, 31),
        subtotal=Decimal("1250.50"),
        discount_type="percent",
        discount_value=Decimal("2.5"),
        discount_amount=Decimal("31.26"),
        tax_amount=Decimal("231.66"),
        amount_paid=1000,
        purchase_order="PO 7",
        reference="Mr Smith",
        notes="Thank you.",
        terms="14 days",
        sent_at=THEN,
        viewed_at=LATER,
        paid_at=None,
        created_by_user_id=acme.ada,
        public_url="https://acme.example/i/1",
        external_id="X-1",
    )
    rows.invoice_tax(acme.id, id_, id=UUID(int=1), position=2, name="City", percent=Decimal("0.375"))
    rows.invoice_tax(acme.id, id_, id=UUID(int=2), position=1, name="VAT", percent=19, amount=Decimal("231.66"))
    fixed = rows.invoice_line(
        acme.id,
        id_,
        id=UUID(int=1),
        position=2,
        kind="fixed",
        description="Hosting",
        unit="item",
        unit_price=Decimal("0.5"),
        amount=Decimal("0.5"),
        is_taxed=False,
        project_id=other,
    )
    work = rows.invoice_line(
        acme.id,
        id_,
        id=UUID(int=2),
        position=1,
        description="Design",
        project_id=acme.project,
        task_id=acme.task,
        user_id=acme.ada,
        quantity=Decimal("67.5676"),
        duration_seconds=243_243,
        unit_price=Decimal("18.5"),
        amount=1250,
        tax_percent=19,
    )
    rows.invoice_line(acme.id, id_, position=3, project_id=rows.project(acme.id), deleted_at=LATER)
    expected = {
        "id": str(id_),
        "number": "2026-001",
        "client_id": str(acme.customer),
        "client_name": "Globex",
        "project_ids": sorted([str(acme.project), str(other)]),
        "status": "partially_paid",
        "is_overdue": True,
        "currency": "EUR",
        "issue_date": "2026-01-05",
        "due_date": "2026-01-19",
        "period_start": "2025-12-01",
        "period_end": "2025-12-31",
        "subtotal": "1250.50",
        "discount_type": "percent",
        "discount_value": "2.50",
        "discount_amount": "31.26",
        "tax_amount": "231.66",
        "taxes": [
            {"name": "VAT", "percent": "19.00", "amount": "231.66"},
            {"name": "City", "percent": "0.375", "amount": "0.00"},
        ],
        "total": "1450.90",
        "amount_paid": "1000.00",
        "amount_due": "450.90",
        "purchase_order": "PO 7",
        "reference": "Mr Smith",
        "notes": "Thank you.",
        "terms": "14 days",
        "sent_at": "2026-01-05T09:00:00Z",
        "viewed_at": "2026-01-05T10:00:00Z",
        "paid_at": None,
        "voided_at": None,
        "created_by_user_id": str(acme.ada),
        "public_url": "https://acme.example/i/1",
        "line_items_count": 2,
        "external_id": "X-1",
        **STAMPS,
    }
    lines = [
        {
            "id": str(work),
            "position": 1,
            "kind": "time",
            "description": "Design",
            "project_id": str(acme.project),
            "task_id": str(acme.task),
            "user_id": str(acme.ada),
            "quantity": "67.5676",
            "unit": "hour",
            "duration_seconds": 243243,
            "unit_price": "18.5000",
            "amount": "1250.00",
            "is_taxed": True,
            "tax_percent": "19.00",
        },
        {
            "id": str(fixed),
            "position": 2,
            "kind": "fixed",
            "description": "Hosting",
            "project_id": str(other),
            "task_id": None,
            "user_id": None,
            "quantity": "1.00",
            "unit": "item",
            "duration_seconds": None,
            "unit_price": "0.5000",
            "amount": "0.50",
            "is_taxed": False,
            "tax_percent": None,
        },
    ]
    assert (await http.get(f"/v1/invoices/{id_}/")).json() == {**expected, "line_items": lines}
    assert (await http.get("/v1/invoices/")).json()["results"] == [expected]
    with_lines = (await http.get("/v1/invoices/?include=line_items")).json()["results"]
    assert with_lines == [{**expected, "line_items": lines}]


async def test_an_invoice_without_anything_says_so(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    id_ = rows.invoice(acme.id, acme.customer)
    found = (await http.get(f"/v1/invoices/{id_}/")).json()
    assert (found["taxes"], found["line_items"], found["project_ids"], found["line_items_count"]) == ([], [], [], 0)
    assert (found["discount_type"], found["discount_value"], found["discount_amount"]) == ("none", None, "0.00")
    assert found["is_overdue"] is False


async def test_lines_are_listed_only_when_they_are_asked_for(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    rows.invoice(acme.id, acme.customer)
    assert "line_items" not in (await http.get("/v1/invoices/")).json()["results"][0]
    for text in ("", "lines", "line_items,taxes", "with_line_items", "LINE_ITEMS"):
        assert_error(await http.get(f"/v1/invoices/?include={text}"), 400, "VALIDATION_ERROR")
    link = (await http.get("/v1/invoices/?include=line_items&limit=1&page=2")).json()["previous"]
    assert "include=line_items" in link


@pytest.mark.parametrize(
    ("currency", "shown"),
    [
        ("EUR", ["1250.00", "0.13", "-0.13", "1250.00", "-0.01", "1250.01", "0.13", "0.01"]),
        ("JPY", ["1250", "0", "0", "1250", "0", "1250", "0", "0"]),
        ("KWD", ["1250.000", "0.125", "-0.125", "1250.000", "-0.005", "1250.005", "0.125", "0.005"]),
        ("CLF", ["1250.0000", "0.1250", "-0.1250", "1250.0000", "-0.0050", "1250.0050", "0.1250", "0.0050"]),
        # What is no ISO 4217 code has two digits, like most that are.
        ("ZZZ", ["1250.00", "0.13", "-0.13", "1250.00", "-0.01", "1250.01", "0.13", "0.01"]),
    ],
)
async def test_amounts_have_the_digits_of_their_currency_and_round_half_up_once(
    currency: str, shown: list[str], acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    eighth = Decimal("0.125")
    id_ = rows.invoice(
        acme.id,
        acme.customer,
        currency=currency,
        subtotal=1250,
        discount_type="amount",
        discount_value=eighth,
        discount_amount=eighth,
        tax_amount=eighth,
        amount_paid=Decimal("-0.005"),
    )
    rows.invoice_line(acme.id, id_, unit_price=Decimal("18.5"), amount=eighth)
    rows.invoice_tax(acme.id, id_, amount=Decimal("0.005"))
    found = (await http.get(f"/v1/invoices/{id_}/")).json()
    rows.invoice(acme.id, acme.customer, currency=currency, subtotal=-eighth, created_at=LATER)
    # A half is rounded away from zero, on either side of it.
    negative = (await http.get("/v1/invoices/")).json()["results"][1]["subtotal"]
    line, tax = found["line_items"][0], found["taxes"][0]
    assert [
        found["subtotal"],
        found["discount_value"],
        negative,
        found["total"],
        found["amount_paid"],
        found["amount_due"],
        line["amount"],
        tax["amount"],
    ] == shown
    # A price is a rate, and has four decimals in every currency.
    assert line["unit_price"] == "18.5000"


async def test_an_invoice_that_is_not_there_is_404(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, client: Connect
) -> None:
    mine, deleted = rows.invoice(acme.id, acme.customer), rows.invoice(acme.id, acme.customer, deleted_at=LATER)
    for absent in (deleted, uuid4(), acme.customer):
        response = await http.get(f"/v1/invoices/{absent}/")
        assert_error(response, 404, "RESOURCE_NOT_FOUND", "Invoice not found.")
    async with client(rows.partner_key(rows.organization())) as stranger:
        assert_error(await stranger.get(f"/v1/invoices/{mine}/"), 404, "RESOURCE_NOT_FOUND", "Invoice not found.")
    response = await http.get("/v1/invoices/1/")
    assert_error(response, 400, "VALIDATION_ERROR", "Invalid UUID format.", {"invoice_id": ["Invalid UUID format."]})


async def test_an_invoice_still_names_a_client_that_was_deleted(
    acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    gone = rows.client(acme.id, name="Initech", deleted_at=LATER, archived_at=LATER)
    rows.invoice(acme.id, gone)
    assert await seen(http, "/v1/invoices/", "client_name") == ["Initech"]


async def test_invoices_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    initech = rows.client(acme.id)
    a = rows.invoice(acme.id, acme.customer, number="A", status="draft", created_at=THEN)
    b = rows.invoice(acme.id, acme.customer, number="B", status="sent", currency="USD", created_at=LATER)
    c = rows.invoice(
        acme.id, initech, number="C", status="paid", issue_date=date(2026, 2, 1), created_at=LATER + timedelta(hours=1)
    )
    rows.invoice(acme.id, initech, number="D", status="void", created_at=AFTER, updated_at=LATER, deleted_at=LATER)
    for invoice in (a, b):
        rows.invoice_line(acme.id, invoice, project_id=acme.project)
        rows.invoice_line(acme.id, invoice, project_id=acme.project)
    rows.invoice_line(acme.id, c, project_id=acme.project, deleted_at=LATER)
    await filtered(
        http,
        "/v1/invoices/",
        "number",
        {
            "": "A B C",
            f"id={a}": "A",
            f"id={c},{str(b).upper()},{uuid4()}": "B C",
            f"client_id={acme.customer}": "A B",
            f"client_id={uuid4()}": "",
            f"project_id={acme.project}": "A B",
            f"project_id={uuid4()}": "",
            "status=sent": "B",
            "status=draft,paid,void": "A C",
            "number=B": "B",
            "number=b": "",
            "number=%25": "",
            "currency=USD": "B",
            "currency=usd": "",
            "start_date=2026-01-05&end_date=2026-01-05": "A B",
            "start_date=2026-01-06&end_date=2026-01-31": "",
            "start_date=2026-02-01&end_date=2026-02-28": "C",
            "start_date=2026-01-05&end_date=2026-01-05&timezone=Pacific/Kiritimati": "A B",
            "include_deleted=true": "A D B C",
            "updated_since=2026-01-05T10:00:00Z": "B C",
            "updated_since=2026-01-05T10:00:00Z&include_deleted=true&status=void": "D",
            f"client_id={acme.customer}&status=sent&currency=USD&project_id={acme.project}": "B",
        },
    )


async def test_filters_of_invoices_are_read_strictly(http: httpx.AsyncClient) -> None:
    value = "Invalid value."
    await refused(
        http,
        "/v1/invoices/",
        {
            "status=overdue": (value, {"status": [value]}),
            "status=sent,": (value, {"status": [value]}),
            "status=Sent": (value, {"status": [value]}),
            "client_id=1": ("Invalid UUID format.", {"client_id": ["Invalid UUID format."]}),
            "project_id=1": ("Invalid UUID format.", {"project_id": ["Invalid UUID format."]}),
            "id=1": ("Invalid UUID format.", {"id": ["Invalid UUID format."]}),
            "is_overdue=1": (
                "is_overdue must be true or false.",
                {"is_overdue": ["is_overdue must be true or false."]},
            ),
            "start_date=2026-01-01": ("start_date and end_date are required.", None),
            "end_date=2026-01-01": ("start_date and end_date are required.", None),
            "start_date=2026-01-02&end_date=2026-01-01": ("end_date must be on or after start_date.", None),
            "start_date=2026-01-01&end_date=2026-02-01": ("Date range cannot exceed 31 days.", None),
        },
    )
    response = await http.get("/v1/invoices/?start_date=2026-1-1&end_date=2026-01-02")
    assert_error(response, 400, "VALIDATION_ERROR", "Invalid date format. Use YYYY-MM-DD.")
    assert (await http.get("/v1/invoices/?start_date=2026-01-01&end_date=2026-01-31")).status_code == 200


@pytest.mark.parametrize(
    ("zone", "moment", "overdue"),
    [
        ("UTC", (2026, 1, 10, 23, 59, 59), "9"),
        ("UTC", (2026, 1, 11, 0, 0, 0), "9 10"),
        # Thirteen hours ahead: the 11th has begun there, or not yet.
        ("Pacific/Auckland", (2026, 1, 10, 11, 0, 0), "9 10"),
        ("Pacific/Auckland", (2026, 1, 10, 10, 59, 59), "9"),
        # Eleven hours behind.
        ("Pacific/Pago_Pago", (2026, 1, 11, 10, 59, 59), "9"),
        ("Pacific/Pago_Pago", (2026, 1, 11, 11, 0, 0), "9 10"),
    ],
)
async def test_an_invoice_is_overdue_when_the_day_after_has_begun_where_the_organization_is(
    zone: str, moment: tuple[int, ...], overdue: str, rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = rows.organization(timezone=zone)
    customer = rows.client(own)
    owed = {"subtotal": 100, "amount_paid": Decimal("99.99")}
    for day in (9, 10, 11):
        rows.invoice(own, customer, number=f"{day}", due_date=date(2026, 1, day), **owed)
        rows.invoice(own, customer, number=f"{day}-paid", due_date=date(2026, 1, day), subtotal=100, amount_paid=100)
        rows.invoice(own, customer, number=f"{day}-over", due_date=date(2026, 1, day), subtotal=100, amount_paid=101)
    rows.invoice(own, customer, number="never", due_date=None, **owed)
    is_now(monkeypatch, *moment)
    async with client(rows.partner_key(own)) as http:
        everything = (await http.get("/v1/invoices/")).json()["results"]
        assert {item["number"] for item in everything if item["is_overdue"]} == set(overdue.split())
        assert set(await seen(http, "/v1/invoices/", is_overdue="true")) == set(overdue.split())
        # Those without a due date are not overdue, rather than neither.
        assert len(await seen(http, "/v1/invoices/", is_overdue="false")) == 10 - len(overdue.split())
        late = next(item for item in everything if item["number"] == "9")
        assert (await http.get(f"/v1/invoices/{late['id']}/")).json()["is_overdue"] is True
        assert {item["updated_at"] for item in everything} == {"2026-01-05T09:00:00Z"}


async def test_pages_of_a_filter_that_depends_on_today_lead_on(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    for number in range(3):
        rows.invoice(acme.id, acme.customer, number=f"{number}", subtotal=1, due_date=date(2026, 1, 6))
    numbers = set()
    url = "/v1/invoices/?is_overdue=true&limit=1&include=line_items"
    while url:
        body = (await http.get(url)).json()
        assert (body["count"], len(body["results"])) == (3, 1)
        numbers.add(body["results"][0]["number"])
        url = body["next"]
    assert numbers == {"0", "1", "2"}


# Pay


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
        {
            "id": str(first),
            "user_id": str(acme.ada),
            "pay_type": "none",
            "pay_rate": None,
            "bill_rate": None,
            "currency": "EUR",
            "pay_period": "monthly",
            "period_anchor_date": None,
            "overtime_enabled": False,
            "overtime_daily_threshold_seconds": None,
            "overtime_weekly_threshold_seconds": None,
            "overtime_multiplier": None,
            "requires_approval": False,
            "payment_method": None,
            "effective_from": "2025-01-01",
            "effective_to": "2025-12-31",
            "is_current": False,
            "created_at": "2026-01-05T09:00:00Z",
            "updated_at": "2026-01-05T09:00:00Z",
        },
        {
            "id": str(second),
            "user_id": str(acme.ada),
            "pay_type": "hourly",
            "pay_rate": "18.5000",
            "bill_rate": "40.1235",
            "currency": "JPY",
            "pay_period": "biweekly",
            "period_anchor_date": "2026-01-05",
            "overtime_enabled": True,
            "overtime_daily_threshold_seconds": 28800,
            "overtime_weekly_threshold_seconds": 144000,
            "overtime_multiplier": "1.50",
            "requires_approval": True,
            "payment_method": "wise",
            "effective_from": "2026-01-01",
            "effective_to": None,
            "is_current": True,
            "created_at": "2026-01-05T09:00:00Z",
            "updated_at": "2026-01-05T09:00:00Z",
        },
    ]
    assert (await http.get(f"{of(acme.ada, 'payment_settings')}?page=0&limit=0&status=x")).json() == response.json()


async def test_settings_that_begin_on_one_day_keep_their_order(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    ids = [str(rows.payment_setting(acme.id, acme.ada)) for _ in range(5)]
    found = (await http.get(of(acme.ada, "payment_settings"))).json()
    assert [item["id"] for item in found] == sorted(ids)


@pytest.mark.parametrize(
    ("zone", "moment", "current"),
    [
        ("UTC", (2026, 1, 9, 23, 59, 59), []),
        ("UTC", (2026, 1, 10, 0, 0, 0), ["10 to 11", "from 10"]),
        ("UTC", (2026, 1, 11, 23, 59, 59), ["10 to 11", "from 10"]),
        ("UTC", (2026, 1, 12, 0, 0, 0), ["from 10"]),
        ("Pacific/Auckland", (2026, 1, 11, 11, 0, 0), ["from 10"]),
        ("Pacific/Auckland", (2026, 1, 11, 10, 59, 59), ["10 to 11", "from 10"]),
    ],
)
async def test_settings_are_current_from_their_first_day_to_their_last(
    zone: str, moment: tuple[int, ...], current: list[str], rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = rows.organization(timezone=zone)
    # The person's own zone decides nothing.
    person = rows.member(own, timezone="America/Los_Angeles")
    first, last = date(2026, 1, 10), date(2026, 1, 11)
    names = {
        str(rows.payment_setting(own, person, effective_from=first, effective_to=last)): "10 to 11",
        str(rows.payment_setting(own, person, effective_from=first, effective_to=None)): "from 10",
    }
    is_now(monkeypatch, *moment)
    async with client(rows.partner_key(own)) as http:
        found = (await http.get(of(person, "payment_settings"))).json()
    assert sorted(names[item["id"]] for item in found if item["is_current"]) == current


async def test_an_hourly_payment_shows_its_lines_by_day(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
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
        {
            "id": str(id_),
            "user_id": str(acme.ada),
            "period_start": "2026-01-01",
            "period_end": "2026-01-15",
            "tracked_seconds": 40000,
            "paid_seconds": 36000,
            "overtime_seconds": 3600,
            "hourly_rate": "18.5000",
            "overtime_rate": "27.7500",
            "amount": "194.250",
            "currency": "KWD",
            "status": "paid",
            "payment_method": "bank_transfer",
            "paid_at": "2026-01-05T10:00:00Z",
            "paid_by_user_id": str(acme.bob),
            "reference": "REF",
            "note": "Thanks",
            "lines": [
                {
                    "date": "2026-01-02",
                    "project_id": str(acme.project),
                    "task_id": str(acme.task),
                    "paid_seconds": 32400,
                    "rate": "18.5000",
                    "amount": "176.250",
                },
                {
                    "date": "2026-01-03",
                    "project_id": None,
                    "task_id": None,
                    "paid_seconds": 3600,
                    "rate": "18.0000",
                    "amount": "18.000",
                },
            ],
            "lines_truncated": False,
            "payable_id": str(payable),
            **STAMPS,
        }
    ]


async def test_a_one_time_payment_shows_itself_and_a_deduction_is_negative(
    acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
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
        {
            "id": str(bonus),
            "user_id": str(acme.ada),
            "type": "bonus",
            "amount": "1250",
            "currency": "JPY",
            "description": "Well done",
            "payment_date": "2026-01-06",
            "period_start": "2025-01-01",
            "period_end": "2025-12-31",
            "project_id": str(acme.project),
            "status": "processing",
            "payment_method": "paypal",
            "paid_at": "2026-01-05T10:00:00Z",
            "paid_by_user_id": str(acme.bob),
            "reference": "REF",
            "is_taxable": True,
            **STAMPS,
        },
        {
            "id": str(deduction),
            "user_id": str(acme.ada),
            "type": "deduction",
            "amount": "-50.00",
            "currency": "EUR",
            "description": None,
            "payment_date": "2026-01-05",
            "period_start": None,
            "period_end": None,
            "project_id": None,
            "status": "pending",
            "payment_method": None,
            "paid_at": None,
            "paid_by_user_id": None,
            "reference": None,
            "is_taxable": None,
            "created_at": "2026-01-05T10:00:00Z",
            "updated_at": "2026-01-05T10:00:00Z",
            "deleted_at": None,
        },
    ]


async def test_a_payable_says_what_is_still_due_and_what_was_paid_too_much(
    acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
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
    assert first == {
        "id": str(owed),
        "user_id": str(acme.ada),
        "kind": "leave",
        "period_start": "2026-01-01",
        "period_end": "2026-01-31",
        "tracked_seconds": 7200,
        "payable_seconds": 3600,
        "rate": "0.3333",
        "amount": "100.10",
        "amount_paid": "0.20",
        "amount_due": "99.90",
        "currency": "EUR",
        "status": "partially_paid",
        "is_final": True,
        "due_date": "2026-02-05",
        "approved_at": "2026-01-05T10:00:00Z",
        "approved_by_user_id": str(acme.bob),
        "source_id": str(source),
        "note": "Sick",
        **STAMPS,
    }
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
async def test_a_range_finds_the_periods_that_it_touches(
    pay: str, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
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


async def test_filters_of_pay_are_read_strictly(acme: Acme, http: httpx.AsyncClient) -> None:
    value = "Invalid value."
    for pay, names in [
        ("hourly_payment_logs", ["status"]),
        ("one_time_payment_logs", ["status", "type"]),
        ("payables", ["status", "kind"]),
    ]:
        expected: dict[str, tuple[str, Any]] = {f"{name}=x": (value, {name: [value]}) for name in names}
        expected["start_date=2026-01-01"] = ("start_date and end_date are required.", None)
        expected["start_date=2026-01-01&end_date=2026-02-01"] = ("Date range cannot exceed 31 days.", None)
        expected["id=x"] = ("Invalid UUID format.", {"id": ["Invalid UUID format."]})
        await refused(http, of(acme.ada, pay), expected)
    flag = "is_final must be true or false."
    await refused(http, of(acme.ada, "payables"), {"is_final=yes": (flag, {"is_final": [flag]})})


@pytest.mark.parametrize(
    ("member", "statuses"),
    [
        ({"status": "active"}, (200, 200, 200, 200)),
        ({"status": "invited"}, (404, 404, 404, 200)),
        ({"status": "suspended"}, (404, 404, 404, 200)),
        ({"status": "removed"}, (404, 404, 404, 200)),
        ({"status": "active", "deleted_at": LATER}, (404, 404, 404, 200)),
        # Invited again: what counts is the membership of now.
        ({"status": "active", "first_joined_at": THEN - timedelta(days=900)}, (200, 200, 200, 200)),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
async def test_pay_is_for_current_members_and_what_is_owed_for_former_ones_too(
    member: dict[str, Any], statuses: tuple[int, ...], acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
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
            assert len(body if pay == "payment_settings" else body["results"]) == 1


@pytest.mark.parametrize("pay", PAY)
async def test_pay_of_someone_who_never_belonged_is_404_and_a_malformed_request_400_before_that(
    pay: str, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    stranger = rows.member(rows.organization())
    answers = [await http.get(of(person, pay)) for person in (stranger, uuid4(), acme.customer)]
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


async def test_all_pay_shares_one_quota_and_one_scope(rows: Rows, client: Connect) -> None:
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


async def test_twin_organizations_see_their_own_lines_under_the_same_ids(rows: Rows, client: Connect) -> None:
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
