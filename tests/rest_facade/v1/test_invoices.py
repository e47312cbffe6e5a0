"""Invoices over HTTP: all fields, every filter, digits of currencies, and today."""

from datetime import date, timedelta
from decimal import Decimal
from uuid import uuid4

import httpx2 as httpx
import pytest

from tests.conftest import Connect
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import Acme, is_now
from tests.rest_facade.v1.money import filtered, seen

AFTER, LATER = THEN + timedelta(minutes=1), THEN + timedelta(hours=1)


@pytest.mark.parametrize(
    ("currency", "shown"),
    [
        ("EUR", ["1250.00", "0.13", "-0.13", "1250.00", "-0.01", "1250.01", "0.13", "0.01"]),
        ("JPY", ["1250", "0", "0", "1250", "0", "1250", "0", "0"]),
        ("KWD", ["1250.000", "0.125", "-0.125", "1250.000", "-0.005", "1250.005", "0.125", "0.005"]),
        ("CLF", ["1250.0000", "0.1250", "-0.1250", "1250.0000", "-0.0050", "1250.0050", "0.1250", "0.0050"]),
    ],
)
async def test_amounts_have_digits_of_currency_and_round_half_up(
    currency: str, shown: list[str], acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    eighths = dict.fromkeys(("discount_value", "discount_amount", "tax_amount"), "0.125")
    given = {"currency": currency, "discount_type": "amount", "amount_paid": "-0.005"}
    id_ = rows.invoice(acme.id, acme.client, subtotal=1250, **given, **eighths)
    rows.invoice_line(acme.id, id_, unit_price="18.5", amount="0.125")
    rows.invoice_tax(acme.id, id_, amount="0.005")
    found = (await http.get(f"/v1/invoices/{id_}/")).json()
    rows.invoice(acme.id, acme.client, currency=currency, subtotal="-0.125", created_at=LATER)
    # A half is rounded away from zero, on either side of it.
    negative = (await http.get("/v1/invoices/")).json()["results"][1]["subtotal"]
    line, tax = found["line_items"][0], found["taxes"][0]
    assert [
        *(found["subtotal"], found["discount_value"], negative, found["total"], found["amount_paid"]),
        *(found["amount_due"], line["amount"], tax["amount"]),
    ] == shown
    # A price is a rate, and has four decimals in every currency.
    assert line["unit_price"] == "18.5000"


async def test_invoices_are_filtered(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    initech = rows.client(acme.id)
    a = rows.invoice(acme.id, acme.client, number="A", status="draft", created_at=THEN)
    b = rows.invoice(acme.id, acme.client, number="B", status="sent", currency="USD", created_at=LATER)
    c = rows.invoice(
        acme.id, initech, number="C", status="paid", issue_date=date(2026, 2, 1), created_at=LATER + timedelta(hours=1)
    )
    rows.invoice(acme.id, initech, number="D", status="void", created_at=AFTER, updated_at=LATER, deleted_at=LATER)
    for invoice in (a, b):
        rows.invoice_line(acme.id, invoice, project_id=acme.project)
        rows.invoice_line(acme.id, invoice, project_id=acme.project)
    rows.invoice_line(acme.id, c, project_id=acme.project, deleted_at=LATER)
    expected = {
        "": "A B C",
        f"id={a}": "A",
        f"id={c},{str(b).upper()},{uuid4()}": "B C",
        f"client_id={acme.client}": "A B",
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
        f"client_id={acme.client}&status=sent&currency=USD&project_id={acme.project}": "B",
    }
    await filtered(http, "/v1/invoices/", "number", expected)
    (with_lines,) = (await http.get("/v1/invoices/", params={"number": "A", "include": "line_items"})).json()["results"]
    assert [line["project_id"] for line in with_lines["line_items"]] == [str(acme.project)] * 2


@pytest.mark.parametrize(
    ("zone", "moment", "overdue"),
    [
        ("UTC", "2026-01-10T23:59:59", "9"),
        ("UTC", "2026-01-11T00:00:00", "9 10"),
        # Thirteen hours ahead: the 11th has begun there, or not yet.
        ("Pacific/Auckland", "2026-01-10T11:00:00", "9 10"),
        ("Pacific/Auckland", "2026-01-10T10:59:59", "9"),
        # Eleven hours behind.
        ("Pacific/Pago_Pago", "2026-01-11T10:59:59", "9"),
        ("Pacific/Pago_Pago", "2026-01-11T11:00:00", "9 10"),
    ],
)
async def test_invoice_is_overdue_by_the_organizations_day(
    zone: str, moment: str, overdue: str, rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = rows.organization(timezone=zone)
    customer = rows.client(own)
    owed = {"subtotal": 100, "amount_paid": Decimal("99.99"), "status": "sent"}
    for day in (9, 10, 11):
        rows.invoice(own, customer, number=f"{day}", due_date=date(2026, 1, day), **owed)
        rows.invoice(own, customer, number=f"{day}-paid", due_date=date(2026, 1, day), subtotal=100, amount_paid=100)
        rows.invoice(own, customer, number=f"{day}-over", due_date=date(2026, 1, day), subtotal=100, amount_paid=101)
    rows.invoice(own, customer, number="never", due_date=None, **owed)
    is_now(monkeypatch, moment)
    async with client(rows.partner_key(own)) as http:
        everything = (await http.get("/v1/invoices/")).json()["results"]
        assert {item["number"] for item in everything if item["is_overdue"]} == set(overdue.split())
        assert set(await seen(http, "/v1/invoices/", is_overdue="true")) == set(overdue.split())
        # Invoices without a due date are not overdue.
        assert len(await seen(http, "/v1/invoices/", is_overdue="false")) == 10 - len(overdue.split())
        late = next(item for item in everything if item["number"] == "9")
        assert (await http.get(f"/v1/invoices/{late['id']}/")).json()["is_overdue"] is True
        assert {item["updated_at"] for item in everything} == {"2026-01-05T09:00:00Z"}
