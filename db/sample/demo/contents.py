"""Contents of the demo's database: the tables, the rows of both organizations, new keys, example values."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection

from db.admin.engine import connect
from db.admin.keys import Grant, create_key
from db.admin.migrate import migrate
from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID, insert_organizations
from db.sample.demo.examples import example_parameters
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.values.purpose import Purpose


class DemoContents(NamedTuple):
    """What a demo has: the owner's URL of its database, new keys by name, ids, and examples of parameters by name."""

    owner_url: str
    keys: dict[str, str]
    organization_ids: dict[str, str]
    examples: dict[str, str]


def fill_database(server: Server, *, members: int, mcp_scopes: Sequence[str]) -> DemoContents:
    """Insert what the database of the demo lacks, and create keys; `mcp_scopes` are those of the MCP key."""
    owner_url = ensure_database(server)
    now = datetime.now(UTC)
    with connect(owner_url).connect() as connection:
        migrate(connection)
        insert_organizations(connection, members=members, now=now)
        keys = _create_keys(connection, mcp_scopes)
        examples = example_parameters(connection, DEMO_ORGANIZATION_ID, now.date())
        connection.commit()
    ids = {"organization_id": str(DEMO_ORGANIZATION_ID), "other_organization_id": str(OTHER_ORGANIZATION_ID)}
    return DemoContents(owner_url, keys, ids, examples)


def _create_keys(connection: Connection, mcp_scopes: Sequence[str]) -> dict[str, str]:
    expires_at = datetime.now(UTC) + timedelta(days=30)
    grants = {
        "partner_key": Grant(Purpose.partner, DEMO_ORGANIZATION_ID, label="demo"),
        "mcp_key": Grant(Purpose.mcp, DEMO_ORGANIZATION_ID, scopes=mcp_scopes, label="demo"),
        "internal_token": Grant(Purpose.internal, label="demo", expires_at=expires_at),
        "other_partner_key": Grant(Purpose.partner, OTHER_ORGANIZATION_ID, label="demo"),
    }
    return {name: create_key(connection, grant) for name, grant in grants.items()}
