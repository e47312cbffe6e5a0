"""The rows of a demo organization, built and not inserted."""

from datetime import UTC, datetime, time

from db.sample.demo.area import Row
from db.sample.demo.build import OrganizationRows, build_organization
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.scenarios.studio import STUDIO

NOW = datetime(2026, 3, 2, 14, 25, 36, 789, UTC)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


def tables(demo: OrganizationRows) -> dict[str, list[Row]]:
    return {table: rows for area in demo.areas for table, rows in area.tables.items()}


TABLES = list(tables(build_organization(STUDIO, 2, NOW)))


def alive(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["deleted_at"] is None]


class DemoRows:
    """The built rows of a demo organization, also by id."""

    def __init__(self, members: int, now: datetime, scenario: Scenario = STUDIO) -> None:
        demo = build_organization(scenario, members, now)
        self.scenario = scenario
        self.now = now
        self.people = demo.people
        self.work = demo.work
        self.time = demo.timesheets
        self.activity = demo.activity
        self.money = demo.money
        self.leaves = demo.leaves
        self.tables = tables(demo)
        self.rows = [row for rows in self.tables.values() for row in rows]
        self.end = datetime.combine(now.date(), time(), UTC)
        self.person = {row["user_id"]: row for row in self.people.members}
        self.team = {row["id"]: row for row in self.people.teams}
        self.client = {row["id"]: row for row in self.work.clients}
        self.project = {row["id"]: row for row in self.work.projects}
        self.task = {row["id"]: row for row in self.work.tasks}
        self.timesheet = {row["id"]: row for row in self.time.timesheets}
