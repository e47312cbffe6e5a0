"""SQL of timesheets cut at the bounds of days, each second in one of the timesheets that overlap."""

from datetime import timedelta
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Integer,
    Uuid,
    and_,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSTZMULTIRANGE, TSTZRANGE, array
from sqlalchemy.sql import any_
from sqlalchemy.sql.elements import FrameClause, FrameClauseType
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from db.tables.timesheets import TimesheetKind, activity_slots, idle_times, timesheets
from db.tables.work import projects
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.records.interval_sql import (
    EDGES,
    EMPTY_RANGE,
    TRACKED_ACTIONS,
    day_number,
    day_numbers,
    end_of,
    owned_ranges,
    range_of,
    rows_of,
    seconds_in,
    starts_near_range,
)
from resolvers.values.planner import FENCE

OF_PROJECT, OF_CLIENT, OF_TASK = bind("project_id", Uuid()), bind("client_id", Uuid()), bind("task_id", Uuid())
"""The filters by content; null selects everything."""

SLOT = timedelta(minutes=15)

COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")

# As a bound value, the 1 would be read for each row.
ROWS_BEFORE = FrameClause(
    None, literal(1, Integer(), literal_execute=True), FrameClauseType.UNBOUNDED, FrameClauseType.PRECEDING
)


def _by_start(sheets: FromClause, function: Any) -> ColumnElement[Any]:
    """A window function over the timesheets of a person before each one."""
    order = (sheets.c.started_at, sheets.c.id)
    found: ColumnElement[Any] = function.over(partition_by=sheets.c.user_id, order_by=order, rows=ROWS_BEFORE)
    return found


def _is_clipped(sheets: FromClause, end: ColumnElement[Any]) -> ColumnElement[bool]:
    return func.coalesce(_by_start(sheets, func.max(end)) > sheets.c.started_at, false())


