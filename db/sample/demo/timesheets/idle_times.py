"""Idle times: periods without input while the timer runs."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, RandomSource
from db.sample.demo.work.assignments import Assignment
from db.tables.timesheets import IdleAction, TimesheetKind, TimeSource

REASONS = ("On the phone.", "Talked at the desk of a colleague.", "Read on paper.", "Parcel at the door.", "Away.")

USUAL = [IdleAction.kept] * 5 + [IdleAction.discarded] * 4 + [IdleAction.reassigned] * 3


def idle_times(random: RandomSource, row: Row, assignments: Sequence[Assignment], now: datetime) -> Iterator[Row]:
    """One or two idle times in every third timesheet that is long enough."""
    length = int((row["tracked_until"] - row["started_at"]).total_seconds())
    sees_activity = row["kind"] == TimesheetKind.automatic and row["source"] == TimeSource.desktop
    if not sees_activity or row["deleted_at"] is not None or length < 2400 or not random.one_in(3):
        return
    begin = row["started_at"] + timedelta(seconds=random.randrange(300, length // 3))
    for _ in range(random.choice([1, 1, 2])):
        end = begin + timedelta(seconds=random.randrange(300, min(1500, length // 4)))
        if end > row["tracked_until"]:
            return
        # Only idle times of the last two days can be pending.
        is_recent = end > now - 2 * DAY
        action = IdleAction.pending if is_recent and random.one_in(2) else random.choice(USUAL)
        other_assignments = [
            assignment
            for assignment in assignments
            if assignment.covers(begin, end) and assignment.project["id"] != row["project_id"]
        ]
        if action is IdleAction.reassigned and not other_assignments:
            action = IdleAction.discarded
        target = random.choice(other_assignments) if action is IdleAction.reassigned else None
        deleted = end + timedelta(hours=2) if action is IdleAction.kept and not is_recent and random.one_in(9) else None
        timestamps = random.timestamps_after(end, now, deleted)
        yield {
            "id": random.uuid7(timestamps["created_at"]),
            "timesheet_id": row["id"],
            "user_id": row["user_id"],
            "started_at": begin,
            "ended_at": end,
            "action": action.value,
            "reassigned_project_id": target.project["id"] if target else None,
            "reassigned_task_id": target.task["id"] if target and target.task else None,
            "reason": random.choice(REASONS) if action is not IdleAction.pending and random.one_in(2) else None,
            **timestamps,
        }
        begin = end + timedelta(seconds=random.randrange(300, 1200))


def keep_one_pending(rows: Sequence[Row]) -> None:
    """Set the last idle time to pending, so that there is always one."""
    for row in sorted((row for row in rows if row["deleted_at"] is None), key=lambda row: row["ended_at"])[-1:]:
        unknown = dict.fromkeys(("reassigned_project_id", "reassigned_task_id", "reason"))
        row |= {"action": IdleAction.pending.value, **unknown}
