"""When people work: on which weekdays, from when, for how long, and on which days they do not."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import cycle
from typing import NamedTuple
from zoneinfo import ZoneInfo

from db.demo.area import Row
from db.demo.chance import DAY, Chance
from db.demo.outline import Outline, Shift
from db.demo.people.build import People, post_of
from db.tables.people import MemberStatus
from db.tables.timesheets import TimeSource

SPAN = 60 * DAY
"""How far back time is known."""

LATER_SPAN = 10 * DAY
"""The same for all but the first members: a thousand of them would take a minute to make."""

FIRST = 50
"""The members who have everything. The others have timesheets, and no more of them than of LATER_SPAN."""

HOURS = {40: (5, 8), 32: (4, 8), 30: (5, 6), 24: (3, 8), 20: (5, 4), 16: (2, 8), 8: (1, 8)}
"""How many days and how many hours on each, by hours a week."""

STARTS = {Shift.day: 8.5, Shift.night: 22.0, Shift.calls: 9.0}
"""Hours since midnight."""


DEVICES = (TimeSource.desktop, TimeSource.web, TimeSource.desktop, TimeSource.mobile, TimeSource.web)
"""What people track their time with, in turn. Only the desktop application sees activity."""


class Pattern(NamedTuple):
    """How one person works from `since` until `until`; the rest stands in the person's own local time."""

    person: Row
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
    is_first: bool


def patterns(outline: Outline, crew: People, now: datetime) -> Iterator[Pattern]:
    """The patterns of all who tracked any time of late."""
    devices = cycle(DEVICES)
    for index, person in enumerate(crew.members):
        if not person["is_tracking_enabled"] or person["joined_at"] is None:
            continue
        chance = Chance(f"{outline.name}: {index} at work", now.date())
        shift = post_of(outline, index).shift
        days, hours = HOURS[(person["weekly_limit_seconds"] or 40 * 3600) // 3600]
        is_first = index < FIRST
        until = person["removed_at"] or now
        if person["status"] == MemberStatus.suspended:
            until = now - 25 * DAY
        pattern = Pattern(
            person=person,
            shift=shift,
            device=TimeSource.mobile if shift is Shift.calls else next(devices),
            zone=ZoneInfo(person["timezone"] or outline.timezone),
            weekdays=frozenset(chance.random.sample(range(5), days)),
            start=timedelta(hours=STARTS[shift], minutes=chance.random.choice([0, 0, 15, 30, 60])),
            length=timedelta(hours=hours),
            works_weekends=shift is Shift.day and chance.one_in(3),
            off=frozenset() if shift is Shift.calls else _off(chance, now.date()),
            since=max(person["joined_at"], now - (SPAN if is_first else LATER_SPAN)),
            until=until,
            is_first=is_first,
        )
        if pattern.since < pattern.until:
            yield pattern


def _off(chance: Chance, today: date) -> frozenset[date]:
    """Holidays of one person in three, and a sick day now and then."""
    days = [today - number * DAY for number in range(SPAN.days + 1)]
    off = {day for day in days if chance.one_in(40)}
    if chance.one_in(3):
        first = chance.random.randrange(5, len(days))
        off.update(days[first : first + chance.random.randint(5, 12)])
    return frozenset(off)
