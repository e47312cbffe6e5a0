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
from resolvers import leaves, payroll, people, work
from schema.fields import Node, audit_times, field, listed, named, object_type
from schema.people import Member, person_who
from schema.scalars import Amount, Day, Factor, Seconds
from schema.work import Project, Task


@object_type("Sums of amounts over all pages of a list, in one currency.")
class PaidTotal:
    currency: str = field("Currency, ISO 4217 code.")
    count: int = field("Number of rows in this currency.")
    amount: Amount = field("Sum of the amounts, with the decimals of the currency.")


@object_type("Sums of amounts over all pages of a list with what was paid, in one currency.")
class AmountTotal(PaidTotal):
    amount_paid: Amount = field("Sum of what has been paid.")
    amount_due: Amount = field("Sum of what is still to be paid: amount - amount_paid.")


@object_type("Payment settings of a member, valid from one day on.")
class PaymentSetting(Node):
    user_id: UUID = field("Id of the person.")
    user: Member = field("The person.", people.user_of)
    pay_type: PayType = field("Pay type: hourly, fixed per period, or none.")
    pay_rate: Amount | None = field("Pay rate per hour, or per period if the pay type is `fixed`; four decimals.")
    bill_rate: Amount | None = field(
        "Bill rate per hour, four decimals; that of a membership in a project, or of a project, comes first."
    )
    currency: str = field("Currency of the rates, ISO 4217 code.")
    currency_digits: int = field("Decimals of amounts in the currency, to which pay is rounded: 2 in EUR, 0 in JPY.")
    pay_period: PayPeriod = field("How often the member is paid.")
    period_anchor_date: date | None = field(
        "First day of one of the pay periods, from which `biweekly` ones are counted."
    )
    overtime_enabled: bool = field("Whether overtime is paid.")
    overtime_daily_threshold_seconds: Seconds | None = field(
        "Time of a day above which the rest is overtime; null means no daily threshold."
    )
    overtime_weekly_threshold_seconds: Seconds | None = field(
        "Time of a week above which the rest is overtime; null means no weekly threshold."
    )
    overtime_multiplier: Factor | None = field("Multiplier of the pay rate for overtime.")
    requires_approval: bool = field("Whether time must be approved before it is paid.")
    payment_method: PaymentMethod | None = field("How the member is paid.")
    effective_from: date = field("First day of validity.")
    effective_to: date | None = field("Last day of validity, inclusive; null if open-ended.")
    is_current: bool = field("Whether it is valid today, in the organization's time zone.", payroll.is_current_setting)
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")


@object_type("A line of an hourly payment: one day, project and task.")
class HourlyPaymentLine:
    date: Day = field("Day of the work.")
    project_id: UUID | None = field("Id of the project.")
    project: Project | None = field("Project of the time.", work.project_of)
    task_id: UUID | None = field("Id of the task.")
    task: Task | None = field("Task of the time.", work.task_of)
    paid_seconds: Seconds = field("Time paid: tracked time and paid breaks.")
    rate: Amount = field("Pay rate per hour, four decimals.")
    amount: Amount = field("Amount, with the decimals of the currency.")


@object_type("An hourly payment to a member.")
class HourlyPaymentLog(Node):
    user_id: UUID = field("Id of the person who was paid.")
    user: Member = field("The person who was paid.", people.user_of)
    period_start: date = field("First day of the period.")
    period_end: date = field("Last day of the period, inclusive.")
    tracked_seconds: Seconds = field("Time tracked in the period, as tracked_seconds of time activity.")
    paid_seconds: Seconds = field("Time paid: tracked time and paid breaks.")
    overtime_seconds: Seconds = field("Part of paid_seconds: overtime.")
    hourly_rate: Amount = field("Pay rate per hour, four decimals.")
    overtime_rate: Amount | None = field("Overtime rate per hour, four decimals.")
    amount: Amount = field("Amount, with the decimals of the currency.")
    currency: str = field("Currency, ISO 4217 code.")
    status: PaymentStatus = field("Status of the payment.")
    payment_method: PaymentMethod | None = field("How the payment is made.")
    paid_at: datetime | None = field("Time of the payment; null until it is paid.")
    paid_by_user_id, paid_by = person_who("made the payment; null until it is paid", "paid_by_user_id")
    reference: str | None = field("Bank reference.")
    note: str | None = field("Note on the payment.")
    lines: list[HourlyPaymentLine] = field("Lines by day, at most 500.", payroll.lines_of_log)
    lines_truncated: bool = field("Whether there are more than 500 lines.", payroll.lines_truncated)
    payable_id: UUID | None = field("Id of the payable that is paid.")
    # Whether a payable is final depends on the zone, which lists bind.
    payable: "Payable | None" = field("The payable that is paid.", payroll.payable_of)
    created_at, updated_at, deleted_at = audit_times()


