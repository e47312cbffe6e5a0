"""States of the checks for leave and pay that contradict each other."""

from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from tests.db.jobs.doctor.states.tenant import DAY, MONDAY, THEN, A, B, C, State, Tenant, state

EIGHT = 8 * 3600


def leave(tenant: Tenant, id: UUID, amount: str, *days: tuple[date, str], **columns: Any) -> None:
    """Approved leave of this amount, with these amounts of days."""
    seconds = {text: int(Decimal(text) * EIGHT) for text in (amount, *(each for _, each in days))}
    values = {"status": "approved", "start_date": MONDAY, "amount": amount} | columns
    own = tenant.rows.leave_type(tenant.id)
    tenant.rows.leave_application(tenant.id, own, tenant.user, id=id, duration_seconds=seconds[amount], **values)
    for day, each in days:
        tenant.rows.leave_day(tenant.id, id, date=day, amount=each, duration_seconds=seconds[each])


def unlike_days(tenant: Tenant) -> None:
    leave(tenant, A, "5", (MONDAY, "1"), (MONDAY + DAY, "1"), end_date=MONDAY + DAY)
    leave(tenant, B, "2", end_date=MONDAY + DAY)
    leave(tenant, C, "1", (MONDAY + DAY, "1"), status="pending")


def like_days(tenant: Tenant) -> None:
    leave(tenant, A, "1.5", (MONDAY, "1"), (MONDAY + DAY, "0.5"), end_date=MONDAY + DAY)
    leave(tenant, B, "2", status="rejected")
    leave(tenant, C, "2", deleted_at=THEN)


def taken(tenant: Tenant, second: str) -> None:
    """On Monday a day and a half or none, on Tuesday half a day and this half, on Wednesday two hours and two."""
    tenant.user = tenant.member(user_id=A)
    tuesday, wednesday = MONDAY + DAY, MONDAY + 2 * DAY
    leave(tenant, uuid4(), "1", (MONDAY, "1"))
    leave(tenant, uuid4(), "0.5", (MONDAY, "0.5"), status="approved" if second == "first_half" else "cancelled")
    for part in ("first_half", second):
        leave(tenant, uuid4(), "0.5", (tuesday, "0.5"), start_date=tuesday, start_day_part=part)
    for _ in range(2):
        hours = {"started_at": THEN + 2 * DAY, "ended_at": THEN + 3 * DAY}
        leave(tenant, uuid4(), "0.25", (wednesday, "0.25"), start_date=wednesday, **hours)


def balances(tenant: Tenant, used: str) -> None:
    """Leave of three days, the last two in the next period. What was approved on the day of a balance is not in it."""
    policy = tenant.rows.leave_policy(tenant.id, tenant.rows.leave_type(tenant.id))
    for id_, start in ((A, MONDAY), (B, MONDAY + DAY)):
        end = start if id_ == A else start + 9 * DAY
        period = tenant.rows.leave_period(tenant.id, start_date=start, end_date=end)
        values = {"id": id_, "used": "1" if id_ == A else used, "as_of": MONDAY + 9 * DAY}
        tenant.rows.leave_balance(tenant.id, policy, period, tenant.user, **values)
    days = [(MONDAY + n * DAY, "1") for n in range(3)]
    leave(tenant, A, "3", *days, leave_policy_id=policy, end_date=days[-1][0])
    leave(tenant, B, "1", days[-1], leave_policy_id=policy, status="pending")
    leave(tenant, C, "1", days[-1], leave_policy_id=policy, reviewed_at=THEN + 9 * DAY)


def payments(tenant: Tenant, status: str) -> None:
    """Of a payable of which 500 is paid, one payment is paid, and one is not."""
    own = tenant.rows.payable(tenant.id, tenant.user, id=A, amount=800, amount_paid=500)
    for each, amount in ((status, 500), ("pending", 300)):
        tenant.rows.hourly_payment_log(tenant.id, tenant.user, payable_id=own, amount=amount, status=each)


def same_days(tenant: Tenant, second: date) -> None:
    week = {"period_start": MONDAY, "period_end": MONDAY + 6 * DAY, "rate": 20}
    tenant.rows.payable(tenant.id, tenant.user, id=A, **week)
    tenant.rows.payable(tenant.id, tenant.user, id=B, **week | {"period_start": second, "period_end": second})
    for other in ({"kind": "leave"}, {"rate": 30}, {"status": "void"}, {"deleted_at": THEN}, {"currency": "JPY"}):
        tenant.rows.payable(tenant.id, tenant.user, **week | other)


def paid(tenant: Tenant, status: str) -> None:
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A, status=status)
    tenant.rows.one_time_payment_log(tenant.id, tenant.user, id=B, status=status)
    tenant.rows.one_time_payment_log(tenant.id, tenant.user, status="paid", paid_at=THEN)


def lines(tenant: Tenant, second: str) -> None:
    """Three lines, of which each is rounded."""
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A, amount=100, paid_seconds=10_800)
    for amount in ("33.33", second, "33.33"):
        tenant.rows.hourly_payment_line(tenant.id, A, amount=amount, paid_seconds=3600)


STATES = {
    "leave-applications-unlike-days": State(
        unlike_days,
        (
            f"{A}: 5.00, 144000 s instead of 2.00, 57600 s",
            f"{B}: 2.00, 57600 s instead of 0, 0 s",
            f"{C}: 1.00, 28800 s instead of 1.00, 28800 s",
        ),
        like_days,
    ),
    "leave-taken-twice": state(taken, "first_half", "second_half", f"{A} 2026-01-05", f"{A} 2026-01-06"),
    "leave-balances-below-leave": state(balances, "1.5", "2", f"{B}: 1.50 instead of 2.00"),
    "payables-unlike-payments": state(payments, "refunded", "paid", f"{A}: 500 instead of 0"),
    "payables-of-the-same-days": state(same_days, MONDAY + 6 * DAY, MONDAY + 7 * DAY, B),
    "payments-without-time": state(
        paid, "paid", "processing", f"{A} of hourly_payment_logs", f"{B} of one_time_payment_logs"
    ),
    "hourly-payments-unlike-lines": state(lines, "33.31", "33.33", f"{A}: 100, 10800 s instead of 99.97, 10800 s"),
}
