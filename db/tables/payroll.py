"""Tables of payroll: payment settings, payables, hourly and one-time payments of members."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Integer, Uuid
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
    tenant_table,
    text_column,
)
from db.tables.money import amount_column, decimal_column, period_columns, sum_column
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
        enum_column("status", PaymentStatus.pending, "State of the payment."),
        enum_column("payment_method", PaymentMethod, "How the money was sent.", nullable=True),
        event_time("paid_at", "When it was paid.", nullable=True),
        foreign_key("paid_by_user_id", "members.user_id", "Who paid it."),
        erased_mention(text_column("reference", "Text or number of the transfer.")),
    ]


payment_settings = tenant_table(
    "payment_settings",
    "How a person is paid from one date to another. Ranges of one person do not overlap.",
    immovable(foreign_key("user_id", "members.user_id", "The person.", nullable=False)),
    enum_column("pay_type", PayType, "What the pay depends on."),
    decimal_column("pay_rate", "Pay of an hour, or of a period if fixed.", nullable=True),
    decimal_column(
        "bill_rate", "What an hour of the person costs customers, unless a project says otherwise.", nullable=True
    ),
    currency_column(),
    enum_column("pay_period", PayPeriod, "How often the person is paid."),
    date_column("period_anchor_date", "A first day of a period, for biweekly periods."),
    flag_column("overtime_enabled", "Whether time over the thresholds is paid with the multiplier."),
    Column("overtime_daily_threshold_seconds", Integer, comment="Seconds of a day after which overtime begins."),
    Column("overtime_weekly_threshold_seconds", Integer, comment="Seconds of a week after which overtime begins."),
    decimal_column("overtime_multiplier", "Factor of the rate for overtime.", nullable=True),
    flag_column("requires_approval", "Whether time is paid only after approval."),
    enum_column("payment_method", PaymentMethod, "How the money is sent.", nullable=True),
    date_column("effective_from", "First day on which it holds.", nullable=False),
    date_column("effective_to", "Last day on which it holds; null: without end."),
    CheckConstraint("effective_to >= effective_from", name="effective"),
    order=("user_id", "effective_from", "id"),
)

# Payables and payments are listed for the organization, and for each member by an index that starts with user_id.
payables = tenant_table(
    "payables",
    "What is owed to a person for one period and kind.",
    immovable(foreign_key("user_id", "members.user_id", "Who is paid.", nullable=False)),
    enum_column("kind", PayableKind, "What it is for."),
    *period_columns(),
    count_column("tracked_seconds", "Tracked time of the period.", kind=BigInteger),
    count_column(
        "payable_seconds",
        "What is paid: approved tracked time, and paid breaks, which are not tracked time.",
        kind=BigInteger,
    ),
    decimal_column("rate", "Pay of an hour.", nullable=True),
    amount_column("amount", "What is owed in total."),
    sum_column("amount_paid", "What was paid of it; amount_due of the API is amount - amount_paid.", part_of="amount"),
    currency_column(),
    enum_column("status", PayableStatus.open, "State of the debt."),
    flag_column(
        "is_final", "Whether the period is closed and its time locked. The API also looks for open and pending records."
    ),
    date_column("due_date", "Calendar date until which it is to be paid."),
    event_time("approved_at", "When it was approved.", nullable=True),
    foreign_key("approved_by_user_id", "members.user_id", "Who approved it."),
    # The row that it was made from; not a foreign key, because that row can be in one of several tables.
    Column(
        "source_id",
        Uuid,
        comment="The row that it was made from, in one of several tables: leave application or one-time payment.",
    ),
    erased(text_column("note", "Free text.")),
    CheckConstraint("tracked_seconds >= 0 AND payable_seconds >= 0", name="seconds"),
)
index(payables, "user_id", "created_at", "id")
index_by_parent(payables, "source_id", "created_at", "id")
index_orders(payables, "period_start", "due_date")

hourly_payment_logs = tenant_table(
    "hourly_payment_logs",
    "A payment for the time of a period.",
    immovable(foreign_key("user_id", "members.user_id", "Who was paid.", nullable=False)),
    *period_columns(),
    Column("tracked_seconds", BigInteger, nullable=False, comment="Tracked time of the period."),
    Column(
        "paid_seconds",
        BigInteger,
        nullable=False,
        comment="What was paid: tracked time and paid breaks, overtime included.",
    ),
    count_column("overtime_seconds", "Those of the paid ones that are overtime.", kind=BigInteger),
    decimal_column("hourly_rate", "Pay of an hour."),
    decimal_column("overtime_rate", "Pay of an hour of overtime.", nullable=True),
    amount_column("amount", "What was paid."),
    currency_column(),
    *payment_columns(),
    erased(text_column("note", "Free text.")),
    foreign_key("payable_id", "payables.id", "The debt that it pays."),
    CheckConstraint("tracked_seconds >= 0 AND paid_seconds >= 0 AND overtime_seconds >= 0", name="seconds"),
)
index(hourly_payment_logs, "user_id", "created_at", "id")
index_by_parent(hourly_payment_logs, "payable_id", "created_at", "id")
index_orders(hourly_payment_logs, "period_start")

hourly_payment_lines = tenant_table(
    "hourly_payment_lines",
    "The part of a payment that one day, project and task had.",
    foreign_key("log_id", "hourly_payment_logs.id", "The payment.", nullable=False),
    date_column("date", "Calendar date in the organization's zone.", nullable=False),
    foreign_key("project_id", "projects.id", "The project; null: none."),
    foreign_key("task_id", "tasks.id", "The task; null: none."),
    Column("paid_seconds", BigInteger, nullable=False, comment="Paid time."),
    decimal_column("rate", "Pay of an hour."),
    amount_column("amount", "What was paid.", currency_of="log_id"),
    CheckConstraint("paid_seconds >= 0", name="seconds"),
    order=("log_id", "date", "id"),
    is_polled=False,
)

one_time_payment_logs = tenant_table(
    "one_time_payment_logs",
    "A payment that is not for time, such as a bonus.",
    immovable(foreign_key("user_id", "members.user_id", "Who was paid.", nullable=False)),
    enum_column("type", OneTimePaymentType, "What it is for."),
    amount_column("amount", "What was paid; negative or zero for a deduction."),
    currency_column(),
    erased(text_column("description", "Free text.")),
    date_column("payment_date", "Calendar date, without a time zone.", nullable=False),
    *period_columns(nullable=True),
    foreign_key("project_id", "projects.id", "The project that it is for."),
    *payment_columns(),
    Column("is_taxable", Boolean, comment="Whether tax is due; null: unknown."),
    CheckConstraint("type <> 'deduction' OR amount <= 0", name="deduction"),
)
index(one_time_payment_logs, "user_id", "created_at", "id")
index_by_parent(one_time_payment_logs, "project_id", "created_at", "id")
index_orders(one_time_payment_logs, "payment_date")
