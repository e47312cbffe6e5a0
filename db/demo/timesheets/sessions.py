"""Timesheets: the stretches of a day of work, cut where somebody stopped the clock or turned to something else."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from db.demo.area import Row
from db.demo.chance import DAY, MINUTE, Chance
from db.demo.outline import Shift
from db.demo.timesheets.workdays import Workday
from db.demo.work.engagements import Engagement
from db.tables.timesheets import TimesheetKind, TimeSource

AT_ONCE = 5
"""How many timers run when the demo starts, at most: the other people have just stopped theirs."""

NO_COUNTERS: Row = {"input_seconds": 0, "active_seconds": 0, "keyboard_seconds": 0, "mouse_seconds": 0}

ELSEWHERE = (TimeSource.web, TimeSource.mobile, TimeSource.api)
"""What people use on days on which they are without their usual device."""


class Lengths(NamedTuple):
    """From how many to how many seconds a timesheet lasts, and the time until the next; less than none is none."""

    shortest: int
    longest: int
    soonest: int
    latest: int


LENGTHS = {
    Shift.day: Lengths(50 * 60, 170 * 60, -10 * 60, 8 * 60),
    Shift.night: Lengths(60 * 60, 200 * 60, -10 * 60, 10 * 60),
    Shift.calls: Lengths(2 * 60, 6 * 60, 60, 7 * 60),
}


def sessions(chance: Chance, workday: Workday, own: Sequence[Engagement], now: datetime) -> Iterator[Row]:
    """The timesheets of a day of work. The last of them ends after `now` where it is still going on."""
    pattern = workday.pattern
    lengths = LENGTHS[pattern.shift]
    source = pattern.device
    if pattern.shift is not Shift.calls and chance.one_in(8):
        source = chance.random.choice(ELSEWHERE)
    engagement = None
    for low, high in workday.stretches:
        begin = low
        while high - begin > timedelta(seconds=lengths.shortest) / 2 and begin < now - 12 * MINUTE:
            end = begin + timedelta(seconds=chance.random.randrange(lengths.shortest, lengths.longest))
            if high - end < timedelta(seconds=lengths.shortest) / 2:
                end = high
            possible = [choice for choice in own if choice.lasts(begin, min(end, now))]
            if engagement not in possible or chance.one_in(2):
                engagement = _engagement(chance, possible)
            yield _timesheet(chance, workday, engagement, source, begin, end)
            begin = end + timedelta(seconds=max(0, chance.random.randrange(lengths.soonest, lengths.latest)))


def stop_the_clock(chance: Chance, rows: Sequence[Row], now: datetime) -> None:
    """End at the last heartbeat what goes on after `now`; of a few, the timers run on."""
    going_on = [row for row in rows if row["ended_at"] > now]
    running = chance.random.sample(going_on, min(len(going_on), AT_ONCE))
    for row in going_on:
        seen = (now - timedelta(seconds=chance.random.randrange(60, 540))).replace(microsecond=0)
        row |= {"tracked_until": seen, "ended_at": None if row in running else seen}
        row["updated_at"] = max(row["created_at"], seen)


def _engagement(chance: Chance, possible: Sequence[Engagement]) -> Engagement | None:
    if not possible or chance.one_in(16):
        return None
    tasks = [choice for choice in possible if choice.task is not None]
    return chance.random.choice(tasks if tasks and not chance.one_in(4) else possible)


def _timesheet(
    chance: Chance, workday: Workday, engagement: Engagement | None, source: TimeSource, begin: datetime, end: datetime
) -> Row:
    stamps = chance.written(begin, end)
    return {
        "id": chance.id(stamps["created_at"]),
        "user_id": workday.pattern.person["user_id"],
        "project_id": engagement.project["id"] if engagement else None,
        "task_id": engagement.task["id"] if engagement and engagement.task else None,
        "started_at": begin,
        "ended_at": end,
        "tracked_until": end,
        "kind": TimesheetKind.automatic.value,
        "source": source.value,
        "is_billable": engagement.is_billable if engagement else False,
        "is_locked": False,
        **NO_COUNTERS,
        **stamps,
        "updated_at": end,
    }


def delete_some(chance: Chance, rows: Sequence[Row], now: datetime) -> None:
    """Soft-delete one row in sixty: timers that were forgotten, and noticed the next day at the latest."""
    for row in rows:
        is_forgotten = row["kind"] == TimesheetKind.automatic and chance.one_in(60)
        if is_forgotten and row["deleted_at"] is None and row["tracked_until"] < now - DAY:
            deleted = row["tracked_until"] + timedelta(seconds=chance.random.randrange(60, 86400))
            row |= {"updated_at": deleted, "deleted_at": deleted}
