"""Statements about keys: one key, the quota overrides of its organization, whether an organization is active."""

from sqlalchemy import ColumnElement, select

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.keys import PUBLIC_ID, api_keys, in_organization_of_key, quota_overrides
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
ACTIVE_ORGANIZATION_OF_KEY = _active(in_organization_of_key(organizations))
QUOTA_OVERRIDES_OF_KEY = Statement(select(quota_overrides).where(in_organization_of_key(quota_overrides)))
