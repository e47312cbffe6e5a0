"""Payments that are made once: the salary of a month, a bonus, what somebody laid out or owes."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from db.demo.area import Row
from db.demo.chance import DAY, Chance, whole
from db.demo.money.amounts import smallest
from db.tables.payroll import OneTimePaymentType as Kind
from db.tables.payroll import PayableKind, PayableStatus, PaymentStatus, PayType


class Occasion(NamedTuple):
    """What a payment can be for, and between which amounts."""

    kind: Kind
    low: int
    high: int
    description: str
    is_taxable: bool = True


OCCASIONS = (
    Occasion(Kind.bonus, 200, 900, "Bonus for the launch"),
    Occasion(Kind.reimbursement, 12, 240, "Train to the client", is_taxable=False),
    Occasion(Kind.deduction, -150, -20, "Advance, paid back in part", is_taxable=False),
    Occasion(Kind.commission, 150, 600, "Commission for a new client"),
    Occasion(Kind.allowance, 40, 80, "Work from home"),
    Occasion(Kind.advance, 200, 500, "Advance on next month", is_taxable=False),
    Occasion(Kind.adjustment, -60, 60, "Correction of last month"),
    Occasion(Kind.other, 25, 100, "Referral of a colleague"),
)
MONTHS = 3
OWED = {
    PaymentStatus.paid: PayableStatus.paid,
    PaymentStatus.pending: PayableStatus.open,
    PaymentStatus.cancelled: PayableStatus.void,
}
"""What a payable is when its payment is so."""

STORIES = (PaymentStatus.paid,) * 7 + (PaymentStatus.failed, PaymentStatus.cancelled)


def one_time_pay(
    chance: Chance, members: Sequence[Row], settings: Mapping[UUID, Sequence[Row]], payer: UUID, now: datetime
) -> Iterator[tuple[Row, Row | None]]:
    """The payments of each member, each with what is owed for it where somebody keeps account of that."""
    today = now.date()
    turn = 0
    for person in members:
        own = settings.get(person["user_id"])
        if not own or own[-1]["pay_type"] == PayType.none:
            continue
        until = person["left_on"] or today
        for month_end in _month_ends(today):
            terms = [row for row in own if row["effective_from"] <= month_end.replace(day=1)]
            if terms and terms[-1]["pay_type"] == PayType.fixed and month_end <= until:
                yield _salary(chance, terms[-1], month_end, payer)
        for _ in range(chance.random.randint(1, 2)):
            occasion = OCCASIONS[turn % len(OCCASIONS)]
            turn += 1
            day = until - chance.random.randrange(80) * DAY
            if person["first_joined_at"].date() < day - 7 * DAY:
                yield _once(chance, own[-1], occasion, day, STORIES[turn % len(STORIES)], payer)
        if turn % 3 == 0 and until == today and person["first_joined_at"].date() < today - 7 * DAY:
            yield _once(chance, own[-1], OCCASIONS[turn % 2], today + 9 * DAY, PaymentStatus.pending, payer)


def _month_ends(today: date) -> list[date]:
    ends = [today.replace(day=1) - DAY]
    while len(ends) < MONTHS:
        ends.append(ends[-1].replace(day=1) - DAY)
    return ends[::-1]


def _salary(chance: Chance, terms: Row, month_end: date, payer: UUID) -> tuple[Row, Row]:
    salary = Occasion(Kind.fixed_salary, 0, 0, f"Salary of {month_end:%B %Y}")
    log = _log(chance, terms, salary, terms["pay_rate"], month_end, PaymentStatus.paid, payer)
    log |= {"period_start": month_end.replace(day=1), "period_end": month_end}
    return log, _payable(chance, log, PayableKind.fixed, payer)


def _once(
    chance: Chance, terms: Row, occasion: Occasion, day: date, status: PaymentStatus, payer: UUID
) -> tuple[Row, Row | None]:
    cents = chance.random.randrange(occasion.low * 100, occasion.high * 100 + 1)
    amount = smallest(cents, terms["currency"])
    log = _log(chance, terms, occasion, amount, day, status, payer)
    if status not in OWED or chance.one_in(2):
        return log, None
    kind = PayableKind.adjustment if occasion.kind is Kind.adjustment else PayableKind.one_time
    return log, _payable(chance, log, kind, payer)


def _log(
    chance: Chance, terms: Row, occasion: Occasion, amount: Decimal, day: date, status: PaymentStatus, payer: UUID
) -> Row:
    """A payment that was entered days before the day on which it is or was to be made."""
    seconds = chance.random.randrange(8 * 3600, 17 * 3600)
    created = datetime.combine(day, time(), UTC) - timedelta(days=10) + timedelta(seconds=seconds, microseconds=seconds)
    made = whole(created + timedelta(days=9)) if status is not PaymentStatus.pending else None
    is_paid = status is PaymentStatus.paid
    return {
        "id": chance.id(created),
        "user_id": terms["user_id"],
        "type": occasion.kind.value,
        "amount": amount,
        "currency": terms["currency"],
        "description": occasion.description,
        "payment_date": day,
        "period_start": None,
        "period_end": None,
        "project_id": None,
        "status": status.value,
        "payment_method": terms["payment_method"],
        "paid_at": made if is_paid else None,
        "paid_by_user_id": payer if is_paid else None,
        "reference": f"OTP-{day:%y%m}-{chance.random.randrange(1000, 9999)}" if is_paid else None,
        "is_taxable": occasion.is_taxable,
        "created_at": created,
        "updated_at": made or created,
        "deleted_at": None,
    }


def _payable(chance: Chance, log: Row, kind: PayableKind, payer: UUID) -> Row:
    is_paid = log["status"] == PaymentStatus.paid
    created = log["created_at"]
    return {
        "id": chance.id(created),
        "user_id": log["user_id"],
        "kind": kind.value,
        "period_start": log["period_start"] or log["payment_date"],
        "period_end": log["period_end"] or log["payment_date"],
        "tracked_seconds": 0,
        "payable_seconds": 0,
        "rate": None,
        "amount": log["amount"],
        "amount_paid": log["amount"] if is_paid else Decimal(),
        "currency": log["currency"],
        "status": OWED[PaymentStatus(log["status"])].value,
        "is_final": is_paid,
        "due_date": log["payment_date"],
        "approved_at": whole(created + timedelta(hours=3)) if is_paid else None,
        "approved_by_user_id": payer if is_paid else None,
        "source_id": log["id"],
        "note": None,
        "created_at": created,
        "updated_at": log["updated_at"],
        "deleted_at": None,
    }
