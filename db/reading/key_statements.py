"""Statements about keys: one key, the quota overrides of its organization, whether an organization is active, and the
trusted documents of a team.
"""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, select

from db.reading.statement import Statement
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
            restriction,
            organizations.c.status == OrganizationStatus.active.value,
            organizations.c.deleted_at.is_(None),
        )
    )


ACTIVE_ORGANIZATION = _active(in_organization(organizations))
"""No row where the organization does not exist, is suspended or is deleted."""


# For `Database.read_key`.
KEY_BY_PUBLIC_ID = Statement(select(api_keys).where(api_keys.c.public_id == PUBLIC_ID))
ORGANIZATION_BY_PUBLIC_ID = Statement(select(api_keys.c.organization_id).where(api_keys.c.public_id == PUBLIC_ID))
ACTIVE_ORGANIZATION_OF_KEY = _active(in_organization_of_key(organizations))
QUOTA_OVERRIDES_OF_KEY = Statement(select(quota_overrides).where(in_organization_of_key(quota_overrides)))
QUOTA_OVERRIDES = Statement(select(quota_overrides).where(in_organization(quota_overrides)))

BY_ORGANIZATION: Mapping[Statement, Statement] = {
    ACTIVE_ORGANIZATION_OF_KEY: ACTIVE_ORGANIZATION,
    QUOTA_OVERRIDES_OF_KEY: QUOTA_OVERRIDES,
}
"""What reads the same rows by the id of the organization: on distributed tables, the id says which node has them."""

TRUSTED_DOCUMENT = Statement(
    select(trusted_documents.c.document).where(
        trusted_documents.c.team == TEAM, trusted_documents.c.document_id == DOCUMENT_ID
    )
)
"""No row where the team has no such document, whether or not another team has it."""
