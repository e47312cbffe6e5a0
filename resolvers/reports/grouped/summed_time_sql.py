"""SQL of the time of people, summed by day, person, project, task and whether it is billable, before it is grouped.

Most timesheets are plain: they lie in the range, or in one day of it where days matter, and meet no other timesheet and
no break. Their time is their length without discarded idle time, so that they are summed while they are read. The
others are read once more, by their ids, and cut into parts, as in time activity.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    Boolean,
    ColumnElement,
    Integer,
    Interval,
    Select,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, constant, in_organization
from db.tables.timesheets import idle_times, timesheets
from resolvers.day_bounds import SECOND
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.reports.grouped.hourly_rates_sql import with_rate_date
from resolvers.reports.interval_sql import (
    EDGES,
    TRACKED_ACTIONS,
    day_number,
    intersection,
    live_rows_of_users,
    overlaps_range,
    seconds_between,
    seconds_in,
)
from resolvers.reports.tracked.time_parts_sql import (
    FLAGS,
    ZERO,
    daily_breaks,
    idle_of,
    parts_of,
    sheets_with_breaks,
    time_parts,
)
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS, SHEET_COLUMNS, has_content, sheets_of

IS_BILLABLE = bind("is_billable", Boolean())
"""The filter by whether time is billable; null selects everything."""

_IS_UNFILTERED = cast(IS_BILLABLE, Boolean()).is_(None)

_COUNT = "timesheets_count"

_PART_COLUMNS = ("is_slice", "is_first", "is_first_of_day", "is_billable")

_ONE = literal(1, Integer())


def summed_time(
    users: ColumnElement[Any],
    keys: Sequence[str],
    sums: Sequence[str],
    is_counted: Callable[[FromClause], ColumnElement[bool]],
) -> FromClause:
    """The `sums` of the time of the users in an array, in rows of these `keys`; a row may have the keys of another one.

    Keys are columns of parts of time, `date`, and `rate_date` (see `with_rate_date`). `is_counted` makes the condition
    on parts whether a part counts as a timesheet.
    """
    flags = {name: flag for name, flag in FLAGS.items() if name in sums}
    names = (*keys, *sums)
    # PostgreSQL computes each column of parts, also one that is not used.
    columns = [*names, *_PART_COLUMNS]
    if {"user_id", "date"} <= {*keys} or not set(sums).isdisjoint(COUNTERS):
        # There would be nearly as many sums as timesheets.
        return _of_parts(time_parts(users, columns), keys, names, is_counted).subquery("summed")
    read, idle = _read(users, keys, sums, flags), idle_of(users)
    plain = select(*(read.c[name] for name in names)).where(read.c.own_id.is_(None))
    parts = parts_of(_cut_sheets(read), idle, daily_breaks(users), columns)
    cut = _of_parts(parts, keys, names, is_counted)
    return union_all(plain, _without_idle(read, idle, names, flags), cut).subquery("summed")


def _of_parts(
    parts: FromClause,
    keys: Sequence[str],
    names: Sequence[str],
    is_counted: Callable[[FromClause], ColumnElement[bool]],
) -> Select[Any]:
    """The keys and the sums of each part of time."""
    source, shown = _dated(parts.join(EDGES, true()), parts, parts.c.day, keys)
    shown[_COUNT] = cast(is_counted(parts), Integer)
    # As each filter by content, that by billing excludes breaks outside timesheets.
    is_shown = or_(_IS_UNFILTERED, and_(parts.c.is_slice, parts.c.is_billable == IS_BILLABLE))
    return select(*(shown[name].label(name) for name in names)).select_from(source).where(is_shown)


def _read(users: ColumnElement[Any], keys: Sequence[str], sums: Sequence[str], flags: Mapping[str, str]) -> CTE:
    """The sums of plain timesheets by the keys, and each other one, and each with idle time, in a row of its own.

    Those have an `own_id`, and `is_plain` says whether nothing but idle time makes them different.
    """
    sheets = sheets_of(users)
    sheet, day = sheets.c, day_number(sheets.c.started_at)
    by_day = not {"date", "rate_date"}.isdisjoint(keys)
    counted = [] if "idle_seconds" in sums else [idle_times.c.action.not_in(TRACKED_ACTIONS)]
    idle = select(idle_times.c.timesheet_id).where(live_rows_of_users(idle_times, users), *counted)
    # PostgreSQL looks ids up in a hash table. It would expect one timesheet, and join by nested loops.
    is_plain = and_(
        ~sheet.is_overlapped,
        sheet.started_at >= LOW,
        sheet.end <= (EDGES.c.highs[day] if by_day else HIGH),
        sheet.id.not_in(sheets_with_breaks(users)),
    )
    source, values = _dated(sheets.join(EDGES, true()), sheets, day, keys)
    values |= {
        "tracked_seconds": cast(seconds_between(sheet.started_at, sheet.end), Integer),
        "is_plain": is_plain,
        "has_idle": sheet.id.in_(idle.where(overlaps_range(idle_times))),
    }
    names = dict.fromkeys((*keys, *flags.values(), *sums, "tracked_seconds", "is_plain", "has_idle", "is_overlapped"))
    rows = (
        select(*(values[name].label(name) for name in (*names, "id", "begin") if name in values))
        .select_from(source)
        .where(has_content(sheets), or_(_IS_UNFILTERED, sheet.is_billable == IS_BILLABLE))
        .offset(constant(0))
        .subquery("rows")
    )
    is_own = or_(~rows.c.is_plain, rows.c.has_idle)
    own = (case((is_own, rows.c[name])).label(f"own_{name}") for name in ("id", "begin"))
    by = [*(rows.c[name] for name in (*keys, "is_plain", "is_overlapped")), *own]
    tracked = func.sum(rows.c.tracked_seconds)
    shown: dict[str, ColumnElement[Any]] = {name: func.sum(rows.c[name]) for name in sums if name in rows.c}
    shown |= {name: func.coalesce(tracked.filter(rows.c[flag]), ZERO) for name, flag in flags.items()}
    shown[_COUNT] = func.count()
    summed = (shown.get(name, ZERO).label(name) for name in sums)
    return select(*by, *summed, tracked.label("length")).group_by(*by).cte("read_time")


def _without_idle(read: CTE, idle: FromClause, names: Sequence[str], flags: Mapping[str, str]) -> Select[Any]:
    """Plain timesheets with idle time: that which was discarded is not tracked."""
    is_own = and_(read.c.own_id.is_not(None), read.c.is_plain)
    # A series makes PostgreSQL expect many rows: it would expect one, and join by nested loops.
    rows = select(*read.c, func.generate_series(_ONE, _ONE).label("number")).where(is_own).subquery("with_idle")
    end = rows.c.own_begin + cast(rows.c.length, Integer) * literal(SECOND, Interval())
    seconds = (
        select(
            *rows.c,
            *(
                seconds_in(intersection(rows.c.own_begin, end, idle.c[f"{kind}_ranges"])).label(kind)
                for kind in ("discarded", "kept")
            ),
        )
        .select_from(rows.join(idle, idle.c.timesheet_id == rows.c.own_id))
        .offset(constant(0))
        .subquery("idle_parts")
    )
    times = seconds.c
    shown: dict[str, ColumnElement[Any]] = {**dict(times), "discarded_idle_seconds": times.discarded}
    shown |= {"idle_seconds": times.kept, "tracked_seconds": times.length - times.discarded}
    shown |= {name: case((times[name] > ZERO, shown["tracked_seconds"]), else_=ZERO) for name in flags}
    return select(*(shown[name].label(name) for name in names))


def _dated(
    source: FromClause, rows: FromClause, day: ColumnElement[int], keys: Sequence[str]
) -> tuple[FromClause, dict[str, ColumnElement[Any]]]:
    """The columns of `rows`, which are of the day with the number `day`, and the dates that are among `keys`."""
    columns: dict[str, ColumnElement[Any]] = {**dict(rows.c), "date": EDGES.c.dates[day]}
    if "rate_date" in keys:
        source, columns["rate_date"] = with_rate_date(source, rows.c.user_id, columns["date"])
    return source, columns


def _cut_sheets(read: CTE) -> FromClause:
    """The timesheets that are not plain, with the columns of `sheets_of`."""
    # OFFSET leads PostgreSQL to the primary key.
    sheet = (
        select(*SHEET_COLUMNS)
        .where(in_organization(timesheets), timesheets.c.id == read.c.own_id)
        .offset(constant(0))
        .correlate(read)
        .lateral("sheet")
    )
    begin = read.c.own_begin
    own = (begin.label("begin"), (begin > sheet.c.started_at).label("is_clipped"), read.c.is_overlapped)
    is_cut = and_(read.c.own_id.is_not(None), ~read.c.is_plain)
    return select(*sheet.c, *own).select_from(read.join(sheet, true())).where(is_cut).subquery("cut_sheets")
