"""Paid time: tracked time and paid breaks by user, local day, project and task."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from uuid import UUID
from zoneinfo import ZoneInfo

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY
from db.sample.demo.timesheets.build import TimesheetRows
from db.tables.timesheets import IdleAction

WorkKey = tuple[date, UUID | None, UUID | None]
"""Local day, project and task."""


@dataclass
class PaidSeconds:
    """The tracked seconds of some work, and the seconds of paid breaks in it."""

    tracked: int = 0
    paid_breaks: int = 0

    @property
    def payable(self) -> int:
        return self.tracked + self.paid_breaks


def paid_time(timesheets: TimesheetRows, zone: ZoneInfo) -> dict[UUID, dict[WorkKey, PaidSeconds]]:
    """The paid seconds of each user, as time activity has them. A paid break between timesheets has no project."""
    timesheets_by_user: dict[UUID, list[Row]] = defaultdict(list)
    for timesheet in timesheets.timesheets:
        if timesheet["deleted_at"] is None:
            timesheets_by_user[timesheet["user_id"]].append(timesheet)
    result: dict[UUID, defaultdict[WorkKey, PaidSeconds]] = {}
    for user_id, user_timesheets in timesheets_by_user.items():
        user_timesheets.sort(key=lambda timesheet: timesheet["started_at"])
        by_work = result[user_id] = defaultdict(PaidSeconds)
        for timesheet in user_timesheets:
            for work_key, seconds in _days(timesheet, timesheet["started_at"], timesheet["tracked_until"], zone):
                by_work[work_key].tracked += seconds
    for row in _untracked_time(timesheets):
        if row["user_id"] not in result:
            continue
        by_work = result[row["user_id"]]
        for piece, begin, end in _pieces(timesheets_by_user[row["user_id"]], row["started_at"], row["ended_at"]):
            for work_key, seconds in _days(piece, begin, end, zone):
                if piece is not None:
                    by_work[work_key].tracked -= seconds
                if row.get("is_paid"):
                    by_work[work_key].paid_breaks += seconds
    return {
        user_id: {key: by_work[key] for key in sorted(by_work, key=lambda key: key[0]) if by_work[key].payable > 0}
        for user_id, by_work in result.items()
    }


def _untracked_time(timesheets: TimesheetRows) -> Iterator[Row]:
    """Breaks and discarded idle times, which do not overlap each other."""
    for row in timesheets.idle_times:
        if row["deleted_at"] is None and row["action"] in (IdleAction.discarded, IdleAction.reassigned):
            yield row
    for row in timesheets.break_times:
        if row["deleted_at"] is None and row["ended_at"] is not None:
            yield row


def _pieces(
    timesheets: Sequence[Row], begin: datetime, end: datetime
) -> Iterator[tuple[Row | None, datetime, datetime]]:
    """An interval cut at the bounds of timesheets, each piece with its timesheet."""
    index = max(0, bisect_right(timesheets, begin, key=lambda timesheet: timesheet["started_at"]) - 1)
    for timesheet in timesheets[index:]:
        if begin < min(end, timesheet["started_at"]):
            yield None, begin, (begin := min(end, timesheet["started_at"]))
        if begin < min(end, timesheet["tracked_until"]):
            yield timesheet, begin, (begin := min(end, timesheet["tracked_until"]))
        if begin >= end:
            return
    if begin < end:
        yield None, begin, end


def _days(timesheet: Row | None, begin: datetime, end: datetime, zone: ZoneInfo) -> Iterator[tuple[WorkKey, int]]:
    """The seconds of an interval on each local day."""
    while begin < end:
        day = begin.astimezone(zone).date()
        until = min(end, datetime.combine(day + DAY, time(), zone).astimezone(UTC))
        key = (day, None, None) if timesheet is None else (day, timesheet["project_id"], timesheet["task_id"])
        yield key, int((until - begin).total_seconds())
        begin = until