def is_overlapped(sheets: FromClause, end: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether another timesheet of a person, among those that the statement reads, overlaps one."""
    is_met = func.coalesce(_by_start(sheets, func.lead(sheets.c.started_at)) < end, false())
    return or_(_is_clipped(sheets, end), is_met)


SHEET_COLUMNS = (
    *(timesheets.c[name] for name in ("user_id", "id", "project_id", "task_id", "is_billable", "is_locked")),
    *(timesheets.c[name] for name in ("started_at", *COUNTERS)),
    (timesheets.c.kind == TimesheetKind.manual.value).label("is_manual"),
    end_of(timesheets).label("end"),
)
"""The columns of a timesheet, without those that depend on other ones."""


def sheets_with_overlaps(ids: ColumnElement[Any]) -> FromClause:
    """The timesheets of an array of ids, and whether earlier or later ones of the same person among them overlap them.

    The window also keeps the filters by content outside: a timesheet has its time whether the filters show it or not.
    """
    own = select(*SHEET_COLUMNS).where(in_organization(timesheets), timesheets.c.id == any_(ids))
    sheets = own.subquery("sheets_of_ids")
    end = sheets.c.end
    return select(
        *sheets.c,
        func.greatest(sheets.c.started_at, _by_start(sheets, func.max(end))).label("begin"),
        _is_clipped(sheets, end).label("is_clipped"),
        is_overlapped(sheets, end).label("is_overlapped"),
    ).subquery("sheets")


def _is_divided(sheets: FromClause) -> ColumnElement[bool]:
    """Whether idle time was discarded while timesheets overlapped. Otherwise the earliest timesheet has the time."""
    discarded = exists().where(
        rows_of(idle_times, sheets.c.user_id),
        idle_times.c.deleted_at.is_(None),
        idle_times.c.action.not_in(TRACKED_ACTIONS),
        starts_near_range(idle_times, sheets.c.started_at, sheets.c.end),
        idle_times.c.ended_at > sheets.c.started_at,
    )
    return case((sheets.c.is_overlapped, discarded), else_=false())


def _pieces(sheets: FromClause) -> ColumnElement[Any]:
    """The time of a timesheet in the range, cut at the bounds of days, as an array of ranges in their order.

    Null for a timesheet whose time is all from `begin` on, and that ends on the day of that, as most do.
    """
    owned = case((sheets.c.is_divided, owned_ranges(sheets)), else_=range_of(sheets.c.begin, sheets.c.end))
    part = func.unnest(owned).column_valued("part")
    begin, end = func.lower(part), func.upper(part)
    day = day_numbers(begin, end).column_valued("day")
    piece = func.tstzrange(func.greatest(begin, EDGES.c.lows[day]), func.least(end, EDGES.c.highs[day]))
    source = select(piece).select_from(part.scalar_alias, day.scalar_alias)
    pieces = source.where(begin < HIGH, end > LOW).order_by(piece).correlate(sheets, EDGES)
    is_cut = or_(sheets.c.end > EDGES.c.highs[day_number(sheets.c.begin)], sheets.c.is_divided)
    return case((is_cut, func.array(pieces.scalar_subquery(), type_=ARRAY(TSTZRANGE()))))


def client_id_of(time: FromClause) -> ColumnElement[Any]:
    """The client of the project of time."""
    own = and_(in_organization(projects), projects.c.id == time.c.project_id)
    return select(projects.c.client_id).where(own).scalar_subquery()


def has_content(sheets: FromClause) -> ColumnElement[bool]:
    """Whether a timesheet is of the project, client and task that the filters by content have."""
    return and_(
        or_(OF_PROJECT.is_(None), sheets.c.project_id == OF_PROJECT),
        or_(OF_TASK.is_(None), sheets.c.task_id == OF_TASK),
        or_(OF_CLIENT.is_(None), client_id_of(sheets) == OF_CLIENT),
    )


def timesheet_slices(sheets: FromClause) -> FromClause:
    """The slices, with its counters, of each timesheet on each day, a number from 1; those of a user are disjoint.

    A timesheet has one slice on a day, or several if others overlap it (`interval_sql`): `owned` is its time in the
    range then, `lost` the rest of it, which others have, or null. `is_whole` if the timesheet lies in the day and lost
    nothing, `is_first` if the slice is its first in the range, `is_first_of_day` if it is that on the day.
    """
    marked = select(*sheets.c, _is_divided(sheets).label("is_divided")).offset(FENCE).subquery("marked")
    is_begun = and_(marked.c.begin < marked.c.end, marked.c.begin < HIGH)
    shown = (
        select(*marked.c, _pieces(marked).label("pieces"))
        .select_from(marked.join(EDGES, true()))
        .where(or_(~marked.c.is_clipped, is_begun, marked.c.is_divided))
        .offset(FENCE)
        .subquery("shown")
    )
    # A series makes PostgreSQL expect many rows: it would expect one, and join by nested loops.
    number = func.generate_series(1, func.coalesce(func.cardinality(shown.c.pieces), 1))
    numbered = select(*shown.c, number.label("number")).subquery("numbered")
    piece, previous = numbered.c.pieces[numbered.c.number], numbered.c.pieces[numbered.c.number - 1]
    begin = func.coalesce(func.lower(piece), func.greatest(numbered.c.begin, LOW))
    part = func.unnest(numbered.c.pieces).column_valued("part")
    union = select(func.range_agg(part, type_=TSTZMULTIRANGE())).scalar_subquery()
    own = range_of(numbered.c.begin, numbered.c.end)
    owned: Any = case((numbered.c.pieces.is_(None), own), else_=func.coalesce(union, EMPTY_RANGE))
    whole = range_of(numbered.c.started_at, numbered.c.end)
    timed = (
        select(
            *(column for column in numbered.c if column.name != "begin"),
            begin.label("begin"),
            func.coalesce(func.upper(piece), numbered.c.end).label("piece_end"),
            day_number(begin).label("day"),
            func.upper(previous).label("previous_end"),
            case((numbered.c.is_overlapped, owned)).label("owned"),
            case((numbered.c.is_overlapped, func.nullif(whole - owned, EMPTY_RANGE))).label("lost"),
        )
        .offset(FENCE)
        .subquery("timed")
    )
    low, high = EDGES.c.lows[timed.c.day], EDGES.c.highs[timed.c.day]
    is_first = timed.c.number == 1
    return (
        select(
            *(timed.c[name] for name in ("user_id", "day", "id", "project_id", "task_id", "owned", "lost", "begin")),
            *(timed.c[name] for name in ("is_manual", "is_billable", "is_locked", *COUNTERS) if name in timed.c),
            timed.c.piece_end.label("end"),
            low.label("low"),
            high.label("high"),
            and_(timed.c.lost.is_(None), timed.c.started_at >= low, timed.c.end <= high).label("is_whole"),
            is_first.label("is_first"),
            or_(is_first, timed.c.previous_end <= low).label("is_first_of_day"),
        )
        .select_from(timed.join(EDGES, true()))
        .subquery("slices")
    )


def slots_of(slices: FromClause) -> ColumnElement[Any]:
    """The counters of a timesheet on a day of which it is not all, from its activity slots, as an array; or null.

    A slot lies in one day. Where others have time of the timesheet in it, at most the timesheet's own seconds count.
    """
    slot = range_of(activity_slots.c.slot_at, activity_slots.c.slot_at + SLOT)
    is_shared = func.multirange_overlaps_multirange(slices.c.lost, slot, type_=Boolean())
    # Row-level security keeps a condition with `coalesce` from the index.
    last = case((slices.c.owned.is_(None), slices.c.end), else_=func.upper(slices.c.owned))
    # PostgreSQL 18 expects the primary key to be dear if it may search it for the timesheet. Without that condition and
    # with this order, it reads the few slots of the person at that time.
    slots = (
        select(
            *(activity_slots.c[name] for name in COUNTERS),
            case((is_shared, seconds_in(slices.c.owned * slot))).label("seconds_left"),
        )
        .where(
            rows_of(activity_slots, slices.c.user_id),
            activity_slots.c.timesheet_id.is_not_distinct_from(slices.c.id),
            activity_slots.c.slot_at >= slices.c.low,
            activity_slots.c.slot_at > slices.c.begin - SLOT,
            activity_slots.c.slot_at < func.least(slices.c.high, last),
            activity_slots.c.deleted_at.is_(None),
        )
        .order_by(activity_slots.c.slot_at)
        .offset(FENCE)
        .correlate(slices)
        .subquery("slots")
    )
    # least() ignores the null of other slots.
    sums = (func.sum(func.least(slots.c[name], slots.c.seconds_left)) for name in COUNTERS)
    found = select(array([cast(each, Integer) for each in sums])).scalar_subquery()
    return case((and_(~slices.c.is_whole, slices.c.is_first_of_day), found))
