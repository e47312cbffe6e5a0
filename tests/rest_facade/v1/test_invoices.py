"""Invoices over HTTP: all fields, every filter, digits of currencies, and today."""

from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

import httpx2 as httpx
import pytest

from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import STAMPS, Acme, SetClock, results

AFTER, LATER = THEN + timedelta(minutes=1), THEN + timedelta(hours=1)


async def test_invoice_shows_all_fields_and_lines(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    given = (
        {"number": "2026-001", "status": "partially_paid", "issue_date": "2026-01-05", "due_date": "2026-01-19"}
        | {"period_start": "2025-12-01", "period_end": "2025-12-31", "subtotal": "1250.50", "discount_type": "percent"}
        | {"discount_amount": "31.26", "tax_amount": "231.66", "purchase_order": "PO 7", "reference": "Mr Smith"}
        | {"notes": "Thank you.", "terms": "14 days", "sent_at": "2026-01-05T09:00:00Z", "paid_at": None}
        | {"viewed_at": "2026-01-05T10:00:00Z", "created_by_user_id": str(acme.ada), "external_id": "X-1"}
        | {"public_url": "https://acme.example/i/1"}
    )
    id_ = rows.invoice(acme.id, acme.client, **given, discount_value="2.5", amount_paid=1000)
    rows.invoice_tax(acme.id, id_, id=UUID(int=1), position=2, name="City", percent="0.375")
    rows.invoice_tax(acme.id, id_, id=UUID(int=2), position=1, name="VAT", percent=19, amount="231.66")
    hosting = {"id": str(UUID(int=1)), "position": 2, "kind": "fixed", "description": "Hosting", "unit": "item"} | {
        "is_taxed": False,
        "project_id": str(rows.project(acme.id)),
    }
    rows.invoice_line(acme.id, id_, **hosting | {"id": UUID(int=1)}, unit_price="0.5", amount="0.5")
    design = {"id": str(UUID(int=2)), "position": 1, "description": "Design", "project_id": str(acme.project)} | {
        "task_id": str(acme.task),
        "user_id": str(acme.ada),
        "quantity": "67.5676",
        "duration_seconds": 243_243,
    }
    rows.invoice_line(acme.id, id_, **design | {"id": UUID(int=2)}, unit_price="18.5", amount=1250, tax_percent=19)
    rows.invoice_line(acme.id, id_, position=3, project_id=rows.project(acme.id), deleted_at=LATER)
    taxes = [
        {"name": "VAT", "percent": "19.00", "amount": "231.66"},
        {"name": "City", "percent": "0.375", "amount": "0.00"},
    ]
    expected = (
        {"id": str(id_), "client_id": str(acme.client), "client_name": "Globex", "is_overdue": True, "currency": "EUR"}
        | {"project_ids": sorted([str(acme.project), str(hosting["project_id"])]), "discount_value": "2.50"}
        | {"taxes": taxes, "total": "1450.90", "amount_paid": "1000.00", "amount_due": "450.90", "voided_at": None}
        | {"line_items_count": 2, **given, **STAMPS}
    )
    work = {"kind": "time", "unit": "hour", "unit_price": "18.5000", "amount": "1250.00", "is_taxed": True}
    fixed = {"quantity": "1.00", "unit_price": "0.5000", "amount": "0.50"}
    nulls = dict.fromkeys(("task_id", "user_id", "duration_seconds", "tax_percent"))
    lines = [{**design, **work, "tax_percent": "19.00"}, {**hosting, **fixed, **nulls}]
    assert (await http.get(f"/v1/invoices/{id_}/")).json() == {**expected, "line_items": lines}
    assert (await http.get("/v1/invoices/")).json()["results"] == [expected]
    with_lines = (await http.get("/v1/invoices/?include=line_items")).json()["results"]
    assert with_lines == [{**expected, "line_items": lines}]


async def test_invoice_without_lines_shows_nulls_and_zeros(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    id_ = rows.invoice(acme.id, acme.client)
    found = (await http.get(f"/v1/invoices/{id_}/")).json()
    assert (found["taxes"], found["line_items"], found["project_ids"], found["line_items_count"]) == ([], [], [], 0)
    assert (found["discount_type"], found["discount_value"], found["discount_amount"]) == ("none", None, "0.00")
    assert found["is_overdue"] is False
    assert_error(await http.get(f"/v1/invoices/{acme.client}/"), 404, "RESOURCE_NOT_FOUND", "Invoice not found.")


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
    moment: str, overdue: str, acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    owed = {"subtotal": 100, "amount_paid": Decimal("99.99"), "status": "sent"}
    for day in (9, 10, 11):
        rows.invoice(acme.id, acme.client, number=f"{day}", due_date=date(2026, 1, day), **owed)
    rows.invoice(acme.id, acme.client, number="never", due_date=None, **owed)
    is_now(moment)
    everything = await results(http, "invoices")
    assert {item["number"] for item in everything if item["is_overdue"]} == set(overdue.split())
    assert {item["number"] for item in await results(http, "invoices", is_overdue="true")} == set(overdue.split())
    # Invoices without a due date are not overdue.
    assert len(await results(http, "invoices", is_overdue="false")) == 4 - len(overdue.split())
    late = next(item for item in everything if item["number"] == "9")
    assert (await http.get(f"/v1/invoices/{late['id']}/")).json()["is_overdue"] is True
    assert {item["updated_at"] for item in everything} == {"2026-01-05T09:00:00Z"}
