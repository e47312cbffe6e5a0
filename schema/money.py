"""GraphQL types of invoices, and queries of invoices and payroll, whose types are in `schema.payroll`."""

from datetime import date, datetime
from uuid import UUID

from db.tables.money import DiscountType, InvoiceLineKind, InvoiceLineUnit, InvoiceStatus
from resolvers import money as billing
from resolvers import payroll, people, work
from schema.fields import Node, Page, audit_times, by_id, by_ids, field, listed, object_type, totals
from schema.payroll import AmountTotal, HourlyPaymentLog, OneTimePaymentLog, PaidTotal, Payable, PaymentSetting
from schema.people import Member, person_who
from schema.scalars import Amount, Factor, Quantity, Seconds
from schema.work import Client, Project, Task


@object_type("A tax on an invoice.")
class InvoiceTax:
    name: str = field("Name of the tax.")
    percent: Factor = field("Tax rate in percent.")
    amount: Amount = field("Amount, with the decimals of the currency.")


@object_type("A line of an invoice.")
class InvoiceLine(Node):
    position: int = field("Position on the invoice; lines are sorted by it.")
    kind: InvoiceLineKind = field("What the line charges for.")
    description: str = field("Description of the work or goods.")
    project_id: UUID | None = field("Id of the project.")
    task_id: UUID | None = field("Id of the task.")
    user_id: UUID | None = field("Id of the person who did the work.")
    quantity: Quantity = field("Number of units.")
    unit: InvoiceLineUnit = field("Unit of the quantity.")
    duration_seconds: Seconds | None = field("Time charged for.")
    unit_price: Amount = field("Price per unit, four decimals.")
    amount: Amount = field("Amount, with the decimals of the currency.")
    is_taxed: bool = field("Whether taxes apply to the line.")
    tax_percent: Factor | None = field("Tax rate in percent.")
    project: Project | None = field("Project that the line charges for.", work.project_of)
    task: Task | None = field("Task that the line charges for.", work.task_of)
    user: Member | None = field("The person who did the work.", people.user_of)


@object_type("An invoice to a client. The amounts of the lines add up to the subtotal.")
class Invoice(Node):
    number: str = field("Invoice number, unique in the organization.")
    client_id: UUID = field("Id of the client.")
    client_name: str = field("Name of the client.", work.clients_by_id.of("client_id", "name"))
    project_ids: list[UUID] = field("Ids of the projects on the lines, sorted.", billing.project_ids)
    projects: list[Project] = field(
        "The projects on the lines, in the order of project_ids.", billing.projects_of_invoice
    )
    status: InvoiceStatus = field("Status of the invoice.")
    is_overdue: bool = field(
        "Whether the invoice was sent, amount_due is positive, and the due date has passed in the organization's time "
        "zone; false for draft, paid and void invoices. A change of it does not change updated_at.",
        billing.is_overdue,
    )
    currency: str = field("Currency of all amounts of the invoice, ISO 4217 code.")
    issue_date: date = field("Day of the invoice.")
    due_date: date | None = field("Day by which the client should pay.")
    period_start: date | None = field("First day charged for.")
    period_end: date | None = field("Last day charged for, inclusive.")
    subtotal: Amount = field("Sum of the lines.")
    discount_type: DiscountType = field("Type of the discount: percent or amount.")
    discount_value: Amount | None = field(
        "Discount: a percentage or an amount, as discount_type says; null if there is none."
    )
    discount_amount: Amount = field("Discount in money.")
    tax_amount: Amount = field("Sum of the taxes.")
    taxes: list[InvoiceTax] = field("Taxes of the invoice, by position.", billing.taxes)
    total: Amount = field("Amount of the invoice: subtotal - discount_amount + tax_amount.")
    amount_paid: Amount = field("Amount that the client has paid.")
    amount_due: Amount = field("Amount still to be paid: total - amount_paid; negative if overpaid.")
    purchase_order: str | None = field("Number of the client's purchase order.")
    reference: str | None = field("The client's own reference for the invoice.")
    notes: str | None = field("Note to the client.")
    terms: str | None = field("Terms of payment.")
    sent_at: datetime | None = field("Time when it was sent; null until then.")
    viewed_at: datetime | None = field("Time when the client first viewed it; null until then.")
    paid_at: datetime | None = field("Time when it was paid in full; null until then.")
    voided_at: datetime | None = field("Time when it was voided; null unless it was.")
    created_by_user_id, created_by = person_who("created the invoice", "created_by_user_id")
    public_url: str | None = field("Public URL of the invoice for the client; null if there is none.")
    line_items_count: int = field("Number of lines.", billing.line_items_count)
    external_id: str | None = field("Id of the row in an external system.")
    created_at, updated_at, deleted_at = audit_times()
    line_items: list[InvoiceLine] = field("Lines, by position.", billing.line_items)
    client: Client = field("The client who is invoiced.", work.client_of)


@object_type()
class MoneyQuery:
    invoices = listed("Invoices", billing.INVOICES)
    invoice_totals = totals(AmountTotal, "Sums of the invoices", billing.INVOICES)
    payable_totals = totals(AmountTotal, "Sums of the payables", payroll.PAYABLES)
    hourly_payment_totals = totals(PaidTotal, "Sums of the hourly payments", payroll.HOURLY_LOGS)
    one_time_payment_totals: list[PaidTotal] | None = field(
        "Sums of the one-time payments of the same arguments, by currency; deductions are negative.",
        payroll.ONE_TIME_LOGS.totals_of(),
    )
    invoice: Invoice | None = field("One invoice.", billing.invoice)
    invoices_by_id = by_ids(Invoice, billing.invoices_by_id)
    invoice_line, invoice_lines_by_id = by_id(
        InvoiceLine, billing.invoice_lines_by_id, "line of an invoice", "Lines of invoices"
    )
    payables: Page[Payable] | None = field(
        f"Amounts owed to members, also to those who left{payroll.PAYABLES.description} Without `user_id`, "
        "`updated_since` may be at most 31 days ago.",
        payroll.PAYABLES.of(),
    )
    hourly_payment_logs = listed("Hourly payments to members, also to those who left", payroll.HOURLY_LOGS)
    one_time_payment_logs = listed("One-time payments to members, also to those who left", payroll.ONE_TIME_LOGS)
    payment_setting, payment_settings_by_id = by_id(PaymentSetting, payroll.settings_by_id)
    hourly_payment_log, hourly_payment_logs_by_id = by_id(HourlyPaymentLog, payroll.hourly_logs_by_id)
    one_time_payment_log, one_time_payment_logs_by_id = by_id(OneTimePaymentLog, payroll.one_time_logs_by_id)
    payable, payables_by_id = by_id(Payable, payroll.PAYABLES)
