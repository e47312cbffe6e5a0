"""Pages of a list: the checks of a request, its statement, the values that this binds, and the pages of its rows."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from db.reading.connection import Row
from db.reading.statement import Statement
from resolvers.context import Context
from resolvers.day_bounds import local_date
from resolvers.errors import Invalid
from resolvers.lists import day_starts_sql
from resolvers.lists.keyset import Keyset, position_after
from resolvers.lists.list_sql import (
    MAX_POLL_AGE,
    REQUESTED_USER,
    TODAY,
    ZONE_CHANGED_AT,
    DateRange,
    ListParent,
    ListParts,
    ListVariant,
)
from resolvers.lists.list_statement import order_of, statement_of
from resolvers.lists.orders import PageOrder
from resolvers.lists.page_arguments import check_page, hashable
from resolvers.lists.where import parsed
from resolvers.period import Period, check_range, expected_zone, organization_zone, period_of, zone_changed_at
from resolvers.relations.arguments import bind_value
from resolvers.relations.relation import KEYS
from resolvers.relations.selected import Selected

MAX_CACHED_STATEMENTS = 512
"""Statements of all lists that stay compiled, one for each variant; the least recently used is dropped."""

NO_PERIOD = Period("UTC", None, None)
"""That of a list without a range."""

First = TypeVar("First")
Second = TypeVar("Second")


@dataclass(slots=True, eq=False)
class PageOfRows:
    """One page: the total of all pages, its rows, and the position after its last row if more rows follow."""

    count: int
    results: Sequence[Row]
    next: str | None


class PageQuery(NamedTuple):
    """What follows from a variant: its statement, the order of its pages, and what rows depend on.

    `is_local`: on the zone of the request. The others: on that of the organization, whatever the request names.
    """

    statement: Statement
    order: PageOrder
    is_local: bool
    needs_today: bool
    needs_day_starts: bool


class ListPages(ListParts):
    """A list whose pages can be read."""

    async def page(
        self, context: Context, arguments: Mapping[str, Any], selected: Selected | None = None
    ) -> tuple[PageOfRows, Period]:
        """One page of the whole organization, and the period of its date range. Raises Refusal.

        Rows have all columns if `selected` is None, else what is selected and the columns of the order.
        """
        pages, period = await self.pages(context, None, [None], arguments, selected)
        return pages[None], period

    async def count(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """A page of the whole organization without rows, which are counted only. Raises Refusal."""
        pages, _ = await self.pages(context, None, [None], arguments, None, is_count=True)
        return pages[None]

    async def pages(
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
        variant = self.variant(parent, arguments, selected, is_count=is_count, is_total=is_total)
        if variant.is_polled and self.last_change is not None and self.last_change.reads_all(variant):
            _check_poll_age(context, arguments)
        query = self.query(variant)
        needs_zone = query.needs_today or query.needs_day_starts
        needs_zone = needs_zone or (query.is_local and arguments.get("timezone") is None)
        read = partial(self._read, context, keys, arguments, variant, query)
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

    def variant(
        self,
        parent: ListParent | None,
        arguments: Mapping[str, Any],
        selected: Selected | None,
        *,
        is_count: bool = False,
        is_total: bool = False,
    ) -> ListVariant:
        """The variant that arguments select."""
        order_by, where, range_ = arguments.get("order_by"), arguments.get("where"), self.date_range
        return ListVariant(
            parent,
            frozenset([name for name in self.filters if arguments.get(name) is not None]),
            is_polled="updated_since" not in self.filters and arguments.get("updated_since") is not None,
            includes_deleted=bool(arguments.get("include_deleted")),
            has_position=bool(arguments["after"]),
            has_range=range_ is not None
            and (range_.default_days is not None or arguments.get("start_date") is not None),
            selected=selected,
            order_by=None if order_by is None else bind_value(order_by),
            is_count=is_count,
            where=None if where is None else parsed(where)[0],
            is_total=is_total,
        )

    @lru_cache(MAX_CACHED_STATEMENTS)  # noqa: B019 - a list lives as long as the program
    def query(self, variant: ListVariant) -> PageQuery:
        """The query of a variant, compiled at its first use. Counts do not depend on the order."""
        if variant.is_count and variant.order_by is not None:
            return self.query(variant._replace(order_by=None))._replace(order=order_of(self, variant))
        statement = statement_of(self, variant)
        names, range_ = statement.parameter_names, self.date_range
        return PageQuery(
            statement,
            order_of(self, variant),
            is_local=range_ is not None and range_.is_local and (range_.day_of is not None or variant.has_range),
            needs_today=TODAY.key in names,
            needs_day_starts=not names.isdisjoint(day_starts_sql.DAY_START_NAMES),
        )

    async def _read(
        self,
        context: Context,
        keys: Sequence[Any],
        arguments: Mapping[str, Any],
        variant: ListVariant,
        query: PageQuery,
        zone: str,
        *,
        is_alone: bool = False,
    ) -> tuple[Mapping[Any, PageOfRows], Period]:
        """The page below each key, and the period, if `zone` is the organization's.

        `is_alone`: nothing else is read at the same time.
        """
        period, range_ = NO_PERIOD, self.date_range
        if range_ is not None:
            requested = (arguments.get("timezone") or zone) if query.is_local else "UTC"
            period = period_of(requested, context.now, arguments, range_.default_days)
        position = Keyset.parse(arguments["after"], query.order, self.table) if variant.has_position else None
        limit: int = arguments["limit"]
        values: dict[str, Any] = {
            KEYS.key: keys,
            "limit": limit + variant.is_counted,
            "offset": (arguments["page"] - 1) * limit,
            "updated_since": arguments.get("updated_since"),
            REQUESTED_USER.key: arguments.get("user_id"),
            ZONE_CHANGED_AT.key: period.zone_changed_at,
        }
        if position is not None:
            if variant.is_count:
                return dict.fromkeys(keys, PageOfRows(position.count, (), None)), period
            values |= position.values
        if query.needs_today:
            values[TODAY.key] = local_date(zone, context.now)
        if query.needs_day_starts:
            values |= day_starts_sql.values(zone, zone_changed_at(zone))
        for name in variant.filters:
            values[name] = bind_value(arguments[name])
        if variant.where is not None:
            values |= parsed(arguments["where"])[1]
        if range_ is not None and variant.has_range:
            values |= range_values(range_, period)
        rows = await context.read(query.statement, values, is_alone=is_alone)
        groups: Sequence[list[Row]] = [rows]
        if variant.parent is not None:
            # The statement sorts by the numbers of the parents, its first column. Without rows, one may lack.
            found = {number: list(group) for number, group in groupby(rows, itemgetter(0))}
            groups = [found.get(number, []) for number in range(1, len(keys) + 1)]
        if variant.is_total:
            pages = [PageOfRows(0, group, None) for group in groups]
        elif variant.is_count:
            pages = [PageOfRows(group[0].list_total, (), None) for group in groups]
        else:
            pages = [self._page(group, query.order, limit, position, period) for group in groups]
        return dict(zip(keys, pages, strict=True)), period

    def _page(
        self, rows: list[Row], order: PageOrder, limit: int, position: Keyset | None, period: Period
    ) -> PageOfRows:
        count = position.count if position is not None else rows[0].list_total if rows else 0
        # An empty page is one row of nulls, with the total if that was counted.
        if rows and getattr(rows[0], order.columns[-1]) is None:
            rows = []
        following = None
        # One row more than the page holds shows that another page follows.
        if len(rows) > limit:
            following = position_after(rows[limit - 1], order, count)
            del rows[limit:]
        if self.date_range is not None and self.date_range.day_of is not None:
            time_column = self.date_range.day_of
            rows = [row._replace(date=period.day_of(getattr(row, time_column))) for row in rows]
        return PageOfRows(count, rows, following)


def _check_poll_age(context: Context, arguments: Mapping[str, Any]) -> None:
    """Raise Invalid for changes of the whole organization since a time that is too long ago."""
    if (updated_since := arguments["updated_since"]) < context.now - MAX_POLL_AGE:
        raise Invalid(
            f"updated_since is {updated_since.isoformat()}, but must be within the last {MAX_POLL_AGE.days} days. "
            "Read the list without it, or with a user_id."
        )


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
