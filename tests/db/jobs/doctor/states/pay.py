"""States of the checks for leave and pay that contradict each other."""

from datetime import date
from decimal import Decimal
from functools import partial
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


def unlike_time(tenant: Tenant, whole: int, holiday: str, hours: int) -> None:
    """A day of seven hours, a holiday and four hours; a third of a day, and one whose length no policy says."""
    unit = {"day": tenant.rows.leave_type(tenant.id), "hour": tenant.rows.leave_type(tenant.id, unit="hour")}
    policy = tenant.rows.leave_policy(tenant.id, unit["day"], day_length_seconds=25_200)
    days: list[tuple[UUID, str, str, int, UUID | None, bool]] = [
        *((A, "day", "1", whole, policy, False), (B, "day", holiday, 25_200 if holiday == "1" else 0, policy, True)),
        *((C, "hour", "4", hours, None, False), (uuid4(), "day", "0.33", 8400, policy, False)),
        (uuid4(), "day", "1", 20_000, None, False),
    ]
    for id_, kind, amount, seconds, own_policy, is_holiday in days:
        values = {"amount": amount, "duration_seconds": seconds}
        own = tenant.rows.leave_application(
            tenant.id, unit[kind], tenant.user, status="approved", leave_policy_id=own_policy, **values
        )
        tenant.rows.leave_day(tenant.id, own, id=id_, is_holiday=is_holiday, **values)


def unlike_policy(tenant: Tenant, *, is_right: bool) -> None:
    own, unpaid = (tenant.rows.leave_type(tenant.id, category=each) for each in ("vacation", "unpaid"))
    policy = tenant.rows.leave_policy(tenant.id, own if is_right else unpaid)
    period = tenant.rows.leave_period(tenant.id, start_date=MONDAY, end_date=MONDAY + 6 * DAY)
    first = MONDAY + (6 if is_right else 7) * DAY
    for id_, kind, columns in (
        (A, own, {"leave_policy_id": policy}),
        (B, own, {"leave_period_id": period, "start_date": first}),
        (C, unpaid, {"is_paid": not is_right}),
        (uuid4(), unpaid, {"status": "rejected"}),
    ):
        values = {"status": "approved"} | columns
        tenant.rows.leave_application(tenant.id, kind, tenant.user, id=id_, **values)


def balances(tenant: Tenant, used: str, pending: str) -> None:
    """Leave of three days, the last two in the next period. What was approved on the day of a balance is not in it."""
    policy = tenant.rows.leave_policy(tenant.id, tenant.rows.leave_type(tenant.id))
    for id_, start in ((A, MONDAY), (B, MONDAY + DAY), (C, MONDAY + 20 * DAY)):
        end = start if id_ == A else start + 9 * DAY
        period = tenant.rows.leave_period(tenant.id, start_date=start, end_date=end)
        # Of the last period, all leave was cancelled.
        values = {A: ("1", "0"), B: (used, pending), C: ("0" if pending == "1" else "2", "0")}[id_]
        columns = {"id": id_, "used": values[0], "pending": values[1], "as_of": MONDAY + 9 * DAY}
        tenant.rows.leave_balance(tenant.id, policy, period, tenant.user, **columns)
    days = [(MONDAY + n * DAY, "1") for n in range(3)]
    leave(tenant, A, "3", *days, leave_policy_id=policy, end_date=days[-1][0])
    leave(tenant, B, "1", days[-1], leave_policy_id=policy, status="pending")
    leave(tenant, C, "1", days[-1], leave_policy_id=policy, reviewed_at=THEN + 9 * DAY)
    leave(tenant, uuid4(), "2", (MONDAY + 21 * DAY, "2"), leave_policy_id=policy, status="cancelled")
    # Of another person, what was rejected was asked for again on the day of the balance.
    other = tenant.member()
    columns = {"pending": "1", "as_of": MONDAY + 9 * DAY}
    tenant.rows.leave_balance(tenant.id, policy, tenant.rows.leave_period(tenant.id), other, **columns)
    tenant.user = other
    for status, at in (("rejected", THEN), ("pending", THEN + 9 * DAY)):
        leave(tenant, uuid4(), "1", days[0], leave_policy_id=policy, status=status, applied_at=at)


