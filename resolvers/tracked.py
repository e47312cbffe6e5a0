"""Tracked time, cut at the edges of days and added up in the database: one statement for all people of a page.

A piece is what of one timesheet lies in one day. Breaks are no work, nor is idle time that was discarded or
reassigned; of those, a moment is a break before it is idle. So a piece = its tracked + discarded idle + break seconds.
Grouping sets add the pieces up by person, by day and by project and task, so that the sums agree exactly, while a
timesheet that goes on over midnight counts once for the person and once on each of its days.
"""

from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    Date,
    DateTime,
    Select,
    Uuid,
    and_,
    case,
    cast,
    collate,
    column,
    distinct,
    func,
    literal,
    null,
    or_,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import FromClause, Subquery

from db.statements import Statement
from db.tables import given, mine
from db.timesheets import IdleAction, TimesheetKind, activity_slots, break_times, idle_times, timesheets
from db.work import clients, projects, tasks
from resolvers.intervals import NOTHING, end_of, of_people, reaches, seconds, seconds_of, span, together, touches

COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")
SUMS = (
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"),
    *("discarded_idle_seconds", "break_seconds", *COUNTERS),
)

DATES = given("dates", ARRAY(Date()))
LOWS, HIGHS = given("lows", ARRAY(DateTime(timezone=True))), given("highs", ARRAY(DateTime(timezone=True)))
"""The days: where each begins and ends. Days that lasted no time at all are left out."""

PROJECT, CLIENT, TASK = given("project_id", Uuid()), given("client_id", Uuid()), given("task_id", Uuid())
"""The content asked for; null for all of it."""

INSIDE = [IdleAction.kept.value, IdleAction.pending.value]
"""Idle time that is tracked time; what is pending counts as kept until it is answered."""

_days = (
    func.unnest(DATES, LOWS, HIGHS)
    .table_valued(
        column("date", Date()), column("low", DateTime(timezone=True)), column("high", DateTime(timezone=True))
    )
    .render_derived("days")
)


def _pieces() -> CTE:
    client_of_project = (
        select(projects.c.client_id).where(mine(projects), projects.c.id == timesheets.c.project_id).scalar_subquery()
    )
    begin, end = timesheets.c.started_at, end_of(timesheets)
    return (
        select(
            timesheets.c.user_id,
            _days.c.date,
            _days.c.low,
            _days.c.high,
            timesheets.c.id,
            timesheets.c.project_id,
            timesheets.c.task_id,
            (timesheets.c.kind == TimesheetKind.manual.value).label("is_manual"),
            timesheets.c.is_billable,
            *(timesheets.c[name] for name in COUNTERS),
            func.greatest(begin, _days.c.low).label("begin"),
            func.least(end, _days.c.high).label("end"),
            and_(begin >= _days.c.low, end <= _days.c.high).label("is_whole"),
        )
        .select_from(timesheets.join(_days, reaches(timesheets, _days.c.low, _days.c.high)))
        .where(
            of_people(timesheets),
            touches(timesheets),
            or_(PROJECT.is_(None), timesheets.c.project_id == PROJECT),
            or_(TASK.is_(None), timesheets.c.task_id == TASK),
            or_(CLIENT.is_(None), client_of_project == CLIENT),
        )
        .cte("pieces")
    )


def _breaks() -> CTE:
    """When each person rested on each day. A break that lasts has no length yet."""
    begin, end = break_times.c.started_at, break_times.c.ended_at
    return (
        select(
            break_times.c.user_id,
            _days.c.date,
            together(func.greatest(begin, _days.c.low), func.least(end, _days.c.high)).label("moments"),
        )
        .select_from(break_times.join(_days, and_(begin < _days.c.high, end > _days.c.low)))
        .where(of_people(break_times), touches(break_times), end.is_not(None))
        .group_by(break_times.c.user_id, _days.c.date)
        .cte("breaks")
    )


def _idle() -> Subquery:
    """When each timesheet was idle: inside tracked time, and outside."""
    moments = together(idle_times.c.started_at, idle_times.c.ended_at)
    is_inside = idle_times.c.action.in_(INSIDE)
    return (
        select(
            idle_times.c.timesheet_id,
            moments.filter(is_inside).label("inside"),
            moments.filter(~is_inside).label("outside"),
        )
        .where(of_people(idle_times), touches(idle_times))
        .group_by(idle_times.c.timesheet_id)
        .subquery("idle")
    )


def _slots(pieces: CTE) -> FromClause:
    """The counters of a piece, where those of its timesheet also speak for other days. A slot lies in one day."""
    slots = activity_slots
    return (
        select(*(func.sum(slots.c[name]).label(name) for name in COUNTERS))
        .where(
            mine(slots),
            slots.c.user_id == pieces.c.user_id,
            slots.c.timesheet_id == pieces.c.id,
            slots.c.slot_at >= pieces.c.low,
            slots.c.slot_at < pieces.c.high,
            slots.c.deleted_at.is_(None),
            ~pieces.c.is_whole,
        )
        .lateral("slots")
    )


