"""Quota overrides: set, list and clear them."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert

from db.admin.keys import set_organization
from db.tables.keys import quota_overrides


def set_quota(connection: Connection, organization_id: UUID, group: str, limit: int) -> None:
    """Allow `limit` requests per window to a resource group of an organization. Raises AccessError.

    The empty group is every group without an override of its own.
    """
    set_organization(connection, organization_id)
    row = {"organization_id": organization_id, "resource_group": group, "request_limit": limit}
    connection.execute(
        insert(quota_overrides)
        .values(row)
        .on_conflict_do_update(index_elements=["organization_id", "resource_group"], set_={"request_limit": limit})
    )


def list_quotas(connection: Connection, organization_id: UUID | None = None) -> list[Any]:
    """Overrides by organization and group; of one organization if given."""
    query = select(quota_overrides).order_by(quota_overrides.c.organization_id, quota_overrides.c.resource_group)
    if organization_id is not None:
        query = query.where(quota_overrides.c.organization_id == organization_id)
    return list(connection.execute(query))


def clear_quotas(connection: Connection, organization_id: UUID, group: str | None = None) -> int:
    """Delete the overrides of an organization, or of one of its groups; returns their number."""
    query = delete(quota_overrides).where(quota_overrides.c.organization_id == organization_id)
    if group is not None:
        query = query.where(quota_overrides.c.resource_group == group)
    return connection.execute(query).rowcount
