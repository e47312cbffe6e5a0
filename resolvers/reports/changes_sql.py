"""SQL of changes: whether a member of a report has a record in the range that changed since a time.

A report evaluates it for each member of the organization, so it must read few rows of each. A record that moved also
changes the rows in which it was before: `db.tables.remembered` has its earlier starts and people. What a project,
client or task shows is looked up once for all members.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Select, Table, and_, case, exists, false, func, or_, select, union_all
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from db.tables.people import members
from db.tables.remembered import FROM
from db.tables.timesheets import MAX_INTERVAL
from resolvers.lists.list_sql import HIGH, LOW

SINCE = bind("updated_since", DateTime(timezone=True))

Condition = Callable[[FromClause], ColumnElement[bool]]
"""Makes a condition on the rows of a table, or of a subquery with its columns."""


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
        is_changed = or_(is_changed, exists().select_from(moved).where(was_near_range(moved)))
    return case((func.now() - SINCE < HIGH - LOW, has_recent_change(table, in_range)), else_=is_changed)


def has_recent_change(table: Table, in_range: Condition) -> ColumnElement[bool]:
    """The same, but it always reads the changes since then: for a table of which a person has few."""
    changes = _records(table).where(table.c.updated_at >= SINCE).order_by(table.c.updated_at).subquery("changes")
    return exists().select_from(changes).where(or_(in_range(changes), was_near_range(changes)))


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
                was_near_range(table),
            )
            for table in tables
        )
    )
    return members.c.user_id.in_(left)


def was_near_range(table: FromClause) -> ColumnElement[bool]:
    """Whether a record that moved had a start like those of `interval_sql.starts_near_range`, or between such."""
    if FROM not in table.c:
        return false()
    return and_(table.c.earlier_from < HIGH, table.c.earlier_until > LOW - MAX_INTERVAL)


def _records(table: Table) -> Select[Any]:
    """The records of a member."""
    own = select(table).where(in_organization(table), table.c.user_id == members.c.user_id)
    return own.correlate(members).offset(0)
