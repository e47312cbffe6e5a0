"""Screenshots: every ten minutes of two people, of the others now and then."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from db.demo.area import Row
from db.demo.chance import DAY, MINUTE, Chance
from db.demo.timesheets.activity_slots import floor
from db.tables.activity import ScreenshotStatus

CLOSELY = 2
"""How many people are watched closely, and that only for the last days: their pictures are most of all."""
CLOSE_SPAN = 14 * DAY

STATUSES = [ScreenshotStatus.available] * 30 + [ScreenshotStatus.deleted] * 2 + [ScreenshotStatus.expired]

NO_PICTURE: Row = {"object_key": None, "thumbnail_key": None}


def screenshots(
    chance: Chance,
    persons: Mapping[UUID, Row],
    timesheets: Sequence[Row],
    slots: Mapping[tuple[UUID, datetime], Row],
    apps: Mapping[tuple[UUID, datetime], str],
    now: datetime,
) -> list[Row]:
    """The screenshots of `timesheets`. The last two are still being worked on."""
    watched = list(dict.fromkeys(row["user_id"] for row in timesheets if row["tracked_until"] > now - CLOSE_SPAN))
    closely = chance.random.sample(watched, min(CLOSELY, len(watched)))
    taken: list[Row] = []
    for row in timesheets:
        person = persons[row["user_id"]]
        for at in _moments(chance, row, is_close=row["user_id"] in closely and row["started_at"] > now - CLOSE_SPAN):
            slot = slots.get((row["id"], floor(at)))
            if slot is not None:
                shot = _screenshot(chance, row, person, slot, apps[row["id"], slot["slot_at"]], at, now)
                taken.append(shot)
                if shot["status"] == ScreenshotStatus.available and chance.one_in(9):
                    id = chance.id(shot["created_at"])
                    taken.append(shot | {"id": id, "screen_index": 1, **_picture(at, id)})
    for shot in sorted(taken, key=lambda shot: shot["captured_at"])[-2:]:
        shot |= {"status": ScreenshotStatus.processing.value, "deleted_by_user_id": None, **NO_PICTURE}
    return taken


def _moments(chance: Chance, row: Row, *, is_close: bool) -> Iterator[datetime]:
    begin, end = row["started_at"], row["tracked_until"]
    if not is_close:
        if chance.one_in(5):
            yield begin + timedelta(seconds=int((end - begin).total_seconds() * chance.random.random()))
        return
    while begin + 10 * MINUTE <= end:
        yield begin + timedelta(seconds=chance.random.randrange(600))
        begin += 10 * MINUTE


def _screenshot(chance: Chance, row: Row, person: Row, slot: Row, app: str, at: datetime, now: datetime) -> Row:
    status = chance.random.choice(STATUSES)
    stamps = chance.written(at, now)
    id = chance.id(stamps["created_at"])
    deleted_by = None
    if status is ScreenshotStatus.deleted:
        deleted_by = person["manager_user_id"] or person["user_id"]
    return {
        "id": id,
        "user_id": row["user_id"],
        "timesheet_id": row["id"],
        "project_id": row["project_id"],
        "task_id": row["task_id"],
        "captured_at": at,
        "screen_index": 0,
        "status": status.value,
        **(_picture(at, id) if status is ScreenshotStatus.available else NO_PICTURE),
        "content_type": "image/jpeg",
        "width": 1920,
        "height": 1080,
        "size_bytes": chance.random.randrange(90_000, 420_000),
        "is_blurred": chance.one_in(12),
        "activity_percent": 100 * slot["active_seconds"] // slot["input_seconds"],
        "app_name": app,
        "deleted_by_user_id": deleted_by,
        **stamps,
    }


def _picture(at: datetime, id: UUID) -> Row:
    name = f"{at:%Y/%m/%d}/{id}.jpg"
    return {"object_key": f"screenshots/{name}", "thumbnail_key": f"thumbnails/{name}"}
