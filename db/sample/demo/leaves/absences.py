"""Absences: the random and the derived periods for which members apply for leave."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from db.sample.demo.leaves.policies import HOLIDAYS, LIEU, SICK, UNPAID, VACATION
from db.sample.demo.random_source import DAY, RandomSource
from db.tables.leaves import DayPart, LeaveStatus

FULL_WEEK = {40 * 3600, 30 * 3600}
"""Weekly seconds of members who work five days: a weekday without tracked time becomes a day of leave."""


class Absence(NamedTuple):
    """A period to apply for under one of LEAVE_POLICIES, and the status unless the balance is too low."""

    policy_index: int
    start: date
    end: date
    status: LeaveStatus = LeaveStatus.approved
    start_part: DayPart = DayPart.full
    end_part: DayPart = DayPart.full

    @property
    def days(self) -> list[date]:
        """The weekdays from start to end."""
        spread = (self.start + number * DAY for number in range((self.end - self.start).days + 1))
        return [day for day in spread if day.weekday() < 5]


def absences(
    random: RandomSource,
    since: date,
    until: date,
    worked: Sequence[date],
    today: date,
    *,
    is_active: bool,
    is_full_week: bool,
) -> Iterator[Absence]:
    """The absences of a member from `since` to `until` in order; `worked` are the days with tracked time."""
    new_year = date(today.year, 1, 1)
    limit = min([until, *worked[:1]])
    day = since + 30 * DAY
    while True:
        day = _weekday(day + random.randint(12, 40) * DAY)
        absence = _random_absence(random, day)
        if absence.start < new_year <= absence.end + 12 * DAY:
            # Vacation over the turn of the year includes the holiday on January 1.
            end = min(_weekday(new_year + random.randint(0, 4) * DAY), limit - DAY)
            absence = Absence(VACATION, absence.start, max(end, absence.start))
        if absence.end >= limit:
            break
        yield absence
        day = absence.end
    if is_full_week and worked:
        yield from _untracked_days(random, worked)
    if is_active and random.one_in(2):
        start = _weekday(today + random.randint(5, 50) * DAY)
        status = random.choice([LeaveStatus.pending, LeaveStatus.pending, LeaveStatus.approved])
        yield Absence(VACATION, start, _last_weekday(start, random.randint(1, 10)), status)


def _random_absence(random: RandomSource, day: date) -> Absence:
    """A random absence that starts on `day`."""
    draw = random.randrange(20)
    if draw < 5:
        return Absence(SICK, day, _last_weekday(day, random.randint(1, 4)))
    if draw < 7:
        half = random.choice([DayPart.first_half, DayPart.second_half])
        return Absence(VACATION, day, day, LeaveStatus.approved, half, half)
    if draw < 9:
        return Absence(LIEU, day, day)
    if draw < 10:
        return Absence(UNPAID, day, _last_weekday(day, 3))
    end = _last_weekday(day, random.randint(1, 10))
    if draw < 12:
        return Absence(VACATION, day, end, start_part=DayPart.second_half)
    if draw < 15:
        unapproved = (LeaveStatus.rejected, LeaveStatus.cancelled, LeaveStatus.withdrawn)
        return Absence(VACATION, day, end, unapproved[draw - 12])
    return Absence(VACATION, day, end)


def _untracked_days(random: RandomSource, worked: Sequence[date]) -> Iterator[Absence]:
    """Absences for runs of weekdays without tracked time, between the first and the last day with some."""
    days_worked, gap, day = set(worked), list[date](), worked[0]
    while day <= worked[-1]:
        if day in days_worked:
            if gap:
                yield Absence(SICK if len(gap) < 4 and random.one_in(2) else VACATION, gap[0], gap[-1])
            gap = []
        elif day.weekday() < 5 and (day.month, day.day) not in HOLIDAYS:
            gap.append(day)
        day += DAY


def _weekday(day: date) -> date:
    """The same day, or the Monday after a weekend."""
    return day + timedelta(days=max(0, 7 - day.weekday())) if day.weekday() >= 5 else day


def _last_weekday(day: date, count: int) -> date:
    """The last of `count` weekdays that start with the weekday `day`."""
    while count > 1:
        day = _weekday(day + DAY)
        count -= 1
    return day
