"""Days, exactly: where a local calendar day begins and ends, whatever its zone does to the clock.

A day D is [lo(D), lo(D + 1)), where lo(D) is the first instant whose local date is D or later. It is found by a search
over the zone's transitions and never by adding 24 hours or by asking for "00:00": some days have no midnight, some
have two, and days of 22 to 26 hours all occur.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

# Offsets from UTC stay below 16 hours, local mean times of the 19th century included; a day may be skipped whole.
# No zone ever changed its offset twice within this window: a week less an hour is the least that lay between.
BEFORE, AFTER = timedelta(hours=16), timedelta(hours=16 + 26)
SECOND = timedelta(seconds=1)

# A search around the first and the last days that Python knows would leave its calendar. Nothing happened on them,
# so they may be empty.
FIRST, LAST = date.min.toordinal() + 2, date.max.toordinal() - 3


@cache
def names() -> frozenset[str]:
    """The zones that may be named: those of the tzdata package, links included, and no other file or abbreviation."""
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="ascii").split())


@cache
def zone(name: str) -> ZoneInfo:
    """The zone of that name, from the tzdata package whatever the host has installed. Raises KeyError."""
    if name not in names():
        raise KeyError(name)
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def edges(name: str, start: date, end: date) -> Sequence[datetime]:
    """The lo of each day from `start` to `end`, and of the day after: in UTC, one more than there are days."""
    days = range(start.toordinal(), end.toordinal() + 2)
    return [low(name, date.fromordinal(max(FIRST, min(number, LAST)))) for number in days]


@lru_cache(maxsize=65_536)
def low(name: str, day: date) -> datetime:
    """lo(day): the first instant, in whole seconds, whose local date in the zone is `day` or later."""
    local_midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    begin, end = local_midnight - BEFORE, local_midnight + AFTER
    reached = local_midnight - _offset(name, begin)
    change = _change(name, begin, end)
    if reached < change:
        return reached
    # By the old clock the day did not begin any more: it does with the new one, or some time after.
    return max(change, local_midnight - _offset(name, change))


def local_date(name: str, moment: datetime) -> date:
    """The local calendar day of an instant."""
    return moment.astimezone(zone(name)).date()


def _offset(name: str, moment: datetime) -> timedelta:
    offset = moment.astimezone(zone(name)).utcoffset()
    assert offset is not None
    return offset


def _change(name: str, begin: datetime, end: datetime) -> datetime:
    """The first second in (begin, end] at which the offset is another one, or `end`; at most one change lies there."""
    here = _offset(name, begin)
    if _offset(name, end) == here:
        return end
    while end - begin > SECOND:
        middle = begin + timedelta(seconds=(end - begin) // SECOND // 2)
        if _offset(name, middle) == here:
            begin = middle
        else:
            end = middle
    return end
