"""Screenshots: one in ten minutes for two people, few for the others."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, MINUTE, RandomSource
from db.sample.demo.timesheets.activity_slots import floor
from db.tables.activity import ScreenshotStatus

CLOSELY_MONITORED = 2
"""How many people have a screenshot in each ten minutes, during CLOSE_MONITORING."""
CLOSE_MONITORING = 14 * DAY

STATUSES = [ScreenshotStatus.available] * 30 + [ScreenshotStatus.deleted] * 2 + [ScreenshotStatus.expired]

NO_OBJECT_KEYS: Row = {"object_key": None, "thumbnail_key": None}


def screenshots(
    random: RandomSource,
    member_by_id: Mapping[UUID, Row],
    timesheets: Sequence[Row],
    slots: Mapping[tuple[UUID, datetime], Row],
    apps: Mapping[tuple[UUID, datetime], str],
    now: datetime,
) -> list[Row]:
    """The screenshots of `timesheets`. The last two have the status `processing`."""
    recent_user_ids = list(
        dict.fromkeys(row["user_id"] for row in timesheets if row["tracked_until"] > now - CLOSE_MONITORING)
    )
    closely_monitored = random.sample(recent_user_ids, min(CLOSELY_MONITORED, len(recent_user_ids)))
    rows: list[Row] = []
    for row in timesheets:
        member = member_by_id[row["user_id"]]
        for captured_at in _capture_times(
            random,
            row,
            is_closely_monitored=row["user_id"] in closely_monitored and row["started_at"] > now - CLOSE_MONITORING,
        ):
            slot = slots.get((row["id"], floor(captured_at)))
            if slot is not None:
                screenshot = _screenshot(random, row, member, slot, apps[row["id"], slot["slot_at"]], captured_at, now)
                rows.append(screenshot)
                if screenshot["status"] == ScreenshotStatus.available and random.one_in(9):
                    id = random.uuid7(screenshot["created_at"])
                    rows.append(screenshot | {"id": id, "screen_index": 1, **_object_keys(captured_at, id)})
    for screenshot in sorted(rows, key=lambda screenshot: screenshot["captured_at"])[-2:]:
        screenshot |= {"status": ScreenshotStatus.processing.value, "deleted_by_user_id": None, **NO_OBJECT_KEYS}
    return rows


def _capture_times(random: RandomSource, row: Row, *, is_closely_monitored: bool) -> Iterator[datetime]:
    begin, end = row["started_at"], row["tracked_until"]
    if not is_closely_monitored:
        if random.one_in(5):
            yield begin + timedelta(seconds=int((end - begin).total_seconds() * random.random()))
        return
    while begin + 10 * MINUTE <= end:
        yield begin + timedelta(seconds=random.randrange(600))
        begin += 10 * MINUTE


def _screenshot(
    random: RandomSource, row: Row, member: Row, slot: Row, app: str, captured_at: datetime, now: datetime
) -> Row:
    status = random.choice(STATUSES)
    timestamps = random.timestamps_after(captured_at, now)
    id = random.uuid7(timestamps["created_at"])
    deleted_by = None
    if status is ScreenshotStatus.deleted:
        deleted_by = member["manager_user_id"] or member["user_id"]
    return {
        "id": id,
        "user_id": row["user_id"],
        "timesheet_id": row["id"],
        "project_id": row["project_id"],
        "task_id": row["task_id"],
        "captured_at": captured_at,
        "screen_index": 0,
        "status": status.value,
        **(_object_keys(captured_at, id) if status is ScreenshotStatus.available else NO_OBJECT_KEYS),
        "content_type": "image/jpeg",
        "width": 1920,
        "height": 1080,
        "size_bytes": random.randrange(90_000, 420_000),
        "is_blurred": random.one_in(12),
        "activity_percent": 100 * slot["active_seconds"] // slot["input_seconds"],
        "app_name": app,
        "deleted_by_user_id": deleted_by,
        **timestamps,
    }


def _object_keys(captured_at: datetime, id: UUID) -> Row:
    name = f"{captured_at:%Y/%m/%d}/{id}.jpg"
    return {"object_key": f"screenshots/{name}", "thumbnail_key": f"thumbnails/{name}"}
