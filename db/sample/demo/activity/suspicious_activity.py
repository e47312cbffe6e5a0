"""Suspicious activity logs: a few of each type, most of them reviewed by a manager."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import cycle
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, RandomSource
from db.tables.activity import SuspicionSeverity, SuspicionStatus, SuspicionType

LOGS_PER_TYPE = 3
"""Logs of each type, if there are enough timesheets."""

MIN_TRACKED = timedelta(minutes=50)
"""A log begins within 15 minutes of the start of its timesheet and lasts at most 34 minutes."""

# Added once more to all values of their type, so that they are more frequent.
FREQUENT_STATUSES = (SuspicionStatus.dismissed, SuspicionStatus.dismissed)
FREQUENT_SEVERITIES = (SuspicionSeverity.low,)

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
    """One log for each of some random timesheets of members who have a manager."""
    screenshots_by_timesheet: dict[UUID, list[Row]] = {}
    for screenshot in screenshots:
        screenshots_by_timesheet.setdefault(screenshot["timesheet_id"], []).append(screenshot)
    eligible = [
        timesheet
        for timesheet in timesheets
        if timesheet["tracked_until"] - timesheet["started_at"] >= MIN_TRACKED
        and timesheet["tracked_until"] < now - DAY
        and member_by_id[timesheet["user_id"]]["manager_user_id"] is not None
    ]
    count = min(LOGS_PER_TYPE * len(SuspicionType), len(eligible))
    combinations = zip(
        random.sample(eligible, count),
        cycle(SuspicionType),
        cycle([*SuspicionSeverity, *FREQUENT_SEVERITIES]),
        cycle([*SuspicionStatus, *FREQUENT_STATUSES]),
        strict=False,
    )
    for timesheet, type_, severity, status in combinations:
        begin = timesheet["started_at"] + timedelta(seconds=random.randrange(60, 900))
        end = begin + timedelta(seconds=random.randrange(600, 2000))
        screenshot_ids = [
            screenshot["id"]
            for screenshot in screenshots_by_timesheet.get(timesheet["id"], ())
            if begin <= screenshot["captured_at"] < end
        ]
        reviewed_at = None
        if status is not SuspicionStatus.open:
            reviewed_at = end + timedelta(seconds=random.randrange(3600, 86400))
        timestamps = random.timestamps_after(end, now)
        seconds = int((end - begin).total_seconds())
        is_confirmed = status is SuspicionStatus.confirmed
        yield {
            "id": random.uuid7(timestamps["created_at"]),
            "user_id": timesheet["user_id"],
            "type": type_.value,
            "severity": severity.value,
            "confidence_percent": None if random.one_in(6) else random.randint(40, 99),
            "started_at": begin,
            "ended_at": end,
            "timesheet_id": timesheet["id"],
            "project_id": timesheet["project_id"],
            "evidence": _evidence(random, type_, seconds, screenshot_ids),
            "status": status.value,
            "reviewed_by_user_id": member_by_id[timesheet["user_id"]]["manager_user_id"] if reviewed_at else None,
            "reviewed_at": reviewed_at,
            "review_note": NOTES.get(status),
            "deducted_seconds": seconds if is_confirmed and random.one_in(2) else 0,
            **timestamps,
            "updated_at": reviewed_at or timestamps["created_at"],
        }


def _evidence(random: RandomSource, type_: SuspicionType, seconds: int, screenshot_ids: Sequence[UUID]) -> Row:
    active = 0 if type_ in NO_INPUT_TYPES else int(seconds * random.uniform(0.9, 1.0))
    keyboard = 0 if type_ in MOUSE_ONLY_TYPES else active // 2
    return {
        "keyboard_seconds": keyboard,
        "mouse_seconds": active - keyboard,
        "active_seconds": active,
        "tracked_seconds": seconds,
        "app_names": ["Mouse Nudger"] if type_ is SuspicionType.suspicious_app else [],
        "screenshot_ids": [str(id) for id in screenshot_ids],
    }
