"""The demo organization as it is made, before it is stored."""

from datetime import UTC, datetime, time

from db.demo.area import Row
from db.demo.build import Organization, make
from db.demo.outline import Outline
from db.demo.scenarios.studio import STUDIO

NOW = datetime(2026, 3, 2, 14, 25, 36, 789, UTC)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


def tables(organization: Organization) -> dict[str, list[Row]]:
    return {table: rows for area in organization.areas for table, rows in area.tables.items()}


TABLES = list(tables(make(STUDIO, 2, NOW)))


def alive(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["deleted_at"] is None]


class Made:
    """An organization as it is made, before it is stored, and its rows by their ids."""

    def __init__(self, members: int, now: datetime, outline: Outline = STUDIO) -> None:
        made = make(outline, members, now)
        self.outline = outline
        self.now = now
        self.people = made.people
        self.work = made.work
        self.time = made.timesheets
        self.activity = made.activity
        self.money = made.money
        self.leaves = made.leaves
        self.tables = tables(made)
        self.rows = [row for rows in self.tables.values() for row in rows]
        self.end = datetime.combine(now.date(), time(), UTC)
        self.person = {row["user_id"]: row for row in self.people.members}
        self.team = {row["id"]: row for row in self.people.teams}
        self.client = {row["id"]: row for row in self.work.clients}
        self.project = {row["id"]: row for row in self.work.projects}
        self.task = {row["id"]: row for row in self.work.tasks}
        self.timesheet = {row["id"]: row for row in self.time.timesheets}
