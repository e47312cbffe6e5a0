"""One-time payments: monthly salaries, bonuses, reimbursements and deductions."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.money.amounts import minor_units
from db.sample.demo.random_source import DAY, RandomSource, truncate_to_second
from db.tables.payroll import OneTimePaymentType as LeaveTypeSpec
from db.tables.payroll import PayableKind, PayableStatus, PaymentStatus, PayType


class PaymentReason(NamedTuple):
    """The type and description of a payment, and the range of its amount."""

    kind: LeaveTypeSpec
    low: int
    high: int
    description: str
    is_taxable: bool = True


PAYMENT_REASONS = (
    PaymentReason(LeaveTypeSpec.bonus, 200, 900, "Bonus for the launch"),
    PaymentReason(LeaveTypeSpec.reimbursement, 12, 240, "Train to the client", is_taxable=False),
    PaymentReason(LeaveTypeSpec.deduction, -150, -20, "Advance, paid back in part", is_taxable=False),
    PaymentReason(LeaveTypeSpec.commission, 150, 600, "Commission for a new client"),
    PaymentReason(LeaveTypeSpec.allowance, 40, 80, "Work from home"),
    PaymentReason(LeaveTypeSpec.advance, 200, 500, "Advance on next month", is_taxable=False),
    PaymentReason(LeaveTypeSpec.adjustment, -60, 60, "Correction of last month"),
    PaymentReason(LeaveTypeSpec.other, 25, 100, "Referral of a colleague"),
)
MONTHS = 3
PAYABLE_STATUS = {
    PaymentStatus.paid: PayableStatus.paid,
    PaymentStatus.pending: PayableStatus.open,
    PaymentStatus.cancelled: PayableStatus.void,
}
"""The status of a payable by the status of its payment."""

OUTCOMES = (PaymentStatus.paid,) * 7 + (PaymentStatus.failed, PaymentStatus.cancelled)


def one_time_pay(
    random: RandomSource, members: Sequence[Row], settings: Mapping[UUID, Sequence[Row]], payer: UUID, now: datetime
) -> Iterator[tuple[Row, Row | None]]:
    """The payments of each member, each with its payable or None."""
    today = now.date()
    counter = 0
    for member in members:
        user_settings = settings.get(member["user_id"])
        if not user_settings or user_settings[-1]["pay_type"] == PayType.none:
            continue
        until = member["left_on"] or today
        for month_end in _month_ends(today):
            terms = [row for row in user_settings if row["effective_from"] <= month_end.replace(day=1)]
            if terms and terms[-1]["pay_type"] == PayType.fixed and month_end <= until:
                yield _salary(random, terms[-1], month_end, payer)
        for _ in range(random.randint(1, 2)):
            reason = PAYMENT_REASONS[counter % len(PAYMENT_REASONS)]
            counter += 1
            day = until - random.randrange(80) * DAY
            if member["first_joined_at"].date() < day - 7 * DAY:
                yield _one_time_payment(
                    random, user_settings[-1], reason, day, OUTCOMES[counter % len(OUTCOMES)], payer
                )
        if counter % 3 == 0 and until == today and member["first_joined_at"].date() < today - 7 * DAY:
            yield _one_time_payment(
                random, user_settings[-1], PAYMENT_REASONS[counter % 2], today + 9 * DAY, PaymentStatus.pending, payer
            )


def _month_ends(today: date) -> list[date]:
    ends = [today.replace(day=1) - DAY]
    while len(ends) < MONTHS:
        ends.append(ends[-1].replace(day=1) - DAY)
    return ends[::-1]


def _salary(random: RandomSource, terms: Row, month_end: date, payer: UUID) -> tuple[Row, Row]:
    salary = PaymentReason(LeaveTypeSpec.fixed_salary, 0, 0, f"Salary of {month_end:%B %Y}")
    log = _log(random, terms, salary, terms["pay_rate"], month_end, PaymentStatus.paid, payer)
    log |= {"period_start": month_end.replace(day=1), "period_end": month_end}
    return log, _payable(random, log, PayableKind.fixed, payer)


def _one_time_payment(
    random: RandomSource, terms: Row, reason: PaymentReason, day: date, status: PaymentStatus, payer: UUID
) -> tuple[Row, Row | None]:
    cents = random.randrange(reason.low * 100, reason.high * 100 + 1)
    amount = minor_units(cents, terms["currency"])
    log = _log(random, terms, reason, amount, day, status, payer)
    if status not in PAYABLE_STATUS or random.one_in(2):
        return log, None
    kind = PayableKind.adjustment if reason.kind is LeaveTypeSpec.adjustment else PayableKind.one_time
    return log, _payable(random, log, kind, payer)


def _log(
    random: RandomSource,
    terms: Row,
    reason: PaymentReason,
    amount: Decimal,
    day: date,
    status: PaymentStatus,
    payer: UUID,
) -> Row:
    """A payment log, created ten days before its payment date."""
    seconds = random.randrange(8 * 3600, 17 * 3600)
    created = datetime.combine(day, time(), UTC) - timedelta(days=10) + timedelta(seconds=seconds, microseconds=seconds)
    processed = truncate_to_second(created + timedelta(days=9)) if status is not PaymentStatus.pending else None
    is_paid = status is PaymentStatus.paid
    return {
        "id": random.uuid7(created),
        "user_id": terms["user_id"],
        "type": reason.kind.value,
        "amount": amount,
        "currency": terms["currency"],
        "description": reason.description,
        "payment_date": day,
        "period_start": None,
        "period_end": None,
        "project_id": None,
        "status": status.value,
        "payment_method": terms["payment_method"],
        "paid_at": processed if is_paid else None,
        "paid_by_user_id": payer if is_paid else None,
        "reference": f"OTP-{day:%y%m}-{random.randrange(1000, 9999)}" if is_paid else None,
        "is_taxable": reason.is_taxable,
        "created_at": created,
        "updated_at": processed or created,
        "deleted_at": None,
    }


def _payable(random: RandomSource, log: Row, kind: PayableKind, payer: UUID) -> Row:
    is_paid = log["status"] == PaymentStatus.paid
    created = log["created_at"]
    return {
        "id": random.uuid7(created),
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
        "status": PAYABLE_STATUS[PaymentStatus(log["status"])].value,
        "is_final": is_paid,
        "due_date": log["payment_date"],
        "approved_at": truncate_to_second(created + timedelta(hours=3)) if is_paid else None,
        "approved_by_user_id": payer if is_paid else None,
        "source_id": log["id"],
        "note": None,
        "created_at": created,
        "updated_at": log["updated_at"],
        "deleted_at": None,
    }
