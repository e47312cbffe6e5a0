"""Freshness of an organization's data: the last change of a row in each table, and the last heartbeat of a timer.

Each value is the first entry of an index, or the greatest of a bounded number of entries.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, Table, func, select

from db.figures.stored_rows import COUNTED_TABLES
from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.timesheets import TimesheetKind, timesheets

MAX_RUNNING = 1_000
"""Running timers whose heartbeats are read."""

MAX_RECENT = 100
"""Timesheets whose ends are read, those that changed last."""


def has_index_of_changes(table: Table) -> bool:
    """Whether an index begins with the organization and the time of the change."""
    return any(
        [column.name for column in index.columns][:2] == ["organization_id", "updated_at"]
        and index.dialect_options["postgresql"]["where"] is None
        for index in table.indexes
    )


WATCHED: Sequence[Table] = [table for table in COUNTED_TABLES if has_index_of_changes(table)]
"""The tables whose last change is known. To find that of another one, all its rows would be read."""


def _heartbeats() -> Select[Any]:
    columns = timesheets.c
    running = (
        select(columns.tracked_until)
        .where(in_organization(timesheets), columns.ended_at.is_(None), columns.deleted_at.is_(None))
        .order_by(columns.user_id, columns.started_at)
        .limit(MAX_RUNNING)
        .subquery()
    )
    recent = (
        select(columns.tracked_until, columns.kind)
        .where(in_organization(timesheets))
        .order_by(columns.updated_at.desc())
        .limit(MAX_RECENT)
        .subquery()
    )
    of_running = select(func.count().label("timers"), func.max(running.c.tracked_until).label("last")).subquery()
    # What a person enters by hand is no heartbeat.
    of_recent = (
        select(func.max(recent.c.tracked_until).label("last"))
        .where(recent.c.kind == TimesheetKind.automatic.value)
        .subquery()
    )
    return select(
        of_running.c.timers.label("running"), func.greatest(of_running.c.last, of_recent.c.last).label("heartbeat")
    )


CHANGES = Statement(
    select(
        *(
            select(table.c.updated_at)
            .where(in_organization(table))
            .order_by(table.c.updated_at.desc())
            .limit(1)
            .scalar_subquery()
            .label(table.name)
            for table in WATCHED
        )
    )
)
"""One row with a column for each table of WATCHED: the time of its last change; null if it has no row."""

HEARTBEATS = Statement(_heartbeats())
"""One row: the number of running timers, MAX_RUNNING at most, and the last heartbeat, the end of tracked time."""
