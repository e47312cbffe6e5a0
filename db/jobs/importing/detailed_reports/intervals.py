"""Intervals of a report: from local times and a duration to instants.

Where the clocks go back, an hour happens twice; where they go forward, one never happens. A local time in such an hour
is two instants: by the offset before the change and by the one after it. The duration tells which of them is meant.

Time trackers let users choose the format of durations: `0:47:06`, `47:06 min`, `0:47`, `0.79`, `1h 30m`, `PT1H30M`. A
number without unit is of the unit that its column has: hours, minutes or seconds.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

# 8:00-12:00 is no time of another zone: a negative offset stands behind seconds or GMT. 2:00 +1 is of the next day.
_TIME = re.compile(
    r"(\d{1,2})(?:[:.h](\d\d)(?:[:.](\d\d)(?:[.,]\d+)?)?)?(?:[ \u00a0\u202f]?(?:([AP])\.?[ \u00a0\u202f]?M\.?|Uhr|h))?"
    r"(?: ?(Z|UTC|(?:\+|(?(3)-|(?!)))\d\d(?::?\d\d)?|GMT[+-](?:\d\d(?::?\d\d)?|\d))(?: \(.*\))?)?",
    re.ASCII | re.IGNORECASE,
)
_COMPACT_TIME = re.compile(r"(\d\d)(\d\d)(\d\d)Z", re.ASCII)

HOUR, DAY_LENGTH = 3600, 86_400

MAX_ENTRY = 999 * HOUR
"""The seconds of an entry, at most. Longer ones are mistakes: they would be split into very many."""

_LONGEST_NIGHT = 16 * HOUR
"""The seconds of an entry over midnight, at most, that has neither a duration nor the date of its end."""

_HOUR_DIGITS = 3
"""Digits of hours in decimal, at most: a longer number is seconds."""

_REMEDY = "export with the time zone of your profile set to UTC, and import with --timezone UTC"


class Duration(NamedTuple):
    """A length of time in seconds. The format cuts or rounds it to a multiple of `unit` seconds."""

    seconds: int
    unit: int


_HOURS = r"(?:h|hrs?|hours?|Std\.?|Stunden?)"
_CLOCK = re.compile(
    rf"(\d{{1,6}}) ?[:h] ?([0-5]\d)(?::([0-5]\d)(?:[.,]\d+)?)?(?: ?{_HOURS})?", re.ASCII | re.IGNORECASE
)
_CLASSIC = re.compile(r"(\d{1,3}):([0-5]\d) min", re.ASCII)
_WORDS = re.compile(
    rf"(?:(\d{{1,6}}) ?{_HOURS})?"
    r"[ ,]*(?:(\d{1,6}) ?(?:m|min\.?|mins|minutes?|Minuten?))?"
    r"[ ,]*(?:(\d{1,6}) ?(?:s|secs?|seconds?|Sek\.?))?",
    re.ASCII | re.IGNORECASE,
)
_PART = r"(?:(\d{1,9}(?:[.,]\d{1,6})?)"
# Without days: those of issue trackers have eight hours.
_ISO = re.compile(rf"PT(?=.){_PART}H)?{_PART}M)?{_PART}S)?", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(rf"(\d{{1,9}}|(?=[.,]\d))(?:[.,](\d*))?( ?{_HOURS})?", re.ASCII | re.IGNORECASE)

THOUSANDS = re.compile(r"[1-9]\d*[.,]\d{3}", re.ASCII)
"""Hours are never so many, and programs write seconds with three decimals after a point."""

# A report repeats its values many times.
_cached = lru_cache(maxsize=100_000)

_UNITS = {HOUR: 36, 60: 60}
"""Numbers of hours are cut or rounded to hundredths, those of minutes to whole ones."""


@_cached
def read_duration(text: str, unit: int = HOUR) -> Duration:
    """The duration; of a number without unit, `unit` says its seconds. Raises ValueError with a sentence."""
    # A space that does not end a line stands before units in French, for one.
    text = text.replace("\u00a0", " ").replace("\u202f", " ")
    if text.startswith("-") and text != "-":
        raise ValueError("is negative: take it off the entry that it corrects, or delete the line if the entry runs")
    if match := _CLOCK.fullmatch(text):
        return Duration(_seconds(*match.groups()), 1 if match[3] else 60)
    if match := _CLASSIC.fullmatch(text):
        return Duration(_seconds(None, *match.groups()), 1)
    match = _NUMBER.fullmatch(text)
    if match and (match[3] or unit != HOUR or len(match[1]) <= _HOUR_DIGITS):
        unit = HOUR if match[3] else unit
        if THOUSANDS.fullmatch(text) and (unit == 60 or (unit == 1 and "," in text)):
            raise ValueError("may be more than a thousand, or less: write it without a separator")
        return Duration(round(Decimal(f"{match[1] or 0}.{match[2] or 0}") * unit), _UNITS.get(unit, 1))
    if (match := _WORDS.fullmatch(text)) and any(match.groups()):
        return Duration(_seconds(*match.groups()), 1 if match[3] else 60)
    if match := _ISO.fullmatch(text):
        parts = zip(match.groups("0"), (HOUR, 60, 1), strict=True)
        return Duration(round(sum(Decimal(part.replace(",", ".")) * size for part, size in parts)), 1)
    looks = ", and looks like seconds: give --map seconds=COLUMN" if _NUMBER.fullmatch(text) else ""
    looks += ", but has days of 8 or 24 hours: write hours" if re.search(r"\d ?d", text.lower()) else ""
    raise ValueError(f"is not a duration such as 1:30:00, 1:30 or 1.50{looks}")


def _seconds(hours: str | None, minutes: str | None, seconds: str | None) -> int:
    return HOUR * int(hours or 0) + 60 * int(minutes or 0) + int(seconds or 0)


class TimeOfDay(NamedTuple):
    """A local time in seconds after midnight. It is cut to a multiple of `unit` seconds."""

    seconds: int
    unit: int
    zone: tzinfo | None = None
    """The zone that the text gives; None: that of the file."""


@_cached
def read_time(text: str) -> TimeOfDay:
    """A time of 24 hours, or of 12 with AM or PM. Raises ValueError with a sentence."""
    if compact := _COMPACT_TIME.fullmatch(text):
        text = f"{compact[1]}:{compact[2]}:{compact[3]}Z"
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError("is not a time such as 14:30:00 or 02:30:00 PM")
    hour, minute, second, half, offset = match.groups()
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            raise ValueError("is not a time of 12 hours")
        hours = hours % 12 + (12 if half in "Pp" else 0)
    minutes, seconds = int(minute or 0), int(second or 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("is not a time of the day")
    return TimeOfDay(HOUR * hours + 60 * minutes + seconds, 60 if second is None else 1, _zone(offset))


@_cached
def read_end_time(text: str) -> TimeOfDay:
    """A time as `read_time` reads it; 24:00 is the end of the day. Raises ValueError with a sentence."""
    return TimeOfDay(DAY_LENGTH, 60) if text in ("24:00", "24:00:00") else read_time(text)


def _zone(offset: str | None) -> tzinfo | None:
    text = (offset or "").upper().replace("UTC", "Z").removeprefix("GMT")
    text = f"{text[0]}0{text[1]}" if len(text) == len("+1") else text
    # PostgreSQL leaves out minutes that are zero.
    return datetime.strptime(f"{text}00" if len(text) == len("+01") else text, "%z").tzinfo if text else None


def utc_interval(
    start: tuple[date, TimeOfDay],
    end: tuple[date, TimeOfDay] | None,
    duration: Duration | None,
    paused: int,
    zone: tzinfo,
    *,
    trusts_duration: bool,
) -> tuple[int, int, int]:
    """The instants of start, of the end of the work, and of the break after it. Raises ValueError with a sentence.

    They are seconds of Unix time: those whose distance is the duration and the break. Start and end may be equal, where
    the report has an interval of no length.
    """
    starts = _instants(*start, zone)
    ends = None if end is None else _instants(*end, zone)
    if ends is None and duration is not None and duration.unit == _UNITS[HOUR] and duration.seconds > DAY_LENGTH:
        raise ValueError(
            "has no end, and may be hours, minutes or seconds: give --map minutes=COLUMN or seconds=COLUMN, or write"
            f" {written_hours(duration.seconds)}"
        )
    pairs = [(first, last) for first in starts for last in ends or [first] if first <= last]
    if not pairs:
        raise ValueError("ends before it starts")
    if max(pairs[0][1] - pairs[0][0], 0 if duration is None else duration.seconds) > MAX_ENTRY:
        raise ValueError("is longer than 999 hours")
    is_placed = duration is not None and ends is None
    if duration is not None and ends is not None:
        # Each value is less than its unit away from the exact one, and the times are so at both ends.
        tolerance = duration.unit + start[1].unit
        away = {pair: abs(pair[1] - pair[0] - paused - duration.seconds) for pair in pairs}
        fitting = [pair for pair in pairs if away[pair] < tolerance]
        if not fitting and not trusts_duration:
            raise ValueError(_differs(pairs[0][1] - pairs[0][0] - paused, duration, paused))
        # Times of 20 minutes say more than 0.33 hours.
        is_placed = trusts_duration and min(away.values()) >= duration.unit
        pairs = fitting or pairs
    is_empty = duration is not None and not is_placed and pairs[0][0] == pairs[0][1]
    if len({first for first, _ in pairs} if is_placed else pairs) > 1 and not is_empty:
        raise ValueError(f"is in an hour that the clocks repeat or skip in {zone}: {_REMEDY}")
    started_at, ended_at = pairs[0]
    # Where times are cut to minutes, an exact duration says more.
    if duration is not None and (is_placed or duration.unit < min(start[1].unit, _UNITS[HOUR])):
        ended_at = started_at + duration.seconds + paused
    if paused > ended_at - started_at:
        raise ValueError("has a break that is longer than the time from start to end")
    return started_at, ended_at - paused, ended_at


def _differs(seconds: int, duration: Duration, paused: int) -> str:
    if paused and abs(duration.seconds - seconds - paused) < duration.unit:
        advice = "name the column of the time without it with --map duration=COLUMN, or delete this one"
        return f"has a duration of {written_hours(duration.seconds)} with the break: {advice}"
    after = " without the break" if paused else ""
    whole, hundredths = divmod(duration.seconds // _UNITS[HOUR], 100)
    if duration.unit == _UNITS[HOUR] and HOUR * whole + 60 * hundredths == seconds:
        written = written_hours(seconds)
        return f"has a duration of {whole}.{hundredths:02} hours, and {written} from start to end: write {written}"
    for field, part in (("minutes", 60), ("seconds", HOUR)):
        number = duration.seconds / part
        if duration.unit == _UNITS[HOUR] and abs(seconds % DAY_LENGTH - number) < 60 <= number:
            hours = f"{duration.seconds / HOUR:g}"
            return f"has a duration of {hours} hours, and {hours} {field} from start to end: give --map {field}=COLUMN"
    return (
        f"has a duration of {written_hours(duration.seconds)}, but {written_hours(seconds)} from start to end{after}:"
        " if the duration is right (breaks, rounding), give --trust-durations; if the clocks changed, the time zone of"
        " the export with --timezone"
    )


def written_hours(seconds: int) -> str:
    """Hours and minutes, and seconds if there are any."""
    return f"{seconds // HOUR}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")


def end_day(start: tuple[date, TimeOfDay], end: TimeOfDay, length: int | None, number: str) -> date:
    """The day of an end that has no date: that which fits the length; without one, the first after the start.

    Raises ValueError with a sentence, also for a duration whose `number` may be hours or seconds.
    """
    day, began = start
    lag = end.seconds - began.seconds
    if length is None and _LONGEST_NIGHT - DAY_LENGTH < lag < 0:
        over = written_hours(DAY_LENGTH + lag)
        raise ValueError(
            f"ends before it starts, or lasts {over}: correct it (12 hours need AM or PM), or add a date of the end"
        )
    days = int(lag < 0) if length is None else round((length - lag) / DAY_LENGTH)
    are_seconds, are_hours = (number.isdigit() and abs(lag - unit * int(number)) < 2 * began.unit for unit in (1, HOUR))
    if are_seconds and (days or not are_hours):
        raise ValueError(
            f"has a duration that is {number} hours, or {number} seconds: export durations as 0:00:24 or 24:00, or give"
            " --map seconds=COLUMN"
        )
    return day + timedelta(days=days)


def day_bounds(day: date, zone: tzinfo) -> tuple[int, int]:
    """The instants at which a day begins and ends."""
    first, last = (datetime.combine(day + timedelta(days=days), time(), zone) for days in (0, 1))
    return int(first.timestamp()), int(last.timestamp())


def _instants(day: date, at: TimeOfDay, zone: tzinfo) -> Sequence[int]:
    """The instant of a local time; both, in order, if the clocks changed over it."""
    zone = at.zone or zone
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
