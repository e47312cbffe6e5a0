"""API keys: create, list, rotate and revoke them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, insert, select, update

from db.admin.key_format import generate_key
from db.admin.tenant import use_organization
from db.errors import OperatorError
from db.tables.keys import api_keys
from db.tables.people import organizations
from db.values.purpose import Purpose

MAX_INTERNAL_LIFETIME = timedelta(days=90)


class AccessError(OperatorError):
    """A key or a quota cannot be created or changed; the message says why."""


@dataclass(frozen=True)
class Grant:
    """The rights of a key to create. Raises AccessError if they contradict each other."""

    purpose: Purpose
    organization_id: UUID | None = None
    organization_ids: Sequence[UUID] | None = None
    scopes: Sequence[str] | None = None
    label: str = ""
    expires_at: datetime | None = None
    trusted_documents_only: bool = False

    def __post_init__(self) -> None:
        if self.trusted_documents_only and self.purpose is not Purpose.internal:
            raise AccessError("Only an internal token can be limited to trusted documents.")
        if self.trusted_documents_only and not self.label:
            raise AccessError("A token that is limited to trusted documents has a label: that of its team.")
        if self.purpose is Purpose.internal:
            if self.organization_id is not None or self.scopes is not None:
                raise AccessError("An internal token has neither one organization nor scopes.")
            if self.expires_at is None or self.expires_at > datetime.now(UTC) + MAX_INTERNAL_LIFETIME:
                raise AccessError(f"An internal token expires within {MAX_INTERNAL_LIFETIME.days} days.")
        elif self.organization_id is None:
            raise AccessError(f"A {self.purpose} key belongs to one organization: name it.")
        elif self.purpose is Purpose.partner and self.scopes is not None:
            raise AccessError("A partner key has no scopes: it reads everything.")
        elif self.purpose is Purpose.mcp and self.scopes is None:
            raise AccessError("An MCP key has a list of scopes, which may be empty.")


def create_key(connection: Connection, grant: Grant) -> str:
    """Store a new key and return its text, which is not stored. Raises AccessError for an unknown organization."""
    if grant.organization_id is not None:
        set_organization(connection, grant.organization_id)
    text, key = generate_key(grant.purpose)
    values = {**asdict(grant), "purpose": grant.purpose.value}
    connection.execute(insert(api_keys).values(public_id=key.public_id, digest=key.digest, **values))
    return text


def list_keys(connection: Connection, organization_id: UUID | None = None) -> list[Any]:
    """Keys without their digests, oldest first; of one organization if given."""
    columns = [column for column in api_keys.c if column.name != "digest"]
    query = select(*columns).order_by(api_keys.c.created_at, api_keys.c.public_id)
    if organization_id is not None:
        query = query.where(api_keys.c.organization_id == organization_id)
    return list(connection.execute(query))


def rotate_key(connection: Connection, public_id: str, *, overlap: timedelta = timedelta()) -> str:
    """Create a key with the same rights, end the old one, and return the new text. Raises AccessError.

    The old key expires after `overlap`, if not before; without one it is revoked, and caches may accept it for up to
    120 seconds more.
    """
    old = connection.execute(
        select(api_keys).where(api_keys.c.public_id == public_id, api_keys.c.revoked_at.is_(None))
    ).one_or_none()
    if old is None:
        raise AccessError(f"There is no live key {public_id}.")
    expires_at = old.expires_at
    if expires_at is not None:
        lifetime = old.expires_at - old.created_at
        # created_at is of the database's clock, expires_at of the operator's: the difference can exceed the maximum.
        if old.purpose == Purpose.internal.value:
            lifetime = min(lifetime, MAX_INTERNAL_LIFETIME)
        expires_at = datetime.now(UTC) + lifetime
    rights = {field.name: getattr(old, field.name) for field in fields(Grant)}
    new_key = create_key(connection, Grant(**rights | {"purpose": Purpose(old.purpose), "expires_at": expires_at}))
    if overlap:
        end = datetime.now(UTC) + overlap
        end = end if old.expires_at is None else min(end, old.expires_at)
        connection.execute(update(api_keys).where(api_keys.c.public_id == public_id).values(expires_at=end))
    else:
        revoke_key(connection, public_id)
    return new_key


def revoke_key(connection: Connection, public_id: str) -> None:
    """Revoke a key; revoking it again changes nothing. Raises AccessError for an unknown key.

    Its row stays, as a record of who had access until when.
    """
    # A value: keys that each node has a copy of may not be changed by now() inside of coalesce().
    now = connection.scalar(select(func.now()))
    result = connection.execute(
        update(api_keys)
        .where(api_keys.c.public_id == public_id)
        .values(revoked_at=func.coalesce(api_keys.c.revoked_at, now))
    )
    if result.rowcount == 0:
        raise AccessError(f"There is no key {public_id}.")


def set_organization(connection: Connection, organization_id: UUID) -> None:
    """Set the transaction's organization for row-level security. Raises AccessError if it does not exist."""
    use_organization(connection, organization_id)
    known = select(organizations.c.organization_id).where(organizations.c.organization_id == organization_id)
    if connection.scalar(known) is None:
        raise AccessError(f"There is no organization {organization_id}.")
