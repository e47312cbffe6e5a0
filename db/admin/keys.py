"""Keys: what operators create, list, rotate and revoke."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, insert, select, update

from db.admin.key_format import generate_key
from db.tables.keys import Purpose, api_keys
from db.tables.people import organizations

LONGEST_INTERNAL_LIFE = timedelta(days=90)


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


def set_organization(connection: Connection, organization_id: UUID) -> None:
    """Speak for an organization until the transaction ends. Raises AccessError where there is none."""
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
    known = select(organizations.c.organization_id).where(organizations.c.organization_id == organization_id)
    if connection.scalar(known) is None:
        raise AccessError(f"There is no organization {organization_id}.")
