"""SQL of time intervals: whether they overlap a range, on which of its days they lie, their unions, their lengths.

All intervals are half-open and in whole seconds, and none is longer than MAX_INTERVAL (see `db.tables.timesheets`).

Where timesheets of one person overlap, a second counts once, in the earliest timesheet that keeps it: one in which it
is not idle time that was discarded or reassigned. A second that no timesheet keeps is discarded in the earliest one. So
what one device discards and another one tracks was worked. Earlier is what began earlier, or has the smaller id.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Table,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import TSTZMULTIRANGE
from sqlalchemy.sql import any_
from sqlalchemy.sql.selectable import FromClause, LateralFromClause

from db.tables.columns import in_organization
from db.tables.timesheets import MAX_INTERVAL, IdleAction, idle_times, timesheets
from resolvers.day_bounds import SECOND
from resolvers.lists.list_sql import DATES, DAY_HIGHS, DAY_LOWS, HIGH, LOW
from resolvers.relations.relation import KEYS

TRACKED_ACTIONS = [IdleAction.kept.value, IdleAction.pending.value]
"""Actions whose idle time is tracked time; pending idle time counts as kept until it is decided."""

EMPTY_RANGE: ColumnElement[Any] = func.tstzmultirange(type_=TSTZMULTIRANGE())

EDGES = select(DATES.label("dates"), DAY_LOWS.label("lows"), DAY_HIGHS.label("highs")).subquery("edges")
"""One row with the days of the range; a day is an item of each array, by its number."""

HAS_DAYS = LOW < HIGH
"""Whether the range has a day. That of a day which the zone skipped has none, but an interval may hold its instant."""


def end_of(table: FromClause) -> ColumnElement[Any]:
    """The end of an interval. A running timesheet ends at `tracked_until`, never now."""
    if "tracked_until" in table.c:
        return func.coalesce(table.c.ended_at, table.c.tracked_until, type_=table.c.ended_at.type)
    return table.c.ended_at


def overlaps_range(table: FromClause) -> ColumnElement[bool]:
    """Whether an interval overlaps the range of the request, or starts in it while it has no length yet.

    It has a condition for the index by user and start.
    """
    start = table.c.started_at
    return and_(start < HIGH, or_(start >= LOW, end_of(table) > LOW), starts_near_range(table))


def starts_near_range(
    table: FromClause, low: ColumnElement[Any] = LOW, high: ColumnElement[Any] = HIGH
) -> ColumnElement[bool]:
    """Whether an interval starts where those that overlap a range start, by default the request's."""
    return and_(table.c.started_at > low - MAX_INTERVAL, table.c.started_at < high)


def starts_in_range(table: FromClause) -> ColumnElement[bool]:
    """Whether an interval starts in the range of the request."""
    return and_(table.c.started_at >= LOW, table.c.started_at < HIGH)


def slots_in_range(slots: FromClause) -> ColumnElement[bool]:
    """Whether a slot is in the range of the request."""
    return and_(slots.c.slot_at >= LOW, slots.c.slot_at < HIGH)


def started_in_range(table: FromClause) -> ColumnElement[bool]:
    """Whether a record that moved started in the range before, or earlier and later than it."""
    return and_(table.c.earlier_from < HIGH, table.c.earlier_until >= LOW)


