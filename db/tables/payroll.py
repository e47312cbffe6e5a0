"""Tables of payroll: payment settings, payables, hourly and one-time payments of members."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Date, Integer, Text, Uuid
from sqlalchemy.schema import SchemaItem

from db.tables.columns import (
    DescribedEnum,
    count_column,
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
    tenant_table,
)
from db.tables.money import decimal_column, period_columns, sum_column
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
        enum_column("status", PaymentStatus, default=PaymentStatus.pending, comment="State of the payment."),
        enum_column("payment_method", PaymentMethod, nullable=True, comment="How the money was sent."),
        event_time("paid_at", nullable=True, comment="When it was paid."),
        foreign_key("paid_by_user_id", "members.user_id", comment="Who paid it."),
        erased_mention(Column("reference", Text, comment="Text or number of the transfer.")),
    ]


payment_settings = tenant_table(
    "payment_settings",
    "How a person is paid from one date to another. Ranges of one person do not overlap.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="The person.")),
    enum_column("pay_type", PayType, comment="What the pay depends on."),
    decimal_column("pay_rate", nullable=True, comment="Pay of an hour, or of a period if fixed."),
    decimal_column(
        "bill_rate",
        nullable=True,
        comment="What an hour of the person costs customers, unless a project says otherwise.",
    ),
    currency_column(),
    enum_column("pay_period", PayPeriod, comment="How often the person is paid."),
    Column("period_anchor_date", Date, comment="A first day of a period, for biweekly periods."),
    flag_column(
        "overtime_enabled", default=False, comment="Whether time over the thresholds is paid with the multiplier."
    ),
    Column("overtime_daily_threshold_seconds", Integer, comment="Seconds of a day after which overtime begins."),
    Column("overtime_weekly_threshold_seconds", Integer, comment="Seconds of a week after which overtime begins."),
    decimal_column("overtime_multiplier", nullable=True, comment="Factor of the rate for overtime."),
    flag_column("requires_approval", default=False, comment="Whether time is paid only after approval."),
    enum_column("payment_method", PaymentMethod, nullable=True, comment="How the money is sent."),
    Column("effective_from", Date, nullable=False, comment="First day on which it holds."),
    Column("effective_to", Date, comment="Last day on which it holds; null: without end."),
    CheckConstraint("effective_to >= effective_from", name="effective"),
    order=("user_id", "effective_from", "id"),
)

# Payables and payments are listed for the organization, and for each member by an index that starts with user_id.
payables = tenant_table(
    "payables",
    "What is owed to a person for one period and kind.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="Who is paid.")),
    enum_column("kind", PayableKind, comment="What it is for."),
    *period_columns(),
    count_column("tracked_seconds", kind=BigInteger, comment="Tracked time of the period."),
    count_column(
        "payable_seconds",
        kind=BigInteger,
        comment="What is paid: approved tracked time, and paid breaks, which are not tracked time.",
    ),
    decimal_column("rate", nullable=True, comment="Pay of an hour."),
    decimal_column("amount", comment="What is owed in total."),
    sum_column("amount_paid", comment="What was paid of it; amount_due of the API is amount - amount_paid."),
    currency_column(),
    enum_column("status", PayableStatus, default=PayableStatus.open, comment="State of the debt."),
    flag_column(
        "is_final",
        default=False,
        comment="Whether the period is closed and its time locked. The API also looks for open and pending records.",
    ),
    Column("due_date", Date, comment="Calendar date until which it is to be paid."),
    event_time("approved_at", nullable=True, comment="When it was approved."),
    foreign_key("approved_by_user_id", "members.user_id", comment="Who approved it."),
    # The row that it was made from; not a foreign key, because that row can be in one of several tables.
    Column(
        "source_id",
        Uuid,
        comment="The row that it was made from, in one of several tables: leave application or one-time payment.",
    ),
    erased(Column("note", Text, comment="Free text.")),
    CheckConstraint("tracked_seconds >= 0 AND payable_seconds >= 0", name="seconds"),
)
index(payables, "user_id", "created_at", "id")
index_by_parent(payables, "source_id", "created_at", "id")
index_orders(payables, "period_start", "due_date")

hourly_payment_logs = tenant_table(
    "hourly_payment_logs",
    "A payment for the time of a period.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="Who was paid.")),
    *period_columns(),
    Column("tracked_seconds", BigInteger, nullable=False, comment="Tracked time of the period."),
    Column(
        "paid_seconds",
        BigInteger,
        nullable=False,
        comment="What was paid: tracked time and paid breaks, overtime included.",
    ),
    count_column("overtime_seconds", kind=BigInteger, comment="Those of the paid ones that are overtime."),
    decimal_column("hourly_rate", comment="Pay of an hour."),
    decimal_column("overtime_rate", nullable=True, comment="Pay of an hour of overtime."),
    decimal_column("amount", comment="What was paid."),
    currency_column(),
    *payment_columns(),
    erased(Column("note", Text, comment="Free text.")),
    foreign_key("payable_id", "payables.id", comment="The debt that it pays."),
    CheckConstraint("tracked_seconds >= 0 AND paid_seconds >= 0 AND overtime_seconds >= 0", name="seconds"),
)
index(hourly_payment_logs, "user_id", "created_at", "id")
index_by_parent(hourly_payment_logs, "payable_id", "created_at", "id")
index_orders(hourly_payment_logs, "period_start")

hourly_payment_lines = tenant_table(
    "hourly_payment_lines",
    "The part of a payment that one day, project and task had.",
    foreign_key("log_id", "hourly_payment_logs.id", nullable=False, comment="The payment."),
    Column("date", Date, nullable=False, comment="Calendar date in the organization's zone."),
    foreign_key("project_id", "projects.id", comment="The project; null: none."),
    foreign_key("task_id", "tasks.id", comment="The task; null: none."),
    Column("paid_seconds", BigInteger, nullable=False, comment="Paid time."),
    decimal_column("rate", comment="Pay of an hour."),
    decimal_column("amount", comment="What was paid."),
    CheckConstraint("paid_seconds >= 0", name="seconds"),
    order=("log_id", "date", "id"),
    is_polled=False,
)

one_time_payment_logs = tenant_table(
    "one_time_payment_logs",
    "A payment that is not for time, such as a bonus.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="Who was paid.")),
    enum_column("type", OneTimePaymentType, comment="What it is for."),
    decimal_column("amount", comment="What was paid; negative or zero for a deduction."),
    currency_column(),
    erased(Column("description", Text, comment="Free text.")),
    Column("payment_date", Date, nullable=False, comment="Calendar date, without a time zone."),
    *period_columns(nullable=True),
    foreign_key("project_id", "projects.id", comment="The project that it is for."),
    *payment_columns(),
    Column("is_taxable", Boolean, comment="Whether tax is due; null: unknown."),
    CheckConstraint("type <> 'deduction' OR amount <= 0", name="deduction"),
)
index(one_time_payment_logs, "user_id", "created_at", "id")
index_by_parent(one_time_payment_logs, "project_id", "created_at", "id")
index_orders(one_time_payment_logs, "payment_date")
