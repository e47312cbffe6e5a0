"""SQL of timelines: the timesheets and the breaks of each person by their starts, and which of them are plain.

A plain timesheet lies in the range, or in one day of it where days matter; no other timesheet and no break overlaps it,
and its idle times lie in it, apart from each other. So its time is its length without the discarded ones. A plain break
overlaps nothing: all of it lies outside timesheets. Each is one part of time. The others are few, and are cut
(`time_parts_sql`). Each table is read once.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Integer,
    Select,
    Uuid,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.selectable import FromClause, LateralFromClause, TableValuedAlias

from db.tables.timesheets import break_times, idle_times, timesheets
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.records.interval_sql import (
    EDGES,
    HAS_DAYS,
    TRACKED_ACTIONS,
    day_number,
    end_of,
    overlaps_range,
    rows_of,
    seconds_between,
)
from resolvers.relations.relation import id_rows
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS, ROWS_BEFORE, SHEET_COLUMNS, has_content
from resolvers.values.planner import FENCE

PART_COLUMNS = (
    *("user_id", "day", "project_id", "task_id", "begin", "end", "is_slice", "is_first", "is_first_of_day"),
    *("is_billable", "tracked_seconds", "manual_seconds", "billable_seconds", "locked_seconds"),
    *("idle_seconds", "discarded_idle_seconds", "break_seconds", "paid_break_seconds", *COUNTERS),
)
"""The columns of parts of time (`time_parts_sql`)."""

ZERO = literal(0, Integer())

FLAGS = {"manual_seconds": "is_manual", "billable_seconds": "is_billable", "locked_seconds": "is_locked"}
"""The tracked seconds of some timesheets, with the column that says of which ones."""

_BREAK_SUMS = ("break_seconds", "paid_break_seconds")

_MOMENTS = {"begin": "started_at", "end": "end"}


def _is_after_others(rows: FromClause, end: ColumnElement[Any], *order: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether all rows of a person before one end before it starts."""
    earlier_end = func.max(end).over(order_by=order, rows=ROWS_BEFORE)
    return func.coalesce(earlier_end <= rows.c.started_at, true())


def _timeline(people: TableValuedAlias, names: AbstractSet[str], *, by_day: bool) -> LateralFromClause:
    """The timesheets and the breaks of a person that overlap the range, and whether one overlaps no other one.

    `length` is that of a timesheet, and 0 for a break, whose seconds are columns of their own.
    """
    flags = (flag for name, flag in FLAGS.items() if name in names)
    needed = {*names, *flags, "id", "started_at", "end", "project_id", "task_id"} - {"user_id"}
    seconds = cast(seconds_between(break_times.c.started_at, break_times.c.ended_at), Integer)
    length = cast(seconds_between(timesheets.c.started_at, end_of(timesheets)), Integer)
    of_sheet: dict[str, ColumnElement[Any]] = {each.name: each for each in SHEET_COLUMNS if each.name in needed}
    of_sheet |= {"length": length, "is_slice": true(), **{name: ZERO for name in _BREAK_SUMS if name in names}}
    # A break has no project, and no counters.
    of_break: dict[str, ColumnElement[Any]] = {name: break_times.c[name] for name in ("id", "started_at")}
    of_break |= {"end": break_times.c.ended_at, "length": ZERO, "is_slice": false()} | dict.fromkeys(COUNTERS, ZERO)
    of_break |= dict(zip(_BREAK_SUMS, (seconds, case((break_times.c.is_paid, seconds), else_=ZERO)), strict=True))
    none: dict[type, ColumnElement[Any]] = {Uuid: cast(null(), Uuid()), Boolean: false()}
    sheets = select(*(each.label(name) for name, each in of_sheet.items()))
    values = (of_break[name] if name in of_break else none[type(each.type)] for name, each in of_sheet.items())
    breaks = select(*(each.label(name) for name, each in zip(of_sheet, values, strict=True)))
    is_of_person = (
        and_(rows_of(table, people.c.user_id), table.c.deleted_at.is_(None), overlaps_range(table), HAS_DAYS)
        for table in (timesheets, break_times)
    )
    sheets, breaks = (each.where(next(is_of_person)).correlate(people) for each in (sheets, breaks))
    rows = union_all(sheets, breaks.where(break_times.c.ended_at.is_not(None))).subquery("timeline_rows")
    order = (rows.c.started_at, rows.c.id)
    next_start = func.lead(rows.c.started_at).over(order_by=order, rows=ROWS_BEFORE)
    is_alone = and_(_is_after_others(rows, rows.c.end, *order), func.coalesce(next_start >= rows.c.end, true()))
    day = [day_number(rows.c.started_at).label("day")] if by_day else []
    return select(*rows.c, *day, is_alone.label("is_alone")).correlate(people).lateral("timeline")