def day_number(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """The number, from 1, of the day with an instant; for one before the range, that of the first day.

    A binary search over the starts of the days, since a join would compare each interval with each day.
    """
    return func.greatest(func.width_bucket(moment, DAY_LOWS), 1)


def day_numbers(begin: ColumnElement[Any], end: ColumnElement[Any]) -> Any:
    """The numbers of the days of an interval that overlaps the range, one row each."""
    return func.generate_series(day_number(begin), func.greatest(day_number(end - SECOND), day_number(begin)))


def rows_of(table: FromClause, user_id: ColumnElement[Any] | None = None) -> ColumnElement[bool]:
    """The rows of a person, by default those of all people of the statement, deleted ones too."""
    return and_(in_organization(table), table.c.user_id == (any_(KEYS) if user_id is None else user_id))


def live_rows_of_users(table: Table, users: ColumnElement[Any] = KEYS) -> ColumnElement[bool]:
    """The rows of the users in an array that are not deleted."""
    return and_(rows_of(table, any_(users)), table.c.deleted_at.is_(None))


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
    # `extract` calculates with `numeric`, and `date_part` reads the name of its field, which both take longer.
    return cast(func.tstzrange_subdiff(end, begin), BigInteger)


def seconds_in(multirange: ColumnElement[Any]) -> ColumnElement[int]:
    """The length of a multirange in seconds, at most some days; 0 for null. Only several ranges need a subquery."""
    part = func.unnest(multirange).column_valued("part")
    length = func.sum(func.tstzrange_subdiff(func.upper(part), func.lower(part)))
    added = cast(func.coalesce(select(length).scalar_subquery(), 0), Integer)
    is_range = func.multirange_contains_range(multirange, func.range_merge(multirange))
    one = func.coalesce(seconds_between(func.lower(multirange), func.upper(multirange)), 0)
    return case((multirange.is_(None), literal(0, Integer())), (is_range, cast(one, Integer)), else_=added)


def _discarded_in(sheet: FromClause, name: str) -> LateralFromClause:
    """A lateral subquery: the discarded idle time of a timesheet, as a multirange."""
    idle = idle_times.alias(f"idle_of_{name}")
    ranges = func.coalesce(union_of_ranges(idle.c.started_at, idle.c.ended_at), EMPTY_RANGE, type_=TSTZMULTIRANGE())
    return (
        select(ranges.label("ranges"))
        .where(
            in_organization(idle),
            idle.c.timesheet_id == sheet.c.id,
            idle.c.user_id == sheet.c.user_id,
            idle.c.deleted_at.is_(None),
            idle.c.action.not_in(TRACKED_ACTIONS),
        )
        .correlate(sheet)
        .lateral(f"discarded_{name}")
    )


def owned_ranges(sheets: FromClause) -> ColumnElement[Any]:
    """The time of a timesheet that counts in it, as a multirange; its discarded idle time is among it."""
    other = timesheets.alias("other")
    whole, end = range_of(sheets.c.started_at, sheets.c.end), end_of(other)
    discarded, of_other = _discarded_in(sheets, "own"), _discarded_in(other, "other")
    other_range = range_of(other.c.started_at, end)
    is_earlier = tuple_(other.c.started_at, other.c.id) < tuple_(sheets.c.started_at, sheets.c.id)

    def union(ranges: ColumnElement[Any], *conditions: ColumnElement[bool]) -> ColumnElement[Any]:
        added = func.range_agg(ranges, type_=TSTZMULTIRANGE())
        return func.coalesce(added.filter(*conditions) if conditions else added, EMPTY_RANGE, type_=TSTZMULTIRANGE())

    kept, lost = other_range - of_other.c.ranges, other_range * of_other.c.ranges
    others = (
        select(
            union(kept, is_earlier).label("kept_earlier"),
            union(kept).label("kept"),
            union(lost, is_earlier).label("lost_earlier"),
        )
        .select_from(other.join(of_other, true()))
        .where(
            rows_of(other, sheets.c.user_id),
            other.c.id != sheets.c.id,
            other.c.deleted_at.is_(None),
            starts_near_range(other, sheets.c.started_at, sheets.c.end),
            end > sheets.c.started_at,
        )
        .correlate(sheets)
        .lateral("others")
    )
    own_kept = whole - discarded.c.ranges - others.c.kept_earlier
    own_lost = whole * discarded.c.ranges - others.c.kept - others.c.lost_earlier
    owned = select((own_kept + own_lost).label("owned")).select_from(others.join(discarded, true()))
    return owned.correlate(sheets).scalar_subquery()
