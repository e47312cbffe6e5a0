"""Workdays: start, pause and end of each day of work."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from db.demo.random_source import DAY, MINUTE, RandomSource
from db.demo.timesheets.work_patterns import WorkPattern

MIN_AT_WORK = 3
"""The fewest members at work at `now`, at any hour."""


class Workday(NamedTuple):
    """One day of work of one member. It can end after midnight, or after `now`."""

    pattern: WorkPattern
    scheduled_start: datetime
    scheduled_end: datetime
    begin: datetime
    pause: tuple[datetime, datetime] | None
    end: datetime

    @property
    def stretches(self) -> list[tuple[datetime, datetime]]:
        if self.pause is None:
            return [(self.begin, self.end)]
        return [(self.begin, self.pause[0]), (self.pause[1], self.end)]

    def is_going_on(self, now: datetime) -> bool:
        return any(low <= now - 20 * MINUTE and now < high for low, high in self.stretches)


def workdays(random: RandomSource, work_patterns: list[WorkPattern], now: datetime) -> list[Workday]:
    """All workdays that began before `now`. Those of one member are in order and do not overlap."""
    days = [day for pattern in work_patterns for day in _workdays_of(random, pattern, now)]
    days += _started_now(random, work_patterns, days, now)
    return days


def _workdays_of(random: RandomSource, pattern: WorkPattern, now: datetime) -> Iterator[Workday]:
    day = pattern.since.astimezone(pattern.zone).date()
    last = now.astimezone(pattern.zone).date()
    while day <= last:
        workday = _workday(random, pattern, day)
        if (
            workday is not None
            and pattern.since <= workday.begin < now - 20 * MINUTE
            and (workday.end <= pattern.until or pattern.until == now)
        ):
            yield workday
        day += DAY


def _workday(random: RandomSource, pattern: WorkPattern, day: date) -> Workday | None:
    start, length = pattern.start, pattern.length
    if day in pattern.off:
        return None
    if day.weekday() not in pattern.weekdays:
        if day.weekday() < 5 or not pattern.works_weekends or not random.one_in(5):
            return None
        start, length = start + timedelta(hours=2), timedelta(hours=3)
    scheduled = datetime.combine(day, time(), pattern.zone) + start
    scheduled = scheduled.astimezone(UTC)
    begin = scheduled + timedelta(seconds=random.randrange(-600, 1500))
    worked = length * random.uniform(0.88, 1.08)
    worked -= worked % timedelta(seconds=1)
    pause = None
    rest = timedelta()
    if length > timedelta(hours=5):
        rest = timedelta(seconds=random.randrange(1800, 3600))
        middle = begin + timedelta(seconds=int(worked.total_seconds() * random.uniform(0.4, 0.55)))
        pause = (middle, middle + rest)
    # The schedule includes half an hour for the pause.
    planned = scheduled + length + (timedelta(minutes=30) if pause else timedelta())
    return Workday(pattern, scheduled, planned, begin, pause, begin + worked + rest)


def _started_now(
    random: RandomSource, work_patterns: list[WorkPattern], days: list[Workday], now: datetime
) -> Iterator[Workday]:
    """Workdays that have just begun, for members who are free, until MIN_AT_WORK are at work."""
    missing = MIN_AT_WORK - sum(day.is_going_on(now) for day in days)
    busy = {day.pattern.member["user_id"] for day in days if day.end > now - 90 * MINUTE}
    for pattern in work_patterns:
        free = pattern.member["user_id"] not in busy and pattern.until == now
        begin = now - timedelta(seconds=random.randrange(1500, 4200))
        begin = begin.replace(microsecond=0)
        if missing > 0 and free and pattern.since <= begin:
            missing -= 1
            end = begin + timedelta(hours=3)
            yield Workday(pattern, begin - 5 * MINUTE, end, begin, None, end)
