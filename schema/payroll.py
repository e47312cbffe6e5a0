"""GraphQL types of payroll: payment settings, payments and payables. Fields of Member lead to them."""

from datetime import date, datetime
from uuid import UUID

from db.tables.payroll import (
    OneTimePaymentType,
    PayableKind,
    PayableStatus,
    PaymentMethod,
    PaymentStatus,
    PayPeriod,
    PayType,
)
from resolvers import leaves, payroll, work
from schema.fields import Node, audit_times, field, listed, named, object_type, refers_to
from schema.people import person_who
from schema.scalars import Amount, Day, Factor, Seconds
from schema.work import Project, Task


@object_type("Payment settings of a member, valid from one day on.", "payment_settings")
class PaymentSetting(Node):
    user_id, user = person_who("user_id", is_required=True)
    pay_type: PayType = field()
    pay_rate: Amount | None = field()
    bill_rate: Amount | None = field()
    currency: str = field()
    currency_digits: int = field("Decimals of amounts in the currency, to which pay is rounded: 2 in EUR, 0 in JPY.")
    pay_period: PayPeriod = field()
    period_anchor_date: date | None = field()
    overtime_enabled: bool = field()
    overtime_daily_threshold_seconds: Seconds | None = field()
    overtime_weekly_threshold_seconds: Seconds | None = field()
    overtime_multiplier: Factor | None = field()
    requires_approval: bool = field()
    payment_method: PaymentMethod | None = field()
    effective_from: date = field()
    effective_to: date | None = field()
    is_current: bool = field("Whether it is valid today, in the organization's time zone.", payroll.is_current_setting)
    created_at: datetime = field()
    updated_at: datetime = field()


@object_type("A line of an hourly payment: one day, project and task.", "hourly_payment_lines")
class HourlyPaymentLine:
    date: Day = field()
    project_id, project = refers_to(Project, work.project_of, "Project of the time.")
    task_id, task = refers_to(Task, work.task_of, "Task of the time.")
    paid_seconds: Seconds = field()
    rate: Amount = field()
    amount: Amount = field()


@object_type("An hourly payment to a member.", "hourly_payment_logs")
class HourlyPaymentLog(Node):
    user_id, user = person_who("user_id", is_required=True)
    period_start: date = field()
    period_end: date = field()
    tracked_seconds: Seconds = field()
    paid_seconds: Seconds = field()
    overtime_seconds: Seconds = field()
    hourly_rate: Amount = field()
    overtime_rate: Amount | None = field()
    amount: Amount = field()
    currency: str = field()
    status: PaymentStatus = field()
    payment_method: PaymentMethod | None = field()
    paid_at: datetime | None = field()
    paid_by_user_id, paid_by = person_who("paid_by_user_id")
    reference: str | None = field()
    note: str | None = field()
    lines: list[HourlyPaymentLine] = field("Lines by day, at most 500.", payroll.lines_of_log)
    lines_truncated: bool = field("Whether there are more than 500 lines.", payroll.lines_truncated)
    payable_id: UUID | None = field()
    # Whether a payable is final depends on the zone, which lists bind.
    payable: "Payable | None" = field(resolver=payroll.payable_of)
    created_at, updated_at, deleted_at = audit_times()


@object_type("A one-time payment to a member.", "one_time_payment_logs")
class OneTimePaymentLog(Node):
    user_id, user = person_who("user_id", is_required=True)
    type: OneTimePaymentType = field()
    amount: Amount = field()
    currency: str = field()
    description: str | None = field()
    payment_date: date = field()
    period_start: date | None = field()
    period_end: date | None = field()
    project_id, project = refers_to(Project, work.project_of, "Project of the payment.")
    status: PaymentStatus = field()
    payment_method: PaymentMethod | None = field()
    paid_at: datetime | None = field()
    paid_by_user_id, paid_by = person_who("paid_by_user_id")
    reference: str | None = field()
    is_taxable: bool | None = field()
    payables = listed("Payables that were made from the payment", payroll.PAYABLES, "source_id")
    created_at, updated_at, deleted_at = audit_times()


@object_type("An amount owed to a member for one period and one kind of work.", "payables")
class Payable(Node):
    user_id, user = person_who("user_id", is_required=True)
    kind: PayableKind = field()
    period_start: date = field()
    period_end: date = field()
    tracked_seconds: Seconds = field()
    payable_seconds: Seconds = field()
    rate: Amount | None = field()
    amount: Amount = field()
    amount_paid: Amount = field()
    amount_due: Amount = field(
        "Amount still to be paid: amount - amount_paid; negative if overpaid. Of a void payable it is not owed."
    )
    currency: str = field()
    status: PayableStatus = field()
    is_final: bool = field()
    due_date: date | None = field()
    approved_at: datetime | None = field()
    approved_by_user_id, approved_by = person_who("approved_by_user_id")
    source_id: UUID | None = field()
    leave_application = field(
        "The leave application behind it; null if there is none.",
        leaves.applications_by_id.of("source_id"),
        named("leaves.LeaveApplication") | None,
    )
    one_time_payment_log: OneTimePaymentLog | None = field(
        "The one-time payment behind it; null if there is none.", payroll.one_time_logs_by_id.of("source_id")
    )
    hourly_payment_logs = listed("Hourly payments of a payable", payroll.HOURLY_LOGS, "payable_id")
    note: str | None = field()
    created_at: datetime = field()
    updated_at: datetime = field(
        "Time of the last change; once payroll closed the period, also of the records that decide is_final."
    )
    deleted_at: datetime | None = field()
