"""Amounts that an import refuses: file, line and values of each. What is stored already is not refused.

Covers `db/jobs/importing/amount_checks.py`.
"""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from tests.db.jobs.importing.conftest import Import, Refused

Values = dict[str, str | None]

UNLIKE = "is not the sum of the invoice lines"

PERSON: Values = {"user_email": "ada@example.com"}
PERIOD: Values = {"period_start": "2026-03-02", "period_end": "2026-03-08"}


@pytest.fixture(autouse=True)
def ada(merge: Import) -> None:
    member = {"email": "ada@example.com", "full_name": "Ada Byron"}
    merge(members=[member], clients=[{"external_id": "c", "name": "Globex"}])


def invoice(subtotal: str, **values: str) -> Values:
    given = {"number": "1", "client_external_id": "c", "issue_date": "2026-03-02", "currency": "EUR"}
    return {**given, "subtotal": subtotal, "total": subtotal, **values}


def line(position: int, amount: str, **values: str) -> Values:
    given = {"invoice_number": "1", "position": str(position), "kind": "time", "description": "Work"}
    return {**given, "quantity": "1", "unit": "item", "unit_price": amount, "amount": amount, **values}


def tax(position: int, amount: str) -> Values:
    return {"invoice_number": "1", "position": str(position), "name": "VAT", "percent": "20", "amount": amount}


def payable(**values: str) -> Values:
    return {**PERSON, **PERIOD, "external_id": "p", "kind": "hourly", **values}


SECONDS: Values = {"tracked_seconds": "1800", "paid_seconds": "1800"}
PAYMENT: Values = {**PERSON, **PERIOD, **SECONDS, "external_id": "h", "hourly_rate": "20", "amount": "7.60"}
PAYMENT_LINE: Values = {"external_id": "l", "log_external_id": "h", "date": "2026-03-02", "paid_seconds": "1800"}
PAYMENT_LINE |= {"rate": "20", "amount": "7.60"}


# Each column of amounts is compared by the same statement; their currencies are those of the row, or of its invoice.
FINER: list[tuple[dict[str, Any], str]] = [
    ({"invoices": [invoice("10.005")]}, 'invoices.csv:2: subtotal "10.005" {}, EUR has 2: round it'),
    ({"invoices": [invoice("100.4", currency="JPY")]}, 'invoices.csv:2: subtotal "100.4" {}, JPY has 0: round it'),
    ({"invoices": [invoice("1.0004", currency="KWD")]}, 'invoices.csv:2: subtotal "1.0004" {}, KWD has 3: round it'),
    (
        {"invoices": [invoice("10", discount_type="amount", discount_value="0.001", discount_amount="0.001")]},
        'invoices.csv:2: discount_amount "0.001" {}, EUR has 2: round it',
    ),
    (
        {"invoices": [invoice("2")], "invoice_lines": [line(1, "0.995"), line(2, "1.005")]},
        'invoice_lines.csv:2: amount "0.995" {}, EUR has 2: round it',
    ),
    ({"payables": [payable(amount="1.5", currency="JPY")]}, 'payables.csv:2: amount "1.5" {}, JPY has 0: round it'),
]


@pytest.mark.parametrize(("tables", "expected"), FINER, ids=[expected.split('"')[0] for _, expected in FINER])
def test_amount_finer_than_its_currency_is_refused(tables: dict[str, Any], expected: str, refused: Refused) -> None:
    assert expected.format("has more decimals than its currency") in refused(**tables)


