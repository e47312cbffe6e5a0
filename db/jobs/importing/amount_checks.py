"""Checks of amounts: decimals that the currency has not, sums that differ from their rows, parts that exceed.

Rows of an import are checked as they will be, together with the stored ones; what stays as it is stored is left to
`orgdata doctor`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Table

from db.jobs.importing.import_table import ImportTable
from db.jobs.importing.problems import RefusedRows, add_problems
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, run
from db.tables.columns import metadata
from db.tables.money import amount_columns, exceeds_sql, invoices, unrounded_sql
from db.tables.reference import digits_sql


def check_amounts(connection: Connection, staged: Mapping[str, StagedTable]) -> None:
    """Add a problem for each amount at fault. Sums are compared if nothing else is: one mistake is one problem.

    `staged`: the tables of the import.
    """
    for table in staged.values():
        add_problems(connection, table, (*_finer(table, staged), *_exceeding(table)), are_detailed=True)
    if not run(connection, "SELECT EXISTS (SELECT FROM import_problems)").scalar_one():
        for column in amount_columns(invoices):
            if column.info.get("sum_of"):
                for table, refused in _unequal(column, staged):
                    add_problems(connection, table, [refused], are_detailed=True)


def _finer(table: StagedTable, staged: Mapping[str, StagedTable]) -> Iterator[RefusedRows]:
    """Amounts with more decimals than their currency has, or that are not what they are rounded from."""
    for column in amount_columns(table.spec.table):
        name, parent_id = column.name, column.info["currency_of"]
        currency, join, given = "r.currency", "", [name, "currency"]
        if parent_id:
            rows = _rows(table.spec.references[parent_id].target.table, staged, ("id", "currency"), has_stored=True)
            currency, join, given = "p.currency", f" JOIN ({rows}) p ON p.id = r.{parent_id}", [name]
        digits = f"({digits_sql(currency)})"
        detail = f"', ' || {currency} || ' has ' || {digits} || ': round it'"
        condition = f"r.{name} <> round(r.{name}, {digits})"
        yield name, "has more decimals than its currency", _new_rows(table, given, detail, condition, join)
        if exact := column.info["rounded"]:
            parts = [part.name for part in table.spec.table.columns if f"{{row}}.{part.name}" in exact.sql]
            detail, condition = f"', ' || trim_scale({exact.sql.format(row='r')})", unrounded_sql(column, "r", digits)
            yield name, f"is not {exact.words}", _new_rows(table, [name, *parts], detail, condition, join)
    for child, amount in _amounts_in_currency_of(table.spec.table):
        rows = _rows(child, staged, (amount.info["currency_of"], amount.name), has_stored=True)
        finer = f"c.{amount.name} <> round(c.{amount.name}, {digits_sql('r.currency')})"
        join = f" JOIN ({rows}) c ON c.{amount.info['currency_of']} = r.id AND c.row IS NULL"
        detail = f"', such as ' || trim_scale(c.{amount.name})"
        reason = f"has fewer decimals than the {child.name.replace('_', ' ')}"
        yield "currency", reason, _new_rows(table, ["currency"], detail, finer, join, shown="r.currency")


def _amounts_in_currency_of(table: Table) -> Iterator[tuple[Table, Column[Any]]]:
    """Amounts of other tables in the currency of the table's rows."""
    for child in metadata.sorted_tables:
        for column in amount_columns(child):
            reference = column.info["currency_of"]
            if reference and ImportTable(child).references[reference].target.table is table:
                yield child, column


def _exceeding(table: StagedTable) -> Iterator[RefusedRows]:
    for column in amount_columns(table.spec.table):
        paid, whole = column.name, column.info.get("part_of")
        if whole:
            detail, exceeds = f"', ' || trim_scale(r.{whole})", exceeds_sql(f"r.{paid}", f"r.{whole}")
            yield paid, f"is not between 0 and {whole}", _new_rows(table, [paid, whole], detail, exceeds)
            detail = f"' ' || trim_scale(r.{whole}) || ', or another status'"
            open_ = f"r.status = 'paid' AND r.{paid} <> r.{whole} AND NOT {exceeds}"
            reason = f"is not {whole}, but status is paid: write"
            yield paid, reason, _new_rows(table, [paid, whole, "status"], detail, open_)


