"""Checks of amounts: decimals that the currency has not, sums that differ from their rows, parts that exceed.

Rows of an import are checked as they will be, together with the stored ones; what stays as it is stored is left to
`orgdata doctor`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Table

from db.jobs.importing.import_table import ImportTable
from db.jobs.importing.problems import RowCheck
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION
from db.tables.columns import metadata
from db.tables.money import amount_columns, exceeds_sql, invoices, unrounded_sql
from db.tables.reference import digits_sql


def amount_checks(table: StagedTable, staged: Mapping[str, StagedTable]) -> Iterator[RowCheck]:
    """Amounts with more decimals than their currency has, unlike what they are rounded from, or beyond their whole.

    `staged`: the tables of the import.
    """
    for column in amount_columns(table.spec.table):
        name, parent_id = column.name, column.info["currency_of"]
        currency, join, given = "r.currency", "", [name, "currency"]
        if parent_id:
            rows = _rows(table.spec.references[parent_id].target.table, staged, ("id", "currency"), has_stored=True)
            currency, join, given = "p.currency", f" JOIN ({rows}) p ON p.id = r.{parent_id}", [name]
        digits = f"({digits_sql(currency)})"
        detail = f"', ' || {currency} || ' has ' || {digits} || ': round it'"
        condition = f"r.{name} <> round(r.{name}, {digits})"
        yield _new_rows(table, given, "has more decimals than its currency", condition, detail, join)
        if exact := column.info["rounded"]:
            parts = [part.name for part in table.spec.table.columns if f"{{row}}.{part.name}" in exact.sql]
            detail, condition = f"', ' || trim_scale({exact.sql.format(row='r')})", unrounded_sql(column, "r", digits)
            yield _new_rows(table, [name, *parts], f"is not {exact.words}", condition, detail, join)
        if whole := column.info.get("part_of"):
            detail, exceeds = f"', ' || trim_scale(r.{whole})", exceeds_sql(f"r.{name}", f"r.{whole}")
            yield _new_rows(table, [name, whole], f"is not between 0 and {whole}", exceeds, detail)
            detail = f"' ' || trim_scale(r.{whole}) || ', or another status'"
            open_ = f"r.status = 'paid' AND r.{name} <> r.{whole} AND NOT {exceeds}"
            yield _new_rows(table, [name, whole, "status"], f"is not {whole}, but status is paid: write", open_, detail)
    for child, amount in _amounts_in_currency_of(table.spec.table):
        rows = _rows(child, staged, (amount.info["currency_of"], amount.name), has_stored=True)
        finer = f"c.{amount.name} <> round(c.{amount.name}, {digits_sql('r.currency')})"
        join = f" JOIN ({rows}) c ON c.{amount.info['currency_of']} = r.id AND c.row IS NULL"
        detail = f"', such as ' || trim_scale(c.{amount.name})"
        reason = f"has fewer decimals than the {child.name.replace('_', ' ')}"
        yield _new_rows(table, ["currency"], reason, finer, detail, join)


def sum_checks(staged: Mapping[str, StagedTable]) -> Iterator[tuple[StagedTable, RowCheck]]:
    """The checks of sums, each with its table. `staged`: the tables of the import."""
    for column in amount_columns(invoices):
        if column.info.get("sum_of"):
            yield from _unequal(column, staged)


def _amounts_in_currency_of(table: Table) -> Iterator[tuple[Table, Column[Any]]]:
    """Amounts of other tables in the currency of the table's rows."""
    for child in metadata.sorted_tables:
        for column in amount_columns(child):
            reference = column.info["currency_of"]
            if reference and ImportTable(child).references[reference].target.table is table:
                yield child, column


def _new_rows(
    table: StagedTable, columns: Sequence[str], reason: str, condition: str, detail: str, join: str = ""
) -> RowCheck:
    """A check of the first column in live rows, unless all of the columns are stored like that."""
    same = "".join(f" AND o.{column} = r.{column}" for column in columns)
    stored = f"SELECT FROM {table.spec.name} o WHERE o.organization_id = {ORGANIZATION} AND o.deleted_at IS NULL"
    condition = (
        f"r.deleted_at IS NULL AND {condition} AND NOT EXISTS ({stored} AND {table.spec.same_key('o', 'r')}{same})"
    )
    value = "r.currency" if columns[0] == "currency" else f"trim_scale(r.{columns[0]})"
    return RowCheck(columns[0], reason, condition, detail, value, join)


