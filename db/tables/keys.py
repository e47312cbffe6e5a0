"""Tables of API keys, quota overrides, and the trusted documents of teams."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    DateTime,
    ForeignKeyConstraint,
    FromClause,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    false,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY

from db.tables.columns import audit_time, bind, enum_column, metadata, text_column
from db.values.purpose import Purpose

# Not a tenant table, because a key is looked up before its organization is known. Row-level security shows the service
# the key with the requested public id, and the owner every key.
api_keys = Table(
    "api_keys",
    metadata,
    Column("public_id", Text, primary_key=True, comment="The part of the key that is no secret."),
    Column("digest", LargeBinary, nullable=False, comment="SHA-256 of the secret."),
    enum_column("purpose", Purpose, "What the key opens."),
    Column("organization_id", Uuid, comment="The organization that it reads; null for internal tokens."),
    Column(
        "organization_ids", ARRAY(Uuid), comment="Internal tokens: the organizations that they may read; null: all."
    ),
    Column("scopes", ARRAY(Text), comment="MCP keys: what they may read, such as members:read."),
    Column("label", Text, nullable=False, server_default="", comment="Who uses it; of an internal token, the team."),
    Column(
        "trusted_documents_only",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="Internal tokens: whether GraphQL executes nothing but the trusted documents of the team.",
    ),
    audit_time("created_at", "When it was made."),
    Column("expires_at", DateTime(timezone=True), comment="When it ends; null: never."),
    Column("revoked_at", DateTime(timezone=True), comment="When it was revoked; null while it works."),
    CheckConstraint("purpose IN ('partner', 'mcp', 'internal')", name="purpose"),
    CheckConstraint("(purpose = 'mcp') = (scopes IS NOT NULL)", name="scopes"),
    CheckConstraint("(purpose = 'internal') = (organization_id IS NULL)", name="organization"),
    CheckConstraint("purpose <> 'internal' OR expires_at IS NOT NULL", name="internal_expires"),
    CheckConstraint("purpose = 'internal' OR NOT trusted_documents_only", name="trusted_documents_only"),
    ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]),
    comment="A key or token. Operators make it; the secret itself is not stored.",
)

PUBLIC_ID = bind("public_id", Text())
"""The parameter for the key that is looked up. `Database.read_key` alone sets its value."""

ORGANIZATION_OF_KEY = select(api_keys.c.organization_id).where(api_keys.c.public_id == PUBLIC_ID).scalar_subquery()
"""The organization of the key that is looked up; null for an internal token, and where there is no such key."""


def in_organization_of_key(table: FromClause) -> ColumnElement[bool]:
    """The condition that restricts `table` to the organization of the key that is looked up."""
    condition: ColumnElement[bool] = table.c.organization_id == ORGANIZATION_OF_KEY
    return condition


quota_overrides = Table(
    "quota_overrides",
    metadata,
    Column("organization_id", Uuid, primary_key=True, comment="The organization."),
    Column(
        "resource_group",
        Text,
        primary_key=True,
        comment="Group of operations, such as members; empty: every group without a row of its own.",
    ),
    Column("request_limit", Integer, nullable=False, comment="Requests per window."),
    CheckConstraint("request_limit > 0", name="request_limit"),
    ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]),
    info={"tenant": True},
    comment="Requests that an organization may make in a window, where they are not the default.",
)

TEAM, DOCUMENT_ID = bind("team", Text()), bind("document_id", Text())
"""The parameters for the document that a team asks for."""

# Neither a tenant table nor restricted by row-level security: a document has no data of an organization, and a token
# reads its own organizations with it. What a team may ask for is the condition of the one statement that reads it.
trusted_documents = Table(
    "trusted_documents",
    metadata,
    Column("team", Text, primary_key=True, comment="The team that may ask for it: the label of its tokens."),
    Column("document_id", Text, primary_key=True, comment="sha256: and the SHA-256 of the document, in hexadecimal."),
    text_column("operation_name", "The name of the operation in it.", nullable=False),
    text_column("document", "One operation, and the fragments that it uses.", nullable=False),
    audit_time("created_at", "When it was added."),
    CheckConstraint("team <> ''", name="team"),
    CheckConstraint("document_id ~ '^sha256:[0-9a-f]{64}$'", name="document_id"),
    comment="A GraphQL document that a team asks for by id. Operators add it, after it was checked against the schema.",
)
