"""Checks of declared lists: values that must be bound, columns and indexes that must exist.

They take 0.4 s for all lists, so that tests make them, and not each start of the service.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import BindParameter, ClauseElement, ColumnElement, Index
from sqlalchemy.dialects import postgresql

from db.tables.columns import NOT_DELETED, ORGANIZATION_ID, sort_key
from resolvers.lists.list_sql import (
    DAY_HIGHS,
    DAY_LOWS,
    HIGH,
    LOW,
    NOW,
    REQUESTED_USER,
    TODAY,
    UPDATED_SINCE,
    ZONE_CHANGED_AT,
    Filter,
    Link,
    ListParent,
)
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import DAY_START_NAMES
from resolvers.lists.orders import Orders
from resolvers.lists.page_arguments import UPDATED_SINCE_ARGUMENT
from resolvers.reports.usage_report import UsageReport

DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy ships it without types

ALWAYS_BOUND = frozenset({ORGANIZATION_ID.key, NOW.key, REQUESTED_USER.key, TODAY.key, *DAY_START_NAMES})
"""The names that have a value in every statement of a list."""

RANGE_BOUND = frozenset({LOW.key, HIGH.key, DAY_LOWS.key, DAY_HIGHS.key, ZONE_CHANGED_AT.key})
"""The names that have a value where the request has a range of days."""

BOUND_IN_REPORTS = frozenset({"organization_id", "keys", "dates", "lows", "highs"})
"""The names that have a value in every statement of a usage report; a filter adds its own."""


def check_listing(listing: Listing, *parents: ListParent | None) -> None:
    """Raise ValueError where a statement of the list, for whatever arguments, could not be built or run.

    `parents` are what its fields list the rows of; None for the organization.
    """
    _check_list(listing, has_updated_since=UPDATED_SINCE_ARGUMENT in listing.arguments)
    _check_where(listing)
    if listing.orders is not None:
        for parent in parents:
            _check_orders(listing, listing.orders, parent)


def check_report(report: UsageReport) -> None:
    """Raise ValueError where a filter of the report names a value that its statement has not."""
    for each in report.content:
        if isinstance(each, Filter):
            check_filter(f"The report over {report.table.description}", each, BOUND_IN_REPORTS)


def _check_list(listing: Listing, *, has_updated_since: bool) -> None:
    listed = f"The list of {listing.table.description}"
    date_range = listing.date_range
    order = {*listing.order, *(["updated_at"] if has_updated_since else [])}
    _refuse_missing(f"{listed} reads from its table", {*order, "deleted_at"}, listing.table.c.keys())
    if listing.table.c[listing.order[-1]] not in set(listing.table.primary_key):
        raise ValueError(f"The order of {listing.table} must end in a key of it, not in {listing.order[-1]}.")
    shown = {"date", date_range.day_of} if date_range is not None and date_range.day_of is not None else set()
    _refuse_missing(f"{listed} needs among its columns", order | shown, [str(column.key) for column in listing.columns])
    bound = ALWAYS_BOUND | (RANGE_BOUND if listing.always_has_range else frozenset())
    page_columns = [make(listing.table) for make in listing.page_columns.values()]
    refuse_unbound(f"{listed} selects columns with", [*listing.columns, *page_columns], bound)
    if listing.last_change is not None:
        changes = [listing.last_change.since, listing.last_change.since_of_all]
        refuse_unbound(f"{listed} has changes with", changes, bound | {UPDATED_SINCE.key})
    if date_range is not None:
        moved = [] if date_range.has_moved is None else [date_range.has_moved]
        refuse_unbound(f"{listed} has a range with", [date_range.where, *moved], bound | RANGE_BOUND)
        for name, where in date_range.where_with.items():
            refuse_unbound(f"{listed} has a range with", [where], bound | RANGE_BOUND | {name})
        _refuse_missing(f"{listed} has a range for requests with", date_range.where_with, listing.filters_by_name)
    for filter in listing.filters:
        check_filter(listed, filter, bound)
        columns = [make(listing.table) for make in filter.page_columns.values()]
        refuse_unbound(f"{listed} has the filter {filter.name} with", columns, bound | {filter.name})
        for name, where in filter.where_with.items():
            what = f"{listed} has the filter {filter.name}, for requests with {name}, with"
            refuse_unbound(what, [where], bound | {filter.name, name})
        _refuse_missing(
            f"{listed} has the filter {filter.name} for requests with", filter.where_with, listing.filters_by_name
        )


def _is_bounded(listing: Listing) -> bool:
    """Whether a range always restricts the rows, or an organization has few. Below a person, it has few projects."""
    range_ = listing.date_range
    has_range = range_ is not None and (range_.is_required or range_.default_days is not None)
    return has_range or listing.like is not None or getattr(listing.table, "info", {}).get("is_small") is True


def _check_where(listing: Listing) -> None:
    """Raise ValueError for a column of `where` that no index serves, in a list that may have all rows of a large table,
    and for one that binds values that have none.
    """
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
    bound = ALWAYS_BOUND | (RANGE_BOUND if listing.always_has_range else frozenset())
    refuse_unbound(f"{listed} has comparisons with", listing.compared.values(), bound)


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
    indexes = {
        tuple(map(_sql, index.expressions)) for index in getattr(listing.table, "indexes", ()) if _has_live_rows(index)
    }
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


def check_filter(owner: str, filter: Filter, bound: frozenset[str]) -> None:
    """Raise ValueError unless the conditions of a filter bind nothing but its own name and the names in `bound`."""
    refuse_unbound(f"{owner} has the filter {filter.name} with", [filter.where], bound | {filter.name})
    if filter.otherwise is not None:
        refuse_unbound(f"{owner} has, without the filter {filter.name}, a condition with", [filter.otherwise], bound)


def refuse_unbound(what: str, elements: Iterable[ClauseElement], bound: Iterable[str]) -> None:
    """Raise ValueError where an expression names a value (`bind`) that has none when the statement runs."""
    unknown = frozenset[str]().union(*map(value_names, elements)) - set(bound)
    if unknown:
        raise ValueError(f"{what} {_joined(unknown)}, which has no value here; {_joined(bound)} would have one.")


def value_names(element: ClauseElement) -> frozenset[str]:
    """The names in an expression that `bind` made. They get their values when the statement runs; literals have one."""
    names: set[str] = set()
    # Expressions share parts, which are visited once: following each path to them takes a tenth of the start.
    visited: set[Any] = set()
    left: list[Any] = [element]
    while left:
        part = left.pop()
        if isinstance(part, BindParameter) and part.value is None and not part.unique:
            names.add(part.key)
        left += [child for child in part.get_children() if child not in visited]
        visited.update(left)
    return frozenset(names)


def _refuse_missing(what: str, needed: Iterable[str], present: Iterable[str]) -> None:
    missing = set(needed) - set(present)
    if missing:
        raise ValueError(f"{what} {_joined(missing)}, which is not there; {_joined(present)} would be.")


def _joined(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
