"""Time as it is paid: by person, local day, project and task; without breaks and idle time that was taken out."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from uuid import UUID
from zoneinfo import ZoneInfo

from db.demo.area import Row
from db.demo.chance import DAY
from db.demo.timesheets.build import Timesheets
from db.tables.timesheets import IdleAction

Work = tuple[date, UUID | None, UUID | None]
"""A day, and the project and the task on which somebody worked."""


def paid_time(tracked: Timesheets, zone: ZoneInfo) -> dict[UUID, dict[Work, int]]:
    """The seconds that each person worked on what on which day. What still runs is not paid yet."""
    of_person: dict[UUID, list[Row]] = defaultdict(list)
    for sheet in tracked.timesheets:
        if sheet["deleted_at"] is None and sheet["ended_at"] is not None:
            of_person[sheet["user_id"]].append(sheet)
    found: dict[UUID, Counter[Work]] = {}
    for user_id, sheets in of_person.items():
        sheets.sort(key=lambda sheet: sheet["started_at"])
        worked = found[user_id] = Counter()
        for sheet in sheets:
            _add(worked, sheet, sheet["started_at"], sheet["ended_at"], 1, zone)
    starts = {user_id: [sheet["started_at"] for sheet in sheets] for user_id, sheets in of_person.items()}
    for lost in _not_paid(tracked):
        if lost["user_id"] in found:
            place = bisect_right(starts[lost["user_id"]], lost["started_at"]) - 1
            sheet = of_person[lost["user_id"]][place]
            if place >= 0 and lost["started_at"] < sheet["ended_at"]:
                end = min(lost["ended_at"], sheet["ended_at"])
                _add(found[lost["user_id"]], sheet, lost["started_at"], end, -1, zone)
    return {
        user_id: {work: seconds for work, seconds in sorted(worked.items(), key=_day) if seconds > 0}
        for user_id, worked in found.items()
    }


def _not_paid(tracked: Timesheets) -> Iterator[Row]:
    for row in tracked.idle_times:
        if row["deleted_at"] is None and row["action"] in (IdleAction.discarded, IdleAction.reassigned):
            yield row
    for row in tracked.break_times:
        if row["deleted_at"] is None and row["ended_at"] is not None:
            yield row


def _add(worked: Counter[Work], sheet: Row, begin: datetime, end: datetime, sign: int, zone: ZoneInfo) -> None:
    while begin < end:
        day = begin.astimezone(zone).date()
        until = min(end, datetime.combine(day + DAY, time(), zone).astimezone(UTC))
        worked[day, sheet["project_id"], sheet["task_id"]] += sign * int((until - begin).total_seconds())
        begin = until


def _day(work: tuple[Work, int]) -> date:
    return work[0][0]
