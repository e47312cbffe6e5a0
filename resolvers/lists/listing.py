"""A list: its columns, order, filters and paging, declared once.

One declaration makes resolvers of a list of the whole organization (`projects`) and of the same list below each of
many parents (`client { projects }`). Either reads pages and totals in one statement.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Table
from sqlalchemy.sql.selectable import FromClause
from strawberry import Info

from db.reading.connection import Row
from db.reading.statement import Statement
from resolvers.context import Context, SelectedBySource
from resolvers.day_bounds import local_date
from resolvers.lists import day_starts_sql
from resolvers.lists.keyset import Keyset, position_after
from resolvers.lists.list_sql import (
    REQUESTED_USER,
    TODAY,
    ZONE_CHANGED_AT,
    DateRange,
    Filter,
    LastChange,
    ListParent,
    ListTotals,
    ListVariant,
    PageColumn,
    order_of,
    statement_of,
)
from resolvers.lists.orders import Order, Orders, PageOrder
from resolvers.lists.page_arguments import (
    INCLUDE_DELETED,
    PAGING,
    UPDATED_SINCE_ARGUMENT,
    below_parent,
    check_page,
    check_poll_age,
    hashable,
)
from resolvers.lists.where import Where, parsed, where_of
from resolvers.period import (
    TIMEZONE,
    Period,
    check_range,
    expected_zone,
    organization_zone,
    period_of,
    range_arguments,
    zone_changed_at,
)
from resolvers.relations.arguments import Argument, bind_value, declare
from resolvers.relations.batching import (
    BatchResolver,
    ColumnDependencies,
    Prepare,
    Resolver,
    batch_resolver,
    depends_on,
    for_all_parents,
)
from resolvers.relations.relation import KEYS, keys_of
from resolvers.relations.selected import Selected

MAX_CACHED_STATEMENTS = 2048
"""Statements of all lists that stay compiled, one for each variant; the least recently used is dropped."""

First = TypeVar("First")
Second = TypeVar("Second")

Precondition = Callable[[Context, Mapping[str, Any]], Awaitable[None]]
"""A check before a list is read. Raises Refusal."""


@dataclass(frozen=True, slots=True, eq=False)
class PageOfRows:
    """One page: the total of all pages, its rows, and the position after its last row if more rows follow."""

    count: int
    results: Sequence[Row]
    next: str | None


class Listing:
    """A list of rows of `table`. Tests find conditions and orders that could not run.

    `order` sorts the list unless a request names one of `orders`. `columns` are selected, unless a document needs
    fewer. `page_columns` are always selected, and computed for the rows of the page only. `content` are
    arguments for what rows show, which do not filter. `checks` run before the list is read. `has_updated_since` and
    `has_include_deleted` add these arguments. `last_change` is the time of the last change, if it is not a column of
    the table; among `columns` it takes the place of `updated_at`. Else it is `polled_column`. `where_columns` are
    columns of its argument `where` beside those of an index (see `where_of`). `totals` are its sums over all pages.
    """

    def __init__(
        self,
        table: FromClause,
        columns: Sequence[ColumnElement[Any]],
        *,
        page_columns: Mapping[str, PageColumn] | None = None,
        filters: Sequence[Filter] = (),
        order: Order = ("created_at", "id"),
        orders: Orders | None = None,
        has_updated_since: bool = True,
        has_include_deleted: bool = True,
        date_range: DateRange | None = None,
        content: Sequence[Argument] = (),
        checks: Sequence[Precondition] = (),
        last_change: LastChange | None = None,
        polled_column: str = "updated_at",
        where_columns: Sequence[str] = (),
        totals: ListTotals | None = None,
    ) -> None:
        self.table = table
        self.last_change = last_change
        self.polled_column = polled_column
        self.totals = totals
        changed = [] if last_change is None else [last_change.at.label("updated_at")]
        stored = (column for column in columns if not changed or column.key != "updated_at")
        self.columns: Sequence[ColumnElement[Any]] = (*stored, *changed)
        self.page_columns: Mapping[str, PageColumn] = page_columns or {}
        self.filters: Mapping[str, Filter] = {filter.name: filter for filter in filters}
        self.order = order
        self.orders = orders
        self.date_range = date_range
        self.checks = checks
        self.arguments: list[Argument] = [*PAGING, *filters, *content]
        self.arguments += [orders.argument] if orders is not None else []
        self.own_where: Where | None = None
        if orders is not None and isinstance(table, Table):
            name = f"{orders.enumeration.__name__.removesuffix('Order')}Where"
            ranged = date_range is not None and date_range.is_always_set
            self.own_where = where_of(name, table, self.columns, where_columns, ranged=ranged)
            self.arguments.append(self.own_where.argument)
        if date_range is not None:
            self.arguments += range_arguments(required=date_range.is_required, default_days=date_range.default_days)
            self.arguments += [TIMEZONE] if date_range.is_local else []
        self.arguments += [UPDATED_SINCE_ARGUMENT] if has_updated_since else []
        self.arguments += [INCLUDE_DELETED] if has_include_deleted else []
        self.parents: list[ListParent | None] = []
        """What its resolvers list the rows of; None for the organization."""
        self.columns_by_name = {str(column.key): column for column in self.columns}

    def of_organization(self) -> Resolver:
        """A resolver of the list over the whole organization."""
        self.parents.append(None)

        async def resolve(info: Info[Context, None], **arguments: Any) -> PageOfRows:
            pages, _ = await self._pages(info.context, None, [None], arguments, info.context.selected.get(self))
            return pages[None]

        resolver: Resolver = declare(resolve, self.arguments)
        counting = for_all_parents(self.count)
        prepare = partial(self._prepare, None)
        reads = self._reads(frozenset(), counting, prepare)
        return depends_on(reads)(resolver)

    def of_parent(self, parent: ListParent, key: str = "id") -> Resolver:
        """A resolver of the rows whose column `parent` equals the attribute `key` of the parent object, or that a link
        connects with it.

        All parents with the same arguments share one statement.
        """
        self.parents.append(parent)

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
            async def read(keys: Sequence[Any]) -> Mapping[Any, PageOfRows]:
                return (await self._pages(context, parent, keys, arguments, context.selected.get(self)))[0]

            root_keys = keys_of(roots, key)
            pages = await context.load((self, parent, hashable(arguments)), root_keys, read)
            return [pages[root_key] for root_key in root_keys]

        async def count(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
            async def read(keys: Sequence[Any]) -> Mapping[Any, PageOfRows]:
                return (await self._pages(context, parent, keys, arguments, None, is_count=True))[0]

            root_keys = keys_of(roots, key)
            counted = await context.load((self, parent, hashable(arguments), "count"), root_keys, read)
            return [counted[root_key] for root_key in root_keys]

        prepare = partial(self._prepare, parent)
        reads = self._reads(frozenset([key]), count, prepare)
        return batch_resolver(resolve, below_parent(self.arguments), reads)

    def totals_of_organization(self) -> Resolver:
        """A resolver of the totals of all rows, with the arguments that find rows."""

        async def resolve(info: Info[Context, None], **arguments: Any) -> Sequence[Row]:
            return (await self._totals(info.context, None, [None], arguments))[None].results

        resolver: Resolver = declare(resolve, self._finding)
        return depends_on(ColumnDependencies(frozenset(), max_days=self._max_days))(resolver)

    def totals_of_parent(self, parent: ListParent, key: str = "id") -> Resolver:
        """A resolver of the totals of the rows below each parent, in one statement for all parents."""

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
            async def read(keys: Sequence[Any]) -> Mapping[Any, PageOfRows]:
                return await self._totals(context, parent, keys, arguments)

            root_keys = keys_of(roots, key)
            totals = await context.load((self, parent, hashable(arguments), "totals"), root_keys, read)
            return [totals[root_key].results for root_key in root_keys]

        reads = ColumnDependencies(frozenset([key]), max_days=self._max_days)
        return batch_resolver(resolve, self._finding, reads)

    @property
    def _max_days(self) -> int | None:
        return None if self.date_range is None else self.date_range.max_days

    @property
    def _finding(self) -> Sequence[Argument]:
        """The arguments that find rows: all but those of pages."""
        unused = {"order_by", "updated_since", *(argument.name for argument in PAGING)}
        return [argument for argument in self.arguments if argument.name not in unused]

    async def _totals(
        self, context: Context, parent: ListParent | None, keys: Sequence[Any], arguments: Mapping[str, Any]
    ) -> Mapping[Any, PageOfRows]:
        unpaged = {argument.name: argument.default for argument in self.arguments} | {**arguments}
        return (await self._pages(context, parent, keys, unpaged, None, is_total=True))[0]

    def _reads(self, attributes: frozenset[str], counting: BatchResolver, prepare: Prepare) -> ColumnDependencies:
        return ColumnDependencies(
            attributes, self, within="results", counting=counting, prepare=prepare, max_days=self._max_days
        )

    def _prepare(self, parent: ListParent | None, selected: SelectedBySource, arguments: Mapping[str, Any]) -> None:
        self.statement(self._variant(parent, arguments, selected.get(self), is_count=False))

    def row_of(self, key: str) -> Resolver:
        """A resolver of the live row whose id is the attribute `key` of the parent. A relation reads rows at less cost;
        this is for rows with values that only a list binds.
        """

        async def resolve(context: Context, roots: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            ids = keys_of(roots, key)
            rows = await self.live_rows(context, [id_ for id_ in ids if id_ is not None])
            return [None if id_ is None else rows[id_] for id_ in ids]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self))

    async def live_rows(self, context: Context, keys: Sequence[Any]) -> Mapping[Any, Row | None]:
        """The live row of each id; None for an id without one."""
        arguments = {argument.name: argument.default for argument in self.arguments} | {"limit": 1}
        own = self.table.c[self.order[-1]]

        async def read(keys: Sequence[Any]) -> Mapping[Any, Row | None]:
            pages, _ = await self._pages(context, own, keys, arguments, context.selected.get(self))
            return {key: page.results[0] if page.results else None for key, page in pages.items()}

        return await context.load((self, own), keys, read)

    def prepare(self, selected: SelectedBySource, *_: str) -> None:
        """Build the statement of `live_rows` for what a document shows of the rows."""
        arguments = {argument.name: argument.default for argument in self.arguments}
        self._prepare(self.table.c[self.order[-1]], selected, arguments)

    async def page(
        self, context: Context, arguments: Mapping[str, Any], selected: Selected | None = None
    ) -> tuple[PageOfRows, Period]:
        """One page of the whole organization, and the period of its date range. Raises Refusal.

        Rows have all columns if `selected` is None, else what is selected and the columns of the order.
        """
        pages, period = await self._pages(context, None, [None], arguments, selected)
        return pages[None], period

    async def count(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """A page of the whole organization without rows, which are counted only. Raises Refusal."""
        pages, _ = await self._pages(context, None, [None], arguments, None, is_count=True)
        return pages[None]

    async def _pages(
        self,
        context: Context,
        parent: ListParent | None,
        keys: Sequence[Any],
        arguments: Mapping[str, Any],
        selected: Selected | None,
        *,
        is_count: bool = False,
        is_total: bool = False,
    ) -> tuple[Mapping[Any, PageOfRows], Period]:
        """The page below each key, and the period of the date range, after all checks. Raises Refusal.

        With `is_count`, pages have their counts and no rows; with `is_total`, the rows of `ListTotals`.

        Where a page depends on the zone of the organization, it is read for the zone that the organization had before,
        in the same round trip as the checks and the zone; and again, if the organization has another zone now.
        """
        check_page(arguments)
        if self.date_range is not None:
            check_range(arguments, self.date_range.max_days)
        variant = self._variant(parent, arguments, selected, is_count=is_count)._replace(is_total=is_total)
        if variant.is_polled and self.last_change is not None and self.last_change.reads_all(variant):
            check_poll_age(context, arguments["updated_since"])
        statement = self.statement(variant)
        names = statement.parameter_names
        needs_zone = TODAY.key in names or not names.isdisjoint(day_starts_sql.DAY_START_NAMES)
        needs_zone = needs_zone or (self._is_local(arguments) and arguments.get("timezone") is None)
        read = partial(self._read, context, keys, arguments, variant, statement)
        if not needs_zone and not self.checks:
            return await read("UTC", is_alone=context.has_one_source)

        async def check() -> str:
            checks = [check(context, arguments) for check in self.checks]
            if not needs_zone:
                await asyncio.gather(*checks)
                return "UTC"
            zone, _ = await asyncio.gather(organization_zone(context), asyncio.gather(*checks))
            return zone

        expected = expected_zone(context) if needs_zone else "UTC"
        if expected is None:
            return await read(await check())

        async def read_expected(_: Sequence[Any]) -> Mapping[str, Any]:
            return {expected: await read(expected)}

        # A loader reads in the same turn of the event loop as those of the zone and of the checks.
        name = (self, variant, hashable(arguments), tuple(keys))
        zone, found = await _both(check(), context.load(name, [expected], read_expected))
        is_expected = (zone, zone_changed_at(zone)) == (expected, zone_changed_at(expected))
        return found[zone] if is_expected else await read(zone)

    def _is_local(self, arguments: Mapping[str, Any]) -> bool:
        """Whether rows depend on the zone of the request."""
        return (
            self.date_range is not None
            and self.date_range.is_local
            and (self.date_range.day_of is not None or self._has_range(arguments))
        )

    def _has_range(self, arguments: Mapping[str, Any]) -> bool:
        return self.date_range is not None and (
            self.date_range.default_days is not None or arguments.get("start_date") is not None
        )

    def _period(self, zone: str, context: Context, arguments: Mapping[str, Any]) -> Period:
        """The period of the arguments, in their zone, or in `zone`, that of the organization."""
        if self.date_range is None:
            return Period("UTC", None, None)
        requested = (arguments.get("timezone") or zone) if self._is_local(arguments) else "UTC"
        return period_of(requested, context.now, arguments, self.date_range.default_days)

    def _variant(
        self,
        parent: ListParent | None,
        arguments: Mapping[str, Any],
        selected: Selected | None,
        *,
        is_count: bool,
    ) -> ListVariant:
        return ListVariant(
            parent,
            frozenset([name for name, value in arguments.items() if value is not None and name in self.filters]),
            is_polled="updated_since" not in self.filters and arguments.get("updated_since") is not None,
            includes_deleted=bool(arguments.get("include_deleted")),
            has_position=bool(arguments["after"]),
            has_range=self._has_range(arguments),
            selected=selected,
            order_by=bind_value(arguments.get("order_by")),
            is_count=is_count,
            where=parsed(arguments.get("where"))[0],
        )

    async def _read(
        self,
        context: Context,
        keys: Sequence[Any],
        arguments: Mapping[str, Any],
        variant: ListVariant,
        statement: Statement,
        zone: str,
        *,
        is_alone: bool = False,
    ) -> tuple[Mapping[Any, PageOfRows], Period]:
        """The page below each key, and the period, if `zone` is the organization's.

        `is_alone`: nothing else is read at the same time.
        """
        period = self._period(zone, context, arguments)
        order = order_of(self, variant)
        position = Keyset.parse(arguments["after"], order, self.table) if variant.has_position else None
        limit: int = arguments["limit"]
        values: dict[str, Any] = {"limit": limit + variant.is_counted, KEYS.key: keys}
        if position is not None:
            if variant.is_count:
                return dict.fromkeys(keys, PageOfRows(position.count, (), None)), period
            values |= position.values
        if TODAY.key in statement.parameter_names:
            values[TODAY.key] = local_date(zone, context.now)
        if not statement.parameter_names.isdisjoint(day_starts_sql.DAY_START_NAMES):
            values |= day_starts_sql.values(zone, zone_changed_at(zone))
        values["offset"] = (arguments["page"] - 1) * limit
        values["updated_since"] = arguments.get("updated_since")
        values[REQUESTED_USER.key] = arguments.get("user_id")
        for name in variant.filters:
            values[name] = bind_value(arguments[name])
        values |= parsed(arguments.get("where"))[1]
        values[ZONE_CHANGED_AT.key] = period.zone_changed_at
        if self.date_range is not None and variant.has_range:
            values |= range_values(self.date_range, period)
        rows = await context.read(statement, values, is_alone=is_alone)
        groups: list[list[Row]] = [rows]
        if variant.parent is not None:
            groups = [[] for _ in keys]
            for row in rows:
                groups[row.list_parent - 1].append(row)
        if variant.is_total:
            pages = [PageOfRows(0, group, None) for group in groups]
        elif variant.is_count:
            pages = [PageOfRows(group[0].list_total, (), None) for group in groups]
        else:
            pages = [self._page(group, order, limit, position, period) for group in groups]
        return dict(zip(keys, pages, strict=True)), period

    def _page(
        self, rows: list[Row], order: PageOrder, limit: int, position: Keyset | None, period: Period
    ) -> PageOfRows:
        count = position.count if position is not None else rows[0].list_total if rows else 0
        # An empty page is one row of nulls, with the total if that was counted.
        if rows and getattr(rows[0], order.columns[-1]) is None:
            rows = []
        # One row more than the page holds shows whether another page follows.
        following = position_after(rows[limit - 1], order, count) if len(rows) > limit else None
        rows = rows[:limit]
        if self.date_range is not None and self.date_range.day_of is not None:
            time_column = self.date_range.day_of
            rows = [row._replace(date=period.day_of(getattr(row, time_column))) for row in rows]
        return PageOfRows(count, rows, following)

    @lru_cache(MAX_CACHED_STATEMENTS)  # noqa: B019 - a listing lives as long as the program
    def statement(self, variant: ListVariant) -> Statement:
        """The statement of a variant, compiled at its first use. Counts do not depend on the order."""
        if variant.is_count and variant.order_by is not None:
            return self.statement(variant._replace(order_by=None))
        return statement_of(self, variant)


async def _both(first: Awaitable[First], second: Awaitable[Second]) -> tuple[First, Second]:
    """Both results. Raises the exception of the first, if both raise."""
    results = await asyncio.gather(first, second, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results  # type: ignore[return-value]  # gather() cannot know that no result is an exception


def range_values(date_range: DateRange, period: Period) -> dict[str, Any]:
    """The values of LOW, HIGH and the days between, or of FIRST and LAST, in conditions of a range."""
    if date_range.is_local:
        bounds = period.bounds
        return {"low": bounds[0], "high": bounds[-1], "lows": bounds[:-1], "highs": bounds[1:]}
    return {"low": period.start, "high": period.end}
