"""Checks of amounts that are stored: imports refuse such rows, and other writers may have made them."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Table

from db.jobs.doctor.check import Check, Severity
from db.tables.belonging import BELONGINGS
from db.tables.columns import metadata
from db.tables.money import amount_columns, exceeds_sql
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
            if column.info.get("part_of"):
                yield _exceeding(column, column.info["part_of"])


def _finer(table: Table, columns: Sequence[Column[Any]]) -> Check:
    owner, join = "own", ""
    if reference := columns[0].info["currency_of"]:
        parent = next(each.parent for each in BELONGINGS if each.child is table and each.column == reference)
        owner = "parent"
        join = f"JOIN {parent.name} parent ON parent.organization_id = own.organization_id"
        join += f" AND parent.id = own.{reference}"
    values = ", ".join(f"(own.{column.name})" for column in columns)
    return Check(
        f"{table.name}-finer-than-currency".replace("_", "-"),
        Severity.error,
        f"Amounts of {table.name} have more decimals than their currency: they are shown rounded, and their sums are"
        " not the sums that are shown.",
        f"Round {', '.join(column.name for column in columns)} half up, and what they are summed to.",
        _examples(
            f"{table.name} own {join} CROSS JOIN LATERAL (VALUES {values}) given (amount)",
            f"trim_scale(given.amount) || ' ' || {owner}.currency",
            f"given.amount <> round(given.amount, {digits_sql(f'{owner}.currency')})",
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


def _exceeding(part: Column[Any], whole: str) -> Check:
    table, name = part.table.name, part.name
    return Check(
        f"{table}-paid-beyond-{whole}",
        Severity.warning,
        f"Rows of {table} have an {name} that is not between 0 and {whole}: amount_due has the other sign.",
        f"Correct {name}, or pay back what was paid too much.",
        _examples(
            f"{table} own",
            f"trim_scale(own.{name}) || ' of ' || trim_scale(own.{whole})",
            exceeds_sql(f"own.{name}", f"own.{whole}"),
        ),
    )


def _examples(rows: str, shown: str, condition: str) -> str:
    """SQL: what is shown of each live row `own` that meets a condition."""
    return (
        f"SELECT own.id || ': ' || {shown} AS example FROM {rows}"
        f" WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND {condition}"
    )
