"""Tables of payroll: payment settings, payables, hourly and one-time payments of members."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Uuid
from sqlalchemy.schema import SchemaItem

from db.tables.columns import (
    DescribedEnum,
    count_column,
    date_column,
    enum_column,
    erased,
    erased_mention,
    event_time,
    flag_column,
    foreign_key,
    immovable,
    index,
    index_by_parent,
    index_orders,
    mention_column,
    number_column,
    person_column,
    tenant_table,
    text_column,
)
from db.tables.money import Exact, amount_column, decimal_column, period_columns, sum_column
from db.tables.reference import currency_column


class PayType(DescribedEnum):
    """Pay type of a member: hourly, fixed per period, or none."""

    hourly = "hourly", "Paid by the hour."
    fixed = "fixed", "Paid a fixed amount per pay period."
    none = "none", "Not paid through the organization."


class PayPeriod(DescribedEnum):
    """Pay period of a member."""

    weekly = "weekly", "One week."
    biweekly = "biweekly", "Two weeks."
    semimonthly = "semimonthly", "Half a month."
    monthly = "monthly", "One month."


class PaymentMethod(DescribedEnum):
    """Payment method."""

    bank_transfer = "bank_transfer", "Bank transfer."
    paypal = "paypal", "PayPal."
    wise = "wise", "Wise."
    payoneer = "payoneer", "Payoneer."
    payroll = "payroll", "With the regular pay of a payroll provider."
    cash = "cash", "Cash."
    other = "other", "Any other method."


class PaymentStatus(DescribedEnum):
    """Status of a payment."""

    pending = "pending", "Not started."
    processing = "processing", "Started, and not finished."
    paid = "paid", "Paid."
    failed = "failed", "The payment failed."
    cancelled = "cancelled", "Cancelled before it was paid."
    refunded = "refunded", "Paid, and paid back."


class OneTimePaymentType(DescribedEnum):
    """Type of a one-time payment."""

    bonus = "bonus", "Bonus."
    commission = "commission", "Commission on sales."
    reimbursement = "reimbursement", "Reimbursement of expenses."
    advance = "advance", "Advance on later pay."
    allowance = "allowance", "Allowance, such as for travel."
    adjustment = "adjustment", "Correction of earlier pay."
    deduction = "deduction", "Deduction; its amount is negative."
    fixed_salary = "fixed_salary", "Fixed salary of a period."
    other = "other", "Any other payment."


class PayableKind(DescribedEnum):
    """Kind of a payable."""

    hourly = "hourly", "Time at the hourly rate."
    fixed = "fixed", "Fixed pay of the period."
    overtime = "overtime", "Overtime."
    leave = "leave", "Paid leave; `source_id` is the leave application."
    one_time = "one_time", "One-time payment; `source_id` is that payment."
    adjustment = "adjustment", "Correction of an earlier payable."


class PayableStatus(DescribedEnum):
    """Status of a payable."""

    open = "open", "Not approved yet."
    approved = "approved", "Approved, and not paid yet."
    partially_paid = "partially_paid", "Paid in part."
    paid = "paid", "Paid in full."
    void = "void", "Voided; nothing is owed."


def payment_columns() -> list[SchemaItem]:
    """Status, method, time and payer of a payment."""
    return [
        enum_column("status", PaymentStatus.pending, "Status of the payment."),
        enum_column("payment_method", PaymentMethod, "How the payment is made.", nullable=True),
        event_time("paid_at", "Time of the payment; null until it is paid.", nullable=True),
        mention_column("paid_by_user_id", "Id of the user who made the payment; null until it is paid."),
        erased_mention(text_column("reference", "Bank reference.")),
    ]


payment_settings = tenant_table(
    "payment_settings",
    "How a person is paid from one date to another. Ranges of one person do not overlap.",
    immovable(person_column("Id of the person.", "records", is_named=False)),
    enum_column("pay_type", PayType, "Pay type: hourly, fixed per period, or none."),
    decimal_column(
        "pay_rate", "Pay rate per hour, or per period if the pay type is `fixed`; four decimals.", nullable=True
    ),
    decimal_column(
        "bill_rate",
        "Bill rate per hour, four decimals; that of a membership in a project, or of a project, comes first.",
        nullable=True,
    ),
    currency_column("Currency of the rates, ISO 4217 code."),
    enum_column("pay_period", PayPeriod, "How often the member is paid."),
    date_column("period_anchor_date", "First day of one of the pay periods, from which `biweekly` ones are counted."),
    flag_column("overtime_enabled", "Whether overtime is paid."),
    number_column(
        "overtime_daily_threshold_seconds",
        "Time of a day above which the rest is overtime; null means no daily threshold.",
    ),
    number_column(
        "overtime_weekly_threshold_seconds",
        "Time of a week above which the rest is overtime; null means no weekly threshold.",
    ),
    decimal_column("overtime_multiplier", "Multiplier of the pay rate for overtime.", nullable=True),
    flag_column("requires_approval", "Whether time must be approved before it is paid."),
    enum_column("payment_method", PaymentMethod, "How the member is paid.", nullable=True),
    date_column("effective_from", "First day of validity.", nullable=False),
    date_column("effective_to", "Last day of validity, inclusive; null if open-ended."),
    CheckConstraint("effective_to >= effective_from", name="effective"),
    order=("user_id", "effective_from", "id"),
    is_small=True,
)

# Payables and payments are listed for the organization, and for each member by an index that starts with user_id.
payables = tenant_table(
    "payables",
    "What is owed to a person for one period and kind.",
    immovable(person_column("Id of the person to whom it is owed.", "records", is_named=False)),
    enum_column("kind", PayableKind, "Kind of the payable."),
    *period_columns(),
    count_column(
        "tracked_seconds", "Time tracked in the period, as tracked_seconds of time activity.", kind=BigInteger
    ),
    count_column(
        "payable_seconds",
        "Time to be paid: once everything is approved, tracked_seconds + paid_break_seconds of time activity "
        "for the days of the period in the organization's time zone.",
        kind=BigInteger,
    ),
    decimal_column("rate", "Pay rate per hour, four decimals.", nullable=True),
    amount_column("amount", "Total amount, with the decimals of the currency."),
    sum_column(
        "amount_paid", "Amount that has been paid.\namount_due of the API is amount - amount_paid.", part_of="amount"
    ),
    currency_column(),
    enum_column("status", PayableStatus.open, "Status of the payable."),
    flag_column(
        "is_final",
        "Whether payroll closed the period and nothing of the person is open or pending in it, as is_final of "
        "time activity for the days of the period in the organization's time zone. Afterwards only an edit "
        "changes it, and the edit moves updated_at.\n"
        "Here: whether the period is closed and its time locked. The API also looks for open and pending "
        "records.",
    ),
    date_column("due_date", "Day by which the member should be paid."),
    event_time("approved_at", "Time of the approval; null until then.", nullable=True),
    mention_column("approved_by_user_id", "Id of the user who approved it; null until then."),
    # The row that it was made from; not a foreign key, because that row can be in one of several tables.
    Column(
        "source_id",
        Uuid,
        comment="Id of the leave application or one-time payment behind it; null if there is none.\n"
        "It is a row in one of several tables.",
    ),
    erased(text_column("note", "Note on the payable.")),
    CheckConstraint("tracked_seconds >= 0 AND payable_seconds >= 0", name="seconds"),
)
index(payables, "user_id", "created_at", "id")
index_by_parent(payables, "source_id", "created_at", "id")
index_orders(payables, "period_start", "due_date")

hourly_payment_logs = tenant_table(
    "hourly_payment_logs",
    "A payment for the time of a period.",
    immovable(person_column("Id of the person who was paid.", "records", is_named=False)),
    *period_columns(),
    number_column(
        "tracked_seconds",
        "Time tracked in the period, as tracked_seconds of time activity.",
        nullable=False,
        kind=BigInteger,
    ),
    number_column(
        "paid_seconds",
        "Time paid: tracked time and paid breaks.\nOvertime is included.",
        nullable=False,
        kind=BigInteger,
    ),
    count_column("overtime_seconds", "Part of paid_seconds: overtime.", kind=BigInteger),
    decimal_column("hourly_rate", "Pay rate per hour, four decimals."),
    decimal_column("overtime_rate", "Overtime rate per hour, four decimals.", nullable=True),
    amount_column("amount", "Amount, with the decimals of the currency."),
    currency_column(),
    *payment_columns(),
    erased(text_column("note", "Note on the payment.")),
    foreign_key("payable_id", "payables.id", "Id of the payable that is paid."),
    CheckConstraint("tracked_seconds >= 0 AND paid_seconds >= 0 AND overtime_seconds >= 0", name="seconds"),
)
index(hourly_payment_logs, "user_id", "created_at", "id")
index_by_parent(hourly_payment_logs, "payable_id", "created_at", "id")
index_orders(hourly_payment_logs, "period_start")

hourly_payment_lines = tenant_table(
    "hourly_payment_lines",
    "The part of a payment that one day, project and task had.",
    foreign_key("log_id", "hourly_payment_logs.id", "The payment.", nullable=False),
    date_column("date", "Day of the work.\nIt is a day of the organization's zone.", nullable=False),
    foreign_key("project_id", "projects.id", "Id of the project."),
    foreign_key("task_id", "tasks.id", "Id of the task."),
    number_column("paid_seconds", "Time paid: tracked time and paid breaks.", nullable=False, kind=BigInteger),
    decimal_column("rate", "Pay rate per hour, four decimals."),
    amount_column(
        "amount",
        "Amount, with the decimals of the currency.",
        currency_of="log_id",
        # Of a correction, the amount or the rate is negative.
        rounded=Exact(
            "paid_seconds at the rate",
            "CASE WHEN {row}.amount < 0 THEN -1 ELSE 1 END * abs({row}.paid_seconds * {row}.rate) / 3600",
        ),
    ),
    CheckConstraint("paid_seconds >= 0", name="seconds"),
    order=("log_id", "date", "id"),
    is_polled=False,
)

one_time_payment_logs = tenant_table(
    "one_time_payment_logs",
    "A payment that is not for time, such as a bonus.",
    immovable(person_column("Id of the person who was paid.", "records", is_named=False)),
    enum_column("type", OneTimePaymentType, "Type of the payment."),
    amount_column(
        "amount", "Amount, with the decimals of the currency; negative for a deduction.\nA deduction may be zero."
    ),
    currency_column(),
    erased(text_column("description", "What the payment is for.")),
    date_column("payment_date", "Day of the payment.", nullable=False),
    *period_columns(nullable=True),
    foreign_key("project_id", "projects.id", "Id of the project."),
    *payment_columns(),
    Column("is_taxable", Boolean, comment="Whether it is taxable income; null means unknown."),
    CheckConstraint("type <> 'deduction' OR amount <= 0", name="deduction"),
)
index(one_time_payment_logs, "user_id", "created_at", "id")
index_by_parent(one_time_payment_logs, "project_id", "created_at", "id")
index_orders(one_time_payment_logs, "payment_date")
