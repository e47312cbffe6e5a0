"""Invoices that are overdue."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from db.tables.money import InvoiceStatus
from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of

INVOICES = "query ($is_overdue: Boolean) { invoices(is_overdue: $is_overdue) { results { number is_overdue } } }"


async def test_field_and_filter_is_overdue_agree(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: datetime(2026, 1, 10, 12, tzinfo=UTC))
    own = rows.organization()
    customer = rows.client(own)
    for due in (None, date(2026, 1, 9), date(2026, 1, 10), date(2026, 1, 11)):
        # Amounts finer than a cent: 0.005 is due as 0.01, and 0.0049 as 0.00.
        for paid in ("0", "99.995", "99.9951", "100.01"):
            owed = {"due_date": due, "subtotal": 100, "amount_paid": Decimal(paid)}
            rows.invoice(own, customer, number=f"{due}, {paid}", status="sent", **owed)
    for status in InvoiceStatus:
        rows.invoice(own, customer, number=status.value, status=status.value, due_date=date(2026, 1, 9), subtotal=100)
    for expected in (True, False):
        found = (await data_of(service.database, own, INVOICES, is_overdue=expected))["invoices"]["results"]
        assert {item["is_overdue"] for item in found} == {expected}
        if expected:
            assert {item["number"] for item in found} == {
                *("2026-01-09, 0", "2026-01-09, 99.995", "sent", "viewed", "partially_paid")
            }
        else:
            assert len(found) == 14 + 3
