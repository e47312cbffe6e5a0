"""SQL of day slices: timesheets, breaks and idle times cut at the bounds of days.

Each query is about an array of users in the range from LOW to HIGH. The days of the range are DATES, LOWS and HIGHS.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Date,
    Integer,
    Uuid,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSTZMULTIRANGE, TSTZRANGE, array
from sqlalchemy.sql.elements import FrameClause, FrameClauseType
from sqlalchemy.sql.selectable import CTE, FromClause

from db.tables.columns import bind, constant, in_organization
from db.tables.timesheets import TimesheetKind, activity_slots, break_times, idle_times, timesheets
from db.tables.work import projects
from resolvers.lists.list_sql import DAY_HIGHS, DAY_LOWS, HIGH, LOW
from resolvers.reports.interval_sql import (
    TRACKED_ACTIONS,
    difference,
    end_of,
    live_rows_of_users,
    overlaps_range,
    owned_ranges,
    range_of,
    seconds_in,
    union_of_ranges,
)

DATES = bind("dates", ARRAY(Date()))
LOWS, HIGHS = DAY_LOWS, DAY_HIGHS
"""The start and the end of each day, without days that the zone skipped."""

OF_PROJECT, OF_CLIENT, OF_TASK = bind("project_id", Uuid()), bind("client_id", Uuid()), bind("task_id", Uuid())
"""The filters by content; null selects everything."""

SECOND, SLOT = timedelta(seconds=1), timedelta(minutes=15)

COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")

EDGES = select(DATES.label("dates"), LOWS.label("lows"), HIGHS.label("highs")).subquery("edges")
"""One row with the days of the range; a day is an item of each array, by its number."""

HAS_DAYS = LOW < HIGH
"""Whether the range has a day. That of a day which the zone skipped has none, but an interval may hold its instant."""


def day_number(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """The number, from 1, of the day with an instant; for one before the range, that of the first day.

    A binary search over the starts of the days, since a join would compare each interval with each day.
    """
    return func.greatest(func.width_bucket(moment, LOWS), 1)


def day_numbers(begin: ColumnElement[Any], end: ColumnElement[Any]) -> Any:
    """The numbers of the days of an interval that overlaps the range, one row each."""
    return func.generate_series(day_number(begin), func.greatest(day_number(end - SECOND), day_number(begin)))


# As a bound value, the 1 would be read for each row.
_rows_before = FrameClause(
    None, literal(1, Integer(), literal_execute=True), FrameClauseType.UNBOUNDED, FrameClauseType.PRECEDING
)


def _by_start(function: Any) -> ColumnElement[Any]:
    """A window function over the timesheets of a person before each one."""
    order = (timesheets.c.started_at, timesheets.c.id)
    found: ColumnElement[Any] = function.over(partition_by=timesheets.c.user_id, order_by=order, rows=_rows_before)
    return found


_is_clipped = func.coalesce(_by_start(func.max(end_of(timesheets))) > timesheets.c.started_at, false())
_is_met = func.coalesce(_by_start(func.lead(timesheets.c.started_at)) < end_of(timesheets), false())


def _sheets(users: ColumnElement[Any], counters: Sequence[str]) -> FromClause:
    """Timesheets, and whether earlier or later ones of the same person overlap them. The index has the window's order.

    The window also keeps the filters by content outside: a timesheet has its time whether the filters show it or not.
    """
    names = ("user_id", "id", "project_id", "task_id", "is_billable", "is_locked", "started_at", *counters)
    return (
        select(
            *(timesheets.c[name] for name in names),
            (timesheets.c.kind == TimesheetKind.manual.value).label("is_manual"),
            end_of(timesheets).label("end"),
            _is_clipped.label("is_clipped"),
            or_(_is_clipped, _is_met).label("is_overlapped"),
        )
        .where(live_rows_of_users(timesheets, users), overlaps_range(timesheets), HAS_DAYS)
        .subquery("sheets")
    )


def _pieces(sheets: FromClause) -> ColumnElement[Any]:
    """The time of a timesheet in the range, cut at the bounds of days, as an array of ranges in their order.

    Null for a timesheet that no other overlaps and that ends on its first day in the range, as most do.
    """
    owned = case((sheets.c.is_overlapped, owned_ranges(sheets)), else_=range_of(sheets.c.started_at, sheets.c.end))
    part = func.unnest(owned).column_valued("part")
    begin, end = func.lower(part), func.upper(part)
    day = day_numbers(begin, end).column_valued("day")
    piece = func.tstzrange(func.greatest(begin, EDGES.c.lows[day]), func.least(end, EDGES.c.highs[day]))
    source = select(piece).select_from(part.scalar_alias, day.scalar_alias)
    pieces = source.where(begin < HIGH, end > LOW).order_by(piece).correlate(sheets, EDGES)
    is_cut = or_(sheets.c.is_overlapped, sheets.c.end > EDGES.c.highs[day_number(sheets.c.started_at)])
    return case((is_cut, func.array(pieces.scalar_subquery(), type_=ARRAY(TSTZRANGE()))))


def _slices(users: ColumnElement[Any], counters: Sequence[str]) -> FromClause:
    sheets = _sheets(users, counters)
    client_id = (
        select(projects.c.client_id)
        .where(in_organization(projects), projects.c.id == sheets.c.project_id)
        .scalar_subquery()
    )
    # OFFSET keeps PostgreSQL from writing the expressions once for each use.
    shown = (
        select(*sheets.c, _pieces(sheets).label("pieces"))
        .select_from(sheets.join(EDGES, true()))
        .where(
            or_(OF_PROJECT.is_(None), sheets.c.project_id == OF_PROJECT),
            or_(OF_TASK.is_(None), sheets.c.task_id == OF_TASK),
            or_(OF_CLIENT.is_(None), client_id == OF_CLIENT),
        )
        .offset(constant(0))
        .subquery("shown")
    )
    # A series makes PostgreSQL expect many rows: it would expect one, and join by nested loops.
    number = func.generate_series(1, func.coalesce(func.cardinality(shown.c.pieces), 1))
    numbered = select(*shown.c, number.label("number")).subquery("numbered")
    piece, previous = numbered.c.pieces[numbered.c.number], numbered.c.pieces[numbered.c.number - 1]
    begin = func.coalesce(func.lower(piece), func.greatest(numbered.c.started_at, LOW))
    part = func.unnest(numbered.c.pieces).column_valued("part")
    owned: Any = select(func.range_agg(part, type_=TSTZMULTIRANGE())).scalar_subquery()
    whole = range_of(numbered.c.started_at, numbered.c.end)
    timed = (
        select(
            *numbered.c,
            begin.label("begin"),
            func.coalesce(func.upper(piece), numbered.c.end).label("piece_end"),
            day_number(begin).label("day"),
            func.upper(previous).label("previous_end"),
            case((numbered.c.is_clipped, owned)).label("owned"),
            case((numbered.c.is_clipped, whole - owned)).label("lost"),
        )
        .offset(constant(0))
        .subquery("timed")
    )
    low, high = EDGES.c.lows[timed.c.day], EDGES.c.highs[timed.c.day]
    is_first = timed.c.number == 1
    return (
        select(
            *(timed.c[name] for name in ("user_id", "day", "id", "project_id", "task_id", "is_manual", "is_billable")),
            *(timed.c[name] for name in ("is_locked", *counters, "owned", "lost", "begin")),
            timed.c.piece_end.label("end"),
            low.label("low"),
            high.label("high"),
            and_(~timed.c.is_clipped, timed.c.started_at >= low, timed.c.end <= high).label("is_whole"),
            is_first.label("is_first"),
            or_(is_first, timed.c.previous_end <= low).label("is_first_of_day"),
        )
        .select_from(timed.join(EDGES, true()))
        .subquery("slices")
    )


def _breaks(users: ColumnElement[Any]) -> CTE:
    rests = (
        select(
            break_times.c.user_id,
            break_times.c.is_paid,
            break_times.c.started_at,
            break_times.c.ended_at,
            day_numbers(break_times.c.started_at, break_times.c.ended_at).label("day"),
        )
        .where(
            live_rows_of_users(break_times, users),
            overlaps_range(break_times),
            break_times.c.ended_at.is_not(None),
            HAS_DAYS,
        )
        .subquery("rests")
    )
    ranges = union_of_ranges(
        func.greatest(rests.c.started_at, EDGES.c.lows[rests.c.day]),
        func.least(rests.c.ended_at, EDGES.c.highs[rests.c.day]),
    )
    return (
        select(
            rests.c.user_id,
            rests.c.day,
            ranges.label("ranges"),
            difference(ranges.filter(rests.c.is_paid), ranges.filter(~rests.c.is_paid)).label("paid_ranges"),
        )
        .select_from(rests.join(EDGES, true()))
        .group_by(rests.c.user_id, rests.c.day)
        .cte("breaks")
    )


def _idle(users: ColumnElement[Any], *, has_kept: bool) -> FromClause:
    ranges = union_of_ranges(idle_times.c.started_at, idle_times.c.ended_at)
    is_tracked = idle_times.c.action.in_(TRACKED_ACTIONS)
    discarded = ranges.filter(~is_tracked)
    kept = [difference(ranges.filter(is_tracked), discarded).label("kept_ranges")] if has_kept else []
    return (
        select(
            idle_times.c.timesheet_id,
            idle_times.c.user_id,
            discarded.label("discarded_ranges"),
            *kept,
        )
        .where(live_rows_of_users(idle_times, users), overlaps_range(idle_times), *([] if has_kept else [~is_tracked]))
        .group_by(idle_times.c.timesheet_id, idle_times.c.user_id)
        .subquery("idle")
    )


def slots_of(slices: FromClause, counters: Sequence[str]) -> ColumnElement[Any]:
    """The counters of a timesheet on a day of which it is not all, from its activity slots, as an array; or null.

    A slot lies in one day. Of one in which others have time of a clipped timesheet, it has at most the seconds that are
    its own.
    """
    slot = range_of(activity_slots.c.slot_at, activity_slots.c.slot_at + SLOT)
    is_shared = func.multirange_overlaps_multirange(slices.c.lost, slot, type_=Boolean())
    # least() ignores the null of other slots.
    seconds_left = case((is_shared, seconds_in(slices.c.owned * slot)))
    sums = (func.sum(func.least(activity_slots.c[name], seconds_left)) for name in counters)
    found = (
        select(array([cast(each, Integer) for each in sums]))
        .where(
            in_organization(activity_slots),
            activity_slots.c.user_id == slices.c.user_id,
            activity_slots.c.timesheet_id == slices.c.id,
            activity_slots.c.slot_at >= slices.c.low,
            activity_slots.c.slot_at < slices.c.high,
            activity_slots.c.deleted_at.is_(None),
        )
        .correlate(slices)
        .scalar_subquery()
    )
    return case((and_(~slices.c.is_whole, slices.c.is_first_of_day), found))


@dataclass(frozen=True)
class DaySlices:
    """Time of some users, cut at the bounds of days. A day is its number in the range, from 1."""

    slices: FromClause
    """The slices of each timesheet on each day, filtered by content. Those of a user are disjoint.

    A timesheet has one slice on a day, or several if others overlap it (`interval_sql`): `is_clipped` if an
    earlier one does; `owned` is its time in the range then, `lost` the time of others. `is_whole` if the timesheet lies
    in the day and is not clipped, `is_first` if the slice is its first in the range, `is_first_of_day` if it is that on
    the day. The counters are those of the timesheet.
    """
    breaks: CTE
    """The breaks of each user and day, as a multirange, and the paid part of it. A break without an end has no length.

    Time in a paid and an unpaid break is unpaid, as in the worked time of a clock record.
    """
    idle: FromClause
    """The idle times of each timesheet as multiranges: discarded ones are not tracked time, the other ones are."""


def day_slices(users: ColumnElement[Any], counters: Sequence[str], *, has_kept: bool) -> DaySlices:
    """The time of the users in an array, with these counters; the kept idle times only with `has_kept`."""
    return DaySlices(_slices(users, counters), _breaks(users), _idle(users, has_kept=has_kept))
