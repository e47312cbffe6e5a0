"""Conditions over relations: which rows `where` may ask for conditions on, beside the columns of a list.

They follow from the fields of the types: `project` beside `project_id`, and lists that an index finds by the parent.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Column, Table

from db.tables.columns import metadata
from resolvers.lists.comparisons import is_comparable
from resolvers.lists.listing import Listing
from resolvers.lists.where import RelatedRows, Where
from resolvers.relations.live import is_live
from resolvers.relations.strawberry_internals import definition_of_class
from resolvers.reports.grouped.time_conditions import TIME_WHERE
from resolvers.steps.page import GroupTotals, ListPage
from resolvers.steps.related_row import JoinedRow, RelatedRow
from resolvers.steps.step import STEP, FieldStep

WHOLE_LISTS = {
    ("members", "payment_settings"): metadata.tables["payment_settings"].c.user_id,
    ("members", "screenshots"): metadata.tables["screenshots"].c.user_id,
    ("clock_records", "breaks"): metadata.tables["break_times"].c.clock_record_id,
    ("invoices", "line_items"): metadata.tables["invoice_lines"].c.invoice_id,
}
"""Lists without pages that have conditions: the column that refers to the parent, by its table and field."""


def declare_conditions(query: type, types: Mapping[str, type]) -> None:
    """Declare the input types of all conditions. `types` are those of the rows of tables, by table."""
    steps = {name: dict(_steps(each)) for name, each in {"": query, **types}.items()}
    lists = {each.table.name: each for each in _lists(steps) if isinstance(each.table, Table)}
    wheres = {name: each.own_where for name, each in lists.items() if each.own_where is not None}
    for table in (column.table for column in WHOLE_LISTS.values()):
        wheres[table.name] = Where(f"{types[table.name].__name__}Where", dict(_shown(types[table.name], table)))
    for name, where in wheres.items():
        for field, step in steps.get(name, {}).items():
            related = _related(metadata.tables[name], field, step, wheres)
            if related is not None and field not in where.columns:
                where.relations[field] = related
    of_timesheets = wheres["timesheets"].relations.items()
    TIME_WHERE.relations.update({name: each for name, each in of_timesheets if not each.is_list})
    for where in (*wheres.values(), TIME_WHERE):
        where.declare()


def _steps(type_: Any) -> Iterator[tuple[str, FieldStep]]:
    for field in definition_of_class(type_).fields:
        if step := field.metadata.get(STEP):
            yield field.python_name, step


def _lists(steps: Mapping[str, Mapping[str, FieldStep]]) -> Iterator[Listing]:
    """The lists whose rows have conditions."""
    for of_type in steps.values():
        for step in of_type.values():
            if isinstance(step, ListPage) and isinstance(step.rows, Listing) and step.rows.like is None:
                yield step.rows
            elif isinstance(step, GroupTotals):
                yield step.groups.listing


def _shown(type_: Any, table: Table) -> Iterator[tuple[str, Column[Any]]]:
    """The columns of a table that its type shows as they are: `amount` is rounded to the decimals of a currency."""
    names = {field.python_name for field in definition_of_class(type_).fields}
    for column in table.columns:
        if column.name in names and is_comparable(column) and column.name != "amount":
            yield column.name, column


def _related(table: Table, field: str, step: FieldStep, wheres: Mapping[str, Where]) -> RelatedRows | None:
    """The rows that a field shows, if they have conditions and an index finds them."""
    if isinstance(step, RelatedRow) and isinstance(step.joined, JoinedRow):
        return _row(table, field, step.joined.join.key, wheres)
    if (table.name, field) in WHOLE_LISTS:
        return _rows(table, WHOLE_LISTS[table.name, field], wheres)
    is_list = isinstance(step, ListPage) and isinstance(step.rows, Listing) and isinstance(step.parent, Column)
    return _rows(table, step.parent, wheres) if isinstance(step, ListPage) and is_list else None


def _row(table: Table, field: str, name: str, wheres: Mapping[str, Where]) -> RelatedRows | None:
    """The row beside an id."""
    target, _, key = table.c[name].info.get("references", "").partition(".") if name in table.c else ("", "", "")
    if target not in wheres or name not in (f"{field}_id", f"{field}_user_id"):
        return None
    return RelatedRows(wheres[target], table.c[name], metadata.tables[target].c[key])


def _rows(table: Table, column: Column[Any], wheres: Mapping[str, Where]) -> RelatedRows | None:
    """The rows of a list that refer to a row by a column, of which a time bounds the rows in a large table.

    Those of a row of a large table need no bound: conditions on such rows have one.
    """
    child = column.table
    if child.name not in wheres or "references" not in column.info:
        return None
    indexes = [list(index.expressions)[1:] for index in child.indexes]
    times = [each[1].name for each in indexes if len(each) > 1 and each[0] is column and isinstance(each[1], Column)]
    by = next((each for each in times if each in wheres[child.name].columns and each != "updated_at"), None)
    is_small = child.info["is_small"] or not table.info["is_small"]
    if not any(each[0] is column for each in indexes) or not (is_small or by):
        return None
    own = table.c[column.info["references"].partition(".")[2]]
    return RelatedRows(wheres[child.name], own, column, is_list=True, live=is_live, by=None if is_small else by)