def beyond_policy(tenant: Tenant, more: str) -> None:
    """Days more than the policy allows, or none: of leave used, of leave owed, of leave carried over."""
    own, period = tenant.rows.leave_type(tenant.id), tenant.rows.leave_period(tenant.id)
    limited = tenant.rows.leave_policy(tenant.id, own, entitlement=10, carry_over_max=5)
    # What is only asked for may be more.
    tenant.rows.leave_balance(tenant.id, limited, period, tenant.member(), entitled=10, pending=11)
    lending = tenant.rows.leave_policy(tenant.id, own, entitlement=10, allows_negative_balance=True, max_negative=3)
    unlimited = tenant.rows.leave_policy(tenant.id, own)
    used = {limited: 10, lending: 13, unlimited: 99}
    for id_, policy in zip((A, B, uuid4()), used, strict=True):
        taken = used[policy] + Decimal(more)
        tenant.rows.leave_balance(tenant.id, policy, period, tenant.user, id=id_, entitled=10, used=taken)
    carried = {"carried_over": 5 + Decimal(more)}
    tenant.rows.leave_balance(tenant.id, limited, period, tenant.member(), id=C, **carried)


def payments(tenant: Tenant, status: str) -> None:
    """Of a payable of which 500 is paid, one payment is paid, and one is not."""
    own = tenant.rows.payable(tenant.id, tenant.user, id=A, amount=800, amount_paid=500)
    for each, amount in ((status, 500), ("pending", 300)):
        tenant.rows.hourly_payment_log(tenant.id, tenant.user, payable_id=own, amount=amount, status=each)
    bonus = tenant.rows.one_time_payment_log(tenant.id, tenant.user, amount=70, status=status)
    columns = {"kind": "one_time", "source_id": bonus, "amount": 70, "amount_paid": 70}
    tenant.rows.payable(tenant.id, tenant.user, id=B, **columns)


def owed_leave(tenant: Tenant, status: str) -> None:
    for id_, columns in ((A, {"status": status}), (B, {"is_paid": status == "approved"}), (C, {})):
        values = {"status": "approved"} | columns
        taken = tenant.rows.leave_application(tenant.id, tenant.rows.leave_type(tenant.id), tenant.user, **values)
        tenant.rows.payable(tenant.id, tenant.user, id=id_, kind="leave", source_id=taken)


def same_days(tenant: Tenant, second: date) -> None:
    week = {"period_start": MONDAY, "period_end": MONDAY + 6 * DAY, "rate": 20}
    tenant.rows.payable(tenant.id, tenant.user, id=A, **week)
    tenant.rows.payable(tenant.id, tenant.user, id=B, **week | {"period_start": second, "period_end": second})
    for id_, start in ((uuid4(), MONDAY), (C, second)):
        columns = {"kind": "leave", "source_id": A, "period_start": start, "period_end": start + 6 * DAY}
        tenant.rows.payable(tenant.id, tenant.user, id=id_, **week | columns)
    for other in ({"kind": "leave"}, {"rate": 30}, {"status": "void"}, {"deleted_at": THEN}, {"currency": "JPY"}):
        tenant.rows.payable(tenant.id, tenant.user, **week | other)


def same_payments(tenant: Tenant, second: date) -> None:
    week = {"period_start": MONDAY, "period_end": MONDAY + 6 * DAY, "hourly_rate": 20}
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A, **week)
    later = {"period_start": second, "period_end": second}
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=B, **week | later)
    own = tenant.rows.payable(tenant.id, tenant.user)
    for other in ({"payable_id": own}, {"hourly_rate": 30}, {"status": "failed"}, {"deleted_at": THEN}, {"amount": -1}):
        tenant.rows.hourly_payment_log(tenant.id, tenant.user, **week | other)


def multipliers(tenant: Tenant, low: str, high: str) -> None:
    for id_, factor, is_enabled in ((A, low, True), (B, high, True), (C, "150", False)):
        columns = {"overtime_multiplier": Decimal(factor), "overtime_enabled": is_enabled}
        tenant.rows.payment_setting(tenant.id, tenant.user, id=id_, **columns)


def paid(tenant: Tenant, status: str) -> None:
    client = tenant.rows.client(tenant.id)
    tenant.rows.invoice(tenant.id, client, id=C, status="paid" if status == "paid" else "sent")
    tenant.rows.invoice(tenant.id, client, status="paid", paid_at=THEN)
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A, status=status)
    tenant.rows.one_time_payment_log(tenant.id, tenant.user, id=B, status=status)
    tenant.rows.one_time_payment_log(tenant.id, tenant.user, status="paid", paid_at=THEN)


