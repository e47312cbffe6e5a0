"""Hourly pay: the payables and payments for each week of paid time."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.money.amounts import hourly_amount
from db.sample.demo.money.paid_time import PaidSeconds, WorkKey
from db.sample.demo.money.pay_rates import WEEK, week_of
from db.sample.demo.random_source import DAY, MINUTE, RandomSource, truncate_to_second
from db.sample.demo.scenarios.scenario import Scenario
from db.tables.payroll import PayableKind, PayableStatus, PaymentStatus, PayType

FAILED_PAYMENTS = {
    4: (PaymentStatus.failed, "The bank did not know the account."),
    9: (PaymentStatus.refunded, "Sent to the wrong account, and returned."),
    14: (PaymentStatus.cancelled, "Stopped: the hours were not approved yet."),
}
"""Payments that failed before a second one was made, by their number modulo CYCLE."""
CYCLE = 19

IN_PART = 2
"""The number of the payment that covers only a part of its week."""


@dataclass(frozen=True)
class HourlyPay:
    payables: list[Row] = field(default_factory=list)
    logs: list[Row] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)


def hourly_pay(
    random: RandomSource,
    scenario: Scenario,
    settings: Mapping[UUID, Sequence[Row]],
    seconds_by_user: Mapping[UUID, Mapping[WorkKey, PaidSeconds]],
    payer: UUID,
    today: date,
    now: datetime,
) -> HourlyPay:
    """The pay of members with hourly settings. This week is open, last week approved, earlier weeks are paid."""
    pay = HourlyPay()
    this_week = week_of(today, scenario)
    number = 0
    for user_id, weeks in _weeks(scenario, seconds_by_user).items():
        user_settings = settings.get(user_id, ())
        for week, week_parts in weeks.items():
            terms = [row for row in user_settings if row["effective_from"] <= week] or [*user_settings[:1]]
            if not terms or terms[-1]["pay_type"] != PayType.hourly:
                continue
            columns = list(_columns(week_parts, terms[-1]))
            tracked_seconds = sum(seconds.tracked for *_, seconds in week_parts)
            payable = _payable(random, user_id, week, tracked_seconds, columns, terms[-1], now)
            pay.payables.append(payable)
            if week >= this_week or payable["created_at"] + timedelta(hours=7) > now:
                continue
            approved = truncate_to_second(payable["created_at"] + timedelta(hours=6))
            _change(payable, PayableStatus.approved, approved, approved_at=approved, approved_by_user_id=payer)
            if week == this_week - WEEK:
                status = PaymentStatus.processing if random.one_in(3) else PaymentStatus.pending
                _pay(random, pay, payable, terms[-1], columns, status, None, None)
                continue
            paid = datetime.combine(week + 11 * DAY, time(14), UTC) + random.randrange(3600) * MINUTE / 60
            if number % CYCLE in FAILED_PAYMENTS:
                _pay(random, pay, payable, terms[-1], columns, *FAILED_PAYMENTS[number % CYCLE], paid - 2 * DAY)
            if number == IN_PART:
                columns = columns[: max(1, len(columns) // 2)]
            log = _pay(random, pay, payable, terms[-1], columns, PaymentStatus.paid, None, paid)
            log["paid_by_user_id"] = payer
            is_whole = log["amount"] == payable["amount"]
            status_of_all = PayableStatus.paid if is_whole else PayableStatus.partially_paid
            _change(payable, status_of_all, paid, amount_paid=log["amount"], is_final=True)
            number += 1
    return pay


Part = tuple[date, UUID | None, UUID | None, PaidSeconds]


def _weeks(
    scenario: Scenario, seconds_by_user: Mapping[UUID, Mapping[WorkKey, PaidSeconds]]
) -> dict[UUID, dict[date, list[Part]]]:
    result: dict[UUID, dict[date, list[Part]]] = {}
    for user_id, seconds_by_work in seconds_by_user.items():
        weeks = result[user_id] = defaultdict(list)
        for (day, project_id, task_id), seconds in seconds_by_work.items():
            weeks[week_of(day, scenario)].append((day, project_id, task_id, seconds))
    return result


def _columns(week_parts: Sequence[Part], terms: Row) -> Iterator[Row]:
    """The columns of the lines of a week. Payable time above the weekly threshold is paid as overtime."""
    regular_left = terms["overtime_weekly_threshold_seconds"]
    for day, project_id, task_id, part in week_parts:
        regular = part.payable if regular_left is None else min(part.payable, regular_left)
        if regular_left is not None:
            regular_left -= regular
        for seconds, rate in ((regular, terms["pay_rate"]), (part.payable - regular, _overtime_rate(terms))):
            if seconds > 0 and rate is not None:
                yield {
                    "date": day,
                    "project_id": project_id,
                    "task_id": task_id,
                    "paid_seconds": seconds,
                    "rate": rate,
                    "amount": hourly_amount(seconds, rate, terms["currency"]),
                }


def _overtime_rate(terms: Row) -> Decimal | None:
    return terms["pay_rate"] * terms["overtime_multiplier"] if terms["overtime_enabled"] else None


def _seconds(columns: Sequence[Row], rate: Decimal | None = None) -> int:
    return sum(row["paid_seconds"] for row in columns if rate is None or row["rate"] == rate)


def _sum(columns: Sequence[Row]) -> Decimal:
    return sum((row["amount"] for row in columns), Decimal())


def _payable(
    random: RandomSource,
    user_id: UUID,
    week: date,
    tracked_seconds: int,
    columns: Sequence[Row],
    terms: Row,
    now: datetime,
) -> Row:
    """A payable, created in the night after the week, or five minutes before now for the current week."""
    closed = datetime.combine(week + WEEK, time(3), UTC)
    timestamps = random.timestamps_after(min(closed, now - 5 * MINUTE), now)
    return {
        "id": random.uuid7(timestamps["created_at"]),
        "user_id": user_id,
        "kind": PayableKind.hourly.value,
        "period_start": week,
        "period_end": week + 6 * DAY,
        "tracked_seconds": tracked_seconds,
        "payable_seconds": _seconds(columns),
        "rate": terms["pay_rate"],
        "amount": _sum(columns),
        "amount_paid": Decimal(),
        "currency": terms["currency"],
        "status": PayableStatus.open.value,
        "is_final": False,
        "due_date": week + 13 * DAY,
        "approved_at": None,
        "approved_by_user_id": None,
        "source_id": None,
        "note": None,
        **timestamps,
    }


def _change(row: Row, status: PayableStatus, at: datetime, **columns: object) -> None:
    row |= {"status": status.value, **columns, "updated_at": at}


def _pay(
    random: RandomSource,
    pay: HourlyPay,
    payable: Row,
    terms: Row,
    columns: Sequence[Row],
    status: PaymentStatus,
    note: str | None,
    at: datetime | None,
) -> Row:
    """Add a payment log with its lines; `at` is when it was paid or failed."""
    created = payable["approved_at"] + random.randrange(1, 10**9) * MINUTE / (2 * 10**9)
    overtime_rate = _overtime_rate(terms)
    was_paid = status in (PaymentStatus.paid, PaymentStatus.refunded)
    log = {
        "id": random.uuid7(created),
        "user_id": payable["user_id"],
        "period_start": payable["period_start"],
        "period_end": payable["period_end"],
        "tracked_seconds": payable["tracked_seconds"],
        "paid_seconds": _seconds(columns),
        "overtime_seconds": 0 if overtime_rate is None else _seconds(columns, overtime_rate),
        "hourly_rate": terms["pay_rate"],
        "overtime_rate": overtime_rate,
        "amount": _sum(columns),
        "currency": terms["currency"],
        "status": status.value,
        "payment_method": terms["payment_method"],
        "paid_at": at if was_paid else None,
        "paid_by_user_id": None,
        "reference": f"PAY-{payable['period_start']:%G%V}-{len(pay.logs) + 1:04}",
        "note": note,
        "payable_id": payable["id"],
        "created_at": created,
        "updated_at": max(created, at or created),
        "deleted_at": None,
    }
    pay.logs.append(log)
    for row in columns:
        timestamps = {"created_at": created, "updated_at": created, "deleted_at": None}
        pay.lines.append({"id": random.uuid7(created), "log_id": log["id"], **row, **timestamps})
    return log
