"""The demo organizations: rows that read like those of real ones, and are the same for the same moment.

An area (people, work) is an `Area` of rows and a function that makes it from the areas before it; `Organization`
and `make` are where a new one is added. Nothing is written until all of them are made.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson
from sqlalchemy import Connection, func, select, text

from db.admin.deferred_keys import deferred_foreign_keys
from db.demo.activity.build import Activity, activity
from db.demo.area import Area, renamed
from db.demo.leaves.build import Leaves, leaves
from db.demo.money.build import Money, money
from db.demo.outline import Outline
from db.demo.people.build import People, people
from db.demo.scenarios.practice import PRACTICE
from db.demo.scenarios.studio import STUDIO
from db.demo.timesheets.build import Timesheets, timesheets
from db.demo.work.build import Work, work
from db.tables.people import organizations

DEMO_ORGANIZATION_ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")
OTHER_ORGANIZATION_ID = UUID("018f2a6c-5e00-7f58-a2c7-13d94b60e522")

MOST_ROWS = ("activity_slots", "app_usages", "idle_times", "timesheets", "url_usages")
"""The tables with thousands of rows, each of which points at up to five others."""

LARGEST = 1000
"""The most members for whom there are names enough."""


@dataclass(frozen=True)
class Organization:
    """The areas of one organization, in the order in which they can be inserted."""

    people: People
    work: Work
    timesheets: Timesheets
    activity: Activity
    money: Money
    leaves: Leaves

    @property
    def areas(self) -> list[Area]:
        return list(vars(self).values())


def make(outline: Outline, members: int, now: datetime) -> Organization:
    """All rows of an organization. Each area is made from those before it."""
    today = now.date()
    crew = people(outline, members, today)
    done = work(outline, crew, today)
    tracked = timesheets(outline, crew, done, now)
    return Organization(
        people=crew,
        work=done,
        timesheets=tracked,
        activity=activity(outline, crew, done, tracked, now),
        money=money(outline, crew, done, tracked, now),
        leaves=leaves(outline, crew, tracked, now),
    )


def build(connection: Connection, *, members: int = 24, now: datetime) -> bool:
    """Insert the demo organization and a smaller second one; False, and no change, where the first exists.

    `now` is in UTC. Nothing in them happens after it; people and work rest since its day began. Raises ValueError for
    too few or too many members.
    """
    if not 1 <= members <= LARGEST:
        raise ValueError(f"members must be between 1 and {LARGEST}.")
    _act_for(connection, DEMO_ORGANIZATION_ID)
    known = select(organizations).where(organizations.c.organization_id == DEMO_ORGANIZATION_ID)
    if connection.scalar(select(known.exists())):
        return False
    studio = make(STUDIO, members, now)
    practice = make(PRACTICE, len(PRACTICE.posts), now)
    # One person belongs to both. That a client and a project share their ids as well is what the primary keys
    # allow: a condition that forgets the organization finds two rows here, and not only in production.
    guest, owner = practice.people.members[1], studio.people.members[0]
    shared = {
        guest["user_id"]: owner["user_id"],
        guest["email"]: owner["email"],
        practice.work.clients[0]["id"]: studio.work.clients[2]["id"],
        practice.work.projects[0]["id"]: studio.work.projects[3]["id"],
    }
    with deferred_foreign_keys(connection, MOST_ROWS):
        _insert(connection, DEMO_ORGANIZATION_ID, studio.areas)
        _insert(connection, OTHER_ORGANIZATION_ID, [renamed(area, shared) for area in practice.areas])
    return True


def _insert(connection: Connection, organization_id: UUID, areas: list[Area]) -> None:
    _act_for(connection, organization_id)
    for area in areas:
        for table, rows in area.tables.items():
            if rows:
                # All rows in one value: a statement a row takes twice as long.
                names = ", ".join(rows[0])
                statement = text(
                    f"INSERT INTO {table} (organization_id, {names}) SELECT :organization_id, {names} "
                    f"FROM jsonb_populate_recordset(NULL::{table}, CAST(:rows AS jsonb))"
                )
                values = {"organization_id": organization_id, "rows": orjson.dumps(rows, default=str).decode()}
                connection.execute(statement, values)


def _act_for(connection: Connection, organization_id: UUID) -> None:
    # db.admin.keys.act_for refuses an organization that isn't there yet.
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
