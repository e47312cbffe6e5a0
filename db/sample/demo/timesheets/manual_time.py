"""Manual time: requests to add, edit or delete time, and the timesheets of approved ones."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import cycle, product
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, RandomSource
from db.tables.timesheets import ManualTimeAction, ManualTimeStatus, TimesheetKind, TimeSource

REASONS = (
    "Forgot to start the timer.",
    "Client visit without a laptop.",
    "The timer ran on over lunch.",
    "Power cut; the last hour was lost.",
    "Tracked on the wrong day.",
    "Workshop at the whiteboard.",
)
REVIEWS = {
    ManualTimeStatus.approved: ("Fine.", "Matches the calendar.", None, None),
    ManualTimeStatus.rejected: ("That day was a holiday.", "Please name the task.", "Already tracked by the timer."),
}

REQUEST_CASES = [
    *product(ManualTimeAction, ManualTimeStatus),
    (ManualTimeAction.added, ManualTimeStatus.approved),
    (ManualTimeAction.edited, ManualTimeStatus.approved),
]
"""Every combination of action and status, approved additions and edits twice."""

MAX_REQUESTS = 60
"""The most requests of an organization."""


def manual_requests(
    random: RandomSource, member_by_id: dict[UUID, Row], rows: Sequence[Row], now: datetime
) -> tuple[list[Row], list[Row]]:
    """The requests, and the timesheets after the approved ones.

    Each request is made from an automatic timesheet. A request to add time removes that timesheet; if approved, a
    manual timesheet takes its place. An approved edit or deletion soft-deletes it; the edit adds a manual one.
    """
    eligible = [row for row in rows if row["ended_at"] is not None and member_by_id[row["user_id"]]["manager_user_id"]]
    recent_rows = [row for row in eligible if not row["is_locked"] and row["ended_at"] < now - timedelta(hours=8)]
    old_rows = [row for row in eligible if row["ended_at"] < now - 4 * DAY]
    requests: list[Row] = []
    manual_rows: list[Row] = []
    used_ids: set[UUID] = set()
    removed_ids: set[UUID] = set()
    for _, (action, status) in zip(range(min(MAX_REQUESTS, len(eligible) // 8)), cycle(REQUEST_CASES), strict=False):
        choices = recent_rows if status is ManualTimeStatus.pending else old_rows
        unused = [row for row in random.sample(choices, min(9, len(choices))) if row["id"] not in used_ids]
        if not unused:
            continue
        row = unused[0]
        used_ids.add(row["id"])
        request = _request(random, member_by_id[row["user_id"]], row, action, status)
        requests.append(request)
        is_approved = status is ManualTimeStatus.approved
        if is_approved and action is not ManualTimeAction.deleted:
            manual_rows.append(_manual_timesheet(random, request, row))
            request["timesheet_id"] = manual_rows[-1]["id"]
        if action is ManualTimeAction.added:
            removed_ids.add(row["id"])
        elif is_approved:
            row |= {"updated_at": request["reviewed_at"], "deleted_at": request["reviewed_at"]}
    return requests, manual_rows + [row for row in rows if row["id"] not in removed_ids]


def _request(random: RandomSource, member: Row, row: Row, action: ManualTimeAction, status: ManualTimeStatus) -> Row:
    begin, end = row["started_at"], row["ended_at"]
    original: Row = {"original_started_at": None, "original_ended_at": None, "original_project_id": None}
    if action is ManualTimeAction.edited:
        original = {
            "original_started_at": begin,
            "original_ended_at": end,
            "original_project_id": row["project_id"],
        }
        end = begin + timedelta(seconds=max(60, int((end - begin).total_seconds() * random.uniform(0.4, 0.9))))
    requested = row["ended_at"] + timedelta(seconds=random.randrange(300, 7 * 3600))
    requester = member["manager_user_id"] if random.one_in(6) else member["user_id"]
    reviewed = None
    if status in REVIEWS:
        reviewed = requested + timedelta(seconds=random.randrange(600, 2 * 86400))
    changed = reviewed
    if status is ManualTimeStatus.cancelled:
        changed = requested + timedelta(hours=1)
    deleted = None
    if status is ManualTimeStatus.cancelled and random.one_in(2):
        deleted = requested + timedelta(hours=2)
    return {
        "id": random.uuid7(requested),
        "user_id": member["user_id"],
        "project_id": row["project_id"],
        "task_id": row["task_id"],
        "started_at": begin,
        "ended_at": end,
        "action": action.value,
        **original,
        "is_billable": row["is_billable"],
        "reason": random.choice(REASONS),
        "note": "See the calendar." if random.one_in(4) else None,
        "status": status.value,
        "requested_by_user_id": requester,
        "requested_at": requested,
        "reviewed_by_user_id": member["manager_user_id"] if reviewed else None,
        "reviewed_at": reviewed,
        "review_note": random.choice(REVIEWS[status]) if status in REVIEWS else None,
        "timesheet_id": None,
        "created_at": requested,
        "updated_at": deleted or changed or requested,
        "deleted_at": deleted,
    }


def _manual_timesheet(random: RandomSource, request: Row, row: Row) -> Row:
    """The manual timesheet of an approved request."""
    by_manager = request["requested_by_user_id"] != request["user_id"]
    return row | {
        "id": random.uuid7(request["reviewed_at"]),
        "ended_at": request["ended_at"],
        "tracked_until": request["ended_at"],
        "kind": TimesheetKind.manual.value,
        "source": (TimeSource.admin if by_manager else TimeSource.web).value,
        "created_at": request["reviewed_at"],
        "updated_at": request["reviewed_at"],
        "deleted_at": None,
    }
