"""A period: the range of days that a request asks about, in the zone that it asks in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, NewType

from sqlalchemy import select

from db.tables.columns import in_organization
from db.tables.people import organizations
from resolvers.context import Context
from resolvers.day_bounds import edges, local_date
from resolvers.errors import Invalid
from resolvers.relations.arguments import Argument
from resolvers.relations.relation import Relation, any_key

MAX_RANGE_DAYS = 31
"""The most days of a period, both ends counted (spec, Limits)."""

RANGE_REQUIRED = "start_date and end_date are required."
"""The message where a request has one end of a range only, or lacks a required range."""

SECOND = timedelta(seconds=1)

Timezone = NewType("Timezone", str)
"""The name of a time zone that exists; the schema sees to it."""

ZONE = Argument(name="timezone", type=Timezone, description="Time zone of the days; default: that of the organization.")

zones = Relation(
    select(organizations.c.organization_id.label("key"), organizations.c.timezone).where(
        in_organization(organizations), organizations.c.organization_id == any_key()
    )
)


def ends(*, required: bool) -> list[Argument]:
    """The arguments that name the first and the last day."""
    return [
        Argument(name="start_date", type=date, description="First day, inclusive.", is_required=required),
        Argument(name="end_date", type=date, description="Last day, inclusive.", is_required=required),
    ]


class Day(NamedTuple):
    """One day of a period: where it begins, and where it ends."""

    date: date
    low: datetime
    high: datetime

    @property
    def length_seconds(self) -> int:
        return (self.high - self.low) // SECOND


@dataclass(frozen=True)
class Period:
    """Days from `start` to `end`, both inclusive, as they are in `zone`. Both are None where no range was given."""

    zone: str
    start: date | None
    end: date | None

    @cached_property
    def edges(self) -> Sequence[datetime]:
        """Where each day begins, and where the last one ends."""
        assert self.start is not None
        assert self.end is not None
        return edges(self.zone, self.start, self.end)

    @cached_property
    def days(self) -> Mapping[date, Day]:
        """The days by their dates; without those that the zone left out."""
        assert self.start is not None
        days = [Day(self.start + timedelta(days=n), *ends) for n, ends in enumerate(pairwise(self.edges))]
        return {day.date: day for day in days if day.length_seconds}

    def day_of(self, moment: datetime) -> date:
        """The local day of an instant, in the period or not."""
        return local_date(self.zone, moment)


def range_error(start: date, end: date) -> str | None:
    """The message for a range that ends before it starts or is too long; None for a valid one."""
    if end < start:
        return "end_date must be on or after start_date."
    if (end - start).days >= MAX_RANGE_DAYS:
        return f"Date range cannot exceed {MAX_RANGE_DAYS} days."
    return None


async def zone_of(context: Context, arguments: Mapping[str, Any]) -> str:
    """The zone that was asked for, else the organization's. Never a member's own."""
    asked: str | None = arguments.get("timezone")
    if asked is not None:
        return asked
    organization = await zones.load(context, context.organization_id)
    return str(organization.timezone) if organization is not None else "UTC"


async def today_of(context: Context, arguments: Mapping[str, Any]) -> date:
    """The day that it is, in the zone that was asked for, else in the organization's."""
    return local_date(await zone_of(context, arguments), context.now)


async def period_of(context: Context, arguments: Mapping[str, Any]) -> Period:
    """The period that the arguments name. Raises Invalid for one that is not a range of at most MAX_RANGE_DAYS days."""
    start, end = arguments.get("start_date"), arguments.get("end_date")
    if (start is None) is not (end is None):
        raise Invalid(RANGE_REQUIRED)
    if start is not None and end is not None and (error := range_error(start, end)) is not None:
        raise Invalid(error)
    return Period(await zone_of(context, arguments), start, end)
