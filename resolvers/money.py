"""Resolvers of invoices, with their lines and taxes."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Date, Integer, Table, Text, and_, case, cast, false, func, select

from db.reading.connection import Row
from db.tables.columns import bind, constant, in_organization
from db.tables.money import DiscountType, InvoiceStatus, invoice_lines, invoice_taxes, invoices
from resolvers.context import Context
from resolvers.errors import NotFound
from resolvers.lists.filters import exactly, flag, identifiers, linked, one_of
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import FIRST, LAST, TODAY, DateRange, Filter, Link
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import days_overdue
from resolvers.period import today_of
from resolvers.relations.live import is_live
from resolvers.relations.nodes import distinct_ids, grouped_by, id_argument, rows_by_id
from resolvers.relations.relation import Relation, any_key
from resolvers.steps.batch import batched, query_field
from resolvers.steps.related_row import RowByKey
from resolvers.values.amounts import amount_text, columns_of, decimal_number, decimal_text, rounded_amount
from resolvers.work import projects_by_id

# A client owes invoices that were sent, and are neither paid nor void.
_OWED = [InvoiceStatus.partially_paid, InvoiceStatus.sent, InvoiceStatus.viewed]
# What is due is compared as it is shown: 0.00 is not owed, even if the amounts are stored finer than the currency.
_DUE = rounded_amount(invoices.c.total - invoices.c.amount_paid, invoices.c.currency)
_IS_OWED = and_(invoices.c.status.in_(_OWED), constant(0) < _DUE)
# An invoice without a due date is not overdue; without coalesce it would be null.
IS_OVERDUE = and_(_IS_OWED, func.coalesce(invoices.c.due_date < TODAY, false()))
_days_overdue = case((IS_OVERDUE, TODAY - invoices.c.due_date))

_DISCOUNT = case(
    (
        invoices.c.discount_type == constant(DiscountType.amount.value),
        rounded_amount(invoices.c.discount_value, invoices.c.currency),
    ),
    else_=decimal_number(invoices.c.discount_value),
)
INVOICE_COLUMNS = columns_of(
    invoices,
    discount_value=cast(_DISCOUNT, Text),
    amount_due=amount_text(invoices.c.total - invoices.c.amount_paid, invoices.c.currency),
    is_owed=_IS_OWED,
    days_to_pay=cast(func.timezone("UTC", invoices.c.paid_at), Date) - invoices.c.issue_date,
)

invoices_by_id = rows_by_id(invoices, INVOICE_COLUMNS, "Invoice")

_summaries = grouped_by(
    invoice_lines.c.invoice_id, line_items_count=func.count(), project_ids=distinct_ids(invoice_lines.c.project_id)
)
line_items_count = _summaries.of("id", "line_items_count", default=0)
project_ids = _summaries.of("id", "project_ids", default=())
projects_of_invoice = projects_by_id.of_ids("id", _summaries, "project_ids")

# Amounts of lines and taxes are in the currency of their invoice.
INVOICE_LINE = columns_of(
    invoice_lines, decimals=["quantity", "tax_percent"], amount=amount_text(invoice_lines.c.amount, invoices.c.currency)
)


def _by_position(table: Table, columns: Sequence[ColumnElement[Any]]) -> Relation:
    """The lines or taxes of invoices, with columns of both tables."""
    return Relation(
        table.c.invoice_id,
        select(*columns)
        .select_from(table.join(invoices, invoices.c.id == table.c.invoice_id))
        # The keys restrict both tables; otherwise PostgreSQL might read all invoices.
        .where(in_organization(table), in_organization(invoices))
        .where(invoices.c.id == any_key(), table.c.invoice_id == any_key(), table.c.deleted_at.is_(None))
        .order_by(table.c.position, table.c.id),
        many=True,
    )


line_items = _by_position(invoice_lines, INVOICE_LINE).of("id")
invoice_lines_by_id = Relation(
    invoice_lines.c.id,
    select(*INVOICE_LINE, and_(is_live(invoice_lines), is_live(invoices)).label("is_live"))
    .select_from(invoice_lines.join(invoices, invoices.c.id == invoice_lines.c.invoice_id))
    .where(in_organization(invoice_lines), in_organization(invoices)),
    noun="Invoice line",
)

taxes = _by_position(
    invoice_taxes,
    [
        invoice_taxes.c.name,
        decimal_text(invoice_taxes.c.percent).label("percent"),
        amount_text(invoice_taxes.c.amount, invoices.c.currency).label("amount"),
    ],
).of("id")

LINE_OF_PROJECT, LINE_OF_TASK, LINE_OF_MEMBER = (
    Link(invoice_lines.c.invoice_id, invoice_lines.c[parent], invoices.c.id)
    for parent in ("project_id", "task_id", "user_id")
)
INVOICES = Listing(
    invoices,
    INVOICE_COLUMNS,
    description=", by creation. `start_date` and `end_date` select by issue_date.",
    resource="money.Invoice",
    filters=[
        identifiers(invoices.c.id, "invoices"),
        exactly(invoices.c.client_id, "Only invoices to this client."),
        linked(LINE_OF_PROJECT, "Only invoices with a line for this project."),
        one_of(invoices.c.status, "Only these statuses."),
        flag(
            IS_OVERDUE,
            "Only invoices that are (true) or are not (false) overdue; draft, paid and void ones never are.",
            name="is_overdue",
        ),
        exactly(invoices.c.number, "Only the invoice with this number."),
        Filter(
            name="currency",
            type=str,
            where=invoices.c.currency == func.upper(bind("currency", Text())),
            description="Only invoices in this currency, ISO 4217 code.",
        ),
    ],
    date_range=DateRange(where=invoices.c.issue_date.between(FIRST, LAST), is_local=False),
    computed={"days_overdue": _days_overdue},
)
INVOICE_TOTALS = Groups(
    INVOICES,
    {
        "amount": INVOICES.columns_by_name["total"],
        **{name: INVOICES.columns_by_name[name] for name in ("amount_paid", "amount_due", "subtotal", "tax_amount")},
        "days_overdue": _days_overdue,
        "days_to_pay": INVOICES.columns_by_name["days_to_pay"],
    },
    day=invoices.c.issue_date,
    by=["currency"],
    more={"is_overdue": IS_OVERDUE},
    shares={"overdue_percent": (cast(IS_OVERDUE, Integer), constant(1))},
)


@query_field(id_argument("Invoice"), of=RowByKey, rows=invoices_by_id)
async def invoice(context: Context, arguments: Mapping[str, Any]) -> Row:
    """An invoice that is not deleted. The day on which it is overdue or not is read in the same round trip."""
    row, _ = await asyncio.gather(invoices_by_id.load_live(context, arguments["id"]), today_of(context))
    if row is None:
        raise NotFound("Invoice")
    return row


@batched("is_owed", "due_date")
async def is_overdue(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[bool]:
    """Whether an invoice is owed, and its due date is before today in the organization's zone."""
    today = await today_of(context)
    return [row.is_owed and row.due_date is not None and row.due_date < today for row in rows]


days_overdue_of_invoice = days_overdue("is_owed")
