"""Factories of invoice and payroll rows, one per table."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from db.tables import payroll
from db.tables.money import invoice_lines, invoice_taxes, invoices
from db.tables.payroll import hourly_payment_logs, one_time_payment_logs, payables, payment_settings
from tests.factories.base import THEN, Factory
from tests.factories.world import SIZE, World, named

DAY = date(2026, 1, 5)
"""The default of all dates."""

PERIOD = {"period_start": DAY, "period_end": DAY}


class Money(Factory):
    def invoice(self, organization_id: UUID, client_id: UUID, **columns: Any) -> UUID:
        """`total` defaults to the sum of the other amounts."""
        amounts = "subtotal", "discount_amount", "tax_amount"
        subtotal, discount, tax = (Decimal(columns.get(name, 0)) for name in amounts)
        values = {"client_id": client_id, "number": f"INV-{uuid4()}", "currency": "EUR", "issue_date": DAY}
        values["total"] = subtotal - discount + tax
        return self._row(invoices, organization_id, values | columns)

    def invoice_line(self, organization_id: UUID, invoice_id: UUID, **columns: Any) -> UUID:
        values = {"invoice_id": invoice_id, "position": 1, "kind": "time", "description": "Work", "quantity": 1}
        values |= {"unit": "hour", "unit_price": 0, "amount": 0}
        return self._row(invoice_lines, organization_id, values | columns)

    def invoice_tax(self, organization_id: UUID, invoice_id: UUID, **columns: Any) -> UUID:
        values = {"invoice_id": invoice_id, "position": 1, "name": "VAT", "percent": 20, "amount": 0}
        return self._row(invoice_taxes, organization_id, values | columns)

    def payment_setting(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"user_id": user_id, "pay_type": "hourly", "currency": "EUR", "pay_period": "monthly"}
        values["effective_from"] = DAY
        return self._row(payment_settings, organization_id, values | columns)

    def payable(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"user_id": user_id, "kind": "hourly", "amount": 0, "currency": "EUR"} | PERIOD
        return self._row(payables, organization_id, values | columns)

    def hourly_payment_log(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        zeros = dict.fromkeys(("tracked_seconds", "paid_seconds", "hourly_rate", "amount"), 0)
        values = {"user_id": user_id, "currency": "EUR"} | zeros | PERIOD
        return self._row(hourly_payment_logs, organization_id, values | columns)

    def hourly_payment_line(self, organization_id: UUID, log_id: UUID, **columns: Any) -> UUID:
        values = {"log_id": log_id, "date": DAY, "paid_seconds": 0, "rate": 0, "amount": 0}
        return self._row(payroll.hourly_payment_lines, organization_id, values | columns)

    def one_time_payment_log(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"user_id": user_id, "type": "bonus", "amount": 0, "currency": "EUR", "payment_date": DAY}
        return self._row(one_time_payment_logs, organization_id, values | columns)


def fill(rows: Money, world: World) -> None:
    """What every list of money shows in a world."""
    own, tag, user = world.organization_id, world.tag, named("user")
    work = {"project_id": named("project"), "task_id": named("task")}
    for n in range(SIZE):
        at, day = THEN + timedelta(minutes=max(0, n - 1)), DAY + timedelta(days=n)
        invoice, log = named("invoice", n), named("hourly payment", n)
        amounts = {"subtotal": Decimal("1000.00") * n, "tax_amount": Decimal("200.00") * n}
        more = {"due_date": day if n else None, "notes": f"{tag}-notes {n}", "created_at": at}
        rows.invoice(own, named("client"), id=invoice, number=f"{tag}-invoice {n}", **amounts, **more)
        rows.invoice_tax(own, invoice, id=named("invoice tax", n), name=f"{tag}-tax {n}")
        line = {"id": named("invoice line", n), "position": n, "description": f"{tag}-line {n}"}
        rows.invoice_line(own, named("invoice"), user_id=user, **line, **work)
        days = {"effective_from": day, "effective_to": day if n + 1 < SIZE else None}
        rows.payment_setting(own, user, id=named("payment setting", n), pay_rate=Decimal(n), **days, created_at=at)
        payable = rows.payable(own, user, id=named("payable", n), note=f"{tag}-payable {n}", created_at=at)
        rows.hourly_payment_log(own, user, id=log, payable_id=payable, note=f"{tag}-hourly payment {n}", created_at=at)
        rows.hourly_payment_line(own, named("hourly payment"), id=named("hourly line", n), date=day, **work)
        once = {"id": named("one-time payment", n), "description": f"{tag}-one-time payment {n}"}
        rows.one_time_payment_log(own, user, **once, project_id=named("project"), created_at=at)
    world.ids["invoice_id"] = named("invoice")
