"""SQL of changes: whether a member of a report has a record in the range that changed since a time.

A report evaluates it for each member of the organization, so it must read few rows of each. A record that moved also
changes the rows in which it was before: `db.tables.remembered` has its earlier starts and people. What a project,
client or task shows is looked up once for all members.

`is_near` and `was_near` say for which ranges a record counts: those that show it, and those that are not final while it
is open or pending.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Select, Table, and_, case, exists, false, func, or_, select, union_all
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from db.tables.people import members
from db.tables.remembered import FROM
from db.tables.timesheets import MAX_INTERVAL, clock_records, manual_requests
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.reports.interval_sql import starts_near_range

SINCE = bind("updated_since", DateTime(timezone=True))

Condition = Callable[[FromClause], ColumnElement[bool]]
"""Makes a condition on the rows of a table, or of a subquery with its columns."""


def is_near(
    table: Table, records: FromClause, low: ColumnElement[Any] = LOW, high: ColumnElement[Any] = HIGH
) -> ColumnElement[bool]:
    """Whether a record counts for a range, by default the request's. `records` has the columns of `table`.

    An interval counts if it may overlap the range, manual time also for the time before an edit, and a clock record for
    all ranges after its start: while it is open, none of them is final.
    """
    if table is clock_records:
        return records.c.clock_in_at < high
    near = starts_near_range(records, low, high)
    if table is manual_requests:
        original = records.c.original_started_at
        return or_(near, and_(original > low - MAX_INTERVAL, original < high))
    return near


def was_near(
    table: Table, records: FromClause, low: ColumnElement[Any] = LOW, high: ColumnElement[Any] = HIGH
) -> ColumnElement[bool]:
    """Whether a record that moved counted for a range, or for earlier and later ones."""
    if FROM not in records.c:
        return false()
    begins = records.c.earlier_from < high
    return begins if table is clock_records else and_(begins, records.c.earlier_until > low - MAX_INTERVAL)


def has_change(table: Table, time: str, near: ColumnElement[bool], in_range: Condition) -> ColumnElement[bool]:
    """Whether a member has a record in the range, or one that was there, that changed at or after SINCE.

    It reads the changes since then or the records of the range, whichever takes the shorter time: a member has as many
    of both a day. A prepared statement has one plan for all values, so the choice is in the SQL. ORDER BY leads
    PostgreSQL to the index of each. OFFSET keeps it from moving the second condition inside, where it would lead to the
    other, and from reading the records of all members at once.

    `time` is the column of the record's time, `near` a condition on it that all records of the range meet. It leaves
    out what is not the member's any more: see `has_left`.
    """
    records = _records(table).where(near).order_by(table.c[time].desc()).subquery("records")
    is_changed: ColumnElement[bool] = (
        exists().select_from(records).where(in_range(records), records.c.updated_at >= SINCE)
    )
    if FROM in table.c:
        moved = _records(table).where(table.c.updated_at >= SINCE, table.c.earlier_from.is_not(None)).subquery("moved")
        is_changed = or_(is_changed, exists().select_from(moved).where(was_near(table, moved)))
    return case((func.now() - SINCE < HIGH - LOW, has_recent_change(table, in_range)), else_=is_changed)


def has_recent_change(table: Table, in_range: Condition) -> ColumnElement[bool]:
    """The same, but it always reads the changes since then: for a table of which a person has few."""
    changes = _records(table).where(table.c.updated_at >= SINCE).order_by(table.c.updated_at).subquery("changes")
    return exists().select_from(changes).where(or_(in_range(changes), was_near(table, changes)))


def has_left(tables: Iterable[Table]) -> ColumnElement[bool]:
    """Whether a record of the tables, which was the member's and in the range, became another person's since SINCE.

    One look-up for all members; records hardly ever change the person.
    """
    left = union_all(
        *(
            select(func.unnest(table.c.earlier_user_ids)).where(
                in_organization(table),
                table.c.earlier_user_ids.is_not(None),
                table.c.updated_at >= SINCE,
                was_near(table, table),
            )
            for table in tables
        )
    )
    return members.c.user_id.in_(left)


def _records(table: Table) -> Select[Any]:
    """The records of a member."""
    own = select(table).where(in_organization(table), table.c.user_id == members.c.user_id)
    return own.correlate(members).offset(0)
