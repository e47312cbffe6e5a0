"""Intervals of a report: from local times and a duration to instants.

Where the clocks go back, an hour happens twice; where they go forward, one never happens. A local time in such an hour
is two instants: by the offset before the change and by the one after it. The duration tells which of them is meant.

Users can set the format of durations:

| setting | examples |
|---|---|
| Toggl, improved; Clockify, full; solidtime | 0:47:06, 00:47:06, 30:00:00 |
| Toggl, classic | 47:06 min, 30 sec |
| Clockify, compact | 0:47 |
| decimal; Harvest; Kimai | 0.79, 0.79 h, 0,79, 7.5, 8 |
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AP])\.?M\.?)?", re.ASCII | re.IGNORECASE)

HOUR, DAY_LENGTH = 3600, 86_400

MAX_ENTRY = 999 * HOUR
"""The seconds of an entry, at most. Longer ones are mistakes: they would be split into very many."""

_REMEDY = "export with the time zone of your profile set to UTC, and import with --timezone UTC"


class Duration(NamedTuple):
    """A length of time in seconds. The format cuts or rounds it to a multiple of `unit` seconds."""

    seconds: int
    unit: int


_DURATIONS: list[tuple[re.Pattern[str], Callable[..., Duration]]] = [
    (re.compile(pattern, re.ASCII | re.IGNORECASE), read)
    for pattern, read in (
        (r"(\d{1,6}):([0-5]\d):([0-5]\d)", lambda h, m, s: Duration(3600 * h + 60 * m + s, 1)),
        (r"(\d{1,3}):([0-5]\d) min", lambda m, s: Duration(60 * m + s, 1)),
        (r"(\d{1,2}) sec", lambda s: Duration(s, 1)),
        (r"(\d{1,6}):([0-5]\d)", lambda h, m: Duration(3600 * h + 60 * m, 60)),
        (r"(\d{1,6})[.,](\d\d)(?: h)?", lambda h, hundredths: Duration(3600 * h + 36 * hundredths, 36)),
        (r"(\d{1,6})[.,](\d)", lambda h, tenths: Duration(3600 * h + 360 * tenths, 36)),
        (r"(\d{1,3})", lambda h: Duration(3600 * h, 36)),
    )
]


def read_duration(text: str) -> Duration:
    """The duration. Raises ValueError with a sentence."""
    if text.startswith("-"):
        raise ValueError("is negative")
    for pattern, read in _DURATIONS:
        match = pattern.fullmatch(text)
        if match is not None:
            return read(*map(int, match.groups()))
    raise ValueError("is not a duration such as 1:30:00, 1:30 or 1.50")


class TimeOfDay(NamedTuple):
    """A local time in seconds after midnight. It is cut to a multiple of `unit` seconds."""

    seconds: int
    unit: int


def read_time(text: str) -> TimeOfDay:
    """A time of 24 hours, or of 12 with AM or PM. Raises ValueError with a sentence."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError("is not a time such as 14:30:00 or 02:30:00 PM")
    hour, minute, second, half = match.groups()
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            raise ValueError("is not a time of 12 hours")
        hours = hours % 12 + (12 if half in "Pp" else 0)
    minutes, seconds = int(minute), int(second or 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("is not a time of the day")
    return TimeOfDay(HOUR * hours + 60 * minutes + seconds, 60 if second is None else 1)


def utc_interval(
    start: tuple[date, TimeOfDay], end: tuple[date, TimeOfDay], duration: Duration | None, zone: tzinfo
) -> tuple[int, int]:
    """The instants of start and end: those whose distance is the duration. Raises ValueError with a sentence.

    They are seconds of Unix time, and may be equal, where the report has an interval of no length.
    """
    starts, ends = _instants(*start, zone), _instants(*end, zone)
    pairs = [(first, last) for first in starts for last in ends if first <= last]
    if pairs and pairs[0][1] - pairs[0][0] > MAX_ENTRY:
        raise ValueError("is longer than 999 hours")
    if not pairs:
        raise ValueError("ends before it starts")
    if duration is not None:
        # Each value is less than its unit away from the exact one, and the times are so at both ends.
        tolerance = duration.unit + start[1].unit
        fitting = [pair for pair in pairs if abs(pair[1] - pair[0] - duration.seconds) < tolerance]
        if not fitting:
            raise ValueError(
                "has a duration that differs from its start and end: export without rounding, and give the time zone"
                " of the export with --timezone"
            )
        pairs = fitting
    is_empty = duration is not None and pairs[0][0] == pairs[0][1]
    if len(pairs) > 1 and not is_empty:
        raise ValueError(f"is in an hour that the clocks repeat or skip in {zone}: {_REMEDY}")
    return pairs[0]


def end_day(start: tuple[date, TimeOfDay], end: TimeOfDay, duration: Duration | None) -> date:
    """The day of an end that has no date: that which fits the duration; without one, the first after the start."""
    day, began = start
    lag = began.seconds - end.seconds
    if duration is None:
        return day + timedelta(days=int(lag > 0))
    return day + timedelta(days=round((lag + duration.seconds) / DAY_LENGTH))


def day_bounds(day: date, zone: tzinfo) -> tuple[int, int]:
    """The instants at which a day begins and ends."""
    first, last = (datetime.combine(day + timedelta(days=days), time(), zone) for days in (0, 1))
    return int(first.timestamp()), int(last.timestamp())


def _instants(day: date, at: TimeOfDay, zone: tzinfo) -> Sequence[int]:
    """The instant of a local time; both, in order, if the clocks changed over it."""
    midnight = _midnight(day, zone)
    if midnight is not None:
        return (midnight + at.seconds,)
    local = datetime.combine(day, time(), zone) + timedelta(seconds=at.seconds)
    return sorted({int(local.timestamp()), int(local.replace(fold=1).timestamp())})


@lru_cache(maxsize=10_000)
def _midnight(day: date, zone: tzinfo) -> int | None:
    """The instant at which a day begins; None if the clocks change near it. Most times need no more."""
    noon = datetime.combine(day, time(12), zone)
    before, after = ((noon + timedelta(days=days)).utcoffset() for days in (-2, 2))
    return int(noon.timestamp()) - DAY_LENGTH // 2 if before == after else None
