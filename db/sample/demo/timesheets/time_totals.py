"""Totals of tracked time in the rows of members and projects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.timesheets.attendance import breaks_in
from db.sample.demo.work.projects import finished_at
from db.tables.timesheets import IdleAction


def fill_time_totals(
    members: Sequence[Row],
    projects: Sequence[Row],
    rows: Sequence[Row],
    idle: Sequence[Row],
    breaks: Mapping[UUID, Sequence[Row]],
    now: datetime,
) -> None:
    """Set `last_tracked_at` of members, and `tracked_seconds_total` of projects as a nightly job would.

    The total is the time of timesheets that ended before the day of `now`, less breaks and discarded or reassigned
    idle time. A project that was finished before any time was tracked keeps None.
    """
    live = [row for row in rows if row["deleted_at"] is None]
    last_tracked: dict[UUID, datetime] = {}
    for row in live:
        last_tracked[row["user_id"]] = max(last_tracked.get(row["user_id"], row["tracked_until"]), row["tracked_until"])
    for member in members:
        member["last_tracked_at"] = last_tracked.get(member["user_id"])
    midnight = datetime.combine(now.date(), time(), UTC)
    unpaid = Counter[UUID]()
    for row in idle:
        if row["deleted_at"] is None and row["action"] in (IdleAction.discarded, IdleAction.reassigned):
            unpaid[row["timesheet_id"]] += _seconds(row["started_at"], row["ended_at"])
    totals = Counter[UUID | None]()
    for row in live:
        if row["ended_at"] is not None and row["ended_at"] <= midnight:
            tracked = _seconds(row["started_at"], row["ended_at"]) - unpaid[row["id"]]
            for break_row in breaks_in(breaks.get(row["user_id"], ()), row):
                tracked -= _seconds(break_row["started_at"], break_row["ended_at"])
            totals[row["project_id"]] += tracked
    for project in projects:
        if project["id"] in totals or finished_at(project) is None:
            project["tracked_seconds_total"] = totals[project["id"]]


def _seconds(begin: datetime, end: datetime) -> int:
    return int((end - begin).total_seconds())
