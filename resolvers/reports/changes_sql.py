"""SQL of changes: whether a member of a report has a record in the range that changed since a time.

A report evaluates it for each member of the organization, so it must read few rows of each.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Select, Table, case, exists, func, select
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from db.tables.people import members
from resolvers.lists.list_sql import HIGH, LOW

SINCE = bind("updated_since", DateTime(timezone=True))

Condition = Callable[[FromClause], ColumnElement[bool]]
"""Makes a condition on the rows of a table, or of a subquery with its columns."""


def has_change(table: Table, time: str, near: ColumnElement[bool], in_range: Condition) -> ColumnElement[bool]:
    """Whether a member has a record in the range that changed at or after SINCE.

    It reads the changes since then or the records of the range, whichever takes the shorter time: a member has as many
    of both a day. A prepared statement has one plan for all values, so the choice is in the SQL. ORDER BY leads
    PostgreSQL to the index of each. OFFSET keeps it from moving the second condition inside, where it would lead to the
    other, and from reading the records of all members at once.

    `time` is the column of the record's time, `near` a condition on it that all records of the range meet.
    """
    records = _records(table).where(near).order_by(table.c[time].desc()).subquery("records")
    return case(
        (func.now() - SINCE < HIGH - LOW, has_recent_change(table, in_range)),
        else_=exists().select_from(records).where(in_range(records), records.c.updated_at >= SINCE),
    )


def has_recent_change(table: Table, in_range: Condition) -> ColumnElement[bool]:
    """The same, but it always reads the changes since then: for a table of which a person has few."""
    changes = _records(table).where(table.c.updated_at >= SINCE).order_by(table.c.updated_at).subquery("changes")
    return exists().select_from(changes).where(in_range(changes))


def _records(table: Table) -> Select[Any]:
    """The records of a member."""
    own = select(table).where(in_organization(table), table.c.user_id == members.c.user_id)
    return own.correlate(members).offset(0)
