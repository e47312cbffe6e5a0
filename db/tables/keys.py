"""Tables of API keys and quota overrides."""

from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY

from db.tables.columns import audit_time, enum_column, metadata


class Purpose(StrEnum):
    """What a key is for: all of `/v1`, the scopes it names, or GraphQL on the internal listener."""

    partner = "partner"
    mcp = "mcp"
    internal = "internal"


# A key is found before an organization is known, so this is no tenant table: row-level security shows the service
# the one key that it asks for, and its owner all of them.
api_keys = Table(
    "api_keys",
    metadata,
    Column("public_id", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    enum_column("purpose", Purpose),
    Column("organization_id", Uuid),
    # Internal tokens only: the organizations they may name; null means all.
    Column("organization_ids", ARRAY(Uuid)),
    Column("scopes", ARRAY(Text)),
    Column("label", Text, nullable=False, server_default=""),
    audit_time("created_at"),
    Column("expires_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    CheckConstraint("purpose IN ('partner', 'mcp', 'internal')", name="purpose"),
    CheckConstraint("(purpose = 'mcp') = (scopes IS NOT NULL)", name="scopes"),
    CheckConstraint("(purpose = 'internal') = (organization_id IS NULL)", name="organization"),
    CheckConstraint("purpose <> 'internal' OR expires_at IS NOT NULL", name="internal_expires"),
    ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]),
)

quota_overrides = Table(
    "quota_overrides",
    metadata,
    Column("organization_id", Uuid, primary_key=True),
    # The empty group stands for every group without an override of its own.
    Column("resource_group", Text, primary_key=True),
    Column("request_limit", Integer, nullable=False),
    CheckConstraint("request_limit > 0", name="request_limit"),
    ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]),
    info={"tenant": True},
)
