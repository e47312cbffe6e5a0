"""Tables of invoices, and columns for amounts. Pay of members is in `db.tables.payroll`.

Amounts are in the currency of their row, or of the row that a line belongs to. Writers round them once, half up, to the
decimals of the currency. The amounts of an invoice are stored, and never computed again.
"""

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Index,
    Integer,
    Numeric,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.schema import SchemaItem

from db.tables.columns import enum_column, event_time, tenant_table
from db.tables.reference import currency_column


class InvoiceStatus(StrEnum):
    draft = "draft"
    sent = "sent"
    viewed = "viewed"
    partially_paid = "partially_paid"
    paid = "paid"
    void = "void"


class DiscountType(StrEnum):
    none = "none"
    percent = "percent"
    amount = "amount"


class InvoiceLineKind(StrEnum):
    time = "time"
    fixed = "fixed"
    expense = "expense"
    other = "other"


class InvoiceLineUnit(StrEnum):
    hour = "hour"
    day = "day"
    item = "item"


def decimal_column(name: str, *, nullable: bool = False) -> Column[Any]:
    """An amount, rate, quantity or percentage with four decimals."""
    return Column(name, Numeric(19, 4), nullable=nullable)


def sum_column(name: str) -> Column[Any]:
    """An amount that defaults to 0."""
    return Column(name, Numeric(19, 4), nullable=False, server_default=text("0"))


def period_columns(*, nullable: bool = False) -> list[SchemaItem]:
    """The first and last day that an amount is for: calendar dates without a time zone."""
    return [
        Column("period_start", Date, nullable=nullable),
        Column("period_end", Date, nullable=nullable),
        CheckConstraint("period_end >= period_start", name="period"),
    ]


invoices = tenant_table(
    "invoices",
    Column("number", Text, nullable=False),
    Column("client_id", Uuid, nullable=False),
    enum_column("status", InvoiceStatus, default=InvoiceStatus.draft),
    currency_column(),
    Column("issue_date", Date, nullable=False),
    Column("due_date", Date),
    *period_columns(nullable=True),
    sum_column("subtotal"),
    enum_column("discount_type", DiscountType, default=DiscountType.none),
    decimal_column("discount_value", nullable=True),
    sum_column("discount_amount"),
    sum_column("tax_amount"),
    sum_column("total"),
    sum_column("amount_paid"),
    Column("purchase_order", Text),
    Column("reference", Text),
    Column("notes", Text),
    Column("terms", Text),
    event_time("sent_at", nullable=True),
    event_time("viewed_at", nullable=True),
    event_time("paid_at", nullable=True),
    event_time("voided_at", nullable=True),
    Column("created_by_user_id", Uuid),
    Column("public_url", Text),
    Column("external_id", Text),
    UniqueConstraint("organization_id", "number"),
    CheckConstraint("total = subtotal - discount_amount + tax_amount", name="total"),
    CheckConstraint("(discount_type = 'none') = (discount_value IS NULL)", name="discount_value"),
    CheckConstraint(
        "CASE discount_type WHEN 'none' THEN discount_amount = 0 WHEN 'amount' THEN discount_amount = discount_value"
        " ELSE discount_value BETWEEN 0 AND 100 END",
        name="discount_amount",
    ),
    references={"client_id": "clients.id", "created_by_user_id": "members.user_id"},
)
Index(None, invoices.c.organization_id, invoices.c.client_id, invoices.c.created_at, invoices.c.id)
Index(None, invoices.c.organization_id, invoices.c.status, invoices.c.created_at, invoices.c.id)
Index(None, invoices.c.organization_id, invoices.c.issue_date, invoices.c.id)

invoice_lines = tenant_table(
    "invoice_lines",
    Column("invoice_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    enum_column("kind", InvoiceLineKind),
    Column("description", Text, nullable=False),
    Column("project_id", Uuid),
    Column("task_id", Uuid),
    Column("user_id", Uuid),
    decimal_column("quantity"),
    enum_column("unit", InvoiceLineUnit),
    Column("duration_seconds", BigInteger),
    decimal_column("unit_price"),
    decimal_column("amount"),
    Column("is_taxed", Boolean, nullable=False, server_default=text("true")),
    decimal_column("tax_percent", nullable=True),
    CheckConstraint("duration_seconds >= 0", name="duration"),
    references={
        "invoice_id": "invoices.id",
        "project_id": "projects.id",
        "task_id": "tasks.id",
        "user_id": "members.user_id",
    },
    order=("invoice_id", "position", "id"),
    is_polled=False,
)
Index(
    None,
    invoice_lines.c.organization_id,
    invoice_lines.c.project_id,
    invoice_lines.c.invoice_id,
    postgresql_where=text("project_id IS NOT NULL"),
)

invoice_taxes = tenant_table(
    "invoice_taxes",
    Column("invoice_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    decimal_column("percent"),
    decimal_column("amount"),
    references={"invoice_id": "invoices.id"},
    order=("invoice_id", "position", "id"),
    is_polled=False,
)
