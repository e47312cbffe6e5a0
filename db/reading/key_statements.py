"""Statements about keys: one key, the quota overrides of an organization, whether an organization is active."""

from sqlalchemy import Text, select

from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from db.tables.keys import api_keys, quota_overrides
from db.tables.people import OrganizationStatus, organizations

KEY_BY_PUBLIC_ID = Statement(select(api_keys).where(api_keys.c.public_id == bind("public_id", Text())))
"""For `Database.read_key`."""

QUOTA_OVERRIDES = Statement(select(quota_overrides).where(in_organization(quota_overrides)))
ACTIVE_ORGANIZATION = Statement(
    select(organizations.c.organization_id).where(
        in_organization(organizations),
        organizations.c.status == OrganizationStatus.active.value,
        organizations.c.deleted_at.is_(None),
    )
)
"""No row where the organization does not exist, is suspended or is deleted."""
