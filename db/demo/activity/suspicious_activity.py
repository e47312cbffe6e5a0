"""Suspicious activity: a few logs of every type, most of them reviewed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import cycle
from uuid import UUID

from db.demo.area import Row
from db.demo.chance import DAY, Chance
from db.tables.activity import SuspicionSeverity, SuspicionStatus, SuspicionType

OF_TYPE = 3
"""How many there are of each type, if there is time enough."""

NOTES = {
    SuspicionStatus.confirmed: "Talked about it; it won't happen again.",
    SuspicionStatus.dismissed: "Was in a call, shown in the calendar.",
}

QUIET = (SuspicionType.no_input_while_tracking, SuspicionType.duplicate_screenshot)
MOUSE_ONLY = (SuspicionType.mouse_jiggler, SuspicionType.auto_clicker, SuspicionType.single_input_only)


def suspicious_activity_logs(
    chance: Chance,
    persons: Mapping[UUID, Row],
    timesheets: Sequence[Row],
    screenshots: Sequence[Row],
    now: datetime,
) -> Iterator[Row]:
    """Logs about some of `timesheets`, reviewed by the managers of their people."""
    shots: dict[UUID, list[Row]] = {}
    for shot in screenshots:
        shots.setdefault(shot["timesheet_id"], []).append(shot)
    able = [
        row
        for row in timesheets
        if row["tracked_until"] - row["started_at"] >= timedelta(minutes=50)
        and row["tracked_until"] < now - DAY
        and persons[row["user_id"]]["manager_user_id"] is not None
    ]
    count = min(OF_TYPE * len(SuspicionType), len(able))
    choices = zip(
        chance.random.sample(able, count),
        cycle(SuspicionType),
        cycle([*SuspicionSeverity, SuspicionSeverity.low]),
        cycle([*SuspicionStatus, SuspicionStatus.dismissed, SuspicionStatus.dismissed]),
        strict=False,
    )
    for row, type_, severity, status in choices:
        begin = row["started_at"] + timedelta(seconds=chance.random.randrange(60, 900))
        end = begin + timedelta(seconds=chance.random.randrange(600, 2000))
        seen = [shot["id"] for shot in shots.get(row["id"], ()) if begin <= shot["captured_at"] < end]
        reviewed = None
        if status is not SuspicionStatus.open:
            reviewed = end + timedelta(seconds=chance.random.randrange(3600, 86400))
        stamps = chance.written(end, now)
        length = int((end - begin).total_seconds())
        is_confirmed = status is SuspicionStatus.confirmed
        yield {
            "id": chance.id(stamps["created_at"]),
            "user_id": row["user_id"],
            "type": type_.value,
            "severity": severity.value,
            "confidence_percent": None if chance.one_in(6) else chance.random.randint(40, 99),
            "started_at": begin,
            "ended_at": end,
            "timesheet_id": row["id"],
            "project_id": row["project_id"],
            "evidence": _evidence(chance, type_, length, seen),
            "status": status.value,
            "reviewed_by_user_id": persons[row["user_id"]]["manager_user_id"] if reviewed else None,
            "reviewed_at": reviewed,
            "review_note": NOTES.get(status),
            "deducted_seconds": length if is_confirmed and chance.one_in(2) else 0,
            **stamps,
            "updated_at": reviewed or stamps["created_at"],
        }


def _evidence(chance: Chance, type_: SuspicionType, length: int, seen: Sequence[UUID]) -> Row:
    active = 0 if type_ in QUIET else int(length * chance.random.uniform(0.9, 1.0))
    keyboard = 0 if type_ in MOUSE_ONLY else active // 2
    return {
        "keyboard_seconds": keyboard,
        "mouse_seconds": active - keyboard,
        "active_seconds": active,
        "tracked_seconds": length,
        "app_names": ["Mouse Nudger"] if type_ is SuspicionType.suspicious_app else [],
        "screenshot_ids": [str(id) for id in seen],
    }
