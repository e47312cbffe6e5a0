"""Suspicious activity logs: a few of every type, most of them reviewed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import cycle
from uuid import UUID

from db.demo.area import Row
from db.demo.random_source import DAY, RandomSource
from db.tables.activity import SuspicionSeverity, SuspicionStatus, SuspicionType

LOGS_PER_TYPE = 3
"""Logs of each type, if there are enough timesheets."""

NOTES = {
    SuspicionStatus.confirmed: "Talked about it; it won't happen again.",
    SuspicionStatus.dismissed: "Was in a call, shown in the calendar.",
}

NO_INPUT_TYPES = (SuspicionType.no_input_while_tracking, SuspicionType.duplicate_screenshot)
MOUSE_ONLY_TYPES = (SuspicionType.mouse_jiggler, SuspicionType.auto_clicker, SuspicionType.single_input_only)


def suspicious_activity_logs(
    random: RandomSource,
    member_by_id: Mapping[UUID, Row],
    timesheets: Sequence[Row],
    screenshots: Sequence[Row],
    now: datetime,
) -> Iterator[Row]:
    """Logs about some of `timesheets`, reviewed by the members' managers."""
    screenshots_by_timesheet: dict[UUID, list[Row]] = {}
    for screenshot in screenshots:
        screenshots_by_timesheet.setdefault(screenshot["timesheet_id"], []).append(screenshot)
    eligible = [
        row
        for row in timesheets
        if row["tracked_until"] - row["started_at"] >= timedelta(minutes=50)
        and row["tracked_until"] < now - DAY
        and member_by_id[row["user_id"]]["manager_user_id"] is not None
    ]
    count = min(LOGS_PER_TYPE * len(SuspicionType), len(eligible))
    choices = zip(
        random.sample(eligible, count),
        cycle(SuspicionType),
        cycle([*SuspicionSeverity, SuspicionSeverity.low]),
        cycle([*SuspicionStatus, SuspicionStatus.dismissed, SuspicionStatus.dismissed]),
        strict=False,
    )
    for row, type_, severity, status in choices:
        begin = row["started_at"] + timedelta(seconds=random.randrange(60, 900))
        end = begin + timedelta(seconds=random.randrange(600, 2000))
        screenshot_ids = [
            screenshot["id"]
            for screenshot in screenshots_by_timesheet.get(row["id"], ())
            if begin <= screenshot["captured_at"] < end
        ]
        reviewed = None
        if status is not SuspicionStatus.open:
            reviewed = end + timedelta(seconds=random.randrange(3600, 86400))
        timestamps = random.timestamps_after(end, now)
        length = int((end - begin).total_seconds())
        is_confirmed = status is SuspicionStatus.confirmed
        yield {
            "id": random.uuid7(timestamps["created_at"]),
            "user_id": row["user_id"],
            "type": type_.value,
            "severity": severity.value,
            "confidence_percent": None if random.one_in(6) else random.randint(40, 99),
            "started_at": begin,
            "ended_at": end,
            "timesheet_id": row["id"],
            "project_id": row["project_id"],
            "evidence": _evidence(random, type_, length, screenshot_ids),
            "status": status.value,
            "reviewed_by_user_id": member_by_id[row["user_id"]]["manager_user_id"] if reviewed else None,
            "reviewed_at": reviewed,
            "review_note": NOTES.get(status),
            "deducted_seconds": length if is_confirmed and random.one_in(2) else 0,
            **timestamps,
            "updated_at": reviewed or timestamps["created_at"],
        }


def _evidence(random: RandomSource, type_: SuspicionType, length: int, screenshot_ids: Sequence[UUID]) -> Row:
    active = 0 if type_ in NO_INPUT_TYPES else int(length * random.uniform(0.9, 1.0))
    keyboard = 0 if type_ in MOUSE_ONLY_TYPES else active // 2
    return {
        "keyboard_seconds": keyboard,
        "mouse_seconds": active - keyboard,
        "active_seconds": active,
        "tracked_seconds": length,
        "app_names": ["Mouse Nudger"] if type_ is SuspicionType.suspicious_app else [],
        "screenshot_ids": [str(id) for id in screenshot_ids],
    }
