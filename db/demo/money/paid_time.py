"""Paid time: seconds by user, local day, project and task, less breaks and discarded idle time."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from uuid import UUID
from zoneinfo import ZoneInfo

from db.demo.area import Row
from db.demo.random_source import DAY
from db.demo.timesheets.build import TimesheetRows
from db.tables.timesheets import IdleAction

WorkRows = tuple[date, UUID | None, UUID | None]
"""Local day, project and task."""


def paid_time(timesheets: TimesheetRows, zone: ZoneInfo) -> dict[UUID, dict[WorkRows, int]]:
    """The paid seconds of each user. Running timers are left out."""
    timesheets_by_user: dict[UUID, list[Row]] = defaultdict(list)
    for timesheet in timesheets.timesheets:
        if timesheet["deleted_at"] is None and timesheet["ended_at"] is not None:
            timesheets_by_user[timesheet["user_id"]].append(timesheet)
    result: dict[UUID, Counter[WorkRows]] = {}
    for user_id, user_timesheets in timesheets_by_user.items():
        user_timesheets.sort(key=lambda timesheet: timesheet["started_at"])
        user_seconds = result[user_id] = Counter()
        for timesheet in user_timesheets:
            _add(user_seconds, timesheet, timesheet["started_at"], timesheet["ended_at"], 1, zone)
    starts = {
        user_id: [timesheet["started_at"] for timesheet in user_timesheets]
        for user_id, user_timesheets in timesheets_by_user.items()
    }
    for unpaid in _unpaid_time(timesheets):
        if unpaid["user_id"] in result:
            index = bisect_right(starts[unpaid["user_id"]], unpaid["started_at"]) - 1
            timesheet = timesheets_by_user[unpaid["user_id"]][index]
            if index >= 0 and unpaid["started_at"] < timesheet["ended_at"]:
                end = min(unpaid["ended_at"], timesheet["ended_at"])
                _add(result[unpaid["user_id"]], timesheet, unpaid["started_at"], end, -1, zone)
    return {
        user_id: {work_key: seconds for work_key, seconds in sorted(user_seconds.items(), key=_day_of) if seconds > 0}
        for user_id, user_seconds in result.items()
    }


def _unpaid_time(timesheets: TimesheetRows) -> Iterator[Row]:
    for row in timesheets.idle_times:
        if row["deleted_at"] is None and row["action"] in (IdleAction.discarded, IdleAction.reassigned):
            yield row
    for row in timesheets.break_times:
        if row["deleted_at"] is None and row["ended_at"] is not None:
            yield row


def _add(
    user_seconds: Counter[WorkRows], timesheet: Row, begin: datetime, end: datetime, sign: int, zone: ZoneInfo
) -> None:
    while begin < end:
        day = begin.astimezone(zone).date()
        until = min(end, datetime.combine(day + DAY, time(), zone).astimezone(UTC))
        user_seconds[day, timesheet["project_id"], timesheet["task_id"]] += sign * int((until - begin).total_seconds())
        begin = until


def _day_of(work_key: tuple[WorkRows, int]) -> date:
    return work_key[0][0]
