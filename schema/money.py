"""GraphQL types of invoices, and queries of invoices and payroll, whose types are in `schema.payroll`."""

from datetime import date, datetime
from uuid import UUID

from db.tables.money import DiscountType, InvoiceLineKind, InvoiceLineUnit, InvoiceStatus
from resolvers import money as billing
from resolvers import payroll, people, work
from resolvers.lists.page_reader import PageReader
from schema.fields import Node, Page, audit_times, by_id, by_ids, field, listed, object_type
from schema.payroll import HourlyPaymentLog, OneTimePaymentLog, Payable, PaymentSetting
from schema.people import Member, person_who
from schema.scalars import Amount, Factor, Quantity, Seconds
from schema.totals import totals
from schema.work import Client, Project, Task


@object_type("A tax on an invoice.", "invoice_taxes")
class InvoiceTax:
    name: str = field()
    percent: Factor = field()
    amount: Amount = field()


@object_type("A line of an invoice.", "invoice_lines")
class InvoiceLine(Node):
    position: int = field()
    kind: InvoiceLineKind = field()
    description: str = field()
    project_id: UUID | None = field()
    task_id: UUID | None = field()
    user_id: UUID | None = field()
    quantity: Quantity = field()
    unit: InvoiceLineUnit = field()
    duration_seconds: Seconds | None = field()
    unit_price: Amount = field()
    amount: Amount = field()
    is_taxed: bool = field()
    tax_percent: Factor | None = field()
    project: Project | None = field("Project that the line charges for.", work.project_of)
    task: Task | None = field("Task that the line charges for.", work.task_of)
    user: Member | None = field(resolver=people.user_of)


@object_type("An invoice to a client. The amounts of the lines add up to the subtotal.", "invoices")
class Invoice(Node):
    number: str = field()
    client_id: UUID = field()
    client_name: str = field("Name of the client.", work.clients_by_id.of("client_id", "name"))
    project_ids: list[UUID] = field("Ids of the projects on the lines, sorted.", billing.project_ids)
    projects: list[Project] = field(
        "The projects on the lines, in the order of project_ids.", billing.projects_of_invoice
    )
    status: InvoiceStatus = field()
    is_overdue: bool = field(
        "Whether the invoice was sent, amount_due is positive, and the due date has passed in the organization's time "
        "zone; false for draft, paid and void invoices. A change of it does not change updated_at.",
        billing.is_overdue,
    )
    days_overdue: int | None = field(
        "Days from the due date of an overdue invoice to today, in the organization's time zone; null for others. A "
        "change of it does not change updated_at.",
        billing.days_overdue_of_invoice,
    )
    currency: str = field()
    issue_date: date = field()
    due_date: date | None = field()
    period_start: date | None = field()
    period_end: date | None = field()
    subtotal: Amount = field()
    discount_type: DiscountType = field()
    discount_value: Amount | None = field()
    discount_amount: Amount = field()
    tax_amount: Amount = field()
    taxes: list[InvoiceTax] = field("Taxes of the invoice, by position.", billing.taxes)
    total: Amount = field()
    amount_paid: Amount = field()
    amount_due: Amount = field(
        "Amount still to be paid: total - amount_paid; negative if overpaid. Of a draft or void invoice it is not owed."
    )
    purchase_order: str | None = field()
    reference: str | None = field()
    notes: str | None = field()
    terms: str | None = field()
    sent_at: datetime | None = field()
    viewed_at: datetime | None = field()
    paid_at: datetime | None = field()
    days_to_pay: int | None = field("Days from the issue to the full payment, in UTC; null until it is paid.")
    voided_at: datetime | None = field()
    created_by_user_id, created_by = person_who("created_by_user_id")
    public_url: str | None = field()
    line_items_count: int = field("Number of lines.", billing.line_items_count)
    external_id: str | None = field()
    created_at, updated_at, deleted_at = audit_times()
    line_items: list[InvoiceLine] = field("Lines, by position.", billing.line_items)
    client: Client = field("The client who is invoiced.", work.client_of)


@object_type()
class MoneyQuery:
    invoices = listed("Invoices", billing.INVOICES)
    invoice_totals = totals("invoices", billing.INVOICE_TOTALS)
    payable_totals = totals("payables", payroll.PAYABLE_TOTALS)
    hourly_payment_totals = totals("hourly payments", payroll.HOURLY_PAYMENT_TOTALS)
    one_time_payment_totals = totals(
        "one-time payments, of which deductions are negative,", payroll.ONE_TIME_PAYMENT_TOTALS
    )
    invoice: Invoice | None = field("One invoice.", billing.invoice)
    invoices_by_id = by_ids(Invoice, billing.invoices_by_id)
    invoice_line, invoice_lines_by_id = by_id(
        InvoiceLine, billing.invoice_lines_by_id, "line of an invoice", "Lines of invoices"
    )
    payables: Page[Payable] | None = field(
        f"Amounts owed to members, also to those who left{payroll.PAYABLES.description} Without `user_id`, "
        "`updated_since` may be at most 31 days ago.",
        PageReader(payroll.PAYABLES).step(),
    )
    hourly_payment_logs = listed("Hourly payments to members, also to those who left", payroll.HOURLY_LOGS)
    one_time_payment_logs = listed("One-time payments to members, also to those who left", payroll.ONE_TIME_LOGS)
    payment_setting, payment_settings_by_id = by_id(PaymentSetting, payroll.settings_by_id)
    hourly_payment_log, hourly_payment_logs_by_id = by_id(HourlyPaymentLog, payroll.hourly_logs_by_id)
    one_time_payment_log, one_time_payment_logs_by_id = by_id(OneTimePaymentLog, payroll.one_time_logs_by_id)
    payable, payables_by_id = by_id(Payable, payroll.payables_by_id)
