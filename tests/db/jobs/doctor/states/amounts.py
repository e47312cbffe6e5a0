"""States of the checks for amounts."""

from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from tests.db.jobs.doctor.states.tenant import THEN, A, B, State, Tenant


def invoice(tenant: Tenant, id: UUID, subtotal: str, **columns: Any) -> UUID:
    return tenant.rows.invoice(tenant.id, tenant.rows.client(tenant.id), id=id, subtotal=Decimal(subtotal), **columns)


def invoices(tenant: Tenant, euros: str, yen: str) -> None:
    invoice(tenant, A, euros)
    invoice(tenant, B, yen, currency="JPY")


def rows_of_parent(tenant: Tenant, kind: str, euros: str, yen: str) -> None:
    """The parents and their rows have the same amounts."""
    for id_, amount, currency in ((A, euros, "EUR"), (B, yen, "JPY")):
        given = {"id": id_, "amount": Decimal(amount)}
        if kind == "hourly_payment_line":
            log = tenant.rows.hourly_payment_log(tenant.id, tenant.user, currency=currency)
            tenant.rows.hourly_payment_line(tenant.id, log, **given)
        else:
            taxed = {"subtotal": Decimal(0), "tax_amount": Decimal(amount), "currency": currency}
            own = tenant.rows.invoice(tenant.id, tenant.rows.client(tenant.id), **taxed)
            getattr(tenant.rows, kind)(tenant.id, own, **given)


def paid(tenant: Tenant, kind: str, dinars: str, yen: str) -> None:
    for id_, amount, currency in ((A, dinars, "KWD"), (B, yen, "JPY")):
        values = {"id": id_, "amount": Decimal(amount), "currency": currency}
        getattr(tenant.rows, kind)(tenant.id, tenant.user, **values)


def budgets(tenant: Tenant, kind: str, euros: str) -> None:
    budget = {"budget_type": "amount", "budget_amount": Decimal(euros), "currency": "EUR"}
    getattr(tenant.rows, kind)(tenant.id, id=A, **budget)


def sums(tenant: Tenant, kind: str, second: str) -> None:
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


def paid_payables(tenant: Tenant, part: str) -> None:
    tenant.rows.payable(tenant.id, tenant.user, id=A, amount=Decimal(20), amount_paid=Decimal(part))


def unrounded_line(tenant: Tenant, quantity: str, price: str) -> None:
    own = invoice(tenant, B, "10")
    tenant.rows.invoice_line(
        tenant.id, own, id=A, amount=Decimal(10), quantity=Decimal(quantity), unit_price=Decimal(price)
    )


def percent(tenant: Tenant, discount: str) -> None:
    given = {"discount_type": "percent", "discount_value": Decimal(10), "discount_amount": Decimal(discount)}
    invoice(tenant, A, "10.05", **given, total=Decimal("10.05") - Decimal(discount))


def finer(kind: str) -> State:
    fault, sound = (partial(rows_of_parent, kind=kind, euros=each, yen=other) for each, other in FINER_AND_WHOLE)
    return State(fault, (f"{A}: 10.005 EUR", f"{B}: 100.4 JPY"), sound)


def finer_payment(kind: str) -> State:
    fault, sound = (
        partial(paid, kind=kind, dinars=each, yen=other) for each, other in (("1.0005", "-0.5"), ("1.005", "-1"))
    )
    return State(fault, (f"{A}: 1.0005 KWD", f"{B}: -0.5 JPY"), sound)


def finer_budget(kind: str) -> State:
    fault, sound = (partial(budgets, kind=kind, euros=each) for each in ("9.999", "9.99"))
    return State(fault, (f"{A}: 9.999 EUR",), sound)


FINER_AND_WHOLE = (("10.005", "100.4"), ("10.0100", "100"))
STATES = {
    "invoices-finer-than-currency": State(
        partial(invoices, euros="10.005", yen="100.4"),
        # Of the subtotal and of the total.
        (*[f"{A}: 10.005 EUR"] * 2, *[f"{B}: 100.4 JPY"] * 2),
        partial(invoices, euros="10.01", yen="100"),
    ),
    **{
        f"{kind.replace('_', '-')}s-finer-than-currency": finer(kind)
        for kind in ("invoice_line", "hourly_payment_line")
    },
    "invoice-taxes-finer-than-currency": finer("invoice_tax"),
    **{
        f"{kind.replace('_', '-')}s-finer-than-currency": finer_payment(kind)
        for kind in ("payable", "hourly_payment_log", "one_time_payment_log")
    },
    "clients-finer-than-currency": finer_budget("client"),
    "projects-finer-than-currency": finer_budget("project"),
    "invoices-unlike-lines": State(
        partial(sums, kind="invoice_line", second="2.5"),
        (f"{A}: 12 instead of 12.5",),
        partial(sums, kind="invoice_line", second="2"),
    ),
    "invoices-unlike-taxes": State(
        partial(sums, kind="invoice_tax", second="-2"),
        (f"{A}: 12 instead of 8",),
        partial(sums, kind="invoice_tax", second="2"),
    ),
    "invoice-lines-unlike-price": State(
        partial(unrounded_line, quantity="3", price="4"),
        (f"{A}: 10 instead of 12",),
        # Rounded up or down.
        partial(unrounded_line, quantity="3", price="3.335"),
    ),
    "invoices-unlike-discount": State(
        partial(percent, discount="2"), (f"{A}: 2 instead of 1.005",), partial(percent, discount="1.00")
    ),
    "invoices-paid-beyond-total": State(
        partial(paid_invoices, more="100.01", less="1"),
        (f"{A}: 100.01 of 100", f"{B}: 1 of -100"),
        partial(paid_invoices, more="100", less="-40"),
    ),
    "payables-paid-beyond-amount": State(
        partial(paid_payables, part="20.01"), (f"{A}: 20.01 of 20",), partial(paid_payables, part="19")
    ),
}
