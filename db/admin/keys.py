"""Who may ask: keys and quota overrides, where they are stored, and what an operator does with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    DateTime,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert

from db.admin.key_format import Purpose, generate_key
from db.reading.statement import Statement
from db.tables.columns import audit_time, bind, enum_column, in_organization, metadata
from db.tables.people import organizations

LONGEST_INTERNAL_LIFE = timedelta(days=90)

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

KEY_BY_PUBLIC_ID = Statement(select(api_keys).where(api_keys.c.public_id == bind("public_id", Text())))
OVERRIDES = Statement(select(quota_overrides).where(in_organization(quota_overrides)))
KNOWN_ORGANIZATION = Statement(select(organizations.c.organization_id).where(in_organization(organizations)))


class AccessError(Exception):
    """What an operator asked for can't be done; the text says why."""


@dataclass(frozen=True)
class Grant:
    """What a key allows. Checks itself when it is made."""

    purpose: Purpose
    organization_id: UUID | None = None
    organization_ids: Sequence[UUID] | None = None
    scopes: Sequence[str] | None = None
    label: str = ""
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.purpose is Purpose.internal:
            if self.organization_id is not None or self.scopes is not None:
                raise AccessError("An internal token has neither one organization nor scopes.")
            if self.expires_at is None or self.expires_at > datetime.now(UTC) + LONGEST_INTERNAL_LIFE:
                raise AccessError(f"An internal token expires within {LONGEST_INTERNAL_LIFE.days} days.")
        elif self.organization_id is None:
            raise AccessError(f"A {self.purpose} key belongs to one organization: name it.")
        elif self.purpose is Purpose.partner and self.scopes is not None:
            raise AccessError("A partner key has no scopes: it reads everything.")
        elif self.purpose is Purpose.mcp and self.scopes is None:
            raise AccessError("An MCP key has a list of scopes, which may be empty.")


def create_key(connection: Connection, grant: Grant) -> str:
    """Store a new key and return its text, which can't be had again."""
    if grant.organization_id is not None:
        set_organization(connection, grant.organization_id)
    text, key = generate_key(grant.purpose)
    connection.execute(
        insert(api_keys).values(
            public_id=key.public_id,
            digest=key.digest,
            purpose=grant.purpose.value,
            organization_id=grant.organization_id,
            organization_ids=list(grant.organization_ids) if grant.organization_ids is not None else None,
            scopes=list(grant.scopes) if grant.scopes is not None else None,
            label=grant.label,
            expires_at=grant.expires_at,
        )
    )
    return text


def list_keys(connection: Connection, organization_id: UUID | None = None) -> list[Any]:
    """All keys, oldest first, without their digests."""
    columns = [column for column in api_keys.c if column.name != "digest"]
    query = select(*columns).order_by(api_keys.c.created_at, api_keys.c.public_id)
    if organization_id is not None:
        query = query.where(api_keys.c.organization_id == organization_id)
    return list(connection.execute(query))


def rotate_key(connection: Connection, public_id: str) -> str:
    """Issue a key with the same rights and revoke the old one. A cache may honour that one for 120 s more."""
    old = connection.execute(
        select(api_keys).where(api_keys.c.public_id == public_id, api_keys.c.revoked_at.is_(None))
    ).one_or_none()
    if old is None:
        raise AccessError(f"There is no live key {public_id}.")
    expires_at = old.expires_at
    if expires_at is not None:
        life = old.expires_at - old.created_at
        # The clocks of the database and of whoever asked may differ.
        if old.purpose == Purpose.internal.value:
            life = min(life, LONGEST_INTERNAL_LIFE)
        expires_at = datetime.now(UTC) + life
    fresh = create_key(
        connection,
        Grant(Purpose(old.purpose), old.organization_id, old.organization_ids, old.scopes, old.label, expires_at),
    )
    revoke_key(connection, public_id)
    return fresh


def revoke_key(connection: Connection, public_id: str) -> None:
    """Revoke a key; a second time changes nothing. Rows are kept: they say who could ask, and until when."""
    found = connection.execute(
        update(api_keys)
        .where(api_keys.c.public_id == public_id)
        .values(revoked_at=func.coalesce(api_keys.c.revoked_at, func.now()))
    )
    if found.rowcount == 0:
        raise AccessError(f"There is no key {public_id}.")


def set_quota(connection: Connection, organization_id: UUID, group: str, limit: int) -> None:
    """Allow `limit` requests a window to a group of an organization; the empty group means all others."""
    set_organization(connection, organization_id)
    row = {"organization_id": organization_id, "resource_group": group, "request_limit": limit}
    connection.execute(
        upsert(quota_overrides)
        .values(row)
        .on_conflict_do_update(index_elements=["organization_id", "resource_group"], set_={"request_limit": limit})
    )


def list_quotas(connection: Connection, organization_id: UUID | None = None) -> list[Any]:
    """All overrides, by organization and group."""
    query = select(quota_overrides).order_by(quota_overrides.c.organization_id, quota_overrides.c.resource_group)
    if organization_id is not None:
        query = query.where(quota_overrides.c.organization_id == organization_id)
    return list(connection.execute(query))


def clear_quotas(connection: Connection, organization_id: UUID, group: str | None = None) -> int:
    """Remove the overrides of an organization, or of one group; returns how many there were."""
    query = delete(quota_overrides).where(quota_overrides.c.organization_id == organization_id)
    if group is not None:
        query = query.where(quota_overrides.c.resource_group == group)
    return connection.execute(query).rowcount


def set_organization(connection: Connection, organization_id: UUID) -> None:
    """Speak for an organization until the transaction ends. Raises AccessError where there is none."""
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
    known = select(organizations.c.organization_id).where(organizations.c.organization_id == organization_id)
    if connection.scalar(known) is None:
        raise AccessError(f"There is no organization {organization_id}.")
