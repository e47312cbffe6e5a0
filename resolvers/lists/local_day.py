"""The local day of a row, and in SQL the start of a day: its first instant in the zone of the organization.

A row has its day in the zone of its list, or, if it was read by its id, in the organization's. For the starts, the
shifts of the zone travel as parameters, because PostgreSQL has another edition of the time zones than the service, and
resolves a midnight that is skipped or repeated in another way. Lists bind them for the statements that name them.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Date, DateTime, Double, Integer, cast, func, null
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.elements import Grouping

from db.tables.columns import bind, constant
from resolvers.context import Context
from resolvers.day_bounds import DAY_SECONDS, EPOCH, day_shifts, local_date
from resolvers.period import Zone, organization_zone, today_of
from resolvers.steps.batch import Batch

SHIFT_DAYS, SHIFT_SECONDS = bind("shift_days", ARRAY(Integer())), bind("shift_seconds", ARRAY(Integer()))
"""The days from which a shift holds, counted from EPOCH, and the shifts: see `resolvers.day_bounds.day_shifts`."""

SHIFTS_CHANGED_AT = bind("shifts_changed_at", DateTime(timezone=True))
"""When the organization changed its zone last."""

DAY_START_NAMES = frozenset({SHIFT_DAYS.key, SHIFT_SECONDS.key, SHIFTS_CHANGED_AT.key})


def day_start_sql(day: ColumnElement[date], *, after: int = 0) -> ColumnElement[Any]:
    """The start of the day that is `after` days after `day`."""
    number: ColumnElement[int] = cast(day - constant(EPOCH), Integer) + constant(after)
    place = func.greatest(func.width_bucket(number, SHIFT_DAYS), constant(1))
    # Whole numbers of this size are exact in double precision.
    seconds: ColumnElement[float] = cast(number, Double()) * constant(DAY_SECONDS) + Grouping(SHIFT_SECONDS)[place]
    return func.to_timestamp(seconds, type_=DateTime(timezone=True))


def day_start_values(zone: Zone) -> Mapping[str, Any]:
    """The values of DAY_START_NAMES for the zone of an organization."""
    days, seconds = _texts(zone.name)
    return {SHIFT_DAYS.key: days, SHIFT_SECONDS.key: seconds, SHIFTS_CHANGED_AT.key: zone.changed_at}


@cache
def _texts(zone: str) -> tuple[str, str]:
    """The days and the seconds as PostgreSQL reads arrays."""
    shifts = day_shifts(zone)
    days, seconds = (",".join(map(str, numbers)) for numbers in (shifts.keys(), shifts.values()))
    return f"{{{days}}}", f"{{{seconds}}}"


DATE = cast(null(), Date).label("date")
"""A column that `Listing` fills with the local day in the zone of the request."""


def date_of(column: str) -> Batch:
    """The step of the local day of the time in `column`."""

    async def resolve(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[date]:
        days = [row.date for row in rows]
        if None not in days:
            return days
        zone = await organization_zone(context)
        return [day or local_date(zone.name, getattr(row, column)) for day, row in zip(days, rows, strict=True)]

    return Batch(resolve, frozenset({"date", column}))


def days_overdue(flag: str) -> Batch:
    """The step of the days from `due_date` to today, in the organization's zone; None unless `flag` and they passed."""

    async def resolve(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[int | None]:
        today = await today_of(context)
        days = [(today - row.due_date).days if getattr(row, flag) and row.due_date else 0 for row in rows]
        return [each if each > 0 else None for each in days]

    return Batch(resolve, frozenset({flag, "due_date"}))
