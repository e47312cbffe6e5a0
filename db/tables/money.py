"""Tables of invoices, and columns for amounts. Pay of members is in `db.tables.payroll`.

Amounts are in the currency of their row, or of the row that a line belongs to. Writers round them once, half up, to the
decimals of the currency. The amounts of an invoice are stored, and never computed again.
"""

from typing import Any, NamedTuple

from sqlalchemy import BigInteger, CheckConstraint, Column, Numeric, Table, UniqueConstraint, text
from sqlalchemy.schema import SchemaItem

from db.tables.columns import (
    DescribedEnum,
    date_column,
    enum_column,
    erased_mention,
    event_time,
    flag_column,
    foreign_key,
    index,
    index_by_parent,
    index_orders,
    kept,
    mention_column,
    number_column,
    tenant_table,
    text_column,
)
from db.tables.reference import currency_column


class InvoiceStatus(DescribedEnum):
    """Status of an invoice."""

    draft = "draft", "Not sent yet; it may still change."
    sent = "sent", "Sent to the client."
    viewed = "viewed", "Viewed by the client."
    partially_paid = "partially_paid", "Paid in part."
    paid = "paid", "Paid in full."
    void = "void", "Voided; nothing is owed."


class DiscountType(DescribedEnum):
    """Type of a discount: percent or amount."""

    none = "none", "There is no discount."
    percent = "percent", "A percentage of the subtotal."
    amount = "amount", "An amount in the currency of the invoice."


class InvoiceLineKind(DescribedEnum):
    """What an invoice line charges for."""

    time = "time", "Time that was worked."
    fixed = "fixed", "A fixed price."
    expense = "expense", "An expense that the client pays back."
    other = "other", "Anything else."


class InvoiceLineUnit(DescribedEnum):
    """Unit of a quantity on an invoice."""

    hour = "hour", "Hours."
    day = "day", "Days."
    item = "item", "Pieces."


class Exact(NamedTuple):
    """What an amount is before it is rounded: in words, and in SQL of a row `{row}`."""

    words: str
    sql: str


def decimal_column(name: str, comment: str, *, nullable: bool = False) -> Column[Any]:
    """A rate, quantity or percentage with four decimals."""
    return Column(name, Numeric(19, 4), nullable=nullable, comment=comment)


def amount_column(
    name: str,
    comment: str,
    *,
    nullable: bool = False,
    currency_of: str = "",
    rounded: Exact | None = None,
    **declared: Any,
) -> Column[Any]:
    """An amount in the currency of its row, or of the row to which the column `currency_of` refers.

    `rounded`: what it is before rounding, if other columns say it.
    """
    info = {"currency_of": currency_of, "rounded": rounded}
    return Column(name, Numeric(19, 4), nullable=nullable, comment=comment, info=info, **declared)


def sum_column(
    name: str, comment: str, *, sum_of: str | None = None, part_of: str | None = None, rounded: Exact | None = None
) -> Column[Any]:
    """An amount that defaults to 0.

    `sum_of`: the table whose live rows have the amounts that it sums, if there are any. `part_of`: the amount of the
    row of which it is a part. No constraint holds these: imports and `orgdata doctor` check them.
    """
    column = amount_column(name, comment, rounded=rounded, server_default=text("0"))
    column.info.update({"sum_of": sum_of, "part_of": part_of})
    return column


def amount_columns(table: Table) -> list[Column[Any]]:
    """The columns of amounts of a table."""
    return [column for column in table.columns if "currency_of" in column.info]


def exceeds_sql(part: str, whole: str) -> str:
    """SQL: whether a part is not between 0 and the whole; that of a negative amount is negative."""
    return f"{part} NOT BETWEEN least({whole}, 0) AND greatest({whole}, 0)"


def unrounded_sql(column: Column[Any], row: str, digits: str) -> str:
    """SQL: whether an amount differs from the number that it is rounded from by a whole unit of its currency."""
    exact: Exact = column.info["rounded"]
    return f"abs({row}.{column.name} - {exact.sql.format(row=row)}) >= power(10::numeric, -({digits}))"


def period_columns(what: str = "of the period", *, nullable: bool = False) -> list[SchemaItem]:
    """The first and last day that an amount is for."""
    return [
        date_column("period_start", f"First day {what}.", nullable=nullable),
        date_column("period_end", f"Last day {what}, inclusive.", nullable=nullable),
        CheckConstraint("period_end >= period_start", name="period"),
    ]


PERCENT_DISCOUNT = Exact(
    "discount_value percent of the subtotal",
    "CASE {row}.discount_type WHEN 'percent' THEN {row}.subtotal * {row}.discount_value / 100"
    " ELSE {row}.discount_amount END",
)

