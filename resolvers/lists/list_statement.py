"""The SQL of a list: one statement a variant, which yields the page and the total of each parent."""

from collections.abc import Sequence
from datetime import timedelta
from functools import reduce
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Uuid,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import ColumnClause
from sqlalchemy.sql.selectable import FromClause
from sqlalchemy.sql.util import ClauseAdapter

from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from resolvers.lists.list_sql import (
    HIGH,
    LIMIT,
    LOW,
    OFFSET,
    UPDATED_SINCE,
    ZONE_CHANGED_AT,
    DateRange,
    Link,
    ListParts,
    ListVariant,
)
from resolvers.lists.orders import PageOrder
from resolvers.relations.live import is_live
from resolvers.relations.relation import KEYS


def order_of(parts: ListParts, variant: ListVariant) -> PageOrder:
    """The order of a page: the one that is named, else with `updated_since` the time of the change, else the list's."""
    if variant.order_by is not None and parts.orders is not None:
        return parts.orders.page_order(variant.order_by, parts.order[-1])
    return PageOrder((parts.polled_column, parts.order[-1]) if variant.is_polled else parts.order)


def statement_of(parts: ListParts, variant: ListVariant) -> Statement:
    """The statement of one page, or of one page under each of many parents.

    It counts the total, except behind a position, which contains it, and where only rows are selected. An empty page is
    one row of nulls with the total. With `is_count`, it is the total alone, and reads no page. `list_parent` is the
    number of the parent among KEYS, from 1.
    Related rows are joined to the rows of the page, not to those that OFFSET skips.
    """
    order = order_of(parts, variant)
    conditions = [in_organization(parts.table), *_conditions(parts, variant)]
    parents: FromClause | None = None
    if variant.parent is not None:
        numbered = func.unnest(KEYS).table_valued(column("key", Uuid()), with_ordinality="number")
        parents = numbered.render_derived("parents")
        key = parents.c.key
        conditions.append(variant.parent.condition(key) if isinstance(variant.parent, Link) else variant.parent == key)
    source = parts.table
    if variant.is_polled and parts.last_change is not None:
        source = parts.table.join(parts.last_change.joined(variant), true())
    if variant.is_total and parts.totals is not None:
        by = parts.totals.by
        sums = (column.label(name) for name, column in parts.totals.sums.items())
        groups = select(by.label("total_by"), func.count().label("count"), *sums).select_from(source)
        total = _for_each(groups.where(and_(*conditions)).group_by(by), "totals", parents)
        found = select(*_number(parents), *total.c, total.c.total_by.label(str(by.key)))
        return Statement(found.select_from(_beside(parents, total)).order_by("list_parent", total.c.total_by))
    count = select(func.count().label("list_total")).select_from(source).where(and_(*conditions))
    total = _for_each(count, "counted", parents)
    if variant.is_count:
        return Statement(select(*_number(parents), total.c.list_total).select_from(_beside(parents, total)))
    sort = [
        _changed_at(parts, variant) if name == parts.polled_column else parts.table.c[name] for name in order.columns
    ]
    shown = _columns(parts, variant, order)
    page = select(*_read(parts, variant, shown, order)).select_from(source).where(and_(*conditions))
    page = page.order_by(*order.sorted(sort))
    if variant.has_position:
        last = [bind(f"after_{name}", parts.table.c[name].type) for name in order.columns]
        return _joined(parts, variant, parents, None, page.where(order.follows(sort, last)).limit(LIMIT), shown, order)
    if variant.selected is not None and not variant.is_counted:
        # Only the position after the last row shows the columns of the order; the key also tells an empty page.
        shown_names = variant.selected.columns or frozenset(order.columns)
        hidden = set(order.columns[:-1]).difference(shown_names, _local_day(parts))
        shown = [each for each in shown if each.key not in hidden]
        return _joined(parts, variant, parents, None, page.limit(LIMIT).offset(OFFSET), shown, order)
    # Past the end, LIMIT 0 reads no row; OFFSET alone would read and skip them all.
    page = page.limit(case((total.c.list_total > OFFSET, LIMIT), else_=literal(0, BigInteger()))).offset(OFFSET)
    return _joined(parts, variant, parents, total, page, shown, order)


def _number(parents: FromClause | None) -> list[ColumnElement[Any]]:
    """The first column of each statement: the number of the parent."""
    return [null().label("list_parent") if parents is None else parents.c.number.label("list_parent")]


def _for_each(rows: Select[Any], name: str, *outer: FromClause | None) -> FromClause:
    """A select for each of the rows of `outer`, to which it refers."""
    around = [each for each in outer if each is not None]
    return rows.correlate(*around).lateral(name) if around else rows.subquery(name)


def _beside(*sources: FromClause | None) -> FromClause:
    """The rows of these sources beside each other."""
    return reduce(lambda left, right: left.join(right, true()), [each for each in sources if each is not None])


def _columns(parts: ListParts, variant: ListVariant, order: PageOrder) -> Sequence[ColumnElement[Any]]:
    """The columns that the statement yields: the requested ones, those of the order and of the local day."""
    columns = parts.columns
    if variant.is_polled and parts.last_change is not None:
        changed = _changed_at(parts, variant)
        columns = [changed if column.key == "updated_at" else column for column in columns]
    if variant.selected is None or variant.selected.columns is None:
        return columns
    needed = variant.selected.columns.union(order.columns, _local_day(parts))
    return [column for column in columns if column.key in needed]