def _unequal(total: Column[Any], staged: Mapping[str, StagedTable]) -> Iterator[tuple[StagedTable, RowCheck]]:
    """Totals unlike the sum of their rows, told in the line of the total, or in that of its first row."""
    name, parent, child = total.name, total.table, metadata.tables[total.info["sum_of"]]
    reference = child.c.amount.info["currency_of"]
    whole, part = staged.get(parent.name), staged.get(child.name)
    if whole is None and part is None:
        return
    parents = _rows(parent, staged, ("id", name))
    children = _rows(child, staged, (reference, "amount"))
    if part is not None:
        # Of rows that are deleted or moved, the invoice that had them is compared, too.
        same = f"{part.spec.same_key('s', 'r')} AND (r.deleted_at IS NOT NULL OR r.{reference} <> s.{reference})"
        children += f" UNION ALL SELECT r.row, s.{reference}, NULL FROM {part.rows} r JOIN {child.name} s ON {same}"
        children += f" WHERE s.organization_id = {ORGANIZATION} AND s.deleted_at IS NULL"
    if whole is not None:
        # Rows that are restored with their invoice.
        children += f" UNION ALL SELECT NULL, s.{reference}, s.amount FROM {child.name} s JOIN {parent.name} o"
        children += f" ON o.id = s.{reference} AND o.deleted_at = s.deleted_at JOIN {whole.rows} r ON r.id = o.id"
        children += f" WHERE s.organization_id = {ORGANIZATION} AND o.organization_id = {ORGANIZATION}"
        children += " AND r.deleted_at IS NULL"
        if part is not None:
            children += f" AND NOT EXISTS (SELECT FROM {part.rows} r WHERE {part.spec.same_key('s', 'r')})"
    live = f"organization_id = {ORGANIZATION} AND deleted_at IS NULL"
    stored_sum = f"SELECT sum(amount) FROM {child.name} WHERE {live} AND {reference} = p.id"
    stored = f"SELECT FROM {parent.name} WHERE {live} AND id = p.id AND {name} = p.{name}"
    sums = (
        f"SELECT p.id, p.row AS own_row, min(c.row) AS first_row, p.{name} AS total, sum(c.amount) AS amount"
        f" FROM ({parents}) p JOIN ({children}) c ON c.{reference} = p.id GROUP BY p.id, p.row, p.{name}"
        f" HAVING sum(c.amount) <> p.{name} AND (p.row IS NOT NULL OR min(c.row) IS NOT NULL)"
        f" AND NOT EXISTS ({stored} AND ({stored_sum}) = sum(c.amount))"
    )
    join = f" JOIN ({sums}) s"
    if whole is not None:
        reason = f"is not the sum of the {child.name.replace('_', ' ')}"
        detail, on = "', ' || trim_scale(s.amount)", " ON s.own_row = r.row"
        yield whole, RowCheck(name, reason, "true", detail, "trim_scale(s.total)", join + on)
    if part is not None:
        detail = "', ' || trim_scale(s.amount) || ' instead of ' || trim_scale(s.total)"
        reason = f"with the other {child.name.replace('_', ' ')} does not make the {name} of the {parent.name[:-1]}"
        on = " ON s.first_row = r.row"
        yield part, RowCheck("amount", reason, "s.own_row IS NULL", detail, join=join + on, once="r.row, s.id")


def _rows(
    table: Table, staged: Mapping[str, StagedTable], columns: tuple[str, ...], *, has_stored: bool = False
) -> str:
    """SQL: the live rows of a table as they will be; `row` is null for those that the import has not.

    `has_stored`: also those that will be deleted, because the files do not have them.
    """
    own, names = staged.get(table.name), ", ".join(columns)
    stored = f"SELECT NULL::bigint AS row, {names} FROM {table.name} s WHERE"
    if own is None:
        return f"{stored} organization_id = {ORGANIZATION} AND deleted_at IS NULL"
    rows = f"SELECT row, {names} FROM {own.rows} WHERE deleted_at IS NULL"
    return rows if own.replace and not has_stored else f"{rows} UNION ALL {stored} {own.others}"
