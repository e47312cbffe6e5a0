"""Enumerations of pay, payments and payables."""

from db.tables.payroll import (
    OneTimePaymentType,
    PayableKind,
    PayableStatus,
    PaymentMethod,
    PaymentStatus,
    PayPeriod,
    PayType,
)
from schema.enums.declaration import enumeration

enumeration(
    OneTimePaymentType,
    "Type of a one-time payment.",
    bonus="Bonus.",
    commission="Commission on sales.",
    reimbursement="Reimbursement of expenses.",
    advance="Advance on later pay.",
    allowance="Allowance, such as for travel.",
    adjustment="Correction of earlier pay.",
    deduction="Deduction; its amount is negative.",
    fixed_salary="Fixed salary of a period.",
    other="Any other payment.",
)
enumeration(
    PayPeriod,
    "Pay period of a member.",
    weekly="One week.",
    biweekly="Two weeks.",
    semimonthly="Half a month.",
    monthly="One month.",
)
enumeration(
    PayType,
    "Pay type of a member: hourly, fixed per period, or none.",
    hourly="Paid by the hour.",
    fixed="Paid a fixed amount per pay period.",
    none="Not paid through the organization.",
)
enumeration(
    PayableKind,
    "Kind of a payable.",
    hourly="Time at the hourly rate.",
    fixed="Fixed pay of the period.",
    overtime="Overtime.",
    leave="Paid leave; `source_id` is the leave application.",
    one_time="One-time payment; `source_id` is that payment.",
    adjustment="Correction of an earlier payable.",
)
enumeration(
    PayableStatus,
    "Status of a payable.",
    open="Not approved yet.",
    approved="Approved, and not paid yet.",
    partially_paid="Paid in part.",
    paid="Paid in full.",
    void="Voided; nothing is owed.",
)
enumeration(
    PaymentMethod,
    "Payment method.",
    bank_transfer="Bank transfer.",
    paypal="PayPal.",
    wise="Wise.",
    payoneer="Payoneer.",
    payroll="With the regular pay of a payroll provider.",
    cash="Cash.",
    other="Any other method.",
)
enumeration(
    PaymentStatus,
    "Status of a payment.",
    pending="Not started.",
    processing="Started, and not finished.",
    paid="Paid.",
    failed="The payment failed.",
    cancelled="Cancelled before it was paid.",
    refunded="Paid, and paid back.",
)
