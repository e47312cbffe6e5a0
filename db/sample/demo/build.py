"""The demo's database: the tables, the rows of two organizations from their data files, new keys, example values."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Connection, select, text

from db.admin.engine import connect
from db.admin.keys import Grant, create_key
from db.admin.migrate import migrate
from db.admin.tenant import use_organization
from db.sample.deferred_keys import deferred_foreign_keys
from db.sample.demo.examples import example_parameters
from db.sample.demo.load import Load
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.tables.people import organizations
from db.values.purpose import Purpose

DEMO_ORGANIZATION_ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")
OTHER_ORGANIZATION_ID = UUID("018f2a6c-5e00-7f58-a2c7-13d94b60e522")

DATA = Path(__file__).parent

LARGE_TABLES = ("activity_slots", "app_usages", "idle_times", "timesheets", "url_usages")
"""Tables with thousands of rows, each with up to five foreign keys."""

DEMO_MEMBERS = 24
"""The members of the demo organization in the data files."""


def insert_organizations(connection: Connection, *, members: int = DEMO_MEMBERS, now: datetime) -> bool:
    """Insert the demo organization and a smaller second one; False, and no change, where the first exists.

    `now` is in UTC. No row of the data files is later. Raises ValueError for rows that the database refuses, with the
    name of their file.
    """
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


class DemoContents(NamedTuple):
    """What a demo has: the owner's URL of its database, new keys and ids by name, and examples of parameters.

    `is_new`: whether its organizations were inserted now.
    """

    is_new: bool
    owner_url: str
    keys_and_ids: dict[str, str]
    examples: dict[str, str]


def fill_database(server: Server, *, members: int, mcp_scopes: Sequence[str]) -> DemoContents:
    """Insert what the database of the demo lacks, and create keys; `mcp_scopes` are those of the MCP key."""
    owner_url = ensure_database(server)
    now = datetime.now(UTC)
    with connect(owner_url).connect() as connection:
        migrate(connection)
        is_new = insert_organizations(connection, members=members, now=now)
        keys = _create_keys(connection, mcp_scopes)
        examples = example_parameters(connection, DEMO_ORGANIZATION_ID, now.date())
        connection.commit()
    ids = {"organization_id": str(DEMO_ORGANIZATION_ID), "other_organization_id": str(OTHER_ORGANIZATION_ID)}
    return DemoContents(is_new, owner_url, keys | ids, examples)


def _create_keys(connection: Connection, mcp_scopes: Sequence[str]) -> dict[str, str]:
    expires_at = datetime.now(UTC) + timedelta(days=30)
    grants = {
        "partner_key": Grant(Purpose.partner, DEMO_ORGANIZATION_ID, label="demo"),
        "mcp_key": Grant(Purpose.mcp, DEMO_ORGANIZATION_ID, scopes=mcp_scopes, label="demo"),
        "internal_token": Grant(Purpose.internal, label="demo", expires_at=expires_at),
        "other_partner_key": Grant(Purpose.partner, OTHER_ORGANIZATION_ID, label="demo"),
    }
    return {name: create_key(connection, grant) for name, grant in grants.items()}
