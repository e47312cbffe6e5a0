"""Workdays: start, pause and end of each day on which a member works."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from db.sample.demo.random_source import DAY, MINUTE, RandomSource
from db.sample.demo.timesheets.work_patterns import WorkPattern

MIN_AT_WORK = 3
"""The fewest members at work at `now`, at any hour."""

MIN_ELAPSED = 20 * MINUTE
"""Work that began less than this before `now` is left out."""


class Workday(NamedTuple):
    """One workday of one member. It can end after midnight, or after `now`."""

    pattern: WorkPattern
    scheduled_start: datetime
    scheduled_end: datetime
    begin: datetime
    pause: tuple[datetime, datetime] | None
    end: datetime

    @property
    def working_spans(self) -> list[tuple[datetime, datetime]]:
        """Begin and end of the work before and after the pause."""
        if self.pause is None:
            return [(self.begin, self.end)]
        return [(self.begin, self.pause[0]), (self.pause[1], self.end)]

    def is_at_work(self, now: datetime) -> bool:
        return any(begin <= now - MIN_ELAPSED and now < end for begin, end in self.working_spans)


def workdays(random: RandomSource, work_patterns: list[WorkPattern], now: datetime) -> list[Workday]:
    """All workdays that began before `now`. Those of one member are in order and do not overlap."""
    result = [workday for pattern in work_patterns for workday in _workdays_of(random, pattern, now)]
    result += _just_begun(random, work_patterns, result, now)
    return result


def _workdays_of(random: RandomSource, pattern: WorkPattern, now: datetime) -> Iterator[Workday]:
    day = pattern.since.astimezone(pattern.zone).date()
    today = now.astimezone(pattern.zone).date()
    while day <= today:
        workday = _workday(random, pattern, day)
        if (
            workday is not None
            and pattern.since <= workday.begin < now - MIN_ELAPSED
            and (workday.end <= pattern.until or pattern.until == now)
        ):
            yield workday
        day += DAY


def _workday(random: RandomSource, pattern: WorkPattern, day: date) -> Workday | None:
    """The workday that begins on `day`; None on a day off."""
    start, length = pattern.start, pattern.length
    if day in pattern.off:
        return None
    if day.weekday() not in pattern.weekdays:
        if day.weekday() < 5 or not pattern.works_weekends or not random.one_in(5):
            return None
        start, length = start + timedelta(hours=2), timedelta(hours=3)
    scheduled_start = (datetime.combine(day, time(), pattern.zone) + start).astimezone(UTC)
    begin = scheduled_start + timedelta(seconds=random.randrange(-600, 1500))
    worked = length * random.uniform(0.88, 1.08)
    worked -= worked % timedelta(seconds=1)
    pause = None
    pause_length = timedelta()
    if length > timedelta(hours=5):
        pause_length = timedelta(seconds=random.randrange(1800, 3600))
        pause_begin = begin + timedelta(seconds=int(worked.total_seconds() * random.uniform(0.4, 0.55)))
        pause = (pause_begin, pause_begin + pause_length)
    # The schedule includes half an hour for the pause.
    scheduled_end = scheduled_start + length + (timedelta(minutes=30) if pause else timedelta())
    return Workday(pattern, scheduled_start, scheduled_end, begin, pause, begin + worked + pause_length)


def _just_begun(
    random: RandomSource, work_patterns: list[WorkPattern], earlier: list[Workday], now: datetime
) -> Iterator[Workday]:
    """Workdays that have just begun, as many as are missing until MIN_AT_WORK members are at work."""
    missing = MIN_AT_WORK - sum(workday.is_at_work(now) for workday in earlier)
    busy = {workday.pattern.member["user_id"] for workday in earlier if workday.end > now - 90 * MINUTE}
    for pattern in work_patterns:
        is_free = pattern.member["user_id"] not in busy and pattern.until == now
        begin = (now - timedelta(seconds=random.randrange(1500, 4200))).replace(microsecond=0)
        if missing > 0 and is_free and pattern.since <= begin:
            missing -= 1
            end = begin + timedelta(hours=3)
            yield Workday(pattern, begin - 5 * MINUTE, end, begin, None, end)
