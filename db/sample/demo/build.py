"""Inserts the two demo organizations from their data files."""

from datetime import datetime
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, select, text

from db.admin.tenant import use_organization
from db.sample.deferred_keys import deferred_foreign_keys
from db.sample.demo.load import Load
from db.tables.people import organizations

DEMO_ORGANIZATION_ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")
OTHER_ORGANIZATION_ID = UUID("018f2a6c-5e00-7f58-a2c7-13d94b60e522")

DATA = Path(__file__).parent

LARGE_TABLES = ("activity_slots", "app_usages", "idle_times", "timesheets", "url_usages")
"""Tables with thousands of rows, each with up to five foreign keys."""

DEMO_MEMBERS = 24
"""The members of the demo organization in the data files."""

MAX_MEMBERS = 500


def insert_organizations(connection: Connection, *, members: int = DEMO_MEMBERS, now: datetime) -> bool:
    """Insert the demo organization and a smaller second one; False, and no change, where the first exists.

    `now` is in UTC. No row of the data files is later. Raises ValueError for too few or too many members, and
    for rows that the database refuses, with the name of their file.
    """
    if not 1 <= members <= MAX_MEMBERS:
        raise ValueError(f"members must be between 1 and {MAX_MEMBERS}.")
    use_organization(connection, DEMO_ORGANIZATION_ID)
    demo_organization = select(organizations).where(organizations.c.organization_id == DEMO_ORGANIZATION_ID)
    if connection.scalar(select(demo_organization.exists())):
        return False
    with deferred_foreign_keys(connection, LARGE_TABLES):
        Load(connection, OTHER_ORGANIZATION_ID, DATA / "practice", now).run()
        Load(connection, DEMO_ORGANIZATION_ID, DATA / "studio", now, limit=members).run()
    if members > DEMO_MEMBERS:
        # Until autovacuum counts the rows, reports would have the plans of small tables.
        connection.execute(text("ANALYZE"))
    return True
