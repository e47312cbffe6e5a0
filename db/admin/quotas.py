"""Quota overrides: set, list and clear them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert

from db.admin.keys import set_organization
from db.admin.tenant import use_organization
from db.tables.keys import quota_overrides


class Preset(StrEnum):
    """Names of sets of limits for a purpose."""

    sync = "sync"


PRESETS: Mapping[Preset, Mapping[str, int]] = {Preset.sync: {"": 120, "payroll": 600, "screenshots": 600}}
"""The limits of each preset by resource group, per window; the empty group is every other one.

`sync` is for a partner that keeps a copy of everything. `payroll` and `screenshots` take a request for each person, so
that a poll of 1,000 members (4,000 requests of payroll) takes 7 minutes with 600 a minute, and more than two hours with
the default of 30. All other groups are lists with pages: with 120, a report on 10,000 members (500 pages) takes 5
minutes. docs/synchronizing.md has the arithmetic.
"""


def set_preset(connection: Connection, organization_id: UUID, preset: Preset) -> None:
    """Replace the limits of an organization by those of a preset. Raises AccessError."""
    clear_quotas(connection, organization_id)
    for group, limit in PRESETS[preset].items():
        set_quota(connection, organization_id, group, limit)


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
    use_organization(connection, organization_id)
    query = delete(quota_overrides).where(quota_overrides.c.organization_id == organization_id)
    if group is not None:
        query = query.where(quota_overrides.c.resource_group == group)
    return connection.execute(query).rowcount
