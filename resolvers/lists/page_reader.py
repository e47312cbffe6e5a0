"""The reader of a list's pages: it runs the checks of the list, reads, and shapes rows."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from db.reading.connection import Row
from db.reading.statement import Statement
from resolvers.context import Context, SelectedBySource
from resolvers.day_bounds import local_date
from resolvers.errors import Invalid
from resolvers.lists.list_sql import (
    DAY_LOWS,
    HIGH,
    LIMIT,
    LOW,
    MAX_POLL_AGE,
    NOW,
    OFFSET,
    REQUESTED_USER,
    SINCE,
    TODAY,
    ZONE_CHANGED_AT,
    GroupsVariant,
    Link,
    ListParent,
    ListVariant,
    PageContent,
    day_values,
)
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import day_start_values
from resolvers.lists.orders import Keyset, check_page, position_after
from resolvers.lists.page_arguments import GRAPHQL_LIMITS, below_parent
from resolvers.lists.page_query import PageQuery, page_query
from resolvers.lists.where import parsed
from resolvers.period import UTC_ZONE, Period, Zone, check_range, expected_zone, period_of, zone_of
from resolvers.relations.arguments import bind_value
from resolvers.relations.relation import KEYS, keys_of
from resolvers.selected import ALL, Selected
from resolvers.steps.batch import BatchResolver
from resolvers.steps.page import ListPage, PageCount

VARYING_ARGUMENTS = ("after", "include_deleted", "start_date", "timezone", "updated_since")
"""Arguments that change the query if they have a value, beside filters."""


NO_PERIOD = Period("UTC", None, None)
"""That of a list without a range."""


@dataclass(slots=True, eq=False)
class PageOfRows:
    """One page: the total, its rows, the period of the range, and the position after the last row if more follow."""

    count: int
    results: Sequence[Row]
    period: Period
    next: str | None = None


class PageReader:
    """Reads pages of a list: of the organization, or below each of many parents.

    `parent` is the column of the list that refers to the parent object, by name, or a link that connects rows with it.
    Pages below all parents with the same arguments are one statement.
    """

    def __init__(self, listing: Listing, parent: str | Link | None = None) -> None:
        self.listing = self.source = listing
        self.noun = listing.noun
        self._parent: ListParent | None = listing.table.c[parent] if isinstance(parent, str) else parent
        of = self._parent.parent if isinstance(self._parent, Link) else self._parent
        stored = [] if of is None else of.base_columns
        self.keys = [each.info.get("references", ".id").partition(".")[2] for each in stored]
        """The attributes of a parent by which it is found: the one to which rows refer."""

    @property
    def _defaults(self) -> dict[str, Any]:
        """The arguments of a request that gives none."""
        return {argument.name: argument.default for argument in self.listing.arguments}

    def step(self) -> ListPage:
        """The step of the page."""
        listing, needs = self.listing, frozenset(self.keys)
        arguments = listing.arguments if self._parent is None else below_parent(listing.arguments)
        return ListPage(
            self._step_of("rows"),
            needs,
            arguments,
            rows=listing,
            first_statement=lambda selected, given: self._query(given, selected.get(listing, ALL)).statement,
            counting=PageCount(self._step_of("count"), needs, arguments),
            parent=self._parent,
        )

    def _step_of(self, content: PageContent) -> BatchResolver:
        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
            selected = context.selected.get(self.listing, ALL) if content == "rows" else ALL
            return await self._each(context, roots, arguments, self._query(arguments, selected, content))

        return resolve

    async def groups(
        self,
        context: Context,
        roots: Sequence[Any],
        arguments: Mapping[str, Any],
        groups: GroupsVariant,
        selected: Selected,
    ) -> Sequence[PageOfRows]:
        """The page of groups for each parent. Raises Refusal."""
        given = {**self._defaults, **arguments}
        return await self._each(context, roots, given, self._query(given, selected, groups=groups))

    async def _each(
        self, context: Context, roots: Sequence[Any], arguments: Mapping[str, Any], query: PageQuery
    ) -> Sequence[PageOfRows]:
        """The page for each parent."""
        if self._parent is None:
            return [(await self._pages(context, query, arguments, [None]))[None]] * len(roots)
        keys = keys_of(roots, *self.keys)
        pages = await context.load((query, repr(arguments)), keys, partial(self._pages, context, query, arguments))
        return [pages[each] for each in keys]

    async def page(
        self, context: Context, arguments: Mapping[str, Any], selected: Selected = ALL, content: PageContent = "rows"
    ) -> PageOfRows:
        """One page of the organization. Raises Refusal."""
        return (await self._pages(context, self._query(arguments, selected, content), arguments, [None]))[None]

    async def live_rows(self, context: Context, keys: Sequence[Any]) -> Mapping[Any, Row | None]:
        """The first live row below each parent, None where there is none: that of an id, where the column is the id.

        A relation reads rows at less cost; this is for rows with values that only a list binds.
        """
        query = self._query(self._defaults, context.selected.get(self.listing, ALL))
        read = partial(self._pages, context, query, self._defaults | {"limit": 1})
        pages = await context.load(query, keys, read)
        return {key: pages[key].results[0] if pages[key].results else None for key in keys}

    def first_statement(self, selected: SelectedBySource, *_: str) -> Statement:
        """The statement of `live_rows` for what a document shows of the rows."""
        return self._query(self._defaults, selected.get(self.listing, ALL)).statement

    def _query(
        self,
        arguments: Mapping[str, Any],
        selected: Selected,
        content: PageContent = "rows",
        groups: GroupsVariant | None = None,
    ) -> PageQuery:
        """The query of the variant that arguments select. Raises Refusal for invalid ones."""
        if groups is None:
            check_page(arguments, GRAPHQL_LIMITS.maximum)
        if self.listing.max_days is not None:
            check_range(arguments, self.listing.max_days)
        given = set(filter(arguments.get, VARYING_ARGUMENTS))
        for name in self.listing.filters_by_name:
            if arguments.get(name) is not None:
                given.add(name)
        order_by, where = arguments.get("order_by"), arguments.get("where")
        shape = None if where is None else parsed(where)[0]
        return page_query(
            self.listing, ListVariant(self._parent, selected, content, frozenset(given), order_by, shape, groups)
        )

    async def _pages(
        self,
        context: Context,
        query: PageQuery,
        arguments: Mapping[str, Any],
        keys: Sequence[Any],
        zone: Zone | None = None,
    ) -> Mapping[Any, PageOfRows]:
        """The page below each key, if `zone` is the organization's. Raises Refusal.

        Without a zone, the checks of the list are made, and the zone is read if the page depends on it.
        """
        if query.reads_all_changes and arguments["updated_since"] < context.now - MAX_POLL_AGE:
            raise Invalid(
                f"updated_since is {arguments['updated_since'].isoformat()}, but must be within the last "
                f"{MAX_POLL_AGE.days} days. Read the list without it, or with a user_id."
            )
        if zone is None and (query.needs_zone or self.listing.checks):
            return await self._checked_pages(context, query, arguments, keys)
        is_alone, zone = zone is None and context.has_one_source, zone or UTC_ZONE
        period, range_ = NO_PERIOD, self.listing.date_range
        if range_ is not None:
            changed_at = arguments.get("zone_changed_at")
            requested = zone if (name := arguments.get("timezone")) is None else Zone(name, changed_at)
            period = period_of(requested if query.is_local else UTC_ZONE, context.now, arguments, range_.default_days)
        position = Keyset.parse(arguments["after"], query.order, query.sort) if query.has_position else None
        if position is not None and query.variant.content == "count":
            return dict.fromkeys(keys, PageOfRows(position.count, (), period))
        values = _values(self.listing, query, arguments, period, zone, context.now) | {KEYS.key: keys}
        if position is not None:
            values |= position.values
        rows = await context.fetch(query.statement, values, is_alone=is_alone)
        groups: Sequence[list[Row]] = [rows]
        if self._parent is not None:
            # The statement sorts by the numbers of the parents, its first column. Without rows, one may lack.
            found = {number: list(group) for number, group in groupby(rows, itemgetter(0))}
            groups = [found.get(number, []) for number in range(1, len(keys) + 1)]
        page_of = partial(self._page, query, arguments["limit"], position, period)
        return dict(zip(keys, map(page_of, groups), strict=True))

    async def _checked_pages(
        self, context: Context, query: PageQuery, arguments: Mapping[str, Any], keys: Sequence[Any]
    ) -> Mapping[Any, PageOfRows]:
        """The page below each key, after the checks of the list.

        Where a page depends on the zone of the organization, it is read for the zone that the organization had before,
        in the same round trip as the checks and the zone; and again, if the organization has another zone now.
        """
        read = partial(self._pages, context, query, arguments, keys)

        async def check() -> Zone:
            checks = asyncio.gather(*(check(context, arguments) for check in self.listing.checks))
            zone, _ = await asyncio.gather(zone_of(context, {"timezone": None if query.needs_zone else "UTC"}), checks)
            return zone

        expected = expected_zone(context) if query.needs_zone else UTC_ZONE
        if expected is None:
            return await read(await check())

        async def read_expected(_: Sequence[Any]) -> Mapping[Zone, Any]:
            return {expected: await read(expected)}

        # A loader reads in the same turn of the event loop as those of the zone and of the checks.
        loading = context.load((query, repr(arguments), *keys), [expected], read_expected)
        zone, found = await asyncio.gather(check(), loading, return_exceptions=True)
        for each in (zone, found):
            if isinstance(each, BaseException):
                raise each
        return found[zone] if zone == expected else await read(zone)

    def _page(
        self, query: PageQuery, limit: int, position: Keyset | None, period: Period, rows: list[Row]
    ) -> PageOfRows:
        if query.variant.groups is not None:
            return PageOfRows(0, rows, period)
        count = position.count if position is not None else rows[0].list_total if rows else 0
        # An empty page is one row of nulls, with the total if that was counted.
        if query.variant.content == "count" or (rows and getattr(rows[0], query.order.columns[-1]) is None):
            rows = []
        following = None
        if len(rows) > limit:
            following = position_after(rows[limit - 1], query.order, count)
            del rows[limit:]
        if (day_of := self.listing.day_of) is not None:
            rows = [row._replace(date=local_date(period.zone, getattr(row, day_of))) for row in rows]
        return PageOfRows(count, rows, period, following)


def _values(
    listing: Listing, query: PageQuery, arguments: Mapping[str, Any], period: Period, zone: Zone, now: datetime
) -> dict[str, Any]:
    """The values, without those of parents and of a position. `zone` is the organization's. Raises Invalid."""
    variant, range_, limit = query.variant, listing.date_range, arguments["limit"]
    values: dict[str, Any] = {
        # One row more than the page holds shows that another page follows.
        LIMIT.key: limit + variant.selected.is_counted,
        OFFSET.key: (arguments["page"] - 1) * limit,
        SINCE.key: arguments.get("updated_since"),
        REQUESTED_USER.key: arguments.get("user_id"),
        NOW.key: now,
        ZONE_CHANGED_AT.key: period.zone_changed_at,
    }
    for name in variant.given:
        if name in listing.filters_by_name:
            values[name] = bind_value(arguments[name], name)
    if query.is_of_zone:
        values |= {TODAY.key: local_date(zone.name, now), **day_start_values(zone)}
    if variant.where is not None:
        values |= parsed(arguments["where"])[1]
    if variant.groups is not None and variant.groups.having is not None:
        values |= parsed(arguments["having"], "having")[1]
    if range_ is not None and query.has_range:
        values[LOW.key], *_, values[HIGH.key] = period.bounds if range_.is_local else (period.start, period.end)
        if DAY_LOWS.key in query.statement.parameter_names:
            values |= day_values(period)
    return values
