"""Tracked time, added up in the database: one statement for all people of a page.

Breaks are no work, nor is idle time that was discarded or reassigned; of those, a moment is a break before it is idle.
So a piece of a timesheet = its tracked + discarded idle + break seconds. Grouping sets add the pieces up by person, by
day and by project and task, so that the sums agree exactly, while a timesheet that goes on over midnight counts once
for the person and once on each of its days.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Select,
    Uuid,
    and_,
    case,
    cast,
    collate,
    distinct,
    func,
    literal,
    null,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.work import clients, projects, tasks
from resolvers.reports.day_slices_sql import BREAKS, CLIENT, COUNTERS, IDLE, PIECES, PROJECT, SLOTS, TASK
from resolvers.reports.interval_sql import NOTHING, seconds, seconds_of, span, union_seconds

SUMS = (
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"),
    *("discarded_idle_seconds", "break_seconds", *COUNTERS),
)

PERSON, DAY = 3, 1
"""Levels of the totals, by what they add up over: dates (2) and projects (1). An entry adds up over neither."""

ZERO = literal(0, BigInteger())


def _measured() -> Select[Any]:
    """Each piece with its seconds of every kind."""
    # Sets of moments; null where there are none.
    whole = span(PIECES.c.begin, PIECES.c.end)
    rest = whole * BREAKS.c.moments
    outside = whole * IDLE.c.outside - func.coalesce(rest, NOTHING)
    inside = whole * IDLE.c.inside - func.coalesce(rest, NOTHING) - func.coalesce(outside, NOTHING)
    tracked = seconds(PIECES.c.begin, PIECES.c.end) - seconds_of(rest) - seconds_of(outside)
    counters = {
        name: case((PIECES.c.is_whole, PIECES.c[name]), else_=func.coalesce(SLOTS.c[name], 0)) for name in COUNTERS
    }
    return select(
        *(PIECES.c[name] for name in ("user_id", "date", "project_id", "task_id", "id", "begin", "end")),
        *(PIECES.c[name] for name in ("is_manual", "is_billable")),
        tracked.label("tracked_seconds"),
        seconds_of(inside).label("idle_seconds"),
        seconds_of(outside).label("discarded_idle_seconds"),
        seconds_of(rest).label("break_seconds"),
        *(counter.label(name) for name, counter in counters.items()),
    ).select_from(
        PIECES.outerjoin(BREAKS, and_(BREAKS.c.user_id == PIECES.c.user_id, BREAKS.c.date == PIECES.c.date))
        .outerjoin(IDLE, IDLE.c.timesheet_id == PIECES.c.id)
        .outerjoin(SLOTS, true())
    )


def _alone() -> Select[Any]:
    """Breaks while no time was tracked. They belong to no project and to no task, so they are no content of any."""
    worked = (
        select(PIECES.c.user_id, PIECES.c.date, union_seconds(PIECES.c.begin, PIECES.c.end).label("moments"))
        .group_by(PIECES.c.user_id, PIECES.c.date)
        .subquery("worked")
    )
    rest = BREAKS.c.moments - func.coalesce(worked.c.moments, NOTHING)
    return (
        select(
            *(BREAKS.c[name] for name in ("user_id", "date")),
            *(cast(null(), Uuid()).label(name) for name in ("project_id", "task_id", "id")),
            *(cast(null(), DateTime(timezone=True)).label(name) for name in ("begin", "end")),
            *(literal(False, Boolean()).label(name) for name in ("is_manual", "is_billable")),
            *(ZERO.label(name) for name in ("tracked_seconds", "idle_seconds", "discarded_idle_seconds")),
            seconds_of(rest).label("break_seconds"),
            *(ZERO.label(name) for name in COUNTERS),
        )
        .select_from(
            BREAKS.outerjoin(worked, and_(worked.c.user_id == BREAKS.c.user_id, worked.c.date == BREAKS.c.date))
        )
        .where(PROJECT.is_(None), CLIENT.is_(None), TASK.is_(None), ~func.isempty(rest))
    )


def _totals(parts: FromClause) -> Select[Any]:
    """The sums of each person, of each of their days, and of each project and task on it."""
    tracked = func.sum(parts.c.tracked_seconds)
    sums = {name: func.sum(parts.c[name]) for name in SUMS if name in parts.c} | {
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


def _named(totals: FromClause) -> Select[Any]:
    """The totals with the names of what they are about: each person, then each day, then its entries."""
    captured = totals.c.input_seconds
    # Half up, in whole numbers.
    percent = (200 * totals.c.active_seconds + captured) // func.nullif(2 * captured, 0, type_=BigInteger)
    names = [collate(projects.c.name, "C"), collate(tasks.c.name, "C")]
    return (
        select(
            *totals.c,
            percent.label("activity_percent"),
            projects.c.name.label("project_name"),
            projects.c.client_id,
            clients.c.name.label("client_name"),
            tasks.c.name.label("task_name"),
        )
        .select_from(
            totals.outerjoin(projects, and_(in_organization(projects), projects.c.id == totals.c.project_id))
            .outerjoin(clients, and_(in_organization(clients), clients.c.id == projects.c.client_id))
            .outerjoin(tasks, and_(in_organization(tasks), tasks.c.id == totals.c.task_id))
        )
        .order_by(
            totals.c.user_id,
            totals.c.date.nulls_first(),
            totals.c.level.desc(),
            *(name.nulls_last() for name in names),
            totals.c.project_id.nulls_last(),
            totals.c.task_id.nulls_last(),
        )
    )


TRACKED = Statement(_named(_totals(union_all(_measured(), _alone()).subquery("parts")).subquery("totals")))
"""The totals of people, with their `level`; for what it takes, see `resolvers.reports.day_slices_sql`."""
