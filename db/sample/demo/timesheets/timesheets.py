"""Timesheets of a workday: a new one begins after each pause and each change of task."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, MINUTE, RandomSource
from db.sample.demo.scenarios.scenario import Shift
from db.sample.demo.timesheets.workdays import Workday
from db.sample.demo.work.assignments import Assignment
from db.tables.timesheets import TimesheetKind, TimeSource

MAX_RUNNING_TIMERS = 5
"""The most timers that run at `now`."""

NO_COUNTERS: Row = {"input_seconds": 0, "active_seconds": 0, "keyboard_seconds": 0, "mouse_seconds": 0}

OTHER_SOURCES = (TimeSource.web, TimeSource.mobile, TimeSource.api)
"""Sources on days on which a member does not use the usual device."""


class TimesheetLengths(NamedTuple):
    """Seconds of a timesheet, and of the gap to the next one. A negative gap counts as 0."""

    min_seconds: int
    max_seconds: int
    min_gap: int
    max_gap: int


TIMESHEET_LENGTHS = {
    Shift.day: TimesheetLengths(50 * 60, 170 * 60, -10 * 60, 8 * 60),
    Shift.night: TimesheetLengths(60 * 60, 200 * 60, -10 * 60, 10 * 60),
    Shift.calls: TimesheetLengths(2 * 60, 6 * 60, 60, 7 * 60),
}


def timesheet_rows(
    random: RandomSource, workday: Workday, assignments: Sequence[Assignment], now: datetime
) -> Iterator[Row]:
    """The timesheets of a workday. The last one may end after `now`: see `stop_timers`."""
    pattern = workday.pattern
    lengths = TIMESHEET_LENGTHS[pattern.shift]
    shortest = timedelta(seconds=lengths.min_seconds) / 2
    source = pattern.device
    if pattern.shift is not Shift.calls and random.one_in(8):
        source = random.choice(OTHER_SOURCES)
    assignment = None
    for span_begin, span_end in workday.working_spans:
        begin = span_begin
        while span_end - begin > shortest and begin < now - 12 * MINUTE:
            end = begin + timedelta(seconds=random.randrange(lengths.min_seconds, lengths.max_seconds))
            if span_end - end < shortest:
                end = span_end
            possible = [candidate for candidate in assignments if candidate.covers(begin, min(end, now))]
            if assignment not in possible or random.one_in(2):
                assignment = _choose_assignment(random, possible)
            yield _timesheet(random, workday, assignment, source, begin, end)
            begin = end + timedelta(seconds=max(0, random.randrange(lengths.min_gap, lengths.max_gap)))


def stop_timers(random: RandomSource, rows: Sequence[Row], now: datetime) -> None:
    """Cut timesheets that end after `now`: MAX_RUNNING_TIMERS keep running, the others have just been stopped."""
    unfinished = [row for row in rows if row["ended_at"] > now]
    running = random.sample(unfinished, min(len(unfinished), MAX_RUNNING_TIMERS))
    for row in unfinished:
        heartbeat = (now - timedelta(seconds=random.randrange(60, 540))).replace(microsecond=0)
        row |= {"tracked_until": heartbeat, "ended_at": None if row in running else heartbeat}
        row["updated_at"] = max(row["created_at"], heartbeat)


def _choose_assignment(random: RandomSource, possible: Sequence[Assignment]) -> Assignment | None:
    if not possible or random.one_in(16):
        return None
    tasks = [candidate for candidate in possible if candidate.task is not None]
    return random.choice(tasks if tasks and not random.one_in(4) else possible)


def _timesheet(
    random: RandomSource,
    workday: Workday,
    assignment: Assignment | None,
    source: TimeSource,
    begin: datetime,
    end: datetime,
) -> Row:
    timestamps = random.timestamps_after(begin, end)
    return {
        "id": random.uuid7(timestamps["created_at"]),
        "user_id": workday.pattern.member["user_id"],
        "project_id": assignment.project["id"] if assignment else None,
        "task_id": assignment.task["id"] if assignment and assignment.task else None,
        "started_at": begin,
        "ended_at": end,
        "tracked_until": end,
        "kind": TimesheetKind.automatic.value,
        "source": source.value,
        "is_billable": assignment.is_billable if assignment else False,
        "is_locked": False,
        **NO_COUNTERS,
        **timestamps,
        "updated_at": end,
    }


def delete_forgotten_timesheets(random: RandomSource, rows: Sequence[Row], now: datetime) -> None:
    """Soft-delete one automatic timesheet in 60, within a day: its timer had been forgotten."""
    for row in rows:
        was_forgotten = row["kind"] == TimesheetKind.automatic and random.one_in(60)
        if was_forgotten and row["deleted_at"] is None and row["tracked_until"] < now - DAY:
            deleted = row["tracked_until"] + timedelta(seconds=random.randrange(60, 86400))
            row |= {"updated_at": deleted, "deleted_at": deleted}
