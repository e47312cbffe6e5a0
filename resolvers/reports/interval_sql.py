"""Intervals of time in SQL: which of them touch a range, which part of them lies in it, how long that is.

All are half-open and in whole seconds, and none is longer than MAX_INTERVAL (see `db.tables.timesheets`).
"""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Table, and_, case, cast, extract, func, literal, or_, select
from sqlalchemy.dialects.postgresql import TSTZMULTIRANGE

from db.tables.columns import in_organization
from db.tables.timesheets import MAX_INTERVAL, timesheets
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.relations.relation import any_key

NOTHING: ColumnElement[Any] = func.tstzmultirange(type_=TSTZMULTIRANGE())


def end_of(table: Table) -> ColumnElement[Any]:
    """Where an interval ends; a running timesheet counts as far as it is known to have run, never up to now."""
    if table is timesheets:
        return func.coalesce(table.c.ended_at, table.c.tracked_until, type_=table.c.ended_at.type)
    return table.c.ended_at


def reaches(table: Table, low: ColumnElement[Any], high: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether an interval starts between two moments or reaches into the time between them.

    Only an interval of a second or more can reach into a time; one that has just begun is where it began.
    """
    start = table.c.started_at
    return and_(start < high, or_(start >= low, end_of(table) > low))


def touches(table: Table) -> ColumnElement[bool]:
    """The same of the range of the request, in the words of the index by person."""
    return and_(reaches(table, LOW, HIGH), table.c.started_at > LOW - MAX_INTERVAL)


def starts(table: Table) -> ColumnElement[bool]:
    """Whether an interval starts in the range of the request."""
    return and_(table.c.started_at >= LOW, table.c.started_at < HIGH)


def of_people(table: Table) -> ColumnElement[bool]:
    """The live rows about the people for whom a statement is run."""
    return and_(in_organization(table), table.c.user_id == any_key(), table.c.deleted_at.is_(None))


def span(begin: ColumnElement[Any], end: ColumnElement[Any]) -> ColumnElement[Any]:
    """The set of moments from `begin` until `end`."""
    return func.tstzmultirange(func.tstzrange(begin, end), type_=TSTZMULTIRANGE())


def union_seconds(begin: ColumnElement[Any], end: ColumnElement[Any]) -> Any:
    """The set of moments in any of many intervals, as an aggregate; null without any."""
    return func.range_agg(func.tstzrange(begin, end), type_=TSTZMULTIRANGE())


def seconds(begin: ColumnElement[Any], end: ColumnElement[Any]) -> ColumnElement[int]:
    """The whole seconds from `begin` until `end`; negative if that comes before."""
    return cast(extract("epoch", end - begin), BigInteger)


def seconds_of(moments: ColumnElement[Any]) -> ColumnElement[int]:
    """How many seconds a set of moments lasts; null is no moment, and costs nothing."""
    part = func.unnest(moments).column_valued("part")
    length = func.sum(extract("epoch", func.upper(part) - func.lower(part)))
    added = cast(func.coalesce(select(length).scalar_subquery(), 0), BigInteger)
    return case((moments.is_(None), literal(0, BigInteger())), else_=added)
