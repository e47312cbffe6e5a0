"""What can be asked about money: invoices. What members are paid is reached from a member (see `schema.payroll`)."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.money import DiscountType, InvoiceLineKind, InvoiceLineUnit, InvoiceStatus
from resolvers import money as billing
from resolvers import work
from resolvers.amounts import amount_of, exact_of
from schema.page import Page, told
from schema.scalars import Amount, Factor, Quantity, Seconds
from schema.work import Client, Project, Task

strawberry.enum(DiscountType, description="How a discount is meant.")
strawberry.enum(InvoiceLineKind, description="What a line of an invoice charges for.")
strawberry.enum(InvoiceLineUnit, description="In what a quantity is counted.")
strawberry.enum(InvoiceStatus, description="Where an invoice stands.")


@strawberry.type(description="A tax on an invoice.")
class InvoiceTax:
    name: str = told("Its name.")
    percent: Factor = told("Its rate in per cent.", exact_of("percent"))
    amount: Amount = told("What it adds, with the digits of the currency.", amount_of("amount"))


@strawberry.type(description="A line of an invoice.")
class InvoiceLine:
    id: UUID = told("Its id.")
    position: int = told("Its place on the invoice.")
    kind: InvoiceLineKind = told("What it charges for.")
    description: str = told("What was done or delivered.")
    project_id: UUID | None = told("The project.")
    task_id: UUID | None = told("The task.")
    user_id: UUID | None = told("Who did the work.")
    quantity: Quantity = told("How many units.", exact_of("quantity"))
    unit: InvoiceLineUnit = told("In what the quantity is counted.")
    duration_seconds: Seconds | None = told("The time it charges for.")
    unit_price: Amount = told("Price of one unit, with four decimals.")
    amount: Amount = told("What it adds, with the digits of the currency.", amount_of("amount"))
    is_taxed: bool = told("Whether taxes apply.")
    tax_percent: Factor | None = told("Rate of the tax in per cent.", exact_of("tax_percent"))
    project: Project | None = told("The project.", work.project_of)
    task: Task | None = told("The task.", work.task_of)


@strawberry.type(description="An invoice to a client. Its lines add up to the subtotal.")
class Invoice:
    id: UUID = told("Its id.")
    number: str = told("Its number, unique in the organization.")
    client_id: UUID = told("To whom it goes.")
    client_name: str = told("Name of the client.", work.client_name_of)
    project_ids: list[UUID] = told("Projects that its lines are about, sorted.", billing.project_ids)
    status: InvoiceStatus = told("Where it stands.")
    is_overdue: bool = told(
        "Whether something is owed and the due date has passed in the organization's zone; does not move updated_at.",
        billing.is_overdue,
    )
    currency: str = told("ISO 4217 code of all its amounts.")
    issue_date: date = told("The day it bears.")
    due_date: date | None = told("The last day to pay.")
    period_start: date | None = told("First day that it charges for.")
    period_end: date | None = told("Last day that it charges for, inclusive.")
    subtotal: Amount = told("Sum of its lines.", amount_of("subtotal"))
    discount_type: DiscountType = told("How the discount is meant.")
    discount_value: Amount | None = told("The discount: per cent, or an amount.", billing.discount_value)
    discount_amount: Amount = told("What the discount takes off.", amount_of("discount_amount"))
    tax_amount: Amount = told("What its taxes add.", amount_of("tax_amount"))
    taxes: list[InvoiceTax] = told("Its taxes.", billing.taxes)
    total: Amount = told("subtotal - discount_amount + tax_amount.", amount_of("total"))
    amount_paid: Amount = told("What was paid.", amount_of("amount_paid"))
    amount_due: Amount = told("total - amount_paid; negative when too much was paid.", amount_of("amount_due"))
    purchase_order: str | None = told("The client's order.")
    reference: str | None = told("The client's reference.")
    notes: str | None = told("A note to the client.")
    terms: str | None = told("Terms of payment.")
    sent_at: datetime | None = told("When it was sent.")
    viewed_at: datetime | None = told("When the client first saw it.")
    paid_at: datetime | None = told("When it was paid in full.")
    voided_at: datetime | None = told("When it was declared void.")
    created_by_user_id: UUID | None = told("Who wrote it.")
    public_url: str | None = told("Where the client can see it.")
    line_items_count: int = told("Its lines.", billing.line_items_count)
    external_id: str | None = told("Its id in another system.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    line_items: list[InvoiceLine] = told("Its lines, by position.", billing.line_items)
    client: Client = told("To whom it goes.", work.client_of)


@strawberry.type
class MoneyQuery:
    invoices: Page[Invoice] = told("Invoices.", billing.list_invoices)
    invoice: Invoice = told("One invoice.", billing.invoice)
