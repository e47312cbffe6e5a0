"""Stored entries that a report no longer has: those that were deleted in the time tracker, or got another start.

They are of the people in the report and of its time, from the day of its first entry to that of its last one. Others
stay: a report says nothing about people and days that it does not have. Rows that came from elsewhere stay as well.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, DateTime, RowMapping, Table, Uuid, any_, select
from sqlalchemy.dialects.postgresql import ARRAY

from db.jobs.importing.detailed_reports.ids import EntryIds
from db.tables.columns import bind, in_organization

_LOW, _HIGH = bind("low", DateTime(timezone=True)), bind("high", DateTime(timezone=True))
_USERS = bind("users", ARRAY(Uuid))

FETCHED_ROWS = 10_000


def stale_entries(
    connection: Connection,
    table: Table,
    ids: EntryIds,
    users: Collection[UUID],
    period: tuple[datetime, datetime],
    kept: Collection[UUID],
) -> Iterator[RowMapping]:
    """The rows of a table that are of the time tracker, start in the period, and are not kept."""
    low, high = period
    statement = (
        select(table)
        .where(in_organization(table), table.c.user_id == any_(_USERS), table.c.deleted_at.is_(None))
        .where(table.c.started_at >= _LOW, table.c.started_at < _HIGH)
        .execution_options(yield_per=FETCHED_ROWS)
    )
    parameters = {"organization_id": ids.organization_id, "users": sorted(users), "low": low, "high": high}
    for row in connection.execute(statement, parameters).mappings():
        if row["id"] not in kept and ids.has(row["id"], row["user_id"], row["started_at"]):
            yield row