def _measured(pieces: CTE, breaks: CTE) -> Select[Any]:
    """Each piece with its seconds of every kind."""
    idle, slots = _idle(), _slots(pieces)
    # Sets of moments; null where there are none.
    whole = span(pieces.c.begin, pieces.c.end)
    rest = whole * breaks.c.moments
    outside = whole * idle.c.outside - func.coalesce(rest, NOTHING)
    inside = whole * idle.c.inside - func.coalesce(rest, NOTHING) - func.coalesce(outside, NOTHING)
    tracked = seconds(pieces.c.begin, pieces.c.end) - seconds_of(rest) - seconds_of(outside)
    return select(
        *(pieces.c[name] for name in ("user_id", "date", "project_id", "task_id", "id", "begin", "end")),
        pieces.c.is_manual,
        pieces.c.is_billable,
        tracked.label("tracked_seconds"),
        seconds_of(inside).label("idle_seconds"),
        seconds_of(outside).label("discarded_idle_seconds"),
        seconds_of(rest).label("break_seconds"),
        *(
            case((pieces.c.is_whole, pieces.c[name]), else_=func.coalesce(slots.c[name], 0)).label(name)
            for name in COUNTERS
        ),
    ).select_from(
        pieces.outerjoin(breaks, and_(breaks.c.user_id == pieces.c.user_id, breaks.c.date == pieces.c.date))
        .outerjoin(idle, idle.c.timesheet_id == pieces.c.id)
        .outerjoin(slots, true())
    )


def _alone(pieces: CTE, breaks: CTE) -> Select[Any]:
    """Breaks while no time was tracked. They belong to no project and to no task, so they are no content of any."""
    worked = (
        select(pieces.c.user_id, pieces.c.date, together(pieces.c.begin, pieces.c.end).label("moments"))
        .group_by(pieces.c.user_id, pieces.c.date)
        .subquery("worked")
    )
    rest = breaks.c.moments - func.coalesce(worked.c.moments, NOTHING)
    zero = literal(0, BigInteger())
    return (
        select(
            breaks.c.user_id,
            breaks.c.date,
            *(cast(null(), Uuid()).label(name) for name in ("project_id", "task_id", "id")),
            *(cast(null(), DateTime(timezone=True)).label(name) for name in ("begin", "end")),
            *(literal(False, Boolean()).label(name) for name in ("is_manual", "is_billable")),
            *(zero.label(name) for name in ("tracked_seconds", "idle_seconds", "discarded_idle_seconds")),
            seconds_of(rest).label("break_seconds"),
            *(zero.label(name) for name in COUNTERS),
        )
        .select_from(
            breaks.outerjoin(worked, and_(worked.c.user_id == breaks.c.user_id, worked.c.date == breaks.c.date))
        )
        .where(PROJECT.is_(None), CLIENT.is_(None), TASK.is_(None), ~func.isempty(rest))
    )


def _totals(parts: FromClause) -> Select[Any]:
    def total(name: str) -> Any:
        return func.sum(parts.c[name])

    tracked = total("tracked_seconds")
    sums = {name: total(name) for name in SUMS if name in parts.c} | {
        "manual_seconds": tracked.filter(parts.c.is_manual),
        "billable_seconds": tracked.filter(parts.c.is_billable),
    }
    keys = (parts.c.user_id, parts.c.date, parts.c.project_id, parts.c.task_id)
    return select(
        *keys,
        func.grouping(parts.c.date, parts.c.project_id).label("level"),
        *(cast(func.coalesce(sums[name], 0), BigInteger).label(name) for name in SUMS),
        func.count(distinct(parts.c.id)).label("timesheets_count"),
        func.min(parts.c.begin).label("first_started_at"),
        func.max(parts.c.end).label("last_ended_at"),
    ).group_by(func.grouping_sets(tuple_(keys[0]), tuple_(*keys[:2]), tuple_(*keys)))


PERSON, DAY, ENTRY = 3, 1, 0
"""The levels: bits for the columns that were added up over, the date and the project."""


def _statement() -> Statement:
    pieces, breaks = _pieces(), _breaks()
    totals = _totals(union_all(_measured(pieces, breaks), _alone(pieces, breaks)).subquery("parts")).subquery("totals")
    counted = totals.c.input_seconds
    # Half up, in whole numbers.
    percent = (200 * totals.c.active_seconds + counted) // func.nullif(2 * counted, 0, type_=BigInteger)
    names = [collate(projects.c.name, "C"), collate(tasks.c.name, "C")]
    return Statement(
        select(
            *totals.c,
            percent.label("activity_percent"),
            projects.c.name.label("project_name"),
            projects.c.client_id,
            clients.c.name.label("client_name"),
            tasks.c.name.label("task_name"),
        )
        .select_from(
            totals.outerjoin(projects, and_(mine(projects), projects.c.id == totals.c.project_id))
            .outerjoin(clients, and_(mine(clients), clients.c.id == projects.c.client_id))
            .outerjoin(tasks, and_(mine(tasks), tasks.c.id == totals.c.task_id))
        )
        # Each person, then each day, then its entries.
        .order_by(
            totals.c.user_id,
            totals.c.date.nulls_first(),
            totals.c.level.desc(),
            *(name.nulls_last() for name in names),
            totals.c.project_id.nulls_last(),
            totals.c.task_id.nulls_last(),
        )
    )


TRACKED = _statement()
"""For KEYS (people), LOW, HIGH, DATES, LOWS, HIGHS and the content: the totals of each person, day and entry."""
