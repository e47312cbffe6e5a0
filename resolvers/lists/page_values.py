"""The values that the statement of a page binds for a request, and the days of its range."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from resolvers.day_bounds import local_date
from resolvers.lists.list_sql import (
    DAY_LOWS,
    HIGH,
    LIMIT,
    LOW,
    NOW,
    OFFSET,
    REQUESTED_USER,
    SINCE,
    TODAY,
    ZONE_CHANGED_AT,
    day_values,
)
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import day_start_values
from resolvers.lists.page_query import PageQuery
from resolvers.lists.where import parsed
from resolvers.period import UTC_ZONE, Period, Zone, period_of
from resolvers.relations.arguments import bind_value

NO_PERIOD = Period("UTC", None, None)
"""That of a list without a range."""


def page_period(listing: Listing, query: PageQuery, arguments: Mapping[str, Any], zone: Zone, now: datetime) -> Period:
    """The days of the range. `zone` is the organization's."""
    range_ = listing.date_range
    if range_ is None:
        return NO_PERIOD
    if (name := arguments.get("timezone")) is not None:
        zone = Zone(name, arguments.get("zone_changed_at"))
    return period_of(zone if query.is_local else UTC_ZONE, now, arguments, range_.default_days)


def page_values(
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
    for name in listing.filters_by_name.keys() & variant.given:
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
