"""SQL of time intervals: whether they overlap a range, their unions, their lengths.

All intervals are half-open and in whole seconds, and none is longer than MAX_INTERVAL (see `db.tables.timesheets`).
"""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Integer, Table, and_, case, cast, func, literal, null, or_, select
from sqlalchemy.dialects.postgresql import TSTZMULTIRANGE
from sqlalchemy.sql import any_
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import in_organization
from db.tables.timesheets import MAX_INTERVAL
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.relations.relation import KEYS

EMPTY_RANGE: ColumnElement[Any] = func.tstzmultirange(type_=TSTZMULTIRANGE())


def end_of(table: FromClause) -> ColumnElement[Any]:
    """The end of an interval. A running timesheet ends at `tracked_until`, never now."""
    if "tracked_until" in table.c:
        return func.coalesce(table.c.ended_at, table.c.tracked_until, type_=table.c.ended_at.type)
    return table.c.ended_at


def overlaps_interval(table: FromClause, low: ColumnElement[Any], high: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether an interval overlaps [low, high), or starts in it while it has no length yet."""
    start = table.c.started_at
    return and_(start < high, or_(start >= low, end_of(table) > low))


def overlaps_range(table: FromClause) -> ColumnElement[bool]:
    """Whether an interval overlaps the range of the request, with a condition for the index by user and start."""
    return and_(overlaps_interval(table, LOW, HIGH), starts_near_range(table))


def starts_near_range(
    table: FromClause, low: ColumnElement[Any] = LOW, high: ColumnElement[Any] = HIGH
) -> ColumnElement[bool]:
    """Whether an interval starts where those that overlap a range start, by default the request's."""
    return and_(table.c.started_at > low - MAX_INTERVAL, table.c.started_at < high)


def starts_in_range(table: FromClause) -> ColumnElement[bool]:
    """Whether an interval starts in the range of the request."""
    return and_(table.c.started_at >= LOW, table.c.started_at < HIGH)


def started_in_range(table: FromClause) -> ColumnElement[bool]:
    """Whether a record that moved started in the range before, or earlier and later than it."""
    return and_(table.c.earlier_from < HIGH, table.c.earlier_until >= LOW)


def live_rows_of_users(table: Table, users: ColumnElement[Any] = KEYS) -> ColumnElement[bool]:
    """The rows of the users in an array that are not deleted."""
    return and_(in_organization(table), table.c.user_id == any_(users), table.c.deleted_at.is_(None))


def range_of(begin: ColumnElement[Any], end: ColumnElement[Any]) -> ColumnElement[Any]:
    """The multirange from `begin` until `end`."""
    return func.tstzmultirange(func.tstzrange(begin, end), type_=TSTZMULTIRANGE())


def union_of_ranges(begin: ColumnElement[Any], end: ColumnElement[Any]) -> Any:
    """An aggregate: the union of intervals as a multirange; null without any."""
    return func.range_agg(func.tstzrange(begin, end), type_=TSTZMULTIRANGE())


def intersection(begin: ColumnElement[Any], end: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
    """The part of a multirange from `begin` until `end`; null where there is none, so that later steps skip it."""
    whole = func.tstzrange(begin, end)
    cut = func.nullif(range_of(begin, end) * other, EMPTY_RANGE, type_=TSTZMULTIRANGE())
    # Most lie inside. A multirange takes much longer to make than to compare.
    return case((other.is_(None), null()), (func.range_contains_multirange(whole, other), other), else_=cut)


def difference(multirange: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
    """A multirange without another, either of which may be null."""
    return case((other.is_(None), multirange), else_=multirange - other)


def seconds_between(begin: ColumnElement[Any], end: ColumnElement[Any]) -> ColumnElement[int]:
    """The whole seconds from `begin` until `end`; negative if `end` comes first."""
    # `extract` calculates with `numeric`, which takes much longer.
    return cast(func.date_part("epoch", end - begin), BigInteger)


def seconds_in(multirange: ColumnElement[Any]) -> ColumnElement[int]:
    """The length of a multirange in seconds, at most some days; 0 for null. Only several ranges need a subquery."""
    part = func.unnest(multirange).column_valued("part")
    length = func.sum(func.date_part("epoch", func.upper(part) - func.lower(part)))
    added = cast(func.coalesce(select(length).scalar_subquery(), 0), Integer)
    is_range = func.multirange_contains_range(multirange, func.range_merge(multirange))
    one = func.coalesce(seconds_between(func.lower(multirange), func.upper(multirange)), 0)
    return case((multirange.is_(None), literal(0, Integer())), (is_range, cast(one, Integer)), else_=added)
