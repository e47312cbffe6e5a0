"""What lists may be compared and sorted by: where all rows of a large table may be in one, an index serves it.

Covers `resolvers/lists/filters.py`.
"""

import pkgutil
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest
from graphql import GraphQLObjectType
from sqlalchemy import Column, ColumnElement, Date, DateTime, Index, MetaData, Table, Text, Uuid
from sqlalchemy.dialects import postgresql

import resolvers
from db.tables.columns import DELETED, NOT_DELETED, index_orders, sort_key
from resolvers.lists.list_sql import HIGH, DateRange, Link, ListParent
from resolvers.lists.listing import Listing
from resolvers.lists.orders import Orders
from resolvers.reports.usage_report import UsageReport
from resolvers.selected import RowSource
from resolvers.steps.page import ListPage
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA

DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy ships it without types


def check_listing(listing: Listing, *parents: ListParent | None) -> None:
    """Raise ValueError where the list is compared or sorted without an index that it needs.

    `parents` are what its fields list the rows of; None for the organization.
    """
    if listing.table.c[listing.order[-1]] not in set(listing.table.primary_key):
        raise ValueError(f"The order of {listing.table} must end in a key of it, not in {listing.order[-1]}.")
    _check_where(listing)
    if listing.orders is not None:
        for parent in parents:
            _check_orders(listing, listing.orders, parent)


def _is_bounded(listing: Listing) -> bool:
    """Whether a range always restricts the rows, or an organization has few. Below a person, it has few projects."""
    range_ = listing.date_range
    has_range = range_ is not None and (range_.is_required or range_.default_days is not None)
    return has_range or listing.like is not None or getattr(listing.table, "info", {}).get("is_small") is True


def _check_where(listing: Listing) -> None:
    """Raise ValueError for a column of `where` that no index serves, in a list with all rows of a large table."""
    listed = f"The list of {listing.table.description}"
    for name, column in listing.compared.items():
        table: Any = getattr(column, "table", None)
        starts = [list(index.expressions)[1] for index in getattr(table, "indexes", ())]
        is_served = getattr(column, "primary_key", False) or any(_sql(column) in _sql(each) for each in starts)
        if not (is_served or _is_bounded(listing)):
            raise ValueError(
                f"{listed} has no index for `where` on {name}: declare one, give the list a range, or say is_small of "
                "the table."
            )


def _check_orders(listing: Listing, orders: Orders, parent: ListParent | None) -> None:
    """Raise ValueError for an order that no index supports, in a list that may have all rows of a large table.

    That is sorted only by an index of the organization, the column and the key. Fewer rows are sorted, as each first
    page counts all of them anyway: those of one parent, which an index finds, of a range, or of a small table.
    """
    listed = f"The list of {listing.table.description}"
    if parent is not None:
        column = parent.parent if isinstance(parent, Link) else parent
        if not any(_starts_with(index, column) for index in _indexes_of(column)):
            raise ValueError(
                f"{listed} cannot be sorted below a parent, because no index starts with organization_id, "
                f"{_sql(column)}: declare one beside the table, or give the list no orders."
            )
        return
    if _is_bounded(listing):
        return
    live = filter(_has_live_rows, getattr(listing.table, "indexes", ()))
    indexes = {tuple(map(_sql, index.expressions)) for index in live}
    for name in orders.columns:
        order = (listing.table.c.organization_id, sort_key(listing.table.c[name]), listing.table.c[listing.order[-1]])
        needed = tuple(map(_sql, order))
        if needed not in indexes:
            raise ValueError(
                f"{listed} cannot be sorted by {name}, because no index of its live rows is ({', '.join(needed)}): "
                "declare one by index_orders() beside the table, give the list a range, or say is_small of the table."
            )


def _indexes_of(column: ColumnElement[Any]) -> list[Index]:
    """The indexes of the table that has the column, also if a subquery selects it."""
    return [index for base in column.base_columns for index in getattr(base.table, "indexes", ())]


def _starts_with(index: Index, column: ColumnElement[Any]) -> bool:
    expressions = list(index.expressions)
    return len(expressions) > 1 and expressions[1] in column.base_columns


def _has_live_rows(index: Index) -> bool:
    where = index.dialect_options["postgresql"]["where"]
    return where is None or where is NOT_DELETED


def _sql(expression: Any) -> str:
    """An expression of an index, without the name of its table."""
    return str(expression.compile(dialect=DIALECT, compile_kwargs={"literal_binds": True, "include_table": False}))


NOTES = Table(
    "notes",
    MetaData(),
    *(Column(name, Uuid, primary_key=name == "id", nullable=False) for name in ("organization_id", "id", "user_id")),
    Column("text", Text),
    Column("due_date", Date),
    *(Column(name, DateTime, nullable=False) for name in ("created_at", "updated_at", "deleted_at")),
)
index_orders(NOTES, "due_date")
Index("notes_removed_idx", NOTES.c.organization_id, NOTES.c.created_at, NOTES.c.id, postgresql_where=DELETED)
IS_LARGE, IS_SMALL = {"is_small": False}, {"is_small": True}
REQUIRED = DateRange(where=NOTES.c.created_at < HIGH, is_required=True)


@pytest.mark.parametrize(
    ("info", "declared", "compared", "sorted_by"),
    [
        (IS_LARGE, {}, {"id", "created_at", "due_date"}, {"created_at", "due_date"}),
        (IS_SMALL, {}, ALL_NOTES := {*NOTES.c.keys()}, ALL_NOTES - {"organization_id", "id", "user_id"}),
        (IS_LARGE, {"date_range": REQUIRED}, ALL_NOTES, ALL_NOTES - {"organization_id", "id", "user_id"}),
    ],
    ids=["large table", "small table", "required range"],
)
def test_columns_without_an_index_are_compared_among_few_rows_only(
    info: Any, declared: Any, compared: set[str], sorted_by: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NOTES, "info", info)
    notes = Listing(NOTES, list(NOTES.c), resource="notes.Note", **declared)
    assert notes.orders is not None
    assert {*notes.compared} - {"organization_id"} == compared - {"organization_id"}
    assert {*notes.orders.columns} == sorted_by


def _declared() -> list[Listing]:
    """The lists that modules of `resolvers` declare, and those of people in reports."""
    modules = [import_module(found.name) for found in pkgutil.walk_packages(resolvers.__path__, "resolvers.")]
    values = {id(value): value for module in modules for value in vars(module).values()}.values()
    lists = [value.members if isinstance(value, UsageReport) else value for value in values]
    return [each for each in lists if isinstance(each, Listing)]


def _shown() -> Mapping[RowSource | None, list[ListParent | None]]:
    """What fields of the schema list the rows of, for each list."""
    parents = defaultdict[RowSource | None, list[ListParent | None]](list)
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        for field in type_.fields.values() if isinstance(type_, GraphQLObjectType) else ():
            if isinstance(step := declared_step(field), ListPage):
                parents[step.rows].append(step.parent)
    return parents


def test_every_declared_list_passes_the_checks() -> None:
    lists, parents = _declared(), _shown()
    assert sum(len(parents[each]) for each in lists if each.orders is not None) > 40
    for each in lists:
        check_listing(each, *parents[each])
