"""Builds the rows of the two demo organizations and inserts them. The same time gives the same rows.

Each area (people, work, ...) is a subclass of `Area` and a function that builds it from the areas before it.
To add an area, extend `OrganizationRows` and `build_organization`.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson
from sqlalchemy import Connection, select, text

from db.admin.deferred_keys import deferred_foreign_keys
from db.admin.tenant import use_organization
from db.sample.demo.activity.build import ActivityRows, build_activity
from db.sample.demo.area import Area, replace_values
from db.sample.demo.deletion import delete_what_belongs
from db.sample.demo.leaves.build import LeaveRows, build_leaves
from db.sample.demo.money.build import MoneyRows, build_money
from db.sample.demo.people.build import PeopleRows, build_people
from db.sample.demo.scenarios.practice import PRACTICE
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.scenarios.studio import STUDIO
from db.sample.demo.timesheets.build import TimesheetRows, build_timesheets
from db.sample.demo.work.build import WorkRows, build_work
from db.tables.people import organizations

DEMO_ORGANIZATION_ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")
OTHER_ORGANIZATION_ID = UUID("018f2a6c-5e00-7f58-a2c7-13d94b60e522")

LARGE_TABLES = ("activity_slots", "app_usages", "idle_times", "timesheets", "url_usages")
"""Tables with thousands of rows, each with up to five foreign keys."""

MAX_MEMBERS = 1000
"""More members would get names that repeat."""


@dataclass(frozen=True)
class OrganizationRows:
    """The areas of one organization, in the order in which they can be inserted."""

    people: PeopleRows
    work: WorkRows
    timesheets: TimesheetRows
    activity: ActivityRows
    money: MoneyRows
    leaves: LeaveRows

    @property
    def areas(self) -> list[Area]:
        return list(vars(self).values())


def build_organization(scenario: Scenario, members: int, now: datetime) -> OrganizationRows:
    """All rows of an organization."""
    today = now.date()
    people = build_people(scenario, members, today)
    work = build_work(scenario, people, today)
    timesheets = build_timesheets(scenario, people, work, now)
    rows = OrganizationRows(
        people=people,
        work=work,
        timesheets=timesheets,
        activity=build_activity(scenario, people, work, timesheets, now),
        money=build_money(scenario, people, work, timesheets, now),
        leaves=build_leaves(scenario, people, timesheets, now),
    )
    delete_what_belongs({table: own for area in rows.areas for table, own in area.tables.items()})
    return rows


def insert_organizations(connection: Connection, *, members: int = 24, now: datetime) -> bool:
    """Insert the demo organization and a smaller second one; False, and no change, where the first exists.

    `now` is in UTC. No row is later than `now`; people and work are not changed after the start of that day.
    Raises ValueError for too few or too many members.
    """
    if not 1 <= members <= MAX_MEMBERS:
        raise ValueError(f"members must be between 1 and {MAX_MEMBERS}.")
    use_organization(connection, DEMO_ORGANIZATION_ID)
    demo_organization = select(organizations).where(organizations.c.organization_id == DEMO_ORGANIZATION_ID)
    if connection.scalar(select(demo_organization.exists())):
        return False
    studio = build_organization(STUDIO, members, now)
    practice = build_organization(PRACTICE, len(PRACTICE.positions), now)
    # One person belongs to both organizations. A client and a project share their ids, too, which the primary keys
    # allow: a condition without the organization finds two rows here, and not first in production.
    guest, owner = practice.people.members[1], studio.people.members[0]
    shared = {
        guest["user_id"]: owner["user_id"],
        guest["email"]: owner["email"],
        practice.work.clients[0]["id"]: studio.work.clients[2]["id"],
        practice.work.projects[0]["id"]: studio.work.projects[3]["id"],
    }
    with deferred_foreign_keys(connection, LARGE_TABLES):
        _insert(connection, DEMO_ORGANIZATION_ID, studio.areas)
        _insert(connection, OTHER_ORGANIZATION_ID, [replace_values(area, shared) for area in practice.areas])
    return True


def _insert(connection: Connection, organization_id: UUID, areas: list[Area]) -> None:
    use_organization(connection, organization_id)
    for area in areas:
        for table, rows in area.tables.items():
            if rows:
                # All rows in one value: one statement per row takes twice as long.
                names = ", ".join(rows[0])
                statement = text(
                    f"INSERT INTO {table} (organization_id, {names}) SELECT :organization_id, {names} "
                    f"FROM jsonb_populate_recordset(NULL::{table}, CAST(:rows AS jsonb))"
                )
                values = {"organization_id": organization_id, "rows": orjson.dumps(rows, default=str).decode()}
                connection.execute(statement, values)
