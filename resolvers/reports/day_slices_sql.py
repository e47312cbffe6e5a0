"""SQL of day slices: timesheets, breaks and idle times cut at the bounds of days.

Each query is about an array of users in the range from LOW to HIGH. The days of the range are DATES, LOWS and HIGHS.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Date, Integer, Uuid, and_, case, cast, func, literal, or_, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.elements import FrameClause, FrameClauseType
from sqlalchemy.sql.selectable import CTE, FromClause

from db.tables.columns import bind, in_organization
from db.tables.timesheets import IdleAction, TimesheetKind, activity_slots, break_times, idle_times, timesheets
from db.tables.work import projects
from resolvers.lists.list_sql import DAY_HIGHS, DAY_LOWS, HIGH, LOW
from resolvers.reports.interval_sql import (
    difference,
    end_of,
    live_rows_of_users,
    overlaps_range,
    seconds_between,
    union_of_ranges,
)

DATES = bind("dates", ARRAY(Date()))
LOWS, HIGHS = DAY_LOWS, DAY_HIGHS
"""The start and the end of each day, without days that the zone skipped."""

OF_PROJECT, OF_CLIENT, OF_TASK = bind("project_id", Uuid()), bind("client_id", Uuid()), bind("task_id", Uuid())
"""The filters by content; null selects everything."""

SECOND, SLOT = timedelta(seconds=1), timedelta(minutes=15)

COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")

TRACKED_ACTIONS = [IdleAction.kept.value, IdleAction.pending.value]
"""Actions whose idle time is tracked time; pending idle time counts as kept until it is decided."""

EDGES = select(DATES.label("dates"), LOWS.label("lows"), HIGHS.label("highs")).subquery("edges")
"""One row with the days of the range; a day is an item of each array, by its number."""

HAS_DAYS = LOW < HIGH
"""Whether the range has a day. That of a day which the zone skipped has none, but an interval may hold its instant."""


def day_number(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """The number, from 1, of the day with an instant; for one before the range, that of the first day.

    A binary search over the starts of the days, since a join would compare each interval with each day.
    """
    return func.greatest(func.width_bucket(moment, LOWS), 1)


def day_numbers(first: ColumnElement[int], end: ColumnElement[Any]) -> ColumnElement[int]:
    """The numbers of the days of an interval that overlaps the range, one row each, from its first day to its end.

    It also makes PostgreSQL expect many rows, where it would expect one or two and join by nested loops.
    """
    return func.generate_series(first, func.greatest(day_number(end - SECOND), first))


# As a bound value, the 1 would be read for each row.
_rows_before = FrameClause(
    None, literal(1, Integer(), literal_execute=True), FrameClauseType.UNBOUNDED, FrameClauseType.PRECEDING
)
_earlier_end = func.max(end_of(timesheets)).over(
    partition_by=timesheets.c.user_id, order_by=(timesheets.c.started_at, timesheets.c.id), rows=_rows_before
)


def _owners(users: ColumnElement[Any], counters: Sequence[str]) -> FromClause:
    """Timesheets without the time that earlier ones of the same person have. The index has them in the window's order.

    The window also keeps the filters by content outside: a timesheet has its time whether the filters show it or not.
    """
    return (
        select(
            *(timesheets.c[name] for name in ("user_id", "id", "project_id", "task_id", "is_billable", *counters)),
            (timesheets.c.kind == TimesheetKind.manual.value).label("is_manual"),
            func.greatest(timesheets.c.started_at, _earlier_end).label("begin"),
            end_of(timesheets).label("end"),
            case((_earlier_end > timesheets.c.started_at, _earlier_end)).label("clipped_at"),
        )
        .where(live_rows_of_users(timesheets, users), overlaps_range(timesheets), HAS_DAYS)
        .subquery("owners")
    )


def _slices(users: ColumnElement[Any], counters: Sequence[str]) -> FromClause:
    owners = _owners(users, counters)
    client_id = (
        select(projects.c.client_id)
        .where(in_organization(projects), projects.c.id == owners.c.project_id)
        .scalar_subquery()
    )
    # OFFSET keeps PostgreSQL from searching the first day once for each use.
    shown = (
        select(*owners.c, day_number(owners.c.begin).label("first_day"))
        .where(
            or_(owners.c.clipped_at.is_(None), and_(owners.c.begin < owners.c.end, owners.c.begin < HIGH)),
            or_(OF_PROJECT.is_(None), owners.c.project_id == OF_PROJECT),
            or_(OF_TASK.is_(None), owners.c.task_id == OF_TASK),
            or_(OF_CLIENT.is_(None), client_id == OF_CLIENT),
        )
        .offset(0)
        .subquery("shown")
    )
    sheets = select(*shown.c, day_numbers(shown.c.first_day, shown.c.end).label("day")).subquery("sheets")
    low, high = EDGES.c.lows[sheets.c.day], EDGES.c.highs[sheets.c.day]
    return (
        select(
            *(sheets.c[name] for name in ("user_id", "day", "id", "project_id", "task_id", "is_manual", "is_billable")),
            *(sheets.c[name] for name in (*counters, "clipped_at")),
            low.label("low"),
            high.label("high"),
            func.greatest(sheets.c.begin, low).label("begin"),
            func.least(sheets.c.end, high).label("end"),
            and_(sheets.c.clipped_at.is_(None), sheets.c.begin >= low, sheets.c.end <= high).label("is_whole"),
            (sheets.c.day == sheets.c.first_day).label("is_first"),
        )
        .select_from(sheets.join(EDGES, true()))
        .subquery("slices")
    )


def _breaks(users: ColumnElement[Any]) -> CTE:
    rests = (
        select(
            break_times.c.user_id,
            break_times.c.is_paid,
            break_times.c.started_at,
            break_times.c.ended_at,
            day_numbers(day_number(break_times.c.started_at), break_times.c.ended_at).label("day"),
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
    kept = [ranges.filter(is_tracked).label("kept_ranges")] if has_kept else []
    return (
        select(idle_times.c.timesheet_id, ranges.filter(~is_tracked).label("discarded_ranges"), *kept)
        .where(live_rows_of_users(idle_times, users), overlaps_range(idle_times), *([] if has_kept else [~is_tracked]))
        .group_by(idle_times.c.timesheet_id)
        .subquery("idle")
    )


def slots_of(slices: FromClause, counters: Sequence[str]) -> FromClause:
    """A lateral subquery: the counters of a slice that is not whole, from its activity slots; a slot lies in one day.

    A slot in which a timesheet is clipped counts at most the seconds that are left of it.
    """
    # Both ignore nulls: they change nothing unless the timesheet is clipped.
    first_slot = func.greatest(slices.c.low, slices.c.clipped_at - (SLOT - SECOND))
    seconds_left = seconds_between(slices.c.clipped_at, activity_slots.c.slot_at + SLOT)
    return (
        select(
            *(
                cast(func.sum(func.least(activity_slots.c[name], seconds_left)), Integer).label(name)
                for name in counters
            )
        )
        .where(
            ~slices.c.is_whole,
            in_organization(activity_slots),
            activity_slots.c.user_id == slices.c.user_id,
            activity_slots.c.timesheet_id == slices.c.id,
            activity_slots.c.slot_at >= first_slot,
            activity_slots.c.slot_at < slices.c.high,
            activity_slots.c.deleted_at.is_(None),
        )
        .lateral("slots")
    )


@dataclass(frozen=True)
class DaySlices:
    """Time of some users, cut at the bounds of days. A day is its number in the range, from 1."""

    slices: FromClause
    """The slice of each timesheet on each day, filtered by content. Those of a user are disjoint.

    `is_whole` if it is the whole timesheet, `is_first` if it is the first slice of its timesheet in the range. A
    timesheet that overlaps an earlier one begins at `clipped_at`, where that one ends; one without time left has no
    slice. The counters are those of the whole timesheet.
    """
    breaks: CTE
    """The breaks of each user and day, as a multirange, and the paid part of it. A break without an end has no length.

    Time in a paid and an unpaid break is unpaid, as in the worked time of a clock record.
    """
    idle: FromClause
    """The idle times of each timesheet as multiranges: discarded ones are not tracked time, kept ones are."""


def day_slices(users: ColumnElement[Any], counters: Sequence[str], *, has_kept: bool) -> DaySlices:
    """The time of the users in an array, with these counters; the kept idle times only with `has_kept`."""
    return DaySlices(_slices(users, counters), _breaks(users), _idle(users, has_kept=has_kept))
