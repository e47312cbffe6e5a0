"""SQL of time totals: tracked time by user, by day, and by project and task, in one statement for a page of users.

Breaks are not tracked time, nor is idle time that was discarded or reassigned. Time that is both is a break. So the
length of a slice = its tracked + discarded idle + break seconds. Grouping sets sum the slices, so that the totals of
all levels agree exactly. A timesheet across midnight counts once for the user and once on each of its days.
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
from resolvers.reports.day_slices_sql import BREAKS, CLIENT, COUNTERS, IDLE, PROJECT, SLICES, SLOTS, TASK
from resolvers.reports.interval_sql import EMPTY_RANGE, range_of, seconds_between, seconds_in, union_of_ranges

SUMS = (
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"),
    *("discarded_idle_seconds", "break_seconds", *COUNTERS),
)

USER_LEVEL, DAY_LEVEL = 3, 1
"""Levels of the totals, a bit for each column summed over: dates (2), projects (1). The level of an entry is 0."""

ZERO = literal(0, BigInteger())


def _slice_seconds() -> Select[Any]:
    """Each slice with its seconds of every kind."""
    # Multiranges; null where there are none.
    slice_range = range_of(SLICES.c.begin, SLICES.c.end)
    breaks = slice_range * BREAKS.c.ranges
    discarded = slice_range * IDLE.c.discarded_ranges - func.coalesce(breaks, EMPTY_RANGE)
    idle = slice_range * IDLE.c.kept_ranges - func.coalesce(breaks, EMPTY_RANGE) - func.coalesce(discarded, EMPTY_RANGE)
    tracked = seconds_between(SLICES.c.begin, SLICES.c.end) - seconds_in(breaks) - seconds_in(discarded)
    counters = {
        name: case((SLICES.c.is_whole, SLICES.c[name]), else_=func.coalesce(SLOTS.c[name], 0)) for name in COUNTERS
    }
    return select(
        *(SLICES.c[name] for name in ("user_id", "date", "project_id", "task_id", "id", "begin", "end")),
        *(SLICES.c[name] for name in ("is_manual", "is_billable")),
        tracked.label("tracked_seconds"),
        seconds_in(idle).label("idle_seconds"),
        seconds_in(discarded).label("discarded_idle_seconds"),
        seconds_in(breaks).label("break_seconds"),
        *(counter.label(name) for name, counter in counters.items()),
    ).select_from(
        SLICES.outerjoin(BREAKS, and_(BREAKS.c.user_id == SLICES.c.user_id, BREAKS.c.date == SLICES.c.date))
        .outerjoin(IDLE, IDLE.c.timesheet_id == SLICES.c.id)
        .outerjoin(SLOTS, true())
    )


def _untracked_breaks() -> Select[Any]:
    """Breaks outside every slice. They have no project and no task, so each filter by content excludes them."""
    worked = (
        select(SLICES.c.user_id, SLICES.c.date, union_of_ranges(SLICES.c.begin, SLICES.c.end).label("ranges"))
        .group_by(SLICES.c.user_id, SLICES.c.date)
        .subquery("worked")
    )
    breaks = BREAKS.c.ranges - func.coalesce(worked.c.ranges, EMPTY_RANGE)
    return (
        select(
            *(BREAKS.c[name] for name in ("user_id", "date")),
            *(cast(null(), Uuid()).label(name) for name in ("project_id", "task_id", "id")),
            *(cast(null(), DateTime(timezone=True)).label(name) for name in ("begin", "end")),
            *(literal(False, Boolean()).label(name) for name in ("is_manual", "is_billable")),
            *(ZERO.label(name) for name in ("tracked_seconds", "idle_seconds", "discarded_idle_seconds")),
            seconds_in(breaks).label("break_seconds"),
            *(ZERO.label(name) for name in COUNTERS),
        )
        .select_from(
            BREAKS.outerjoin(worked, and_(worked.c.user_id == BREAKS.c.user_id, worked.c.date == BREAKS.c.date))
        )
        .where(PROJECT.is_(None), CLIENT.is_(None), TASK.is_(None), ~func.isempty(breaks))
    )


def _totals(parts: FromClause) -> Select[Any]:
    """The totals of each user, of each day, and of each project and task on it."""
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


def _with_names(totals: FromClause) -> Select[Any]:
    """The totals with names of projects, clients and tasks. Order: a user, then each day followed by its entries."""
    captured = totals.c.input_seconds
    # Rounded half up, in integers.
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


TIME_TOTALS = Statement(
    _with_names(_totals(union_all(_slice_seconds(), _untracked_breaks()).subquery("parts")).subquery("totals"))
)
"""The totals of users, with their `level`; `resolvers.reports.day_slices_sql` names its parameters."""