def _read(
    parts: ListParts, variant: ListVariant, shown: Sequence[ColumnElement[Any]], order: PageOrder
) -> Sequence[ColumnElement[Any]]:
    """The columns that the page reads for them, with the keys of related rows.

    PostgreSQL computes the columns of the page also for the rows that OFFSET skips. So what depends on columns of its
    row only is computed outside.
    """
    read: dict[str, ColumnElement[Any]] = {}
    keys = () if variant.selected is None else (join.key for join, _ in variant.selected.joined)
    for each in (*shown, *(parts.table.c[name] for name in keys)):
        if each.key in order.columns or not _is_of_row(each, parts.table):
            read[str(each.key)] = each
        else:
            read |= {part.key: part for part in visitors.iterate(each) if isinstance(part, ColumnClause)}
    return list(read.values())


def _is_of_row(column: ColumnElement[Any], table: FromClause) -> bool:
    parts = list(visitors.iterate(column))
    return not any(isinstance(part, Select) for part in parts) and all(
        part.table is table for part in parts if isinstance(part, ColumnClause)
    )


def _changed_at(parts: ListParts, variant: ListVariant) -> ColumnElement[Any]:
    """The time by which requests with `updated_since` filter and sort rows."""
    if parts.last_change is not None:
        return parts.last_change.joined(variant).c.updated_at
    return parts.table.c[parts.polled_column]


def _local_day(parts: ListParts) -> tuple[str, ...]:
    """The columns from which `Listing` makes the `date` of each row."""
    day_of = parts.date_range.day_of if parts.date_range is not None else None
    return () if day_of is None else ("date", day_of)


def _conditions(parts: ListParts, variant: ListVariant) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    # Below a period, balances are those of the period, as if `leave_period_id` were given.
    parent = None if isinstance(variant.parent, Link) or variant.parent is None else variant.parent.key
    for filter in parts.filters.values():
        if filter.name in variant.filters:
            replacing = [where for name, where in filter.where_with.items() if name in variant.filters]
            conditions += replacing or [filter.where]
        elif filter.otherwise is not None and not (variant.includes_deleted or filter.name == parent):
            conditions.append(filter.otherwise)
    if variant.has_range and parts.date_range is not None:
        replacing = [where for name, where in parts.date_range.where_with.items() if name in variant.filters]
        in_range = and_(*(replacing or [parts.date_range.where]))
        has_moved = _has_moved(parts, parts.date_range) if variant.is_polled else []
        conditions.append(or_(in_range, *has_moved))
    if variant.where is not None and parts.own_where is not None:
        conditions.append(parts.own_where.condition(variant.where))
    if not variant.includes_deleted:
        conditions.append(is_live(parts.table))
    if variant.is_polled:
        since: ColumnElement[Any] = UPDATED_SINCE
        if parts.date_range is not None and parts.date_range.day_of is not None:
            # With another zone, all rows have another date. An index finds rows by this condition, too.
            any_time = cast("-infinity", UPDATED_SINCE.type)
            since = case((ZONE_CHANGED_AT >= UPDATED_SINCE, any_time), else_=UPDATED_SINCE)
        conditions.append(_changed_at(parts, variant) >= since)
    return conditions


def _has_moved(parts: ListParts, date_range: DateRange) -> list[ColumnElement[bool]]:
    """The conditions of rows that were in the range before they moved, or before the zone of the organization did."""
    found = [] if date_range.has_moved is None else [date_range.has_moved]
    if date_range.day_of is not None:
        start = parts.table.c[date_range.day_of]
        # No zone is further from another.
        shift = literal(timedelta(days=2))
        near = and_(start >= LOW - shift, start < HIGH + shift)
        found.append(and_(ZONE_CHANGED_AT >= UPDATED_SINCE, near))
    return found


def _joined(
    parts: ListParts,
    variant: ListVariant,
    parents: FromClause | None,
    total: FromClause | None,
    page: Select[Any],
    columns: Sequence[ColumnElement[Any]],
    order: PageOrder,
) -> Statement:
    rows: Any = _for_each(page, "page", parents, total)
    is_alone = parents is None and total is None
    sources: Any = rows if is_alone else _beside(parents, total).outerjoin(rows, true())
    (number,) = _number(parents)
    # `list_` keeps these apart from columns of tables: an invoice has a `total`.
    list_total = total.c.list_total if total is not None else null().label("list_total")
    if variant.selected is not None and variant.selected.joins_groups:
        # Groups are made for all rows together, which are found by the keys of the page: so it is read twice.
        rows = select(number, list_total, *rows.c).select_from(sources).cte("paged")
        number, list_total, sources = rows.c.list_parent, rows.c.list_total, rows
    of_page = ClauseAdapter(rows)
    read = set(page.selected_columns)
    shown = [rows.c[str(each.key)] if each in read else of_page.traverse(each) for each in columns]
    added = [parts.page_columns, *(parts.filters[name].page_columns for name in sorted(variant.filters))]
    page_columns = [make(rows).label(name) for each in added for name, make in each.items()]
    joined: Sequence[ColumnElement[Any]] = ()
    if variant.selected is not None:
        joined, sources = variant.selected.join(dict(rows.c), sources)
    query = select(number, list_total, *shown, *page_columns, *joined).select_from(sources)
    # By a constant, PostgreSQL would sort, too.
    by_parent = [] if parents is None else [number]
    return Statement(query.order_by(*by_parent, *order.sorted(rows.c[name] for name in order.columns)))
