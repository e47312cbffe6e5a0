"""Time of an organization whose reports keep the database busy."""

from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import insert

from db.tables.timesheets import timesheets
from tests.factories.base import THEN, set_row_organization
from tests.factories.rows import Rows

PEOPLE, SHEETS = 20, 200


def add_time(rows: Rows, own: UUID) -> None:
    """Enough time that a report takes the database some hundredths of a second."""
    people = [rows.member(own) for _ in range(PEOPLE)]
    starts = [(user_id, THEN + timedelta(hours=3 * n)) for user_id in people for n in range(SHEETS)]
    times = {"organization_id": own, "created_at": THEN, "updated_at": THEN}
    with rows.connection.begin():
        set_row_organization(rows.connection, own)
        rows.connection.execute(
            insert(timesheets),
            [
                {**times, "id": uuid4(), "user_id": user_id, "started_at": start, "ended_at": end, "tracked_until": end}
                for user_id, start in starts
                for end in [start + timedelta(hours=2)]
            ],
        )
