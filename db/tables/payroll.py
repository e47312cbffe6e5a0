"""Tables of payroll: payment settings, payables, hourly and one-time payments of members."""

from enum import StrEnum

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Date, Index, Integer, Text, Uuid, text
from sqlalchemy.schema import SchemaItem

from db.tables.columns import enum_column, event_time, tenant_table
from db.tables.money import decimal_column, period_columns, sum_column
from db.tables.reference import currency_column


class PayType(StrEnum):
    hourly = "hourly"
    fixed = "fixed"
    none = "none"


class PayPeriod(StrEnum):
    weekly = "weekly"
    biweekly = "biweekly"
    semimonthly = "semimonthly"
    monthly = "monthly"


class PaymentMethod(StrEnum):
    bank_transfer = "bank_transfer"
    paypal = "paypal"
    wise = "wise"
    payoneer = "payoneer"
    payroll = "payroll"
    cash = "cash"
    other = "other"


class PaymentStatus(StrEnum):
    pending = "pending"
    processing = "processing"
    paid = "paid"
    failed = "failed"
    cancelled = "cancelled"
    refunded = "refunded"


class OneTimePaymentType(StrEnum):
    bonus = "bonus"
    commission = "commission"
    reimbursement = "reimbursement"
    advance = "advance"
    allowance = "allowance"
    adjustment = "adjustment"
    deduction = "deduction"
    fixed_salary = "fixed_salary"
    other = "other"


class PayableKind(StrEnum):
    hourly = "hourly"
    fixed = "fixed"
    overtime = "overtime"
    leave = "leave"
    one_time = "one_time"
    adjustment = "adjustment"


class PayableStatus(StrEnum):
    open = "open"
    approved = "approved"
    partially_paid = "partially_paid"
    paid = "paid"
    void = "void"


def payment_columns() -> list[SchemaItem]:
    """Status, method, time and payer of a payment."""
    return [
        enum_column("status", PaymentStatus, default=PaymentStatus.pending),
        enum_column("payment_method", PaymentMethod, nullable=True),
        event_time("paid_at", nullable=True),
        Column("paid_by_user_id", Uuid),
        Column("reference", Text),
    ]


payment_settings = tenant_table(
    "payment_settings",
    Column("user_id", Uuid, nullable=False),
    enum_column("pay_type", PayType),
    decimal_column("pay_rate", nullable=True),
    decimal_column("bill_rate", nullable=True),
    currency_column(),
    enum_column("pay_period", PayPeriod),
    Column("period_anchor_date", Date),
    Column("overtime_enabled", Boolean, nullable=False, server_default=text("false")),
    Column("overtime_daily_threshold_seconds", Integer),
    Column("overtime_weekly_threshold_seconds", Integer),
    decimal_column("overtime_multiplier", nullable=True),
    Column("requires_approval", Boolean, nullable=False, server_default=text("false")),
    enum_column("payment_method", PaymentMethod, nullable=True),
    # Writers ensure that the ranges of a person do not overlap.
    Column("effective_from", Date, nullable=False),
    Column("effective_to", Date),
    CheckConstraint("effective_to >= effective_from", name="effective"),
    references={"user_id": "members.user_id"},
    order=("user_id", "effective_from", "id"),
    is_polled=False,
)

# Payables and payments are listed per member, so the index of their order starts with user_id.
payables = tenant_table(
    "payables",
    Column("user_id", Uuid, nullable=False),
    enum_column("kind", PayableKind),
    *period_columns(),
    Column("tracked_seconds", BigInteger, nullable=False, server_default=text("0")),
    Column("payable_seconds", BigInteger, nullable=False, server_default=text("0")),
    decimal_column("rate", nullable=True),
    decimal_column("amount"),
    sum_column("amount_paid"),
    currency_column(),
    enum_column("status", PayableStatus, default=PayableStatus.open),
    Column("is_final", Boolean, nullable=False, server_default=text("false")),
    Column("due_date", Date),
    event_time("approved_at", nullable=True),
    Column("approved_by_user_id", Uuid),
    # The row that it was made from; not a foreign key, because that row can be in one of several tables.
    Column("source_id", Uuid),
    Column("note", Text),
    CheckConstraint("tracked_seconds >= 0 AND payable_seconds >= 0", name="seconds"),
    references={"user_id": "members.user_id", "approved_by_user_id": "members.user_id"},
    order=None,
)
Index(None, payables.c.organization_id, payables.c.user_id, payables.c.created_at, payables.c.id)

hourly_payment_logs = tenant_table(
    "hourly_payment_logs",
    Column("user_id", Uuid, nullable=False),
    *period_columns(),
    Column("tracked_seconds", BigInteger, nullable=False),
    Column("paid_seconds", BigInteger, nullable=False),
    Column("overtime_seconds", BigInteger, nullable=False, server_default=text("0")),
    decimal_column("hourly_rate"),
    decimal_column("overtime_rate", nullable=True),
    decimal_column("amount"),
    currency_column(),
    *payment_columns(),
    Column("note", Text),
    Column("payable_id", Uuid),
    CheckConstraint("tracked_seconds >= 0 AND paid_seconds >= 0 AND overtime_seconds >= 0", name="seconds"),
    references={"user_id": "members.user_id", "paid_by_user_id": "members.user_id", "payable_id": "payables.id"},
    order=None,
)
Index(
    None,
    hourly_payment_logs.c.organization_id,
    hourly_payment_logs.c.user_id,
    hourly_payment_logs.c.created_at,
    hourly_payment_logs.c.id,
)

hourly_payment_lines = tenant_table(
    "hourly_payment_lines",
    Column("log_id", Uuid, nullable=False),
    Column("date", Date, nullable=False),
    Column("project_id", Uuid),
    Column("task_id", Uuid),
    Column("paid_seconds", BigInteger, nullable=False),
    decimal_column("rate"),
    decimal_column("amount"),
    CheckConstraint("paid_seconds >= 0", name="seconds"),
    references={"log_id": "hourly_payment_logs.id", "project_id": "projects.id", "task_id": "tasks.id"},
    order=("log_id", "date", "id"),
    is_polled=False,
)

one_time_payment_logs = tenant_table(
    "one_time_payment_logs",
    Column("user_id", Uuid, nullable=False),
    enum_column("type", OneTimePaymentType),
    decimal_column("amount"),
    currency_column(),
    Column("description", Text),
    Column("payment_date", Date, nullable=False),
    *period_columns(nullable=True),
    Column("project_id", Uuid),
    *payment_columns(),
    Column("is_taxable", Boolean),
    CheckConstraint("type <> 'deduction' OR amount <= 0", name="deduction"),
    references={
        "user_id": "members.user_id",
        "project_id": "projects.id",
        "paid_by_user_id": "members.user_id",
    },
    order=None,
)
Index(
    None,
    one_time_payment_logs.c.organization_id,
    one_time_payment_logs.c.user_id,
    one_time_payment_logs.c.created_at,
    one_time_payment_logs.c.id,
)