FITTING: list[dict[str, Any]] = [
    {
        "invoices": [
            invoice("90.10", discount_type="percent", discount_value="12.345", discount_amount="11.12", total="78.98")
        ],
        "invoice_lines": [line(1, "100.1000"), line(2, "-10"), line(3, "7.7777", deleted_at="2026-03-03T00:00:00Z")],
    },
    {
        "invoices": [invoice("3.000", currency="KWD", tax_amount="0.003", total="3.003", amount_paid="3.003")],
        "invoice_lines": [line(1, "1.001", unit_price="1.0005"), line(2, "1.999")],
        "invoice_taxes": [tax(1, "0.001"), tax(2, "0.002")],
    },
    {"invoices": [invoice("-50", amount_paid="-50")], "invoice_lines": [line(1, "-50")]},
    {"invoices": [invoice("55.55", amount_paid="10")]},
    {"payables": [payable(amount="-20.5", amount_paid="-20", currency="EUR")]},
]


@pytest.mark.parametrize("tables", FITTING, ids=[" ".join(tables) for tables in FITTING])
def test_fitting_amounts_are_imported(tables: dict[str, Any], merge: Import) -> None:
    assert {key: each[0] for key, each in merge(**tables).items()} == {key: len(rows) for key, rows in tables.items()}


def test_lines_unlike_the_subtotal_are_refused(refused: Refused) -> None:
    lines = [line(1, "50"), line(2, "5.55")]
    assert refused(invoices=[invoice("100")], invoice_lines=lines) == [
        'invoices.csv:2: subtotal "100" is not the sum of the invoice lines, 55.55'
    ]
    taxed = invoice("55.55", tax_amount="11", total="66.55")
    assert refused(invoices=[taxed], invoice_lines=lines, invoice_taxes=[tax(1, "11.11")]) == [
        'invoices.csv:2: tax_amount "11" is not the sum of the invoice taxes, 11.11'
    ]


def test_sum_counts_stored_lines_unless_replaced(refused: Refused, merge: Import) -> None:
    merge(invoices=[invoice("55.55")], invoice_lines=[line(1, "50"), line(2, "5.55")])
    reason = "with the other invoice lines does not make the subtotal of the invoice, 56 instead of 55.55"
    assert refused(invoice_lines=[line(2, "6")]) == [f'invoice_lines.csv:2: amount "6" {reason}']
    assert refused(invoices=[invoice("60")]) == [f'invoices.csv:2: subtotal "60" {UNLIKE}, 55.55']
    assert merge(invoices=[invoice("56")], invoice_lines=[line(2, "6")])["invoice_lines"] == (0, 1, 0)
    assert merge(invoices=[invoice("7")], invoice_lines=[line(1, "7")], replace=True)["invoice_lines"] == (0, 1, 1)


GONE = {"deleted_at": "2026-03-03T00:00:00Z"}


def test_sum_of_deleted_moved_and_restored_lines_is_compared(refused: Refused, merge: Import) -> None:
    a, b = ({"external_id": each} for each in ("a", "b"))
    merge(invoices=[invoice("10"), invoice("9", number="2")], invoice_lines=[line(1, "6", **a), line(2, "4", **b)])
    reason = "with the other invoice lines does not make the subtotal of the invoice"
    deleted, moved = line(2, "4", **b, **GONE), line(2, "4", **b) | {"invoice_number": "2"}
    assert refused(invoice_lines=[deleted]) == [f'invoice_lines.csv:2: amount "4" {reason}, 6 instead of 10']
    assert refused(invoice_lines=[moved]) == [
        f'invoice_lines.csv:2: amount "4" {reason}, 4 instead of 9',
        f'invoice_lines.csv:2: amount "4" {reason}, 6 instead of 10',
    ]
    merge(invoices=[invoice("10", **GONE)])
    assert refused(invoices=[invoice("11")]) == [f'invoices.csv:2: subtotal "11" {UNLIKE}, 10']
    merge(invoices=[invoice("10")])
    assert merge(invoice_lines=[line(1, "6", **a, **GONE), deleted])["invoice_lines"] == (0, 0, 2)
    assert refused(invoice_lines=[line(1, "6", **a)]) == [f'invoice_lines.csv:2: amount "6" {reason}, 6 instead of 10']


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ({"invoice_lines": [line(1, "10.5") | {"quantity": "2"}]}, 'amount "10.5" is not quantity * unit_price, 21'),
        (
            {
                "invoices": [
                    invoice("10.5", discount_type="percent", discount_value="10", discount_amount="2", total="8.5")
                ]
            },
            'discount_amount "2" is not discount_value percent of the subtotal, 1.05',
        ),
        ({"invoices": [invoice("10", currency="JPY")]}, 'currency "JPY" has fewer decimals than the invoice lines'),
        (
            {"hourly_payment_logs": [PAYMENT], "hourly_payment_lines": [PAYMENT_LINE]},
            'amount "7.60" is not paid_seconds at the rate, 10',
        ),
    ],
)
def test_amount_unlike_what_it_is_computed_from_is_refused(
    tables: dict[str, Any], expected: str, refused: Refused, merge: Import
) -> None:
    merge(invoices=[invoice("10.5")], invoice_lines=[line(1, "10.5")])
    assert expected in refused(**tables)[0]