def _new_rows(
    table: StagedTable, columns: Sequence[str], detail: str, condition: str, join: str = "", shown: str = ""
) -> str:
    """SQL: the live rows `r` of a condition, unless all of the columns are stored like that."""
    same = "".join(f" AND o.{column} = r.{column}" for column in columns)
    stored = f"SELECT FROM {table.spec.name} o WHERE o.organization_id = {ORGANIZATION} AND o.deleted_at IS NULL"
    return (
        f"SELECT DISTINCT ON (r.row) r.row, {shown or f'trim_scale(r.{columns[0]})'} AS value, {detail} AS detail"
        f" FROM {table.rows} r{join}"
        f" WHERE r.deleted_at IS NULL AND {condition}"
        f" AND NOT EXISTS ({stored} AND {table.spec.same_key('o', 'r')}{same})"
    )


def _unequal(total: Column[Any], staged: Mapping[str, StagedTable]) -> Iterator[tuple[StagedTable, RefusedRows]]:
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
        children += f" AND r.deleted_at IS NULL{'' if part is None else f' AND NOT EXISTS ({_again(part)})'}"
    live = f"organization_id = {ORGANIZATION} AND deleted_at IS NULL"
    stored_sum = f"SELECT sum(amount) FROM {child.name} WHERE {live} AND {reference} = p.id"
    stored = f"SELECT FROM {parent.name} WHERE {live} AND id = p.id AND {name} = p.{name}"
    sums = (
        f"SELECT p.row AS own_row, min(c.row) AS first_row, p.{name} AS total, sum(c.amount) AS amount"
        f" FROM ({parents}) p JOIN ({children}) c ON c.{reference} = p.id GROUP BY p.id, p.row, p.{name}"
        f" HAVING sum(c.amount) <> p.{name} AND (p.row IS NOT NULL OR min(c.row) IS NOT NULL)"
        f" AND NOT EXISTS ({stored} AND ({stored_sum}) = sum(c.amount))"
    )
    if whole is not None:
        reason = f"is not the sum of the {child.name.replace('_', ' ')}"
        found = (
            f"SELECT own_row AS row, trim_scale(total) AS value, ', ' || trim_scale(amount) AS detail FROM ({sums}) s"
        )
        yield whole, (name, reason, f"{found} WHERE own_row IS NOT NULL")
    if part is not None:
        detail = "', ' || trim_scale(amount) || ' instead of ' || trim_scale(total)"
        found = f"SELECT first_row AS row, NULL AS value, {detail} AS detail FROM ({sums}) s WHERE own_row IS NULL"
        reason = f"with the other {child.name.replace('_', ' ')} does not make the {name} of the {parent.name[:-1]}"
        yield part, ("amount", reason, found)


def _rows(
    table: Table, staged: Mapping[str, StagedTable], columns: tuple[str, ...], *, has_stored: bool = False
) -> str:
    """SQL: the live rows of a table as they will be; `row` is null for those that the import has not.

    `has_stored`: also those that will be deleted, because the files do not have them.
    """
    own, names = staged.get(table.name), ", ".join(columns)
    stored = f"SELECT NULL::bigint AS row, {names} FROM {table.name} s WHERE organization_id = {ORGANIZATION}"
    stored += " AND deleted_at IS NULL"
    if own is None:
        return stored
    rows = f"SELECT row, {names} FROM {own.rows} WHERE deleted_at IS NULL"
    return rows if own.replace and not has_stored else f"{rows} UNION ALL {stored} AND NOT EXISTS ({_again(own)})"


def _again(table: StagedTable) -> str:
    """SQL: the row of the import that a stored row `s` becomes."""
    return f"SELECT FROM {table.rows} r WHERE {table.spec.same_key('s', 'r')}"
