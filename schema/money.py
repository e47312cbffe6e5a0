"""What can be asked about money: invoices. What members are paid is reached from a member (see `schema.payroll`)."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.money import DiscountType, InvoiceLineKind, InvoiceLineUnit, InvoiceStatus
from resolvers import money as billing
from resolvers import work
from resolvers.amounts import amount_of, exact_of
from schema.page import Page, field
from schema.scalars import Amount, Factor, Quantity, Seconds
from schema.work import Client, Project, Task

strawberry.enum(DiscountType, description="How a discount is meant.")
strawberry.enum(InvoiceLineKind, description="What a line of an invoice charges for.")
strawberry.enum(InvoiceLineUnit, description="In what a quantity is counted.")
strawberry.enum(InvoiceStatus, description="Where an invoice stands.")


@strawberry.type(description="A tax on an invoice.")
class InvoiceTax:
    name: str = field("Its name.")
    percent: Factor = field("Its rate in per cent.", exact_of("percent"))
    amount: Amount = field("What it adds, with the digits of the currency.", amount_of("amount"))


@strawberry.type(description="A line of an invoice.")
class InvoiceLine:
    id: UUID = field("Its id.")
    position: int = field("Its place on the invoice.")
    kind: InvoiceLineKind = field("What it charges for.")
    description: str = field("What was done or delivered.")
    project_id: UUID | None = field("The project.")
    task_id: UUID | None = field("The task.")
    user_id: UUID | None = field("Who did the work.")
    quantity: Quantity = field("How many units.", exact_of("quantity"))
    unit: InvoiceLineUnit = field("In what the quantity is counted.")
    duration_seconds: Seconds | None = field("The time it charges for.")
    unit_price: Amount = field("Price of one unit, with four decimals.")
    amount: Amount = field("What it adds, with the digits of the currency.", amount_of("amount"))
    is_taxed: bool = field("Whether taxes apply.")
    tax_percent: Factor | None = field("Rate of the tax in per cent.", exact_of("tax_percent"))
    project: Project | None = field("The project.", work.project_of)
    task: Task | None = field("The task.", work.task_of)


@strawberry.type(description="An invoice to a client. Its lines add up to the subtotal.")
class Invoice:
    id: UUID = field("Its id.")
    number: str = field("Its number, unique in the organization.")
    client_id: UUID = field("To whom it goes.")
    client_name: str = field("Name of the client.", work.client_name_of)
    project_ids: list[UUID] = field("Projects that its lines are about, sorted.", billing.project_ids)
    status: InvoiceStatus = field("Where it stands.")
    is_overdue: bool = field(
        "Whether something is owed and the due date has passed in the organization's zone; does not move updated_at.",
        billing.is_overdue,
    )
    currency: str = field("ISO 4217 code of all its amounts.")
    issue_date: date = field("The day it bears.")
    due_date: date | None = field("The last day to pay.")
    period_start: date | None = field("First day that it charges for.")
    period_end: date | None = field("Last day that it charges for, inclusive.")
    subtotal: Amount = field("Sum of its lines.", amount_of("subtotal"))
    discount_type: DiscountType = field("How the discount is meant.")
    discount_value: Amount | None = field("The discount: per cent, or an amount.", billing.discount_value)
    discount_amount: Amount = field("What the discount takes off.", amount_of("discount_amount"))
    tax_amount: Amount = field("What its taxes add.", amount_of("tax_amount"))
    taxes: list[InvoiceTax] = field("Its taxes.", billing.taxes)
    total: Amount = field("subtotal - discount_amount + tax_amount.", amount_of("total"))
    amount_paid: Amount = field("What was paid.", amount_of("amount_paid"))
    amount_due: Amount = field("total - amount_paid; negative when too much was paid.", amount_of("amount_due"))
    purchase_order: str | None = field("The client's order.")
    reference: str | None = field("The client's reference.")
    notes: str | None = field("A note to the client.")
    terms: str | None = field("Terms of payment.")
    sent_at: datetime | None = field("When it was sent.")
    viewed_at: datetime | None = field("When the client first saw it.")
    paid_at: datetime | None = field("When it was paid in full.")
    voided_at: datetime | None = field("When it was declared void.")
    created_by_user_id: UUID | None = field("Who wrote it.")
    public_url: str | None = field("Where the client can see it.")
    line_items_count: int = field("Its lines.", billing.line_items_count)
    external_id: str | None = field("Its id in another system.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    line_items: list[InvoiceLine] = field("Its lines, by position.", billing.line_items)
    client: Client = field("To whom it goes.", work.client_of)


@strawberry.type
class MoneyQuery:
    invoices: Page[Invoice] = field("Invoices.", billing.list_invoices)
    invoice: Invoice = field("One invoice.", billing.invoice)