def test_amount_that_is_finer_is_refused_when_its_row_is_restored(refused: Refused, merge: Import) -> None:
    merge(payables=[payable(amount="10.005", currency="EUR", **GONE)])
    assert refused(payables=[payable(amount="10.005", currency="EUR")]) == [
        'payables.csv:2: amount "10.005" has more decimals than its currency, EUR has 2: round it'
    ]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ({"invoices": [invoice("10", amount_paid="10.01")]}, 'invoices.csv:2: amount_paid "10.01" {} total, 10'),
        ({"invoices": [invoice("-10", amount_paid="5")]}, 'invoices.csv:2: amount_paid "5" {} total, -10'),
        (
            {"payables": [payable(amount="20", amount_paid="20.5", currency="EUR")]},
            'payables.csv:2: amount_paid "20.5" {} amount, 20',
        ),
    ],
)
def test_paid_part_beyond_the_total_is_refused(tables: dict[str, Any], expected: str, refused: Refused) -> None:
    assert refused(**tables) == [expected.format("is not between 0 and")]


def test_paid_row_with_an_amount_due_is_refused(refused: Refused) -> None:
    rows = [invoice("10", status="paid"), invoice("20", number="2", status="paid", amount_paid="19.99")]
    sentence = 'invoices.csv:{}: amount_paid "{}" is not total, but status is paid: write {}, or another status'
    assert refused(invoices=[*rows, invoice("-5", number="3", status="paid", amount_paid="-5")]) == [
        sentence.format(2, 0, 10),
        sentence.format(3, "19.99", 20),
    ]


def test_stored_amounts_are_not_refused(merge: Import, refused: Refused, own: UUID, owner: Connection) -> None:
    merge(invoices=[invoice("100")], invoice_lines=[line(1, "100")])
    with owner.begin():
        owner.execute(text("SELECT set_config('app.organization_id', :own, true)"), {"own": str(own)})
        owner.execute(text("UPDATE invoices SET subtotal = 99.999, total = 99.999, amount_paid = 200"))
    stored = invoice("99.999", amount_paid="200")
    assert merge(invoices=[stored | {"notes": "Paid twice."}])["invoices"] == (0, 1, 0)
    assert refused(invoices=[stored | {"amount_paid": "201"}]) == [
        'invoices.csv:2: amount_paid "201" is not between 0 and total, 99.999'
    ]


def test_first_fifty_sums_are_told_with_their_values(refused: Refused) -> None:
    numbers = [str(n) for n in range(1, 161)]
    lines = refused(
        invoices=[invoice(number, number=number) for number in numbers],
        invoice_lines=[line(1, "0.5", invoice_number=number) for number in numbers],
    )
    assert 'invoices.csv:51: subtotal "50" is not the sum of the invoice lines, 0.5' in lines
    assert 'invoices.csv:52: subtotal "51" is not the sum of the invoice lines' in lines
    assert "... and 60 more: subtotal is not the sum of the invoice lines" in lines
    assert len(lines) == 101
