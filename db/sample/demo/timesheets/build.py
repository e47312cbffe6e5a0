"""The timesheets area: timesheets, idle times, activity slots, clock records, breaks and manual time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from uuid import UUID

from db.sample.demo.area import Area, Row
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import DAY, RandomSource
from db.sample.demo.scenarios.scenario import Scenario, Shift
from db.sample.demo.timesheets.activity_slots import activity_slot_rows, inactive_period
from db.sample.demo.timesheets.attendance import Attendance, breaks_in
from db.sample.demo.timesheets.idle_times import idle_times, keep_one_pending
from db.sample.demo.timesheets.manual_time import manual_requests
from db.sample.demo.timesheets.time_totals import fill_time_totals
from db.sample.demo.timesheets.timesheets import delete_forgotten_timesheets, stop_timers, timesheet_rows
from db.sample.demo.timesheets.work_patterns import work_patterns
from db.sample.demo.timesheets.workdays import workdays
from db.sample.demo.work.assignments import assignments_by_user
from db.sample.demo.work.build import WorkRows
from db.tables.timesheets import TimesheetKind, TimeSource


@dataclass(frozen=True)
class TimesheetRows(Area):
    timesheets: list[Row]
    idle_times: list[Row]
    activity_slots: list[Row]
    clock_records: list[Row]
    break_times: list[Row]
    manual_requests: list[Row]


def build_timesheets(scenario: Scenario, people: PeopleRows, work: WorkRows, now: datetime) -> TimesheetRows:
    """The tracked time of the last TIMESHEET_HISTORY, up to `now`."""
    random = RandomSource(f"{scenario.name}: time", now.date())
    member_by_id = {row["user_id"]: row for row in people.members}
    assignments = assignments_by_user(work)
    patterns = list(work_patterns(scenario, people, now))
    detailed_user_ids = {pattern.member["user_id"] for pattern in patterns if pattern.is_detailed}
    days = [
        (day, list(timesheet_rows(random, day, assignments.get(day.pattern.member["user_id"], ()), now)))
        for day in workdays(random, patterns, now)
    ]
    rows = [row for _, day_rows in days for row in day_rows]
    stop_timers(random, rows, now)
    _lock(rows, now)
    # The telephone system logs calls, so there are no manual requests for them.
    callers = {pattern.member["user_id"] for pattern in patterns if pattern.shift is Shift.calls}
    calls = [row for row in rows if row["user_id"] in callers]
    requests, recorded = manual_requests(
        random, member_by_id, [row for row in rows if row["user_id"] not in callers], now
    )
    rows = recorded + calls
    delete_forgotten_timesheets(random, rows, now)
    attendance = Attendance(random, scenario.office, now)
    kept_ids = {row["id"] for row in rows}
    for day, day_rows in days:
        if day.pattern.is_detailed:
            attendance.add_workday(day, [row for row in day_rows if row["id"] in kept_ids])
    detailed_rows = [
        row for row in rows if row["user_id"] in detailed_user_ids and row["kind"] == TimesheetKind.automatic
    ]
    tracked_project_ids = {project["id"] for project in work.projects if project["activity_tracking_enabled"]} | {None}
    all_idle_rows: list[Row] = []
    activity_slots: list[Row] = []
    breaks_by_user = _by_user(attendance.break_times)
    for row in detailed_rows:
        breaks = list(breaks_in(breaks_by_user[row["user_id"]], row))
        idle_rows = [] if breaks else list(idle_times(random, row, assignments.get(row["user_id"], ()), now))
        all_idle_rows += idle_rows
        if row["source"] == TimeSource.desktop and row["project_id"] in tracked_project_ids:
            activity_slots += activity_slot_rows(
                random, row, [inactive_period(period) for period in idle_rows + breaks if period["deleted_at"] is None]
            )
    keep_one_pending(all_idle_rows)
    fill_time_totals(people.members, work.projects, rows, all_idle_rows, breaks_by_user, now)
    return TimesheetRows(
        rows, all_idle_rows, activity_slots, attendance.clock_records, attendance.break_times, requests
    )


def _lock(rows: Sequence[Row], now: datetime) -> None:
    """Lock the paid weeks: all but this one and the last."""
    monday = datetime.combine(now.date(), time(), UTC) - (now.weekday() + 7) * DAY
    for row in rows:
        row["is_locked"] = row["tracked_until"] < monday


def _by_user(rows: Sequence[Row]) -> dict[UUID, list[Row]]:
    result: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        result[row["user_id"]].append(row)
    return result
