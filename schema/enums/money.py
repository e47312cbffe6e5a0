"""Enumerations of invoices."""

from db.tables.money import DiscountType, InvoiceLineKind, InvoiceLineUnit, InvoiceStatus
from schema.enums.declaration import enumeration

enumeration(
    DiscountType,
    "Type of a discount: percent or amount.",
    none="There is no discount.",
    percent="A percentage of the subtotal.",
    amount="An amount in the currency of the invoice.",
)
enumeration(
    InvoiceLineKind,
    "What an invoice line charges for.",
    time="Time that was worked.",
    fixed="A fixed price.",
    expense="An expense that the client pays back.",
    other="Anything else.",
)
enumeration(
    InvoiceLineUnit,
    "Unit of a quantity on an invoice.",
    hour="Hours.",
    day="Days.",
    item="Pieces.",
)
enumeration(
    InvoiceStatus,
    "Status of an invoice.",
    draft="Not sent yet; it may still change.",
    sent="Sent to the client.",
    viewed="Viewed by the client.",
    partially_paid="Paid in part.",
    paid="Paid in full.",
    void="Voided; nothing is owed.",
)
