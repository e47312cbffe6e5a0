"""Work patterns: the weekdays, hours and days off of each member."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import cycle
from typing import NamedTuple
from zoneinfo import ZoneInfo

from db.sample.demo.area import Row
from db.sample.demo.people.build import PeopleRows, position_of
from db.sample.demo.random_source import DAY, RandomSource
from db.sample.demo.scenarios.scenario import Scenario, Shift
from db.tables.people import MemberStatus
from db.tables.timesheets import TimeSource

TIMESHEET_HISTORY = 60 * DAY
"""How far timesheets go back."""

SHORT_HISTORY = 10 * DAY
"""The same for members after the first DETAILED_MEMBERS, because a thousand members would take a minute."""

DETAILED_MEMBERS = 50
"""The number of first members with all kinds of rows; later members have only timesheets of SHORT_HISTORY."""

WORK_WEEKS = {40: (5, 8), 32: (4, 8), 30: (5, 6), 24: (3, 8), 20: (5, 4), 16: (2, 8), 8: (1, 8)}
"""Days a week and hours a day, by hours a week."""

START_HOURS = {Shift.day: 8.5, Shift.night: 22.0, Shift.calls: 9.0}
"""Hours since midnight."""


DEVICES = (TimeSource.desktop, TimeSource.web, TimeSource.desktop, TimeSource.mobile, TimeSource.web)
"""The devices that members use, in turn. Only the desktop application captures activity."""


class WorkPattern(NamedTuple):
    """How one member works from `since` until `until`, in the member's local time."""

    member: Row
    shift: Shift
    device: TimeSource
    zone: ZoneInfo
    weekdays: frozenset[int]
    start: timedelta
    length: timedelta
    works_weekends: bool
    off: frozenset[date]
    since: datetime
    until: datetime
    is_detailed: bool


def work_patterns(scenario: Scenario, people: PeopleRows, now: datetime) -> Iterator[WorkPattern]:
    """The patterns of all members who tracked time in the period."""
    devices = cycle(DEVICES)
    for index, member in enumerate(people.members):
        if not member["is_tracking_enabled"] or member["joined_at"] is None:
            continue
        random = RandomSource(f"{scenario.name}: {index} at work", now.date())
        shift = position_of(scenario, index).shift
        days, hours = WORK_WEEKS[(member["weekly_limit_seconds"] or 40 * 3600) // 3600]
        is_detailed = index < DETAILED_MEMBERS
        until = member["removed_at"] or now
        if member["status"] == MemberStatus.suspended:
            until = now - 25 * DAY
        pattern = WorkPattern(
            member=member,
            shift=shift,
            device=TimeSource.mobile if shift is Shift.calls else next(devices),
            zone=ZoneInfo(member["timezone"] or scenario.timezone),
            weekdays=frozenset(random.sample(range(5), days)),
            start=timedelta(hours=START_HOURS[shift], minutes=random.choice([0, 0, 15, 30, 60])),
            length=timedelta(hours=hours),
            works_weekends=shift is Shift.day and random.one_in(3),
            off=frozenset() if shift is Shift.calls else _days_off(random, now.date()),
            since=max(member["joined_at"], now - (TIMESHEET_HISTORY if is_detailed else SHORT_HISTORY)),
            until=until,
            is_detailed=is_detailed,
        )
        if pattern.since < pattern.until:
            yield pattern


def _days_off(random: RandomSource, today: date) -> frozenset[date]:
    """Sick days, and a holiday for one member in three."""
    days = [today - number * DAY for number in range(TIMESHEET_HISTORY.days + 1)]
    off = {day for day in days if random.one_in(40)}
    if random.one_in(3):
        first = random.randrange(5, len(days))
        off.update(days[first : first + random.randint(5, 12)])
    return frozenset(off)
