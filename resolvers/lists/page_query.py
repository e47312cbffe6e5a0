"""The query of a page: the SQL of one variant of a list, which yields the page and the total of each parent."""

from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

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

from db.reading.statement import Statement
from db.tables.columns import in_organization
from resolvers.lists.list_sql import (
    LIMIT,
    OFFSET,
    SINCE,
    TODAY,
    ZONE_CHANGED_AT,
    DateRange,
    Filter,
    GroupsVariant,
    Link,
    ListVariant,
    was_near_in_another_zone,
)
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import DAY_START_NAMES
from resolvers.lists.orders import PageOrder
from resolvers.lists.where import columns_inside
from resolvers.relations.live import is_live
from resolvers.relations.relation import KEYS

MAX_CACHED_QUERIES = 512
"""Queries of all lists that stay compiled, one for each variant; the least recently used is dropped."""


class PageQuery:
    """The statement of one page, or of one page under each of many parents, and what follows from its variant.

    It counts the total, except after a position, which contains it, and where only rows are selected. An empty page is
    one row of nulls with the total. `list_parent` is the number of the parent among KEYS, from 1. Related rows are
    joined to the rows of the page, not to those that OFFSET skips.

    `order` is the one that is named, else with `updated_since` the time of the change, else the list's. `is_local`:
    rows depend on the zone of the request; `is_of_zone`: on that of the organization, whatever the request names;
    `needs_zone`: on that of the organization. `reads_all_changes`: it looks for those of the whole organization.
    """

    def __init__(self, listing: Listing, variant: ListVariant) -> None:
        self._listing, self.variant = listing, variant
        range_, given = listing.date_range, variant.given
        self.has_position = "after" in given
        self.has_range = range_ is not None and (range_.default_days is not None or "start_date" in given)
        self._is_polled = "updated_since" in given and "updated_since" not in listing.filters_by_name
        if variant.order_by is not None and listing.orders is not None:
            self.order = listing.orders.page_order(variant.order_by, listing.order[-1])
        else:
            self.order = PageOrder((listing.polled_column, listing.order[-1]) if self._is_polled else listing.order)
        last = listing.last_change if self._is_polled else None
        is_of_all = variant.parent is None and "user_id" not in given
        self._changes = None if last is None else last.since_of_all if is_of_all else last.since
        self.reads_all_changes = last is not None and is_of_all
        self.statement = Statement(self._select())
        self.is_local = range_ is not None and range_.is_local and (listing.day_of is not None or self.has_range)
        self.is_of_zone = not self.statement.parameter_names.isdisjoint({TODAY.key, *DAY_START_NAMES})
        self.needs_zone = self.is_of_zone or (self.is_local and "timezone" not in given)

    @property
    def _changed_at(self) -> ColumnElement[Any]:
        """The time by which requests with `updated_since` filter and sort rows."""
        listing = self._listing
        return listing.table.c[listing.polled_column] if self._changes is None else self._changes.c.updated_at

    def _select(self) -> Select[Any]:
        """One of five statements."""
        variant, scope = self.variant, self._scope()
        if variant.groups is not None:
            return self._groups(variant.groups, scope)
        if variant.content == "count":
            return self._count(scope)
        if self.has_position:
            return self._page_behind_position(scope)
        return self._page_and_total(scope) if variant.selected.is_counted else self._page_alone(scope)

    def _scope(self) -> "_Scope":
        """The rows of which the list has pages, below each of the parents if it has any."""
        listing, of = self._listing, self.variant.parent
        conditions = [in_organization(listing.table), *self._conditions()]
        parents: FromClause | None = None
        if of is not None:
            numbered = func.unnest(KEYS).table_valued(column("key", Uuid()), with_ordinality="number")
            parents = numbered.render_derived("parents")
            key = parents.c.key
            conditions.append(of.condition(key) if isinstance(of, Link) else of == key)
        source = listing.table if self._changes is None else listing.table.join(self._changes, true())
        return _Scope(parents, source, and_(*conditions))

    def _groups(self, asked: GroupsVariant, scope: "_Scope") -> Select[Any]:
        """One page of the groups of all rows."""
        page = asked.of.page(scope.source, scope.condition, asked, self.variant, scope.parents)
        groups = _for_each(page, "totals", scope.parents)
        shown = select(_number(scope.parents), *groups.c).select_from(_beside(scope.parents, groups))
        return shown.order_by("list_parent", groups.c.group_number)

    def _count(self, scope: "_Scope") -> Select[Any]:
        """The total alone."""
        total = _counted(scope)
        return select(_number(scope.parents), total.c.list_total).select_from(_beside(scope.parents, total))

    def _page_behind_position(self, scope: "_Scope") -> Select[Any]:
        """The page behind a position, which contains the total."""
        return self._joined(scope.parents, None, self._sorted(scope).where(self.order.follows(self.sort)).limit(LIMIT))

    def _page_alone(self, scope: "_Scope") -> Select[Any]:
        """The page without the total."""
        return self._joined(scope.parents, None, self._sorted(scope).limit(LIMIT).offset(OFFSET))

    def _page_and_total(self, scope: "_Scope") -> Select[Any]:
        """The page beside the total. Past the end, LIMIT 0 reads no row; OFFSET alone would read and skip them all."""
        total = _counted(scope)
        limit = case((total.c.list_total > OFFSET, LIMIT), else_=literal(0, BigInteger()))
        return self._joined(scope.parents, total, self._sorted(scope).limit(limit).offset(OFFSET))

    @property
    def sort(self) -> Sequence[ColumnElement[Any]]:
        """The columns that sort the page."""
        listing, columns = self._listing, self.order.columns
        if self.order.name is not None:
            return [listing.compared[columns[0]], listing.table.c[columns[1]]]
        return [self._changed_at if name == listing.polled_column else listing.table.c[name] for name in columns]

    def _sorted(self, scope: "_Scope") -> Select[Any]:
        """All rows, in the order of the page, with the columns that it reads."""
        table, sort = self._listing.table, self.sort
        # Sorted: all processes send the same SQL.
        keys = sorted((join.prefix, join.key) for join, _ in self.variant.selected.joined)
        stored = [each for each in sort if isinstance(each, ColumnClause)]
        read = self._stored([*self._columns(), *stored, *(table.c[key] for _, key in keys)])
        return scope.select(*read, *self._computed_keys).order_by(*self.order.sorted(self.order.keys(sort)))

    @property
    def _computed_keys(self) -> Sequence[ColumnElement[Any]]:
        """The keys of an order by a computed value, which the page has as columns. Else it has what they are of."""
        if all(isinstance(each, ColumnClause) for each in self.sort):
            return []
        return [key.label(f"list_key_{number}") for number, key in enumerate(self.order.keys(self.sort))]

    def _keys_in(self, rows: FromClause) -> Sequence[ColumnElement[Any]]:
        """The keys by which the rows of the page are sorted."""
        if computed := self._computed_keys:
            return [rows.c[str(each.key)] for each in computed]
        return self.order.keys(rows.c[name] for name in self.order.columns)

    def _columns(self) -> Sequence[ColumnElement[Any]]:
        """The columns that are requested or make the `date` of each row, the key, and those of a position."""
        listing, selected, columns = self._listing, self.variant.selected, self._listing.columns
        if self._changes is not None:
            columns = [self._changed_at if column.key == "updated_at" else column for column in columns]
        local_day = () if listing.day_of is None else ("date", listing.day_of)
        ordering = self.order.columns if selected.is_counted else self.order.columns[-1:]
        needed = None if selected.columns is None else selected.columns.union(ordering, local_day)
        return [column for column in columns if needed is None or column.key in needed]

    def _stored(self, columns: Sequence[ColumnElement[Any]]) -> Sequence[ColumnElement[Any]]:
        """What the page reads for these columns. What depends on columns of its row alone is computed outside.

        PostgreSQL computes the columns of the page for the rows that OFFSET skips, too.
        """
        read = dict[str, ColumnElement[Any]]()
        for each in columns:
            inside = list(visitors.iterate(each))
            stored = {part.key: part for part in inside if isinstance(part, ColumnClause)}
            is_of_row = all(part.table is self._listing.table for part in stored.values())
            is_of_row = is_of_row and not any(isinstance(part, Select) for part in inside)
            read |= stored if is_of_row else {str(each.key): each}
        return list(read.values())

    def _conditions(self) -> list[ColumnElement[bool]]:
        listing, variant, range_ = self._listing, self.variant, self._listing.date_range
        conditions: list[ColumnElement[bool]] = []
        includes_deleted = "include_deleted" in variant.given
        # Below a period, balances are those of the period, as if `leave_period_id` were given.
        parent = None if isinstance(variant.parent, Link) or variant.parent is None else variant.parent.key
        for filter in listing.filters:
            if filter.name in variant.given:
                conditions += self._where(filter)
            elif filter.otherwise is not None and not (includes_deleted or filter.name == parent):
                conditions.append(filter.otherwise)
        if self.has_range and range_ is not None:
            conditions.append(or_(and_(*self._where(range_)), *(self._has_moved(range_) if self._is_polled else [])))
        if variant.where is not None and listing.own_where is not None:
            conditions.append(listing.own_where.condition(variant.where))
        if not includes_deleted:
            conditions.append(is_live(listing.table))
        if self._is_polled:
            since: ColumnElement[Any] = SINCE
            if listing.day_of is not None:
                # With another zone, all rows have another date. An index finds rows by this condition, too.
                any_time = cast("-infinity", SINCE.type)
                since = case((ZONE_CHANGED_AT >= SINCE, any_time), else_=SINCE)
            conditions.append(self._changed_at >= since)
        return conditions

    def _where(self, filter: Filter | DateRange) -> Sequence[ColumnElement[bool]]:
        """The conditions of a filter beside the other ones that are given."""
        replacing = [where for name, where in filter.where_with.items() if name in self.variant.given]
        return replacing or [filter.where]

    def _has_moved(self, date_range: DateRange) -> list[ColumnElement[bool]]:
        """The conditions of rows that were in the range before they moved, or before the organization's zone did."""
        found = [] if date_range.has_moved is None else [date_range.has_moved]
        if date_range.day_of is not None:
            found.append(was_near_in_another_zone(self._listing.table.c[date_range.day_of]))
        return found

    def _joined(self, parents: FromClause | None, total: FromClause | None, page: Select[Any]) -> Select[Any]:
        """The rows of the page with their columns and those of related rows, beside their parent and the total."""
        listing, selected = self._listing, self.variant.selected
        rows: Any = _for_each(page, "page", parents, total)
        is_alone = parents is None and total is None
        sources: Any = rows if is_alone else _beside(parents, total).outerjoin(rows, true())
        number = _number(parents)
        # `list_` keeps these apart from columns of tables: an invoice has a `total`.
        list_total = total.c.list_total if total is not None else null().label("list_total")
        if not all(join.relation.has_rows for join, _ in selected.joined):
            # Groups are made for all rows together, which are found by the keys of the page: so it is read twice.
            rows = select(number, list_total, *rows.c).select_from(sources).cte("paged")
            number, list_total, sources = rows.c.list_parent, rows.c.list_total, rows
        read, of_page = set(page.selected_columns), columns_inside(listing.table, rows)
        shown = [rows.c[str(each.key)] if each in read else of_page(each) for each in self._columns()]
        given = (filter.page_columns for filter in listing.filters if filter.name in self.variant.given)
        page_columns = [
            make(rows).label(name) for each in (listing.page_columns, *given) for name, make in each.items()
        ]
        joined, sources = selected.join(dict(rows.c), sources)
        query = select(number, list_total, *shown, *page_columns, *joined).select_from(sources)
        # By a constant, PostgreSQL would sort, too.
        by_parent = [] if parents is None else [number]
        return query.order_by(*by_parent, *self.order.sorted(self._keys_in(rows)))


