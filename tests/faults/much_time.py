"""Time of an organization whose reports keep the database busy."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert

from db.tables.timesheets import timesheets
from tests.factories.base import THEN
from tests.factories.rows import Rows

Sheet = dict[str, Any]


def add_time(rows: Rows, own: UUID, count: int = 200, every: float = 180, minutes: float = 120) -> list[Sheet]:
    """So many timesheets of each of 20 people: a report takes the database some hundredths of a second."""
    people = [rows.member(own) for _ in range(20)]
    starts = [(user_id, THEN + timedelta(minutes=every * n)) for user_id in people for n in range(count)]
    sheets = [interval(own, user_id, start, minutes) for user_id, start in starts]
    with rows.transaction(own):
        rows.connection.execute(insert(timesheets), [{**each, "tracked_until": each["ended_at"]} for each in sheets])
    return sheets


def interval(own: UUID, user_id: UUID, start: datetime, minutes: float, **more: Any) -> Sheet:
    times = {"started_at": start, "ended_at": start + timedelta(minutes=minutes), **more}
    return {"organization_id": own, "id": uuid4(), "user_id": user_id, "created_at": THEN, "updated_at": THEN, **times}
