"""Invoices in GraphQL: relations, number of round trips, and sums."""

from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.tables.money import InvoiceStatus
from rest_facade.composition import Service
from schema.execution.operation import Operation
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of

pytestmark = pytest.mark.anyio

INVOICES = Operation("""
query invoices($is_overdue: Boolean) {
  invoices(is_overdue: $is_overdue) {
    results {
      number is_overdue client_name project_ids line_items_count taxes { name amount }
      client { name } line_items { description amount project { name } task { name } }
    }
  }
}
""")
INVOICES.prepare()
SUMS = Operation("""
query sums($id: UUID!) {
  invoice(id: $id) {
    subtotal discount_amount tax_amount total amount_paid amount_due
    taxes { amount } line_items { quantity unit_price amount }
  }
}
""")
MINOR_UNITS = {"EUR": Decimal("0.01"), "JPY": Decimal(1), "KWD": Decimal("0.001")}


async def test_field_and_filter_is_overdue_agree(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: datetime(2026, 1, 10, 12, tzinfo=UTC))
    own = rows.organization()
    customer = rows.client(own)
    for due in (None, date(2026, 1, 9), date(2026, 1, 10), date(2026, 1, 11)):
        for paid in ("0", "99.9999", "100", "100.0001"):
            owed = {"due_date": due, "subtotal": 100, "amount_paid": Decimal(paid)}
            rows.invoice(own, customer, number=f"{due}, {paid}", status="sent", **owed)
    for status in InvoiceStatus:
        rows.invoice(own, customer, number=status.value, status=status.value, due_date=date(2026, 1, 9), subtotal=100)
    for expected in (True, False):
        found = (await data_of(service.database, own, INVOICES, is_overdue=expected))["invoices"]["results"]
        assert {item["is_overdue"] for item in found} == {expected}
        if expected:
            assert {item["number"] for item in found} == {
                *("2026-01-09, 0", "2026-01-09, 99.9999", "sent", "viewed", "partially_paid")
            }
        else:
            assert len(found) == 14 + 3


def _cents(amount: Decimal, currency: str) -> Decimal:
    return amount.quantize(MINOR_UNITS[currency], ROUND_HALF_UP)


prices = st.tuples(
    st.decimals(0, 1000, places=4),  # a quantity
    st.decimals(-1000, 10_000, places=4),  # a price
)


@given(
    currency=st.sampled_from(sorted(MINOR_UNITS)),
    lines=st.lists(prices, max_size=4),
    percents=st.lists(st.decimals(0, 30, places=2), max_size=2),
    discount=st.decimals(0, 100, places=2),
    paid=st.decimals(-10, 100_000, places=0),
)
@settings(max_examples=examples(15), deadline=None)
async def test_lines_and_taxes_sum_to_the_total(
    service: Service,
    rows: Rows,
    currency: str,
    lines: list[tuple[Decimal, Decimal]],
    percents: list[Decimal],
    discount: Decimal,
    paid: Decimal,
) -> None:
    own = rows.organization()
    amounts = [_cents(quantity * price, currency) for quantity, price in lines]
    subtotal = sum(amounts, Decimal(0))
    off = _cents(subtotal * discount / 100, currency)
    taxes = [_cents((subtotal - off) * percent / 100, currency) for percent in percents]
    id_ = rows.invoice(
        own,
        rows.client(own),
        currency=currency,
        subtotal=subtotal,
        discount_type="percent",
        discount_value=discount,
        discount_amount=off,
        tax_amount=sum(taxes, Decimal(0)),
        amount_paid=paid,
    )
    for position, ((quantity, price), amount) in enumerate(zip(lines, amounts, strict=True)):
        rows.invoice_line(own, id_, position=position, quantity=quantity, unit_price=price, amount=amount)
    for position, (percent, amount) in enumerate(zip(percents, taxes, strict=True)):
        rows.invoice_tax(own, id_, position=position, percent=percent, amount=amount)
    shown = (await data_of(service.database, own, SUMS, id=id_))["invoice"]
    number = {name: Decimal(shown[name]) for name in shown if isinstance(shown[name], str)}
    assert number["subtotal"] == sum((Decimal(line["amount"]) for line in shown["line_items"]), Decimal(0)) == subtotal
    assert number["tax_amount"] == sum((Decimal(tax["amount"]) for tax in shown["taxes"]), Decimal(0))
    assert number["total"] == number["subtotal"] - number["discount_amount"] + number["tax_amount"]
    assert number["amount_due"] == number["total"] - number["amount_paid"]
    assert [(Decimal(line["quantity"]), Decimal(line["unit_price"])) for line in shown["line_items"]] == lines
    decimals = {"EUR": 2, "JPY": 0, "KWD": 3}[currency]
    for value in number.values():
        assert -int(value.as_tuple().exponent) == decimals
