"""Intervals of a report: from local times and a duration to instants.

Where the clocks go back, an hour happens twice; where they go forward, one never happens. A local time in such an hour
is two instants: by the offset before the change and by the one after it. The duration tells which of them is meant.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from db.jobs.importing.detailed_reports.durations import Duration

_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AP])\.?M\.?)?", re.ASCII | re.IGNORECASE)

MAX_ENTRY = timedelta(hours=999)
"""The length of an entry, at most. Longer ones are mistakes: they would be split into very many."""

_REMEDY = "export with the time zone of your profile set to UTC, and import with --timezone UTC"


class TimeOfDay(NamedTuple):
    """A local time. It is cut to a multiple of `unit` seconds."""

    time: time
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
    try:
        return TimeOfDay(time(hours, int(minute), int(second or 0)), 60 if second is None else 1)
    except ValueError:
        raise ValueError("is not a time of the day") from None


def utc_interval(
    start: tuple[date, TimeOfDay], end: tuple[date, TimeOfDay], duration: Duration | None, zone: tzinfo
) -> tuple[datetime, datetime]:
    """The instants of start and end: those whose distance is the duration. Raises ValueError with a sentence.

    They may be equal, where the report has an interval of no length.
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
        fitting = [pair for pair in pairs if abs(_seconds(pair) - duration.seconds) < tolerance]
        if not fitting:
            raise ValueError(
                "does not have this duration: export without rounding, and give the zone of the export with --timezone"
            )
        pairs = fitting
    is_empty = duration is not None and _seconds(pairs[0]) == 0
    if len(pairs) > 1 and not is_empty:
        raise ValueError(f"is in an hour that the clocks repeat or skip in {zone}: {_REMEDY}")
    return pairs[0]


def _instants(day: date, at: TimeOfDay, zone: tzinfo) -> list[datetime]:
    """The instant of a local time; both, in order, if the clocks changed over it."""
    local = datetime.combine(day, at.time, zone)
    offset = _offset_around(day, zone)
    if offset is not None:
        return [local.replace(tzinfo=UTC) - offset]
    return sorted({local.astimezone(UTC), local.replace(fold=1).astimezone(UTC)})


@lru_cache(maxsize=10_000)
def _offset_around(day: date, zone: tzinfo) -> timedelta | None:
    """The offset from UTC on the day and on those beside it; None if it changes. Most times need no more."""
    noon = datetime.combine(day, time(12), zone)
    before, after = ((noon + timedelta(days=days)).utcoffset() for days in (-2, 2))
    return before if before == after else None


def _seconds(pair: tuple[datetime, datetime]) -> int:
    return round((pair[1] - pair[0]).total_seconds())
