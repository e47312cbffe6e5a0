"""Records cut at the edges of days: what of which timesheet lies in which day, and when people rested on it.

Each is a query for the people KEYS in the range from LOW to HIGH, of which the days are DATES, LOWS and HIGHS.
"""

from sqlalchemy import Date, DateTime, Uuid, and_, column, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY

from db.tables.columns import bind, in_organization
from db.tables.timesheets import IdleAction, TimesheetKind, activity_slots, break_times, idle_times, timesheets
from db.tables.work import projects
from resolvers.reports.interval_sql import end_of, of_people, reaches, touches, union_seconds

DATES = bind("dates", ARRAY(Date()))
LOWS, HIGHS = bind("lows", ARRAY(DateTime(timezone=True))), bind("highs", ARRAY(DateTime(timezone=True)))
"""Where each day begins and ends. Days that lasted no time at all are left out."""

PROJECT, CLIENT, TASK = bind("project_id", Uuid()), bind("client_id", Uuid()), bind("task_id", Uuid())
"""The content asked for; null for all of it."""

COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")

INSIDE = [IdleAction.kept.value, IdleAction.pending.value]
"""Idle time that is tracked time; what is pending counts as kept until it is answered."""

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
PIECES = (
    select(
        *(_days.c[name] for name in ("date", "low", "high")),
        *(timesheets.c[name] for name in ("user_id", "id", "project_id", "task_id", "is_billable", *COUNTERS)),
        (timesheets.c.kind == TimesheetKind.manual.value).label("is_manual"),
        func.greatest(_begin, _days.c.low).label("begin"),
        func.least(_end, _days.c.high).label("end"),
        and_(_begin >= _days.c.low, _end <= _days.c.high).label("is_whole"),
    )
    .select_from(timesheets.join(_days, reaches(timesheets, _days.c.low, _days.c.high)))
    .where(
        of_people(timesheets),
        touches(timesheets),
        or_(PROJECT.is_(None), timesheets.c.project_id == PROJECT),
        or_(TASK.is_(None), timesheets.c.task_id == TASK),
        or_(CLIENT.is_(None), _client_id == CLIENT),
    )
    .cte("pieces")
)
"""What of the timesheets with that content lies in each day; `is_whole` if that is all of one."""

_rest, _work = break_times.c.started_at, break_times.c.ended_at
BREAKS = (
    select(
        break_times.c.user_id,
        _days.c.date,
        union_seconds(func.greatest(_rest, _days.c.low), func.least(_work, _days.c.high)).label("moments"),
    )
    .select_from(break_times.join(_days, and_(_rest < _days.c.high, _work > _days.c.low)))
    .where(of_people(break_times), touches(break_times))
    .group_by(break_times.c.user_id, _days.c.date)
    .cte("breaks")
)
"""When each person rested on each day. A break that lasts has no length yet."""

_moments = union_seconds(idle_times.c.started_at, idle_times.c.ended_at)
_is_inside = idle_times.c.action.in_(INSIDE)
IDLE = (
    select(
        idle_times.c.timesheet_id,
        _moments.filter(_is_inside).label("inside"),
        _moments.filter(~_is_inside).label("outside"),
    )
    .where(of_people(idle_times), touches(idle_times))
    .group_by(idle_times.c.timesheet_id)
    .subquery("idle")
)
"""When each timesheet was idle: inside tracked time, and outside."""

SLOTS = (
    select(*(func.sum(activity_slots.c[name]).label(name) for name in COUNTERS))
    .where(
        in_organization(activity_slots),
        activity_slots.c.user_id == PIECES.c.user_id,
        activity_slots.c.timesheet_id == PIECES.c.id,
        activity_slots.c.slot_at >= PIECES.c.low,
        activity_slots.c.slot_at < PIECES.c.high,
        activity_slots.c.deleted_at.is_(None),
        ~PIECES.c.is_whole,
    )
    .lateral("slots")
)
"""The counters of a piece, where those of its timesheet also speak for other days. A slot lies in one day."""