class _Scope(NamedTuple):
    """The rows of a list that a request finds: the parents above them, what they are read of, and their condition."""

    parents: FromClause | None
    source: FromClause
    condition: ColumnElement[bool]

    def select(self, *columns: ColumnElement[Any]) -> Select[Any]:
        """These columns of the rows."""
        return select(*columns).select_from(self.source).where(self.condition)


page_query = lru_cache(MAX_CACHED_QUERIES)(PageQuery)
"""The query of a variant of a list, compiled at its first use."""


def _counted(scope: _Scope) -> FromClause:
    """The number of rows below each parent."""
    return _for_each(scope.select(func.count().label("list_total")), "counted", scope.parents)


def _number(parents: FromClause | None) -> ColumnElement[Any]:
    """The first column of each statement: the number of the parent."""
    return (null() if parents is None else parents.c.number).label("list_parent")


def _for_each(rows: Select[Any], name: str, *outer: FromClause | None) -> FromClause:
    """A select for each of the rows of `outer`, to which it refers."""
    around = [each for each in outer if each is not None]
    return rows.correlate(*around).lateral(name) if around else rows.subquery(name)


def _beside(*sources: FromClause | None) -> FromClause:
    """The rows of these sources beside each other."""
    return reduce(lambda left, right: left.join(right, true()), [each for each in sources if each is not None])
