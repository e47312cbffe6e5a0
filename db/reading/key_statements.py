"""Statements about keys: one key, the quota overrides of its organization, whether an organization is active, and the
trusted documents of a team.
"""

from sqlalchemy import ColumnElement, select

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.statement import Statement
from db.reading.transaction import NO_ORGANIZATION
from db.tables.columns import in_organization
from db.tables.keys import (
    DOCUMENT_ID,
    PUBLIC_ID,
    TEAM,
    api_keys,
    in_organization_of_key,
    quota_overrides,
    trusted_documents,
)
from db.tables.people import OrganizationStatus, organizations


def _active(restriction: ColumnElement[bool]) -> Statement:
    return Statement(
        select(organizations.c.organization_id).where(
            restriction, organizations.c.status == OrganizationStatus.active.value, organizations.c.deleted_at.is_(None)
        )
    )


ACTIVE_ORGANIZATION = _active(in_organization(organizations))
"""No row where the organization does not exist, is suspended or is deleted."""

KEY_BY_PUBLIC_ID = Statement(select(api_keys).where(api_keys.c.public_id == PUBLIC_ID))
ACTIVE_ORGANIZATION_OF_KEY = _active(in_organization_of_key(organizations))
QUOTA_OVERRIDES_OF_KEY = Statement(select(quota_overrides).where(in_organization_of_key(quota_overrides)))
QUOTA_OVERRIDES = Statement(select(quota_overrides).where(in_organization(quota_overrides)))

TRUSTED_DOCUMENT = Statement(
    select(trusted_documents.c.document).where(
        trusted_documents.c.team == TEAM, trusted_documents.c.document_id == DOCUMENT_ID
    )
)
"""No row where the team has no such document, whether or not another team has it."""


async def find_key(database: Database, public_id: str) -> list[list[Row]]:
    """The rows of a key, of its organization if that is active, and of its quota overrides.

    One transaction; on distributed tables another one by the id of the organization, which says what node has its rows.
    Raises what `Database.read_key` raises.
    """
    if not await database.is_distributed():
        return await database.read_key(
            public_id, [KEY_BY_PUBLIC_ID, ACTIVE_ORGANIZATION_OF_KEY, QUOTA_OVERRIDES_OF_KEY]
        )
    (keys,) = await database.read_key(public_id, [KEY_BY_PUBLIC_ID])
    # An unknown key takes as long as a known one.
    organization_id = (keys[0].organization_id if keys else None) or NO_ORGANIZATION
    return [keys, *await database.read_rows(organization_id, [(ACTIVE_ORGANIZATION, {}), (QUOTA_OVERRIDES, {})])]