invoices = tenant_table(
    "invoices",
    "An invoice to a customer. Its amounts are stored, and never computed again.",
    kept(text_column("number", "Invoice number, unique in the organization.", nullable=False)),
    foreign_key("client_id", "clients.id", "Id of the client.", nullable=False),
    enum_column(
        "status",
        InvoiceStatus.draft,
        "Status of the invoice.\nis_overdue of the API is derived from it, the amounts and due_date.",
    ),
    currency_column("Currency of all amounts of the invoice, ISO 4217 code."),
    date_column("issue_date", "Day of the invoice.", nullable=False),
    date_column(
        "due_date", "Day by which the client should pay.\nThe invoice is overdue after it, in the organization's zone."
    ),
    *period_columns("charged for", nullable=True),
    sum_column("subtotal", "Sum of the lines.", sum_of="invoice_lines"),
    enum_column("discount_type", DiscountType.none, "Type of the discount: percent or amount."),
    decimal_column(
        "discount_value",
        "Discount: a percentage or an amount, as discount_type says; null if there is none.",
        nullable=True,
    ),
    sum_column("discount_amount", "Discount in money.", rounded=PERCENT_DISCOUNT),
    sum_column("tax_amount", "Sum of the taxes.", sum_of="invoice_taxes"),
    sum_column("total", "Amount of the invoice: subtotal - discount_amount + tax_amount."),
    sum_column(
        "amount_paid",
        "Amount that the client has paid.\namount_due of the API is total - amount_paid.",
        part_of="total",
    ),
    kept(text_column("purchase_order", "Number of the client's purchase order.")),
    erased_mention(text_column("reference", "The client's own reference for the invoice."), "created_by_user_id"),
    erased_mention(text_column("notes", "Note to the client."), "created_by_user_id"),
    erased_mention(text_column("terms", "Terms of payment."), "created_by_user_id"),
    event_time("sent_at", "Time when it was sent; null until then.", nullable=True),
    event_time("viewed_at", "Time when the client first viewed it; null until then.", nullable=True),
    event_time("paid_at", "Time when it was paid in full; null until then.", nullable=True),
    event_time("voided_at", "Time when it was voided; null unless it was.", nullable=True),
    mention_column("created_by_user_id", "Id of the user who created the invoice."),
    kept(text_column("public_url", "Public URL of the invoice for the client; null if there is none.\nAn https URL.")),
    kept(text_column("external_id", "Id of the row in an external system.\nImports may name the row by it.")),
    UniqueConstraint("organization_id", "number"),
    CheckConstraint("total = subtotal - discount_amount + tax_amount", name="total"),
    CheckConstraint("(discount_type = 'none') = (discount_value IS NULL)", name="discount_value"),
    CheckConstraint(
        "CASE discount_type WHEN 'none' THEN discount_amount = 0 WHEN 'amount' THEN discount_amount = discount_value"
        " ELSE discount_value BETWEEN 0 AND 100 END",
        name="discount_amount",
    ),
)
index_orders(invoices, "due_date")
index(invoices, "client_id", "created_at", "id")
index(invoices, "status", "created_at", "id")
index(invoices, "issue_date", "id")
index_by_parent(invoices, "created_by_user_id", "created_at", "id")

invoice_lines = tenant_table(
    "invoice_lines",
    "A line of an invoice.",
    foreign_key("invoice_id", "invoices.id", "The invoice.", nullable=False),
    number_column("position", "Position on the invoice; lines are sorted by it.", nullable=False),
    enum_column("kind", InvoiceLineKind, "What the line charges for."),
    erased_mention(
        text_column("description", "Description of the work or goods.\nThe customer sees it.", nullable=False)
    ),
    foreign_key("project_id", "projects.id", "Id of the project."),
    foreign_key("task_id", "tasks.id", "Id of the task."),
    mention_column("user_id", "Id of the person who did the work."),
    decimal_column("quantity", "Number of units."),
    enum_column("unit", InvoiceLineUnit, "Unit of the quantity."),
    number_column("duration_seconds", "Time charged for.\nIt is not rounded as the quantity is.", kind=BigInteger),
    decimal_column("unit_price", "Price per unit, four decimals."),
    amount_column(
        "amount",
        "Amount, with the decimals of the currency.\nIt is quantity * unit_price, rounded once.",
        currency_of="invoice_id",
        rounded=Exact("quantity * unit_price", "{row}.quantity * {row}.unit_price"),
    ),
    flag_column("is_taxed", "Whether taxes apply to the line.", default=True),
    decimal_column("tax_percent", "Tax rate in percent.", nullable=True),
    CheckConstraint("duration_seconds >= 0", name="duration"),
    natural_key=("invoice_id", "position"),
    order=("invoice_id", "position", "id"),
    is_polled=False,
    is_small=True,
)
index(invoice_lines, "project_id", "invoice_id", postgresql_where=text("project_id IS NOT NULL"))
for parent in "task_id", "user_id":
    index_by_parent(invoice_lines, parent, "invoice_id")

invoice_taxes = tenant_table(
    "invoice_taxes",
    "A tax of an invoice.",
    foreign_key("invoice_id", "invoices.id", "The invoice.", nullable=False),
    number_column("position", "Order of the taxes.", nullable=False),
    text_column("name", "Name of the tax.\nThe customer sees it.", nullable=False, is_name=True),
    decimal_column("percent", "Tax rate in percent.\nIt is of the taxed amount."),
    amount_column("amount", "Amount, with the decimals of the currency.", currency_of="invoice_id"),
    natural_key=("invoice_id", "position"),
    order=("invoice_id", "position", "id"),
    is_polled=False,
)
