"""Rows with amounts of some currencies, units and days, whose sums are compared, and all pages of a list."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from rest_facade.composition import Service
from tests.factories.base import THEN
from tests.factories.money import DAY
from tests.factories.rows import Rows
from tests.resolvers.answers import field_of

DAYS = f'start_date: "{DAY - timedelta(days=360)}", end_date: "{DAY + timedelta(days=5)}"'
"""A range of most of the rows."""


def summed_rows(rows: Rows) -> UUID:
    """The id of an organization with them."""
    own, random = rows.organization(), Random(31)
    client, user = rows.client(own), rows.member(own)
    types = [rows.leave_type(own) for _ in range(3)]
    for number in range(24):
        amount, day = Decimal(random.randrange(10**7)) / 10**4, DAY + timedelta(days=number - 12)
        values = {
            "currency": random.choice(("EUR", "JPY", "KWD")),
            "status": random.choice(("paid", "paid", "partially_paid" if number % 2 else "paid")),
            "deleted_at": THEN if number % 7 == 6 else None,
        }
        rows.invoice(own, client, subtotal=amount, amount_paid=amount / 3, issue_date=day, **values)
        period = {"period_start": day, "period_end": day}
        rows.payable(own, user, amount=amount, amount_paid=amount / 3, **values, **period)
        values["status"] = random.choice(("paid", "pending"))
        rows.hourly_payment_log(own, user, amount=amount, **values, **period)
        rows.one_time_payment_log(own, user, amount=-amount, payment_date=day, **values)
        status, type_ = random.choice(("approved", "pending")), random.choice(types)
        sums = {"amount": round(amount, 2) / 100, "duration_seconds": 28_800 + number}
        rows.leave_application(own, type_, user, start_date=day, status=status, deleted_at=values["deleted_at"], **sums)
    return own


async def rows_of(service: Service, own: UUID, name: str, given: str, shown: Sequence[str]) -> list[Any]:
    """The rows of all pages."""
    rows: list[Any] = []
    after = "null"
    while True:
        selection = f"next results {{ {' '.join(shown)} }}"
        page = await field_of(service, own, f"{name}(limit: 5, after: {after}, {given}) {{ {selection} }}")
        rows += page["results"]
        if page["next"] is None:
            return rows
        after = f'"{page["next"]}"'
