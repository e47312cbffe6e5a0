"""Checks of amounts by the declarations of their columns. Imports refuse such rows; other writers may make them."""

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


def _examples(rows: str, shown: str, condition: str) -> str:
    """SQL: what is shown of each live row `own` that meets a condition."""
    return (
        f"SELECT own.id || ': ' || {shown} AS example FROM {rows}"
        f" WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND {condition}"
    )
