"""Pages of a list: the checks of a request, its query, the values that this binds, and the pages of its rows."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from db.reading.connection import Row
from resolvers.context import Context
from resolvers.day_bounds import local_date
from resolvers.errors import Invalid
from resolvers.lists.keyset import Keyset, check_position, position_after
from resolvers.lists.list_sql import (
    MAX_POLL_AGE,
    REQUESTED_USER,
    TODAY,
    ZONE_CHANGED_AT,
    ListParent,
    ListParts,
    ListVariant,
)
from resolvers.lists.local_day import day_start_values
from resolvers.lists.page_arguments import GRAPHQL_LIMITS
from resolvers.lists.page_query import PageQuery, page_query
from resolvers.lists.where import parsed
from resolvers.period import (
    MAX_RANGE_DAYS,
    UTC_ZONE,
    Period,
    Zone,
    check_range,
    expected_zone,
    organization_zone,
    period_of,
)
from resolvers.relations.arguments import bind_value
from resolvers.relations.nodes import IDS, check_ids
from resolvers.relations.relation import KEYS
from resolvers.relations.selected import Selected

NO_PERIOD = Period("UTC", None, None)
"""That of a list without a range."""


@dataclass(slots=True, eq=False)
class PageOfRows:
    """One page: the total of all pages, its rows, and the position after its last row if more rows follow."""

    count: int
    results: Sequence[Row]
    next: str | None


def check_page(arguments: Mapping[str, Any]) -> None:
    """Raise Invalid for a `page` or a `limit` out of bounds."""
    if arguments["page"] < 1:
        raise Invalid("page must be >= 1.")
    if not 1 <= arguments["limit"] <= GRAPHQL_LIMITS.maximum:
        raise Invalid(f"limit must be from 1 to {GRAPHQL_LIMITS.maximum}.")


def check_constants(arguments: Mapping[str, Any], max_days: int | None) -> None:
    """Raise Refusal for invalid constants of a document: an error is said once, before anything is read.

    An argument without a value and a default is None, a variable is absent. A name means the same in all fields.
    `max_days` is the longest range of the field.
    """
    if {"start_date", "end_date"} <= arguments.keys():
        check_range(arguments, max_days or MAX_RANGE_DAYS)
    if {"page", "limit"} <= arguments.keys():
        check_page(arguments)
    if "after" in arguments:
        check_position(arguments["after"])
    if "where" in arguments:
        parsed(arguments["where"])
    if IDS in arguments:
        check_ids(arguments[IDS])


async def read_pages(
    parts: ListParts,
    context: Context,
    parent: ListParent | None,
    keys: Sequence[Any],
    arguments: Mapping[str, Any],
    selected: Selected,
    **options: bool,
) -> tuple[Mapping[Any, PageOfRows], Period]:
    """The page below each key, and the period of the date range, after all checks. Raises Refusal.

    With `is_count`, pages have their counts and no rows; with `is_total`, the rows of `ListTotals`.

    Where a page depends on the zone of the organization, it is read for the zone that the organization had before,
    in the same round trip as the checks and the zone; and again, if the organization has another zone now.
    """
    check_page(arguments)
    if parts.max_days is not None:
        check_range(arguments, parts.max_days)
    query = query_of(parts, parent, arguments, selected, **options)
    if query.reads_all_changes and arguments["updated_since"] < context.now - MAX_POLL_AGE:
        raise Invalid(
            f"updated_since is {arguments['updated_since'].isoformat()}, but must be within the last "
            f"{MAX_POLL_AGE.days} days. Read the list without it, or with a user_id."
        )
    read = partial(_read, parts, context, keys, arguments, query)
    needs_zone = query.needs_today or query.needs_day_starts
    needs_zone = needs_zone or (query.is_local and arguments.get("timezone") is None)
    if not needs_zone and not parts.checks:
        return await read(UTC_ZONE, is_alone=context.has_one_source)

    async def check() -> Zone:
        checks = [check(context, arguments) for check in parts.checks]
        if not needs_zone:
            await asyncio.gather(*checks)
            return UTC_ZONE
        zone, _ = await asyncio.gather(organization_zone(context), asyncio.gather(*checks))
        return zone

    expected = expected_zone(context) if needs_zone else UTC_ZONE
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


def query_of(
    parts: ListParts,
    parent: ListParent | None,
    arguments: Mapping[str, Any],
    selected: Selected,
    *,
    is_count: bool = False,
    is_total: bool = False,
) -> PageQuery:
    """The query of the variant that arguments select."""
    order_by, where, range_ = arguments.get("order_by"), arguments.get("where"), parts.date_range
    has_position = bool(arguments["after"])
    variant = ListVariant(
        parent,
        frozenset([name for name in parts.filters_by_name if arguments.get(name) is not None]),
        is_polled="updated_since" not in parts.filters_by_name and arguments.get("updated_since") is not None,
        includes_deleted=bool(arguments.get("include_deleted")),
        has_position=has_position,
        has_range=range_ is not None and (range_.default_days is not None or arguments.get("start_date") is not None),
        selected=selected,
        # Counts do not depend on the order; a position does.
        order_by=None if order_by is None or (is_count and not has_position) else bind_value(order_by),
        is_count=is_count,
        where=None if where is None else parsed(where)[0],
        is_total=is_total,
    )
    return page_query(parts, variant)


async def _read(
    parts: ListParts,
    context: Context,
    keys: Sequence[Any],
    arguments: Mapping[str, Any],
    query: PageQuery,
    zone: Zone,
    *,
    is_alone: bool = False,
) -> tuple[Mapping[Any, PageOfRows], Period]:
    """The page below each key, and the period, if `zone` is the organization's.

    `is_alone`: nothing else is read at the same time.
    """
    variant, period, range_ = query.variant, NO_PERIOD, parts.date_range
    if range_ is not None:
        requested = zone if (name := arguments.get("timezone")) is None else Zone(name)
        period = period_of(requested if query.is_local else UTC_ZONE, context.now, arguments, range_.default_days)
    position = Keyset.parse(arguments["after"], query.order, parts.table) if variant.has_position else None
    if position is not None and variant.is_count:
        return dict.fromkeys(keys, PageOfRows(position.count, (), None)), period
    limit: int = arguments["limit"]
    values: dict[str, Any] = {
        KEYS.key: keys,
        # One row more than the page holds shows that another page follows.
        "limit": limit + variant.selected.is_counted,
        "offset": (arguments["page"] - 1) * limit,
        "updated_since": arguments.get("updated_since"),
        REQUESTED_USER.key: arguments.get("user_id"),
        ZONE_CHANGED_AT.key: period.zone_changed_at,
    }
    if position is not None:
        values |= position.values
    if query.needs_today:
        values[TODAY.key] = local_date(zone.name, context.now)
    if query.needs_day_starts:
        values |= day_start_values(zone)
    for name in variant.filters:
        values[name] = bind_value(arguments[name])
    if variant.where is not None:
        values |= parsed(arguments["where"])[1]
    if range_ is not None and variant.has_range:
        values |= range_.values(period)
    rows = await context.read(query.statement, values, is_alone=is_alone)
    groups: Sequence[list[Row]] = [rows]
    if variant.parent is not None:
        # The statement sorts by the numbers of the parents, its first column. Without rows, one may lack.
        found = {number: list(group) for number, group in groupby(rows, itemgetter(0))}
        groups = [found.get(number, []) for number in range(1, len(keys) + 1)]
    page_of = partial(_page, parts, query, limit, position, period)
    return dict(zip(keys, map(page_of, groups), strict=True)), period


def _page(
    parts: ListParts, query: PageQuery, limit: int, position: Keyset | None, period: Period, rows: list[Row]
) -> PageOfRows:
    if query.variant.is_total:
        return PageOfRows(0, rows, None)
    if query.variant.is_count:
        return PageOfRows(rows[0].list_total, (), None)
    count = position.count if position is not None else rows[0].list_total if rows else 0
    # An empty page is one row of nulls, with the total if that was counted.
    if rows and getattr(rows[0], query.order.columns[-1]) is None:
        rows = []
    following = None
    if len(rows) > limit:
        following = position_after(rows[limit - 1], query.order, count)
        del rows[limit:]
    if (day_of := parts.day_of) is not None:
        rows = [row._replace(date=local_date(period.zone, getattr(row, day_of))) for row in rows]
    return PageOfRows(count, rows, following)
