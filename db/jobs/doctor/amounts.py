"""Checks of amounts that are stored: imports refuse such rows, and other writers may have made them."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Table

from db.jobs.doctor.check import Check, Severity
from db.tables.belonging import BELONGINGS
from db.tables.columns import metadata
from db.tables.money import amount_columns, exceeds_sql, unrounded_sql
from db.tables.reference import digits_sql


def amounts() -> Iterator[Check]:
    """Checks of the decimals of amounts, of their sums, and of what was paid of them."""
    for table in metadata.sorted_tables:
        columns = amount_columns(table)
        if columns:
            yield _finer(table, columns)
        for column in columns:
            if column.info.get("sum_of"):
                yield _unlike(column, metadata.tables[column.info["sum_of"]])
            if column.info["rounded"]:
                yield _unrounded(column)
            if column.info.get("part_of"):
                yield from _paid(column, column.info["part_of"])
    yield _lines_of_payments()
    overtime = "coalesce(own.overtime_rate, own.hourly_rate) * own.overtime_seconds"
    paid = f"(own.hourly_rate * (own.paid_seconds - own.overtime_seconds) + {overtime}) / 3600"
    lines = "EXISTS (SELECT FROM hourly_payment_lines record WHERE record.organization_id = own.organization_id"
    yield _rated("hourly_payment_logs", paid, paid, f"NOT {lines} AND record.log_id = own.id)")
    # Overtime may be part of it, at up to ten times the rate.
    owed = "own.rate * own.payable_seconds / 3600"
    yield _rated("payables", owed, f"{owed} * 10", "own.kind = 'hourly'")
    yield _taxes()


def _currency(column: Column[Any]) -> tuple[str, str]:
    """SQL: the currency of an amount of `own`, and the join that it needs."""
    table, reference = column.table, column.info["currency_of"]
    if not reference:
        return "own.currency", ""
    parent = next(each.parent for each in BELONGINGS if each.child is table and each.column == reference)
    same = f"parent.organization_id = own.organization_id AND parent.id = own.{reference}"
    return "parent.currency", f"JOIN {parent.name} parent ON {same}"


def _finer(table: Table, columns: Sequence[Column[Any]]) -> Check:
    currency, join = _currency(columns[0])
    values = ", ".join(f"(own.{column.name})" for column in columns)
    return Check(
        f"{table.name}-finer-than-currency".replace("_", "-"),
        Severity.error,
        f"Amounts of {table.name} have more decimals than their currency: they are shown rounded, and their sums are"
        " not the sums that are shown.",
        f"Round {', '.join(column.name for column in columns)} half up, and what they are summed to"
        f"{', with a discount_value that is an amount' if 'discount_value' in table.c else ''}, in one statement.",
        _examples(
            f"{table.name} own {join} CROSS JOIN LATERAL (VALUES {values}) given (amount)",
            f"trim_scale(given.amount) || ' ' || {currency}",
            f"given.amount <> round(given.amount, {digits_sql(currency)})",
        ),
    )


def _unrounded(amount: Column[Any]) -> Check:
    table, name, exact = amount.table.name, amount.name, amount.info["rounded"]
    parts = {"invoice_lines": "price", "invoices": "discount", "hourly_payment_lines": "rate"}
    currency, join = _currency(amount)
    return Check(
        f"{table}-unlike-{parts[table]}".replace("_", "-"),
        Severity.error,
        f"Rows of {table} have an {name} that is not {exact.words}.",
        f"Correct {name}, or what it is computed from.",
        _examples(
            f"{table} own {join}",
            f"trim_scale(own.{name}) || ' instead of ' || trim_scale({exact.sql.format(row='own')})",
            unrounded_sql(amount, "own", digits_sql(currency)),
        ),
    )


def _unlike(total: Column[Any], rows: Table) -> Check:
    table, name, reference = total.table.name, total.name, rows.c.amount.info["currency_of"]
    return Check(
        f"{table}-unlike-{rows.name.removeprefix('invoice_')}",
        Severity.error,
        f"Rows of {table} have {rows.name} whose amounts do not sum to {name}.",
        f"Correct the {rows.name}, or {name} and total of the {table}.",
        _examples(
            f"{table} own JOIN {rows.name} record"
            f" ON record.organization_id = own.organization_id AND record.{reference} = own.id",
            f"trim_scale(own.{name}) || ' instead of ' || trim_scale(sum(record.amount))",
            "record.deleted_at IS NULL"
            f" GROUP BY own.organization_id, own.id, own.{name} HAVING sum(record.amount) <> own.{name}",
        ),
    )


def _paid(part: Column[Any], whole: str) -> Iterator[Check]:
    table, name = part.table.name, part.name
    shown = f"trim_scale(own.{name}) || ' of ' || trim_scale(own.{whole})"
    exceeds = exceeds_sql(f"own.{name}", f"own.{whole}")
    yield Check(
        f"{table}-paid-beyond-{whole}",
        Severity.warning,
        f"Rows of {table} have an {name} that is not between 0 and {whole}: amount_due has the other sign.",
        f"Correct {name}, or pay back what was paid too much.",
        _examples(f"{table} own", shown, exceeds),
    )
    yield Check(
        f"{table}-paid-with-amount-due",
        Severity.error,
        f"Rows of {table} are paid although {name} is not {whole}: what is unpaid leaves them out.",
        f"Set {name} to {whole}, or correct the status.",
        _examples(f"{table} own", shown, f"own.status = 'paid' AND own.{name} <> own.{whole} AND NOT {exceeds}"),
    )
    yield Check(
        f"{table}-paid-unlike-status",
        Severity.warning,
        f"Rows of {table} are partially_paid with an {name} of 0 or {whole}, or draft or void with another than 0.",
        "Correct the status, or the amount.",
        _examples(
            f"{table} own",
            f"{shown} || ', ' || own.status",
            f"(own.status = 'partially_paid' AND own.{name} IN (0, own.{whole})"
            f" OR own.status IN ('draft', 'void') AND own.{name} <> 0)",
        ),
    )


def _lines_of_payments() -> Check:
    """Lines may be rounded one by one."""
    return Check(
        "hourly-payments-unlike-lines",
        Severity.error,
        "Lines of hourly_payment_logs do not sum to amount or paid_seconds.",
        "Correct the hourly_payment_lines, or amount and paid_seconds of the payment.",
        _examples(
            "hourly_payment_logs own JOIN hourly_payment_lines record"
            " ON record.organization_id = own.organization_id AND record.log_id = own.id",
            "trim_scale(own.amount) || ', ' || own.paid_seconds || ' s instead of '"
            " || trim_scale(sum(record.amount)) || ', ' || sum(record.paid_seconds) || ' s'",
            "record.deleted_at IS NULL GROUP BY own.organization_id, own.id"
            " HAVING sum(record.paid_seconds) <> own.paid_seconds"
            " OR abs(sum(record.amount) - own.amount)"
            f" > count(*) / 2.0 * power(10::numeric, -({digits_sql('own.currency')}))",
        ),
    )


def _rated(table: str, least: str, most: str, which: str) -> Check:
    """What is paid for time. Each day may be rounded."""
    rounding = f"(own.period_end - own.period_start + 1) * power(10::numeric, -({digits_sql('own.currency')}))"
    return Check(
        f"{table}-unlike-rate".replace("_", "-"),
        Severity.warning,
        f"Rows of {table} have an amount that is not their seconds at their rates.",
        "Correct amount, rates or seconds: rates are per hour.",
        _examples(
            f"{table} own",
            f"trim_scale(own.amount) || ' instead of ' || trim_scale(round({least}, 4))",
            f"{which} AND abs(own.amount) NOT BETWEEN abs({least}) - {rounding} AND abs({most}) + {rounding}",
        ),
    )


def _taxes() -> Check:
    """Discounts come before taxes or after them, and the tax of each line may be rounded.

    A tax is at least that of the lines with its percentage, or of all lines if there is no other tax.
    """
    taxed = "coalesce(sum(record.amount) FILTER (WHERE record.is_taxed), 0)"
    is_own = "coalesce(record.tax_percent, CASE WHEN taxes.number = 1 THEN own.percent END) = own.percent"
    owed = f"abs(coalesce(sum(record.amount) FILTER (WHERE record.is_taxed AND {is_own}), 0))"
    rounding = f"count(*) * power(10::numeric, -({digits_sql('parent.currency')}))"
    return Check(
        "invoice-taxes-unlike-percent",
        Severity.warning,
        "Rows of invoice_taxes have an amount above or below their percent of the taxed invoice_lines.",
        "Correct amount or percent, with tax_amount and total of the invoice, or is_taxed and tax_percent of lines.",
        _examples(
            "invoice_taxes own JOIN invoices parent"
            " ON parent.organization_id = own.organization_id AND parent.id = own.invoice_id"
            " JOIN invoice_lines record"
            " ON record.organization_id = own.organization_id AND record.invoice_id = own.invoice_id"
            " CROSS JOIN LATERAL (SELECT count(*) AS number FROM invoice_taxes other"
            " WHERE other.organization_id = own.organization_id AND other.invoice_id = own.invoice_id"
            " AND other.deleted_at IS NULL) taxes",
            f"trim_scale(own.amount) || ' is not ' || trim_scale(own.percent) || ' percent of ' || trim_scale({taxed})",
            "record.deleted_at IS NULL GROUP BY own.organization_id, own.id, parent.currency, parent.discount_amount"
            f" HAVING abs(own.amount) > abs({taxed} * own.percent) / 100 + {rounding}"
            f" OR abs(own.amount) < ({owed} - abs(parent.discount_amount)) * abs(own.percent) / 100 - {rounding}",
        ),
    )


def _examples(rows: str, shown: str, condition: str) -> str:
    """SQL: what is shown of each live row `own` that meets a condition."""
    return (
        f"SELECT own.id || ': ' || {shown} AS example FROM {rows}"
        f" WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND {condition}"
    )
