"""SQL of day slices: timesheets, breaks and idle times cut at the bounds of days.

Each query is about the users KEYS in the range from LOW to HIGH. The days of the range are DATES, LOWS and HIGHS.
"""

from sqlalchemy import Date, DateTime, Uuid, and_, column, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY

from db.tables.columns import bind, in_organization
from db.tables.timesheets import IdleAction, TimesheetKind, activity_slots, break_times, idle_times, timesheets
from db.tables.work import projects
from resolvers.reports.interval_sql import end_of, live_rows_of_users, overlaps, overlaps_range, union_of_ranges

DATES = bind("dates", ARRAY(Date()))
LOWS, HIGHS = bind("lows", ARRAY(DateTime(timezone=True))), bind("highs", ARRAY(DateTime(timezone=True)))
"""The start and the end of each day, without days that the zone skipped."""

PROJECT, CLIENT, TASK = bind("project_id", Uuid()), bind("client_id", Uuid()), bind("task_id", Uuid())
"""The filters by content; null selects everything."""

COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")

TRACKED_ACTIONS = [IdleAction.kept.value, IdleAction.pending.value]
"""Actions whose idle time is tracked time; pending idle time counts as kept until it is decided."""

_days = (
    func.unnest(DATES, LOWS, HIGHS)
    .table_valued(
        column("date", Date()), column("low", DateTime(timezone=True)), column("high", DateTime(timezone=True))
    )
    .render_derived("days")
)

_begin, _end = timesheets.c.started_at, end_of(timesheets)
_client_id = (
    select(projects.c.client_id)
    .where(in_organization(projects), projects.c.id == timesheets.c.project_id)
    .scalar_subquery()
)
SLICES = (
    select(
        *(_days.c[name] for name in ("date", "low", "high")),
        *(timesheets.c[name] for name in ("user_id", "id", "project_id", "task_id", "is_billable", *COUNTERS)),
        (timesheets.c.kind == TimesheetKind.manual.value).label("is_manual"),
        func.greatest(_begin, _days.c.low).label("begin"),
        func.least(_end, _days.c.high).label("end"),
        and_(_begin >= _days.c.low, _end <= _days.c.high).label("is_whole"),
    )
    .select_from(timesheets.join(_days, overlaps(timesheets, _days.c.low, _days.c.high)))
    .where(
        live_rows_of_users(timesheets),
        overlaps_range(timesheets),
        or_(PROJECT.is_(None), timesheets.c.project_id == PROJECT),
        or_(TASK.is_(None), timesheets.c.task_id == TASK),
        or_(CLIENT.is_(None), _client_id == CLIENT),
    )
    .cte("slices")
)
"""The slice of each timesheet on each day, filtered by content; `is_whole` if it is the whole timesheet."""

_rest, _work = break_times.c.started_at, break_times.c.ended_at
BREAKS = (
    select(
        break_times.c.user_id,
        _days.c.date,
        union_of_ranges(func.greatest(_rest, _days.c.low), func.least(_work, _days.c.high)).label("ranges"),
    )
    .select_from(break_times.join(_days, and_(_rest < _days.c.high, _work > _days.c.low)))
    .where(live_rows_of_users(break_times), overlaps_range(break_times))
    .group_by(break_times.c.user_id, _days.c.date)
    .cte("breaks")
)
"""The breaks of each user and day, as a multirange. A break without an end has no length."""

_ranges = union_of_ranges(idle_times.c.started_at, idle_times.c.ended_at)
_is_tracked = idle_times.c.action.in_(TRACKED_ACTIONS)
IDLE = (
    select(
        idle_times.c.timesheet_id,
        _ranges.filter(_is_tracked).label("kept_ranges"),
        _ranges.filter(~_is_tracked).label("discarded_ranges"),
    )
    .where(live_rows_of_users(idle_times), overlaps_range(idle_times))
    .group_by(idle_times.c.timesheet_id)
    .subquery("idle")
)
"""The idle times of each timesheet as multiranges: kept ones are tracked time, discarded ones are not."""

SLOTS = (
    select(*(func.sum(activity_slots.c[name]).label(name) for name in COUNTERS))
    .where(
        in_organization(activity_slots),
        activity_slots.c.user_id == SLICES.c.user_id,
        activity_slots.c.timesheet_id == SLICES.c.id,
        activity_slots.c.slot_at >= SLICES.c.low,
        activity_slots.c.slot_at < SLICES.c.high,
        activity_slots.c.deleted_at.is_(None),
        ~SLICES.c.is_whole,
    )
    .lateral("slots")
)
"""The counters of a slice that is not whole, from its activity slots; a slot lies in one day."""
