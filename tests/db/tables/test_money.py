"""Constraints of the invoice and payroll tables. Covers `db/tables/payroll.py`."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from psycopg import Error
from sqlalchemy.exc import IntegrityError

from tests.factories.rows import Rows

Make = Callable[..., UUID]

DAY, BEFORE = date(2026, 1, 5), date(2026, 1, 4)


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture
def customer(rows: Rows, own: UUID) -> UUID:
    return rows.client(own)


def broken(make: Make, *args: Any, **columns: Any) -> str:
    """The name of the constraint that a row breaks."""
    with pytest.raises(IntegrityError) as caught:
        make(*args, **columns)
    assert isinstance(caught.value.orig, Error)
    return str(caught.value.orig.diag.constraint_name)


@pytest.mark.parametrize(
    "sums",
    [
        {"subtotal": "100", "total": "100.0001"},
        {"subtotal": "100", "tax_amount": "20", "total": "100"},
        {"subtotal": "100", "discount_type": "amount", "discount_value": "5", "discount_amount": "5", "total": "105"},
    ],
)
def test_wrong_invoice_total_is_refused(sums: dict[str, str], rows: Rows, own: UUID, customer: UUID) -> None:
    numbers = {name: value if name == "discount_type" else Decimal(value) for name, value in sums.items()}
    assert broken(rows.invoice, own, customer, **numbers) == "invoices_total_check"


@pytest.mark.parametrize(
    ("discount", "name"),
    [
        ({"discount_value": 5}, "invoices_discount_value_check"),
        ({"discount_type": "percent"}, "invoices_discount_value_check"),
        ({"discount_type": "amount"}, "invoices_discount_value_check"),
        ({"discount_amount": 5}, "invoices_discount_amount_check"),
        ({"discount_type": "amount", "discount_value": 5, "discount_amount": 6}, "invoices_discount_amount_check"),
        ({"discount_type": "percent", "discount_value": 101}, "invoices_discount_amount_check"),
        ({"discount_type": "percent", "discount_value": -1}, "invoices_discount_amount_check"),
        ({"discount_type": "half", "discount_value": 1}, "invoices_discount_type_check"),
    ],
)
def test_discount_that_contradicts_its_type_is_refused(
    discount: dict[str, Any], name: str, rows: Rows, own: UUID, customer: UUID
) -> None:
    assert broken(rows.invoice, own, customer, subtotal=100, **discount) == name


@pytest.mark.parametrize("code", ["eur", "EURO", "EU", "", "E1R", "EUR\n"])
def test_invalid_currency_is_refused(code: str, rows: Rows, own: UUID, customer: UUID) -> None:
    person = rows.member(own)
    priced: list[tuple[Make, UUID]] = [
        (rows.invoice, customer),
        (rows.payment_setting, person),
        (rows.payable, person),
        (rows.hourly_payment_log, person),
        (rows.one_time_payment_log, person),
    ]
    for make, parent in priced:
        assert broken(make, own, parent, currency=code).endswith("_currency_fkey")


def test_end_before_start_is_refused(rows: Rows, own: UUID, customer: UUID) -> None:
    person = rows.member(own)
    spanning: list[tuple[Make, UUID]] = [
        (rows.invoice, customer),
        (rows.payable, person),
        (rows.hourly_payment_log, person),
        (rows.one_time_payment_log, person),
    ]
    for make, parent in spanning:
        assert broken(make, own, parent, period_start=DAY, period_end=BEFORE).endswith("_period_check")
    name = broken(rows.payment_setting, own, person, effective_from=DAY, effective_to=BEFORE)
    assert name == "payment_settings_effective_check"


def test_positive_deduction_is_refused(rows: Rows, own: UUID) -> None:
    person = rows.member(own)
    name = broken(rows.one_time_payment_log, own, person, type="deduction", amount=Decimal("0.01"))
    assert name == "one_time_payment_logs_deduction_check"
    rows.one_time_payment_log(own, person, type="deduction", amount=Decimal("-0.01"))
    rows.one_time_payment_log(own, person, type="adjustment", amount=Decimal("-0.01"))


def test_negative_seconds_are_refused(rows: Rows, own: UUID, customer: UUID) -> None:
    person = rows.member(own)
    log, invoice = rows.hourly_payment_log(own, person), rows.invoice(own, customer)
    for name in ("tracked_seconds", "paid_seconds", "overtime_seconds"):
        assert broken(rows.hourly_payment_log, own, person, **{name: -1}) == "hourly_payment_logs_seconds_check"
    for name in ("tracked_seconds", "payable_seconds"):
        assert broken(rows.payable, own, person, **{name: -1}) == "payables_seconds_check"
    assert broken(rows.hourly_payment_line, own, log, paid_seconds=-1) == "hourly_payment_lines_seconds_check"
    assert broken(rows.invoice_line, own, invoice, duration_seconds=-1) == "invoice_lines_duration_check"


def test_duplicate_invoice_number_is_refused(rows: Rows, own: UUID, customer: UUID) -> None:
    rows.invoice(own, customer, number="2026-1")
    assert broken(rows.invoice, own, customer, number="2026-1") == "invoices_organization_id_number_key"
    other = rows.organization()
    rows.invoice(other, rows.client(other), number="2026-1")


def test_reference_to_another_organization_is_refused(rows: Rows, own: UUID, customer: UUID) -> None:
    other = rows.organization()
    person = rows.member(own)
    invoice, log = rows.invoice(own, customer), rows.hourly_payment_log(own, person)
    pointing: list[tuple[Make, UUID, str]] = [
        (rows.invoice, customer, "invoices_organization_id_client_id_fkey"),
        (rows.invoice_line, invoice, "invoice_lines_organization_id_invoice_id_fkey"),
        (rows.invoice_tax, invoice, "invoice_taxes_organization_id_invoice_id_fkey"),
        (rows.payment_setting, person, "payment_settings_organization_id_user_id_fkey"),
        (rows.payable, person, "payables_organization_id_user_id_fkey"),
        (rows.hourly_payment_log, person, "hourly_payment_logs_organization_id_user_id_fkey"),
        (rows.hourly_payment_line, log, "hourly_payment_lines_organization_id_log_id_fkey"),
        (rows.one_time_payment_log, person, "one_time_payment_logs_organization_id_user_id_fkey"),
    ]
    for make, parent, name in pointing:
        assert broken(make, other, parent) == name