def _idle_seconds(users: ColumnElement[Any], names: AbstractSet[str]) -> FromClause:
    """The idle seconds of each timesheet, when they begin and end, and whether they are apart from each other."""
    people, idle = id_rows(users, "user_id", "idle_people"), idle_times.c
    is_tracked = idle.action.in_(TRACKED_ACTIONS)
    # Idle time that was kept is shown, but changes no other sum.
    counted = [] if "idle_seconds" in names else [~is_tracked]
    own = (
        select(
            *(idle.timesheet_id, idle.started_at, idle.ended_at, is_tracked.label("is_tracked")),
            cast(seconds_between(idle.started_at, idle.ended_at), Integer).label("seconds"),
            _is_after_others(idle_times, idle.ended_at, idle.started_at).label("is_apart"),
        )
        .where(rows_of(idle_times, people.c.user_id), idle.deleted_at.is_(None), overlaps_range(idle_times), *counted)
        .correlate(people)
        .lateral("idle_of_person")
    )
    total = func.sum(own.c.seconds)
    sums = {"discarded": total.filter(~own.c.is_tracked), "kept": total.filter(own.c.is_tracked)}
    return (
        select(
            *(own.c.timesheet_id, people.c.user_id),
            # Sums of `bigint` would be `numeric`.
            *(cast(each, Integer).label(name) for name, each in sums.items()),
            func.bool_and(own.c.is_apart).label("is_apart"),
            func.min(own.c.started_at).label("first_at"),
            func.max(own.c.ended_at).label("last_at"),
        )
        .select_from(people.join(own, true()))
        .group_by(own.c.timesheet_id, people.c.user_id)
        .subquery("idle_seconds")
    )


def placed_parts(users: ColumnElement[Any], names: AbstractSet[str], *, by_day: bool) -> Select[Any]:
    """The timesheets and breaks of the users in an array as parts of time, with those of their columns in `names`.

    Those that are not plain have an `own_id`, and are not parts yet. `by_day`: a plain one lies in one day.
    """
    people = id_rows(users, "user_id", "people")
    timeline, idle = _timeline(people, names, by_day=by_day), _idle_seconds(users, names)
    row = timeline.c
    is_apart = and_(idle.c.is_apart, idle.c.first_at >= row.started_at, idle.c.last_at <= row.end)
    is_plain = and_(
        row.is_alone,
        row.started_at >= LOW,
        row.end <= (EDGES.c.highs[row.day] if by_day else HIGH),
        or_(idle.c.timesheet_id.is_(None), is_apart),
    )
    own_idle = and_(idle.c.timesheet_id == row.id, idle.c.user_id == people.c.user_id)
    rows = (
        select(
            case((~is_plain, row.id)).label("own_id"),
            people.c.user_id,
            *(each for each in row if each.name not in {"id", "is_alone", "length"}),
            (row.length - func.coalesce(idle.c.discarded, ZERO)).label("tracked_seconds"),
            func.coalesce(idle.c.discarded, ZERO).label("discarded_idle_seconds"),
            func.coalesce(idle.c.kept, ZERO).label("idle_seconds"),
        )
        .select_from(people.join(timeline, true()).outerjoin(idle, own_idle).join(EDGES, true()))
        .offset(FENCE)
        .subquery("placed_rows")
    )
    columns: dict[str, ColumnElement[Any]] = {**dict(rows.c)}
    columns |= dict.fromkeys(("is_first", "is_first_of_day"), rows.c.is_slice)
    # A break outside timesheets is no start of work, and no end.
    columns |= {name: case((rows.c.is_slice, rows.c[of]), else_=null()) for name, of in _MOMENTS.items()}
    columns |= {
        name: case((rows.c[flag], rows.c.tracked_seconds), else_=ZERO) for name, flag in FLAGS.items() if name in names
    }
    parts = (columns[name].label(name) for name in PART_COLUMNS if name in names and name in columns)
    return select(rows.c.own_id, *parts).where(or_(rows.c.own_id.is_not(None), has_content(rows)))