def lines(tenant: Tenant, second: str) -> None:
    """Three lines, of which each is rounded."""
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A, amount=100, paid_seconds=10_800)
    for amount in ("33.33", second, "33.33"):
        tenant.rows.hourly_payment_line(tenant.id, A, amount=amount, paid_seconds=3600)


def rated_line(tenant: Tenant, amount: str) -> None:
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A)
    for id_, each in ((B, Decimal(amount)), (C, Decimal("-6.67"))):
        tenant.rows.hourly_payment_line(tenant.id, A, id=id_, amount=each, paid_seconds=1200, rate=20)


def rated(tenant: Tenant, amount: str) -> None:
    """Ten hours at 20, two of them at 30; of another payment, lines say the rates."""
    values = {"paid_seconds": 36_000, "hourly_rate": 20, "overtime_seconds": 7200, "overtime_rate": 30}
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=A, amount=Decimal(amount), **values)
    tenant.rows.hourly_payment_log(tenant.id, tenant.user, id=B, amount=Decimal(1), **values)
    tenant.rows.hourly_payment_line(tenant.id, B)
    # Of another person, two hours of paid leave are in the amount.
    other = tenant.member()
    tenant.rows.hourly_payment_log(tenant.id, other, amount=Decimal(260), **values)
    tenant.rows.leave_application(tenant.id, tenant.rows.leave_type(tenant.id), other, status="approved")


def owed_time(tenant: Tenant, less: str, more: str) -> None:
    """Ten hours at 20, with or without overtime; a premium for overtime."""
    for id_, kind, amount in ((A, "hourly", less), (B, "hourly", more), (C, "overtime", "100")):
        values = {"kind": kind, "payable_seconds": 36_000, "rate": 20, "amount": Decimal(amount)}
        tenant.rows.payable(tenant.id, tenant.user, id=id_, **values)


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
    "leave-days-unlike-time": State(
        partial(unlike_time, whole=0, holiday="1", hours=240),
        (f"{A}: 1.00 day, 0 s", f"{B}: 1.00 day, 25200 s", f"{C}: 4.00 hour, 240 s"),
        partial(unlike_time, whole=25_200, holiday="0", hours=14_400),
    ),
    "leave-unlike-policy": State(
        partial(unlike_policy, is_right=False), (str(A), str(B), str(C)), partial(unlike_policy, is_right=True)
    ),
    "leave-balances-unlike-leave": State(
        partial(balances, used="1.5", pending="0.5"),
        (f"{B}: 1.50 used, 0.50 pending instead of 2.00, 1.00", f"{C}: 2.00 used, 0.00 pending instead of 0, 0"),
        partial(balances, used="2", pending="1"),
    ),
    "leave-balances-beyond-policy": state(
        beyond_policy,
        "0.5",
        "0",
        f"{A}: -0.50 at the end of the period, 0.00 carried over",
        f"{B}: -3.50 at the end of the period, 0.00 carried over",
        f"{C}: 5.50 at the end of the period, 5.50 carried over",
    ),
    "payables-unlike-payments": state(payments, "refunded", "paid", f"{A}: 500 instead of 0", f"{B}: 70 instead of 0"),
    "payables-of-no-leave": state(owed_leave, "cancelled", "approved", A, B),
    "payables-of-the-same-days": state(same_days, MONDAY + 6 * DAY, MONDAY + 7 * DAY, B, C),
    "payments-of-the-same-days": state(same_payments, MONDAY + 6 * DAY, MONDAY + 7 * DAY, B),
    "payments-without-time": state(
        *(paid, "paid", "processing"),
        *(f"{A} of hourly_payment_logs", f"{B} of one_time_payment_logs", f"{C} of invoices"),
    ),
    "overtime-multipliers-that-are-no-factors": State(
        partial(multipliers, low="0.5", high="150"),
        (f"{A}: 0.5", f"{B}: 150"),
        partial(multipliers, low="1", high="2.5"),
    ),
    "hourly-payment-lines-unlike-rate": state(rated_line, "6.68", "6.67", f"{B}: 6.68 instead of 6.6666666666666667"),
    "hourly-payment-logs-unlike-rate": state(rated, "220.02", "220.01", f"{A}: 220.02 instead of 220"),
    "payables-unlike-rate": State(
        partial(owed_time, less="199.98", more="12000"),
        (f"{A}: 199.98 instead of 200", f"{B}: 12000 instead of 200"),
        partial(owed_time, less="199.99", more="250"),
    ),
    "hourly-payments-unlike-lines": state(lines, "33.31", "33.33", f"{A}: 100, 10800 s instead of 99.97, 10800 s"),
}
