"""A period: the days of a request from `start_date` to `end_date`, in its time zone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, NewType
from uuid import UUID

from cachetools import LRUCache
from sqlalchemy import select

from db.tables.columns import in_organization
from db.tables.people import organizations
from db.tables.reference import zone_names
from resolvers.context import Context
from resolvers.day_bounds import bounds_of_days, local_date
from resolvers.errors import Invalid
from resolvers.relations.arguments import Argument
from resolvers.relations.relation import Relation

MAX_RANGE_DAYS = 31
"""The most days of a period, both ends counted (spec, Limits): REST has it everywhere, GraphQL where days are split."""

MAX_NARROWED_DAYS = 366
"""The most days of a range of GraphQL that only narrows a list."""

Timezone = NewType("Timezone", str)
"""The name of an existing time zone."""

TIMEZONE = Argument(
    name="timezone", type=Timezone, description="Time zone of the days; default: that of the organization."
)

organization_zones = Relation(
    organizations.c.organization_id,
    select(organizations.c.timezone, organizations.c.report_changed_at).where(in_organization(organizations)),
)


def parse_timezone(text: str) -> Timezone:
    """An IANA name of the tzdata package, links included. Raises ValueError, also for paths that `ZoneInfo` accepts."""
    if text not in zone_names():
        raise ValueError("Not an IANA time zone.")
    return Timezone(text)


class Zone(NamedTuple):
    """A time zone by its name, and when the organization changed to it last; None for a zone that a request names."""

    name: str
    changed_at: datetime | None = None


UTC_ZONE = Zone("UTC")

_last_zones: LRUCache[UUID, Zone] = LRUCache(maxsize=10_000)


def range_arguments(*, required: bool, max_days: int, default_days: int | None = None) -> list[Argument]:
    """The arguments `start_date` and `end_date`."""
    first, last = "First day, inclusive", "Last day, inclusive"
    if default_days is not None:
        first, last = f"{first}; default: the first of the last {default_days} days", f"{last}; default: today"

    def check(constants: Mapping[str, Any]) -> None:
        if "end_date" in constants:
            check_range(constants, max_days)

    return [
        Argument(name="start_date", type=date, description=f"{first}.", is_required=required, check=check),
        Argument(name="end_date", type=date, description=f"{last}.", is_required=required),
    ]


class LocalDay(NamedTuple):
    """One day of a period: the instants at which it begins and ends."""

    date: date
    low: datetime
    high: datetime


@dataclass(frozen=True)
class Period:
    """Days from `start` to `end`, both inclusive, in `zone`. Both are None without a date range.

    `zone_changed_at` is when the organization's zone changed last, if it is this one by default.
    """

    zone: str
    start: date | None
    end: date | None
    zone_changed_at: datetime | None = None

    @cached_property
    def bounds(self) -> Sequence[datetime]:
        """The instants at which each day begins, and at which the last one ends."""
        assert self.start is not None
        assert self.end is not None
        return bounds_of_days(self.zone, self.start, self.end)

    @cached_property
    def days(self) -> Sequence[LocalDay]:
        """The days, without those that the zone skipped."""
        assert self.start is not None
        days = [LocalDay(self.start + timedelta(days=n), *pair) for n, pair in enumerate(pairwise(self.bounds))]
        return [day for day in days if day.low < day.high]


def range_error(start: date, end: date, max_days: int = MAX_RANGE_DAYS) -> str | None:
    """The message for a range that ends before it starts or is too long; None for a valid one."""
    if end < start:
        return "end_date must be on or after start_date."
    if (end - start).days >= max_days:
        return f"Date range cannot exceed {max_days} days."
    return None


async def zone_of(context: Context, arguments: Mapping[str, Any]) -> Zone:
    """The time zone of the request, by default the organization's. Never a member's."""
    requested: str | None = arguments.get("timezone")
    return Zone(requested) if requested is not None else await organization_zone(context)


async def organization_zone(context: Context) -> Zone:
    """The time zone of the organization."""
    organization = await organization_zones.load(context, context.organization_id)
    zone = UTC_ZONE if organization is None else Zone(organization.timezone, organization.report_changed_at)
    _last_zones[context.organization_id] = zone
    return zone


def expected_zone(context: Context) -> Zone | None:
    """The time zone that the organization had when this process last read it; None if it has not.

    What is read for this zone is valid if `organization_zone` confirms it in the same round trip.
    """
    return _last_zones.get(context.organization_id)


async def today_of(context: Context) -> date:
    """Today, in the time zone of the organization."""
    return local_date((await organization_zone(context)).name, context.now)


def check_range(arguments: Mapping[str, Any], max_days: int = MAX_RANGE_DAYS) -> None:
    """Raise Invalid unless the arguments have a range of at most `max_days` days, or none."""
    start, end = arguments.get("start_date"), arguments.get("end_date")
    if (start is None) is not (end is None):
        raise Invalid("start_date and end_date must be given together.")
    if start is not None and end is not None and (error := range_error(start, end, max_days)) is not None:
        raise Invalid(error)


def period_of(zone: Zone, now: datetime, arguments: Mapping[str, Any], default_days: int | None = None) -> Period:
    """The period of arguments that passed `check_range`.

    With `default_days`, arguments without a range stand for that many days up to today.
    """
    start, end = arguments.get("start_date"), arguments.get("end_date")
    if end is None and default_days is not None:
        end = local_date(zone.name, now)
        start = end - timedelta(days=default_days - 1)
    return Period(zone.name, start, end, zone.changed_at)
