"""SQL of timelines: the timesheets and the breaks of each person by their starts, and which of them are plain.

A plain timesheet lies in the range, or in one day of it where days matter; no other timesheet and no break overlaps it,
and its idle times lie in it, apart from each other. So its time is its length without the discarded ones. A plain break
overlaps nothing: all of it lies outside timesheets. The others are few, and are cut (`time_parts_sql`). Each table is
read once.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    DateTime,
    Integer,
    Select,
    Uuid,
    and_,
    case,
    cast,
    column,
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

from db.tables.columns import constant
from db.tables.timesheets import break_times, idle_times, timesheets
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.reports.interval_sql import (
    EDGES,
    HAS_DAYS,
    TRACKED_ACTIONS,
    day_number,
    overlaps_range,
    rows_of,
    seconds_between,
)
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS, ROWS_BEFORE, SHEET_COLUMNS, has_content

ZERO = literal(0, Integer())

FLAGS = {"manual_seconds": "is_manual", "billable_seconds": "is_billable", "locked_seconds": "is_locked"}
"""The tracked seconds of some timesheets, with the column that says of which ones."""


def _people(users: ColumnElement[Any], name: str) -> TableValuedAlias:
    return func.unnest(users).table_valued(column("user_id", Uuid())).render_derived(name)


def _is_after_others(rows: FromClause, end: ColumnElement[Any], *order: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether all rows of a person before one end before it starts."""
    earlier_end = func.max(end).over(order_by=order, rows=ROWS_BEFORE)
    return func.coalesce(earlier_end <= rows.c.started_at, true())


def _timeline(people: TableValuedAlias, names: AbstractSet[str]) -> LateralFromClause:
    """The timesheets and the breaks of a person that overlap the range, and whether one overlaps no other one."""
    flags = (flag for name, flag in FLAGS.items() if name in names)
    needed = {*names, *flags, "id", "started_at", "end", "project_id", "task_id"} - {"user_id"}
    sheet_columns = [each for each in SHEET_COLUMNS if each.name in needed]
    # A break has no project, and no counters.
    of_break: dict[str, ColumnElement[Any]] = {name: break_times.c[name] for name in ("id", "started_at")}
    of_break |= {"end": break_times.c.ended_at} | dict.fromkeys(COUNTERS, ZERO)
    none: dict[type, ColumnElement[Any]] = {Uuid: cast(null(), Uuid()), Boolean: false()}
    values = (of_break[each.name] if each.name in of_break else none[type(each.type)] for each in sheet_columns)
    sheets = select(*sheet_columns, false().label("is_break"), false().label("is_paid"))
    breaks = select(
        *(value.label(each.name) for value, each in zip(values, sheet_columns, strict=True)),
        *(true().label("is_break"), break_times.c.is_paid),
    )
    is_of_person = (
        and_(rows_of(table, people.c.user_id), table.c.deleted_at.is_(None), overlaps_range(table), HAS_DAYS)
        for table in (timesheets, break_times)
    )
    sheets, breaks = (each.where(next(is_of_person)).correlate(people) for each in (sheets, breaks))
    rows = union_all(sheets, breaks.where(break_times.c.ended_at.is_not(None))).subquery("timeline_rows")
    order = (rows.c.started_at, rows.c.id)
    next_start = func.lead(rows.c.started_at).over(order_by=order, rows=ROWS_BEFORE)
    is_alone = and_(_is_after_others(rows, rows.c.end, *order), func.coalesce(next_start >= rows.c.end, true()))
    return select(*rows.c, is_alone.label("is_alone")).correlate(people).lateral("timeline")


def _idle_seconds(users: ColumnElement[Any], names: AbstractSet[str]) -> FromClause:
    """The idle seconds of each timesheet, when they begin and end, and whether they are apart from each other."""
    people, idle = _people(users, "idle_people"), idle_times.c
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


def placed_rows(users: ColumnElement[Any], names: AbstractSet[str], *, by_day: bool) -> Select[Any]:
    """The timesheets and breaks of the users in an array, for the columns `names` of parts of time.

    Those that are not plain have an `own_id`. `by_day`: a plain one lies in one day.
    """
    people = _people(users, "people")
    timeline, idle = _timeline(people, names), _idle_seconds(users, names)
    row, day = timeline.c, day_number(timeline.c.started_at)
    is_apart = and_(idle.c.is_apart, idle.c.first_at >= row.started_at, idle.c.last_at <= row.end)
    is_plain = and_(
        row.is_alone,
        row.started_at >= LOW,
        row.end <= (EDGES.c.highs[day] if by_day else HIGH),
        or_(idle.c.timesheet_id.is_(None), is_apart),
    )
    own_idle = and_(idle.c.timesheet_id == row.id, idle.c.user_id == people.c.user_id)
    # OFFSET keeps PostgreSQL from writing the expressions once for each use.
    rows = (
        select(
            case((~is_plain, row.id)).label("own_id"),
            *(row.is_break, row.is_paid, people.c.user_id),
            *(each for each in row if each.name not in {"id", "is_alone", "is_break", "is_paid"}),
            *([day.label("day")] if by_day else []),
            cast(seconds_between(row.started_at, row.end), Integer).label("length"),
            *(func.coalesce(idle.c[kind], ZERO).label(kind) for kind in ("discarded", "kept")),
        )
        .select_from(people.join(timeline, true()).outerjoin(idle, own_idle).join(EDGES, true()))
        .offset(constant(0))
        .subquery("placed_rows")
    )
    return select(*rows.c).where(or_(rows.c.own_id.is_not(None), has_content(rows)))


def parts_of_sheets(rows: FromClause) -> dict[str, ColumnElement[Any]]:
    """The columns of parts of time of plain timesheets."""
    columns: dict[str, ColumnElement[Any]] = {**dict(rows.c), "begin": rows.c.started_at}
    columns |= dict.fromkeys(("is_slice", "is_first", "is_first_of_day"), true())
    columns |= dict.fromkeys(("break_seconds", "paid_break_seconds"), ZERO)
    columns |= {"idle_seconds": rows.c.kept, "discarded_idle_seconds": rows.c.discarded}
    columns["tracked_seconds"] = tracked = rows.c.length - rows.c.discarded
    return columns | {name: case((rows.c[flag], tracked), else_=ZERO) for name, flag in FLAGS.items() if flag in rows.c}


def parts_of_breaks(rows: FromClause) -> dict[str, ColumnElement[Any]]:
    """The same of plain breaks, which lie outside timesheets."""
    columns: dict[str, ColumnElement[Any]] = {name: ZERO for name in parts_of_sheets(rows) if name.endswith("_seconds")}
    columns |= dict.fromkeys(("begin", "end"), cast(null(), DateTime(timezone=True)))
    columns |= dict.fromkeys(("is_slice", "is_first", "is_first_of_day"), false())
    columns |= {"break_seconds": rows.c.length, "paid_break_seconds": case((rows.c.is_paid, rows.c.length), else_=ZERO)}
    return dict(rows.c) | columns
