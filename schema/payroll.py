"""What can be asked about pay: what was agreed with a member, what is owed, what was paid. Reached from a member."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.payroll import (
    OneTimePaymentType,
    PayableKind,
    PayableStatus,
    PaymentMethod,
    PaymentStatus,
    PayPeriod,
    PayType,
)
from resolvers import payroll
from resolvers.amounts import amount_of, exact_of
from schema.page import field
from schema.scalars import Amount, Factor, Seconds

strawberry.enum(OneTimePaymentType, description="What a one-time payment is for.")
strawberry.enum(PayPeriod, description="How often a member is paid.")
strawberry.enum(PayType, description="Whether a member is paid by the hour or by the period.")
strawberry.enum(PayableKind, description="For what something is owed.")
strawberry.enum(PayableStatus, description="Where a payable stands.")
strawberry.enum(PaymentMethod, description="How a payment reaches a member.")
strawberry.enum(PaymentStatus, description="Where a payment stands.")

# A class with a field called `date` can't name the type that way.
Day = date


@strawberry.type(description="What was agreed with a member about pay, from one day on.")
class PaymentSetting:
    id: UUID = field("Its id.")
    user_id: UUID = field("The person.")
    pay_type: PayType = field("Paid by the hour, by the period, or not at all.")
    pay_rate: Amount | None = field("Paid per hour, or per period if fixed; with four decimals.")
    bill_rate: Amount | None = field("Billed per hour, with four decimals.")
    currency: str = field("ISO 4217 code of the rates.")
    pay_period: PayPeriod = field("How often the person is paid.")
    period_anchor_date: date | None = field("A day on which a period starts.")
    overtime_enabled: bool = field("Whether overtime is paid.")
    overtime_daily_threshold_seconds: Seconds | None = field("Time of a day beyond which it is overtime.")
    overtime_weekly_threshold_seconds: Seconds | None = field("Time of a week beyond which it is overtime.")
    overtime_multiplier: Factor | None = field(
        "How many times the rate overtime pays.", exact_of("overtime_multiplier")
    )
    requires_approval: bool = field("Whether time must be approved before it is paid.")
    payment_method: PaymentMethod | None = field("How payments reach the person.")
    effective_from: date = field("The first day on which it holds.")
    effective_to: date | None = field("The last day on which it holds, inclusive; null if it has no end.")
    is_current: bool = field("Whether it holds today in the organization's zone.", payroll.is_current)
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")


@strawberry.type(description="A part of an hourly payment: one day, project and task.")
class HourlyPaymentLine:
    date: Day = field("The day of the work.")
    project_id: UUID | None = field("The project.")
    task_id: UUID | None = field("The task.")
    paid_seconds: Seconds = field("Time paid.")
    rate: Amount = field("Paid per hour, with four decimals.")
    amount: Amount = field("What it adds, with the digits of the currency.", amount_of("amount"))


@strawberry.type(description="A payment for hours.")
class HourlyPaymentLog:
    id: UUID = field("Its id.")
    user_id: UUID = field("Who was paid.")
    period_start: date = field("First day paid for.")
    period_end: date = field("Last day paid for, inclusive.")
    tracked_seconds: Seconds = field("Time tracked in the period.")
    paid_seconds: Seconds = field("Time paid.")
    overtime_seconds: Seconds = field("Overtime paid.")
    hourly_rate: Amount = field("Paid per hour, with four decimals.")
    overtime_rate: Amount | None = field("Paid per hour of overtime, with four decimals.")
    amount: Amount = field("The payment, with the digits of the currency.", amount_of("amount"))
    currency: str = field("ISO 4217 code.")
    status: PaymentStatus = field("Where the payment stands.")
    payment_method: PaymentMethod | None = field("How it reached the person.")
    paid_at: datetime | None = field("When it was paid.")
    paid_by_user_id: UUID | None = field("Who paid it.")
    reference: str | None = field("Its reference at the bank.")
    note: str | None = field("A note.")
    lines: list[HourlyPaymentLine] = field("Its parts by day, 500 at most.", payroll.lines_of_log)
    lines_truncated: bool = field("Whether it has more parts than are shown.", payroll.lines_truncated)
    payable_id: UUID | None = field("The payable that it pays.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type(description="A payment for something other than hours.")
class OneTimePaymentLog:
    id: UUID = field("Its id.")
    user_id: UUID = field("Who was paid.")
    type: OneTimePaymentType = field("What it is for.")
    amount: Amount = field("The payment; negative for a deduction.", amount_of("amount"))
    currency: str = field("ISO 4217 code.")
    description: str | None = field("What it is for, in words.")
    payment_date: date = field("The day of the payment.")
    period_start: date | None = field("First day that it is for.")
    period_end: date | None = field("Last day that it is for, inclusive.")
    project_id: UUID | None = field("The project.")
    status: PaymentStatus = field("Where the payment stands.")
    payment_method: PaymentMethod | None = field("How it reached the person.")
    paid_at: datetime | None = field("When it was paid.")
    paid_by_user_id: UUID | None = field("Who paid it.")
    reference: str | None = field("Its reference at the bank.")
    is_taxable: bool | None = field("Whether it is taxed as income.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type(description="What is owed to a member for one period and one kind of work.")
class Payable:
    id: UUID = field("Its id.")
    user_id: UUID = field("To whom it is owed.")
    kind: PayableKind = field("For what it is owed.")
    period_start: date = field("First day that it is for.")
    period_end: date = field("Last day that it is for, inclusive.")
    tracked_seconds: Seconds = field("Time tracked in the period.")
    payable_seconds: Seconds = field("Time approved, after the rules about idle time.")
    rate: Amount | None = field("Paid per hour, with four decimals.")
    amount: Amount = field("What is owed in all, with the digits of the currency.", amount_of("amount"))
    amount_paid: Amount = field("What was paid of it.", amount_of("amount_paid"))
    amount_due: Amount = field("amount - amount_paid; negative when too much was paid.", amount_of("amount_due"))
    currency: str = field("ISO 4217 code.")
    status: PayableStatus = field("Where it stands.")
    is_final: bool = field("Whether the period is closed and its time locked.")
    due_date: date | None = field("The day on which it is to be paid.")
    approved_at: datetime | None = field("When it was approved.")
    approved_by_user_id: UUID | None = field("Who approved it.")
    source_id: UUID | None = field("The leave application or one-time payment that it came from.")
    note: str | None = field("A note.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
