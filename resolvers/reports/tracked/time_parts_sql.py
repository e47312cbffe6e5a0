"""SQL of parts of time: slices of timesheets, with the breaks and the idle times in them, and breaks outside of them.

Breaks are not tracked time, nor is idle time that was discarded or reassigned. Time that is both is a break. So the
length of a slice = its tracked + discarded idle + break seconds. Payable time = tracked + paid break seconds; time in a
paid and an unpaid break is unpaid.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from sqlalchemy import (
    CTE,
    Boolean,
    ColumnElement,
    DateTime,
    Integer,
    Select,
    Uuid,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import in_organization
from db.tables.timesheets import break_times, idle_times
from resolvers.records.interval_sql import (
    EDGES,
    TRACKED_ACTIONS,
    day_numbers,
    difference,
    intersection,
    overlaps_range,
    seconds_between,
    seconds_in,
    union_of_ranges,
)
from resolvers.reports.tracked.timeline_sql import FLAGS, PART_COLUMNS, ZERO, placed_parts
from resolvers.reports.tracked.timesheet_slices_sql import (
    COUNTERS,
    OF_CLIENT,
    OF_PROJECT,
    OF_TASK,
    has_content,
    sheets_with_overlaps,
    slots_of,
    timesheet_slices,
)
from resolvers.values.planner import FENCE


def daily_breaks(ids: ColumnElement[Any]) -> CTE:
    """The breaks of an array of ids by user and day, as a multirange, and the paid part of it.

    Time in a paid and an unpaid break is unpaid, as in the worked time of a clock record.
    """
    rests = (
        select(
            *(break_times.c[name] for name in ("user_id", "is_paid", "started_at", "ended_at")),
            day_numbers(break_times.c.started_at, break_times.c.ended_at).label("day"),
        )
        .where(in_organization(break_times), break_times.c.id == any_(ids))
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


def idle_of(ids: ColumnElement[Any], *where: ColumnElement[bool]) -> CTE:
    """The idle times of the timesheets of an array, as multiranges: discarded ones are not tracked time."""
    ranges = union_of_ranges(idle_times.c.started_at, idle_times.c.ended_at)
    is_tracked = idle_times.c.action.in_(TRACKED_ACTIONS)
    discarded = ranges.filter(~is_tracked)
    is_counted = and_(idle_times.c.deleted_at.is_(None), overlaps_range(idle_times))
    return (
        select(
            idle_times.c.timesheet_id,
            idle_times.c.user_id,
            discarded.label("discarded_ranges"),
            difference(ranges.filter(is_tracked), discarded).label("kept_ranges"),
        )
        .where(in_organization(idle_times), idle_times.c.timesheet_id == any_(ids), is_counted, *where)
        .group_by(idle_times.c.timesheet_id, idle_times.c.user_id)
        .cte("idle")
    )


def _slice_ranges(
    all_slices: FromClause, idle_ranges: FromClause, break_ranges: CTE, names: AbstractSet[str]
) -> FromClause:
    """Each slice with its breaks and idle times as multiranges, null where there are none, and its slots' counters."""
    slices, breaks, idle = all_slices.c, break_ranges.c, idle_ranges.c
    meets = func.multirange_overlaps_range(breaks.ranges, func.tstzrange(slices.begin, slices.end), type_=Boolean())
    of_day = and_(breaks.user_id == slices.user_id, breaks.day == slices.day, meets)
    of_timesheet = and_(idle.timesheet_id == slices.id, idle.user_id == slices.user_id)
    ranges = {"breaks": breaks.ranges, "paid_breaks": breaks.paid_ranges}
    ranges |= {"discarded": idle.discarded_ranges, "kept": idle.kept_ranges}
    columns = {name: intersection(slices.begin, slices.end, each) for name, each in ranges.items()}
    if not names.isdisjoint(COUNTERS):
        columns["slots"] = slots_of(all_slices)
    return (
        select(*slices, *(each.label(name) for name, each in columns.items()))
        .select_from(all_slices.outerjoin(break_ranges, of_day).outerjoin(idle_ranges, of_timesheet))
        .offset(FENCE)
        .subquery("slice_ranges")
    )