@object_type("A one-time payment to a member.")
class OneTimePaymentLog(Node):
    user_id: UUID = field("Id of the person who was paid.")
    user: Member = field("The person who was paid.", people.user_of)
    type: OneTimePaymentType = field("Type of the payment.")
    amount: Amount = field("Amount, with the decimals of the currency; negative for a deduction.")
    currency: str = field("Currency, ISO 4217 code.")
    description: str | None = field("What the payment is for.")
    payment_date: date = field("Day of the payment.")
    period_start: date | None = field("First day of the period.")
    period_end: date | None = field("Last day of the period, inclusive.")
    project_id: UUID | None = field("Id of the project.")
    project: Project | None = field("Project of the payment.", work.project_of)
    status: PaymentStatus = field("Status of the payment.")
    payment_method: PaymentMethod | None = field("How the payment is made.")
    paid_at: datetime | None = field("Time of the payment; null until it is paid.")
    paid_by_user_id, paid_by = person_who("made the payment; null until it is paid", "paid_by_user_id")
    reference: str | None = field("Bank reference.")
    is_taxable: bool | None = field("Whether it is taxable income; null means unknown.")
    payables = listed("Payables that were made from the payment", payroll.PAYABLES, "source_id")
    created_at, updated_at, deleted_at = audit_times()


@object_type("An amount owed to a member for one period and one kind of work.")
class Payable(Node):
    user_id: UUID = field("Id of the person to whom it is owed.")
    user: Member = field("The person to whom it is owed.", people.user_of)
    kind: PayableKind = field("Kind of the payable.")
    period_start: date = field("First day of the period.")
    period_end: date = field("Last day of the period, inclusive.")
    tracked_seconds: Seconds = field("Time tracked in the period, as tracked_seconds of time activity.")
    payable_seconds: Seconds = field(
        "Time to be paid: once everything is approved, tracked_seconds + paid_break_seconds of time activity for the "
        "days of the period in the organization's time zone."
    )
    rate: Amount | None = field("Pay rate per hour, four decimals.")
    amount: Amount = field("Total amount, with the decimals of the currency.")
    amount_paid: Amount = field("Amount that has been paid.")
    amount_due: Amount = field("Amount still to be paid: amount - amount_paid; negative if overpaid.")
    currency: str = field("Currency, ISO 4217 code.")
    status: PayableStatus = field("Status of the payable.")
    is_final: bool = field(
        "Whether payroll closed the period and nothing of the person is open or pending in it, as is_final of time "
        "activity for the days of the period in the organization's time zone. Afterwards only an edit changes it, and "
        "the edit moves updated_at."
    )
    due_date: date | None = field("Day by which the member should be paid.")
    approved_at: datetime | None = field("Time of the approval; null until then.")
    approved_by_user_id, approved_by = person_who("approved it; null until then", "approved_by_user_id")
    source_id: UUID | None = field("Id of the leave application or one-time payment behind it; null if there is none.")
    leave_application = field(
        "The leave application behind it; null if there is none.",
        leaves.applications_by_id.of("source_id"),
        named("leaves.LeaveApplication") | None,
    )
    one_time_payment_log: OneTimePaymentLog | None = field(
        "The one-time payment behind it; null if there is none.", payroll.one_time_logs_by_id.of("source_id")
    )
    hourly_payment_logs = listed("Hourly payments of a payable", payroll.HOURLY_LOGS, "payable_id")
    note: str | None = field("Note on the payable.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field(
        "Time of the last change; once payroll closed the period, also of the records that decide is_final."
    )
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
