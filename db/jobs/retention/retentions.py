"""Retentions: for how many days an organization keeps each kind of activity. Rows older than that fall out.

Activity slots are of no kind: they belong to timesheets, whose time reports divide by them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, Table, select, update

from db.admin.keys import set_organization
from db.tables.activity import app_usages, screenshots, url_usages
from db.tables.people import organizations


class RetainedTable(NamedTuple):
    """A table whose rows fall out when `time` is older than the days of `kind` in `data_retention_days`.

    The rows of a person are read in the order of `time`; where only partial indexes have that order, `parts` are their
    conditions.
    """

    kind: str
    table: Table
    time: str
    parts: Sequence[str] = ("true",)


RETAINED_TABLES = (
    RetainedTable("screenshots", screenshots, "captured_at", parts=("deleted_at IS NULL", "deleted_at IS NOT NULL")),
    RetainedTable("app_usage", app_usages, "slot_at"),
    RetainedTable("url_usage", url_usages, "slot_at"),
)


def read_retentions(connection: Connection, organization_id: UUID | None = None) -> Sequence[Any]:
    """The rows of all organizations, also suspended and deleted ones, or of one. Raises AccessError if it is unknown.

    A row has the days by kind, and the zone in which the organization's days begin.
    """
    columns = organizations.c
    query = select(columns.organization_id, columns.timezone, columns.data_retention_days)
    if organization_id is not None:
        set_organization(connection, organization_id)
        query = query.where(columns.organization_id == organization_id)
    return connection.execute(query.order_by(columns.organization_id)).all()


def set_retention(connection: Connection, organization_id: UUID, days: Mapping[str, int]) -> None:
    """Change the days of some kinds. Raises AccessError if the organization does not exist."""
    set_organization(connection, organization_id)
    columns = organizations.c
    changed = update(organizations).where(columns.organization_id == organization_id)
    connection.execute(changed.values(data_retention_days=columns.data_retention_days.concat(dict(days))))
