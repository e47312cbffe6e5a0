"""States of the checks for amounts: of one table for each way to find their currency, and of each other rule."""

from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from tests.db.jobs.doctor.states.tenant import THEN, A, B, C, State, Tenant, state


def invoice(tenant: Tenant, id: UUID, subtotal: str, **columns: Any) -> UUID:
    return tenant.rows.invoice(tenant.id, tenant.rows.client(tenant.id), id=id, subtotal=Decimal(subtotal), **columns)


def invoices(tenant: Tenant, euros: str, yen: str) -> None:
    invoice(tenant, A, euros)
    invoice(tenant, B, yen, currency="JPY")


def lines(tenant: Tenant, euros: str, yen: str) -> None:
    """Their currency is that of the invoice, which has the same amount."""
    for id_, amount, currency in ((A, euros, "EUR"), (B, yen, "JPY")):
        own = invoice(tenant, uuid4(), "0", tax_amount=Decimal(amount), currency=currency)
        tenant.rows.invoice_line(tenant.id, own, id=id_, amount=Decimal(amount))


def payables(tenant: Tenant, dinars: str) -> None:
    tenant.rows.payable(tenant.id, tenant.user, id=A, amount=Decimal(dinars), currency="KWD")


def sums(tenant: Tenant, second: str, kind: str) -> None:
    """An invoice with two live rows of 10 and `second`, and one without rows."""
    is_line = kind == "invoice_line"
    own = invoice(tenant, A, "12" if is_line else "0", tax_amount=Decimal(0 if is_line else 12))
    invoice(tenant, B, "5", tax_amount=Decimal(1))
    for position, (amount, deleted_at) in enumerate((("10", None), (second, None), ("7", THEN))):
        values = {"position": position, "amount": Decimal(amount), "deleted_at": deleted_at}
        getattr(tenant.rows, kind)(tenant.id, own, **values)


def paid_invoices(tenant: Tenant, more: str, less: str) -> None:
    invoice(tenant, A, "100", amount_paid=Decimal(more))
    invoice(tenant, B, "-100", amount_paid=Decimal(less))


def paid_payables(tenant: Tenant, part: str, status: str = "open") -> None:
    tenant.rows.payable(tenant.id, tenant.user, id=A, amount=Decimal(20), amount_paid=Decimal(part), status=status)


def paid_in_part(tenant: Tenant, status: str) -> None:
    """A bill and a credit note; of a third one too much is paid, which another check names."""
    invoice(tenant, A, "100", amount_paid=Decimal(40), status=status)
    invoice(tenant, B, "-100", status=status)
    invoice(tenant, C, "100", amount_paid=Decimal(101), status="paid")


def paid_unlike_status(tenant: Tenant, least: str, most: str, void: str) -> None:
    """Bills of 100 that are paid in part, and one that is void; of a sent one a part may be paid, too."""
    for id_, status, part in ((A, "partially_paid", least), (B, "partially_paid", most), (C, "void", void)):
        invoice(tenant, id_, "100", status=status, amount_paid=Decimal(part))
    invoice(tenant, uuid4(), "100", status="sent", amount_paid=Decimal(40))


def taxed(tenant: Tenant, above: str, below: str) -> None:
    """A fifth of three of four lines, whose taxes may be rounded one by one.

    Of another invoice, a fifth of one line and 7 % of the other one, with a discount that may be of one of them alone.
    """
    own = invoice(tenant, uuid4(), "400", tax_amount=Decimal(above))
    tenant.rows.invoice_tax(tenant.id, own, id=A, amount=Decimal(above))
    for position in range(4):
        tenant.rows.invoice_line(tenant.id, own, position=position, amount=100, is_taxed=position > 0)
    discount = {"discount_type": "amount", "discount_value": 30, "discount_amount": 30}
    own = invoice(tenant, uuid4(), "300", tax_amount=Decimal(below) + 14, **discount)
    tenant.rows.invoice_tax(tenant.id, own, id=B, amount=Decimal(below))
    tenant.rows.invoice_tax(tenant.id, own, position=2, percent=7, amount=14)
    for position, (amount, percent) in enumerate(((100, 20), (200, 7))):
        tenant.rows.invoice_line(tenant.id, own, position=position, amount=amount, tax_percent=percent)


def unrounded_line(tenant: Tenant, quantity: str, price: str) -> None:
    own = invoice(tenant, B, "10")
    tenant.rows.invoice_line(
        tenant.id, own, id=A, amount=Decimal(10), quantity=Decimal(quantity), unit_price=Decimal(price)
    )


def percent(tenant: Tenant, discount: str) -> None:
    given = {"discount_type": "percent", "discount_value": Decimal(10), "discount_amount": Decimal(discount)}
    invoice(tenant, A, "10.05", **given, total=Decimal("10.05") - Decimal(discount))


STATES = {
    "invoices-finer-than-currency": State(
        partial(invoices, euros="10.005", yen="100.4"),
        # Of the subtotal and of the total.
        (*[f"{A}: 10.005 EUR"] * 2, *[f"{B}: 100.4 JPY"] * 2),
        partial(invoices, euros="10.01", yen="100"),
    ),
    "invoice-lines-finer-than-currency": State(
        partial(lines, euros="10.005", yen="100.4"),
        (f"{A}: 10.005 EUR", f"{B}: 100.4 JPY"),
        partial(lines, euros="10.0100", yen="100"),
    ),
    "payables-finer-than-currency": state(payables, "1.0005", "1.005", f"{A}: 1.0005 KWD"),
    "invoices-unlike-lines": state(partial(sums, kind="invoice_line"), "2.5", "2", f"{A}: 12 instead of 12.5"),
    "invoices-unlike-taxes": state(partial(sums, kind="invoice_tax"), "-2", "2", f"{A}: 12 instead of 8"),
    "invoice-lines-unlike-price": State(
        partial(unrounded_line, quantity="3", price="4"),
        (f"{A}: 10 instead of 12",),
        # Rounded up or down.
        partial(unrounded_line, quantity="3", price="3.335"),
    ),
    "invoice-taxes-unlike-percent": State(
        partial(taxed, above="60.05", below="13.97"),
        (f"{A}: 60.05 is not 20 percent of 300", f"{B}: 13.97 is not 20 percent of 300"),
        partial(taxed, above="60.04", below="13.98"),
    ),
    "invoices-unlike-discount": state(percent, "2", "1.00", f"{A}: 2 instead of 1.005"),
    "invoices-paid-beyond-total": State(
        partial(paid_invoices, more="100.01", less="1"),
        (f"{A}: 100.01 of 100", f"{B}: 1 of -100"),
        partial(paid_invoices, more="100", less="-40"),
    ),
    "invoices-paid-with-amount-due": state(paid_in_part, "paid", "sent", f"{A}: 40 of 100", f"{B}: 0 of -100"),
    "invoices-paid-unlike-status": State(
        partial(paid_unlike_status, least="0", most="100", void="40"),
        (f"{A}: 0 of 100, partially_paid", f"{B}: 100 of 100, partially_paid", f"{C}: 40 of 100, void"),
        partial(paid_unlike_status, least="0.01", most="99.99", void="0"),
    ),
    "payables-paid-unlike-status": state(partial(paid_payables, status="void"), "5", "0", f"{A}: 5 of 20, void"),
    "payables-paid-with-amount-due": state(partial(paid_payables, status="paid"), "5", "20", f"{A}: 5 of 20"),
    "payables-paid-beyond-amount": state(paid_payables, "20.01", "19", f"{A}: 20.01 of 20"),
}
