"""Local days by the zones of the tzdata package and a search through time, for references: no code of the service."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

QUARTER = timedelta(minutes=15)


@cache
def clock(name: str) -> tzinfo:
    """The zone of that name, from the package, whatever zones the host has."""
    with files("tzdata.zoneinfo").joinpath(name).open("rb") as file:
        return ZoneInfo.from_file(file)


@cache
def first_moment(name: str, day: date, step: timedelta = QUARTER) -> datetime:
    """The first quarter of an hour whose local date is `day` or later. The search begins before any zone has it."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=20)
    while moment.astimezone(clock(name)).date() < day:
        moment += step
    return moment
