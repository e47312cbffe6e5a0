"""The area of time: timesheets with their idle times and slots, attendance, and manual time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from uuid import UUID

from db.demo.area import Area, Row
from db.demo.chance import DAY, Chance
from db.demo.outline import Outline, Shift
from db.demo.people.build import People
from db.demo.timesheets.activity_slots import absence, slots
from db.demo.timesheets.attendance import Attendance, breaks_in
from db.demo.timesheets.idle_times import idle_times, leave_unanswered
from db.demo.timesheets.manual_time import manual_requests
from db.demo.timesheets.sessions import delete_some, sessions, stop_the_clock
from db.demo.timesheets.totals import sum_up
from db.demo.timesheets.work_patterns import patterns
from db.demo.timesheets.workdays import workdays
from db.demo.work.build import Work
from db.demo.work.engagements import engagements
from db.tables.timesheets import TimesheetKind, TimeSource


@dataclass(frozen=True)
class Timesheets(Area):
    timesheets: list[Row]
    idle_times: list[Row]
    activity_slots: list[Row]
    clock_records: list[Row]
    break_times: list[Row]
    manual_requests: list[Row]


def timesheets(outline: Outline, crew: People, done: Work, now: datetime) -> Timesheets:
    """What people did in the last weeks, up to `now`."""
    chance = Chance(f"{outline.name}: time", now.date())
    persons = {row["user_id"]: row for row in crew.members}
    own = engagements(done)
    at_work = list(patterns(outline, crew, now))
    first = {pattern.person["user_id"] for pattern in at_work if pattern.is_first}
    days = [
        (day, list(sessions(chance, day, own.get(day.pattern.person["user_id"], ()), now)))
        for day in workdays(chance, at_work, now)
    ]
    rows = [row for _, tracked in days for row in tracked]
    stop_the_clock(chance, rows, now)
    _lock(rows, now)
    # Calls are logged by the telephone: nobody asks for one to be changed.
    callers = {pattern.person["user_id"] for pattern in at_work if pattern.shift is Shift.calls}
    calls = [row for row in rows if row["user_id"] in callers]
    requests, clocked = manual_requests(chance, persons, [row for row in rows if row["user_id"] not in callers], now)
    rows = clocked + calls
    delete_some(chance, rows, now)
    attendance = Attendance(chance, outline.office, now)
    there = {row["id"] for row in rows}
    for day, tracked in days:
        if day.pattern.is_first:
            attendance.attend(day, [row for row in tracked if row["id"] in there])
    detailed = [row for row in rows if row["user_id"] in first and row["kind"] == TimesheetKind.automatic]
    watched = {project["id"] for project in done.projects if project["activity_tracking_enabled"]} | {None}
    idle: list[Row] = []
    filled: list[Row] = []
    resting = _by_person(attendance.break_times)
    for row in detailed:
        breaks = list(breaks_in(resting[row["user_id"]], row))
        lost = [] if breaks else list(idle_times(chance, row, own.get(row["user_id"], ()), now))
        idle += lost
        if row["source"] == TimeSource.desktop and row["project_id"] in watched:
            filled += slots(chance, row, [absence(away) for away in lost + breaks if away["deleted_at"] is None])
    leave_unanswered(idle)
    sum_up(crew.members, done.projects, rows, idle, resting, now)
    return Timesheets(rows, idle, filled, attendance.clock_records, attendance.break_times, requests)


def _lock(rows: Sequence[Row], now: datetime) -> None:
    """Lock the weeks that were paid: all but this one and the last."""
    monday = datetime.combine(now.date(), time(), UTC) - (now.weekday() + 7) * DAY
    for row in rows:
        row["is_locked"] = row["tracked_until"] < monday


def _by_person(rows: Sequence[Row]) -> dict[UUID, list[Row]]:
    found: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["user_id"]].append(row)
    return found