def _slice_seconds(slices: FromClause, names: AbstractSet[str]) -> CTE:
    """Each slice with its seconds of every kind in `names`."""
    breaks, is_all = slices.c.breaks, and_(slices.c.is_whole, slices.c.is_first_of_day)
    own = (name for name in (*PART_COLUMNS, *FLAGS.values()) if name in slices.c)
    columns: dict[str, ColumnElement[Any]] = {name: slices.c[name] for name in own}
    columns |= {
        "is_slice": true(),
        "break_seconds": seconds_in(breaks),
        "paid_break_seconds": seconds_in(slices.c.paid_breaks),
        "discarded_idle_seconds": seconds_in(difference(slices.c.discarded, breaks)),
        "idle_seconds": seconds_in(difference(slices.c.kept, breaks)),
        "slice_seconds": cast(seconds_between(slices.c.begin, slices.c.end), Integer),
    }
    columns |= {
        name: case((is_all, slices.c[name]), else_=func.coalesce(slices.c.slots[number], 0))
        for number, name in enumerate(COUNTERS, start=1)
        if name in names
    }
    parts = select(*(each.label(name) for name, each in columns.items())).offset(FENCE).subquery("seconds")
    untracked = parts.c.discarded_idle_seconds + parts.c.break_seconds
    tracked = parts.c.slice_seconds - untracked
    shown = {**dict(parts.c), "tracked_seconds": tracked}
    shown |= {name: case((parts.c[flag], tracked), else_=ZERO) for name, flag in FLAGS.items() if flag in parts.c}
    return select(*(shown[name].label(name) for name in PART_COLUMNS if name in names)).cte("slice_seconds")


def _untracked_breaks(break_ranges: CTE, slices: CTE) -> Select[Any]:
    """Breaks outside every slice. They have no project and no task, so each filter by content excludes them.

    Slices are disjoint, so that the seconds of breaks outside them are all but those inside.
    """
    breaks = break_ranges.c
    kinds = {"break_seconds": breaks.ranges, "paid_break_seconds": breaks.paid_ranges}
    kinds = {name: ranges for name, ranges in kinds.items() if name in slices.c}
    inside = (
        select(slices.c.user_id, slices.c.day, *(func.sum(slices.c[name]).label(name) for name in kinds))
        .where(slices.c.break_seconds > ZERO)
        .group_by(slices.c.user_id, slices.c.day)
        .subquery("inside")
    )
    outside = {
        name: cast(seconds_in(ranges) - func.coalesce(inside.c[name], 0), Integer) for name, ranges in kinds.items()
    }
    seconds = (
        select(breaks.user_id, breaks.day, *(each.label(name) for name, each in outside.items()))
        .select_from(
            break_ranges.outerjoin(inside, and_(inside.c.user_id == breaks.user_id, inside.c.day == breaks.day))
        )
        .where(OF_PROJECT.is_(None), OF_CLIENT.is_(None), OF_TASK.is_(None))
        .offset(FENCE)
        .subquery("outside")
    )
    columns: dict[str, ColumnElement[Any]] = dict.fromkeys(PART_COLUMNS, ZERO)
    columns |= {name: cast(null(), Uuid()) for name in ("project_id", "task_id")}
    columns |= {name: cast(null(), DateTime(timezone=True)) for name in ("begin", "end")}
    columns |= {name: literal(False, Boolean()) for name in PART_COLUMNS if name.startswith("is_")}
    columns |= dict(seconds.c)
    shown = (columns[column.name].label(column.name) for column in slices.c)
    return select(*shown).where(seconds.c.break_seconds > ZERO)


def time_parts(users: ColumnElement[Any], columns: Iterable[str]) -> FromClause:
    """The time of the users in an array, in parts of one user and day, with these columns, and some that they need.

    A part is a slice of a timesheet (`is_slice`; the first of a day has the counters), or breaks outside timesheets.
    """
    names = {*columns, "user_id", "day", "break_seconds"}
    placed = placed_parts(users, names, by_day=True).cte("placed_time")
    plain = select(*(placed.c[name] for name in PART_COLUMNS if name in names)).where(placed.c.own_id.is_(None))
    return union_all(plain, *parts_by_id(placed.c.own_id, names)).subquery("parts")


def parts_by_id(own_id: ColumnElement[Any], columns: Iterable[str]) -> Sequence[Select[Any]]:
    """The parts of the timesheets and breaks with these ids, where they are not null."""
    names = {*columns, "user_id", "day", "break_seconds"}
    own_ids = select(own_id).where(own_id.is_not(None)).scalar_subquery()
    ids: ColumnElement[Any] = func.array(own_ids, type_=ARRAY(Uuid()))
    sheets, breaks = sheets_with_overlaps(ids), daily_breaks(ids)
    shown = select(*sheets.c).where(has_content(sheets)).subquery("cut_sheets")
    # Idle time that was kept is shown, but changes no other sum.
    idle = idle_of(ids, *([] if "idle_seconds" in names else [idle_times.c.action.not_in(TRACKED_ACTIONS)]))
    seconds = _slice_seconds(_slice_ranges(timesheet_slices(shown), idle, breaks, names), names)
    return select(*seconds.c), _untracked_breaks(breaks, seconds)
