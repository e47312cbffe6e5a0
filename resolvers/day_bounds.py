"""Day bounds: the instants at which local calendar days begin and end, across changes of the zone's offset.

A day D is [lo(D), lo(D + 1)), where lo(D) is the first instant whose local date is D or later. A search
over the zone's transitions finds it. Adding 24 hours or reading "00:00" would be wrong: some days have no midnight,
some have two, and days last from 22 to 26 hours.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from typing import NewType
from zoneinfo import ZoneInfo

from db.tables.reference import zone_names

# Offsets from UTC stay below 16 hours, including local mean times of the 19th century; a whole day may be skipped.
# No zone changed its offset twice within this window: the shortest time between two changes was a week less an hour.
BEFORE, AFTER = timedelta(hours=16), timedelta(hours=16 + 26)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)

DAY_SECONDS = 86_400

Seconds = NewType("Seconds", int)
"""A duration, which may exceed 32 bits."""

EPOCH, LAST_SHIFTED = date(1970, 1, 1), date(2059, 12, 31)
"""The days between which `day_shifts` follows the clock of a zone. Days outside have the shift of the nearest one."""

EPOCH_START = datetime.combine(EPOCH, time(), UTC)

# A search around the first and the last days of Python's calendar would leave it, so these days are empty.
FIRST_ORDINAL, LAST_ORDINAL = date.min.toordinal() + 2, date.max.toordinal() - 3


@cache
def zone_info(name: str) -> ZoneInfo:
    """The zone of that name, from the tzdata package and not from the host. Raises KeyError."""
    if name not in zone_names():
        raise KeyError(name)
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def bounds_of_days(name: str, start: date, end: date) -> Sequence[datetime]:
    """The starts of the days from `start` to `end` and of the day after, in UTC: one more than there are days."""
    days = range(start.toordinal(), end.toordinal() + 2)
    return [day_start(name, date.fromordinal(max(FIRST_ORDINAL, min(number, LAST_ORDINAL)))) for number in days]


@lru_cache(maxsize=65_536)
def day_start(name: str, day: date) -> datetime:
    """lo(day): the first instant, in whole seconds, whose local date in the zone is `day` or later."""
    local_midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    begin, end = local_midnight - BEFORE, local_midnight + AFTER
    by_first_offset = local_midnight - _offset(name, begin)
    change = _offset_change(name, begin, end)
    if by_first_offset < change:
        return by_first_offset
    # The day had not begun when the offset changed: it begins at the change or after it.
    return max(change, local_midnight - _offset(name, change))


@cache
def day_shifts(name: str) -> Mapping[int, int]:
    """The starts of the days of a zone, in seconds after midnight UTC, by the first day that starts so, from EPOCH."""
    moment, end = EPOCH_START - DAY, datetime.combine(LAST_SHIFTED, time(), UTC)
    offset = _offset(name, moment)
    shifts = {0: -offset // SECOND}
    while moment < end:
        # Between two changes of an offset are at least six days.
        following = moment + 6 * DAY
        changed = _offset(name, following)
        if changed != offset:
            change = _offset_change(name, moment, following)
            # The first day that had not begun before the change, and the first that begins after it as by the offset.
            number = max(-((EPOCH_START - change - offset) // DAY), 0)
            while EPOCH_START + number * DAY - changed < change:
                shifts[number] = (change - EPOCH_START) // SECOND - number * DAY_SECONDS
                number += 1
            shifts[number] = -changed // SECOND
        moment, offset = following, changed
    return shifts


def local_date(name: str, moment: datetime) -> date:
    """The local calendar day whose bounds contain an instant.

    After a clock went back across midnight, it shows the date before once more: that time is of the day that had begun.
    """
    day = moment.astimezone(zone_info(name)).date()
    while day.toordinal() < LAST_ORDINAL and day_start(name, day + DAY) <= moment:
        day += DAY
    return day


def _offset(name: str, moment: datetime) -> timedelta:
    offset = moment.astimezone(zone_info(name)).utcoffset()
    assert offset is not None
    return offset


def _offset_change(name: str, begin: datetime, end: datetime) -> datetime:
    """The first second in (begin, end] with another offset than at `begin`, or `end`. At most one change lies there."""
    first_offset = _offset(name, begin)
    if _offset(name, end) == first_offset:
        return end
    while end - begin > SECOND:
        middle = begin + timedelta(seconds=(end - begin) // SECOND // 2)
        if _offset(name, middle) == first_offset:
            begin = middle
        else:
            end = middle
    return end
