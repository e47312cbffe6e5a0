"""SQL of changes of time activity: which records change a row, when they last did, and whether the row is final.

A row of a member and a range shows, or is not final because of:

- timesheets, idle times, breaks and manual time that start in the range or within MAX_INTERVAL before it, or that did
  so before they moved (`db.tables.remembered`), deleted ones too, whatever the filters by content show;
- activity slots of timesheets that cross the bound of a day or overlap another one; others show their own counters;
- clock records that began before the end of the range: while one is open, no such range is final;
- the names of projects, clients and tasks.

What the member and the zone change is in `resolvers.reports.report_members`.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, case, exists, func, or_, select, true, tuple_, union_all
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.people import members
from db.tables.timesheets import (
    MAX_INTERVAL,
    activity_slots,
    break_times,
    clock_records,
    idle_times,
    manual_requests,
    timesheets,
)
from db.tables.work import clients, projects, tasks
from resolvers.lists.list_sql import DAY_HIGHS, DAY_LOWS, LOW, SINCE
from resolvers.records.changes_sql import FEW, ChangedRecords, changed_members, is_near, members_with, was_near
from resolvers.records.finality_sql import FINAL_RECORDS, is_final
from resolvers.records.interval_sql import end_of, rows_of, slots_in_range, starts_near_range
from resolvers.relations.relation import KEYS, id_rows
from resolvers.reports.tracked.timesheet_slices_sql import is_overlapped
from resolvers.values.planner import FENCE

INTERVALS = (timesheets, idle_times, break_times)

_project_names = (
    select(projects.c.id, projects.c.report_changed_at.label("changed_at")).where(
        in_organization(projects), projects.c.report_changed_at.is_not(None)
    ),
    select(projects.c.id, clients.c.report_changed_at)
    .select_from(clients.join(projects, projects.c.client_id == clients.c.id))
    .where(in_organization(clients), in_organization(projects), clients.c.report_changed_at.is_not(None)),
)
_task_names = select(tasks.c.id, tasks.c.report_changed_at.label("changed_at")).where(
    in_organization(tasks), tasks.c.report_changed_at.is_not(None)
)


def _crosses_bound_of_day(sheets: FromClause) -> ColumnElement[bool]:
    """Whether a timesheet does not lie in one day. A place below the first day has no end of the day: null."""
    day = func.width_bucket(sheets.c.started_at, DAY_LOWS)
    return end_of(sheets) > func.coalesce(Grouping(DAY_HIGHS)[day], LOW)


def _people_with_divided_sheet(slots: FromClause, known: Sequence[Select[Any]] = ()) -> Select[Any]:
    """The people of those slots in the range that are of a timesheet whose counters are divided; not the known ones.

    A writer that changes a slot as a rule changes its timesheet, too, so that few people are left.
    """
    others = [slots.c.user_id.not_in(union_all(*known))] if known else []
    changes = (
        select(slots.c.timesheet_id).where(slots_in_range(slots), *others).distinct().offset(FENCE).subquery("changes")
    )
    sheet = (
        select(*(timesheets.c[name] for name in ("user_id", "id", "started_at", "ended_at", "tracked_until")))
        .where(in_organization(timesheets), timesheets.c.id == changes.c.timesheet_id, starts_near_range(timesheets))
        .correlate(changes)
        .offset(FENCE)
        .lateral("sheet")
    )
    other = timesheets.alias("other")
    is_earlier = tuple_(other.c.started_at, other.c.id) < tuple_(sheet.c.started_at, sheet.c.id)
    is_overlapped = (
        exists()
        .where(
            rows_of(other, sheet.c.user_id),
            other.c.id != sheet.c.id,
            starts_near_range(other),
            other.c.started_at > sheet.c.started_at - MAX_INTERVAL,
            other.c.started_at <= end_of(sheet),
            case((is_earlier, end_of(other) > sheet.c.started_at), else_=other.c.started_at < end_of(sheet)),
        )
        .correlate_except(other)
    )
    is_divided = or_(_crosses_bound_of_day(sheet), is_overlapped)
    return select(sheet.c.user_id).select_from(changes.join(sheet, true())).where(is_divided)


def _has_changed_slot() -> ColumnElement[bool]:
    """Whether a slot changed of a timesheet of the member whose counters are divided."""
    # ORDER BY leads PostgreSQL to the index by change.
    slots = (
        select(activity_slots.c.timesheet_id, activity_slots.c.slot_at)
        .where(rows_of(activity_slots, members.c.user_id), activity_slots.c.updated_at >= SINCE)
        .order_by(activity_slots.c.updated_at)
        .correlate(members)
        .offset(FENCE)
        .subquery("slots")
    )
    return exists(_people_with_divided_sheet(slots))


_CHANGED_RECORDS = (
    *(ChangedRecords.frequent(table, starts_near_range(table), starts_near_range) for table in INTERVALS),
    *(ChangedRecords.rare(table, is_near) for table in (manual_requests, clock_records)),
    # Last: see `_people_with_divided_sheet`.
    ChangedRecords(activity_slots, _people_with_divided_sheet, _has_changed_slot()),
)


def members_with_changes(*conditions: ColumnElement[bool], others: Sequence[Select[Any]] = (), few: int = FEW) -> CTE:
    """The members whose row changed at or after SINCE by what RECORD_STATES counts, or for another reason."""
    # Ids of projects and of tasks: both are random, so that none is in both.
    names = union_all(*_project_names, _task_names).subquery("names")
    changed = select(names.c.id).where(names.c.changed_at >= SINCE)
    references = (timesheets.c.project_id, timesheets.c.task_id)
    renamed = members_with(references, starts_near_range(timesheets), timesheets.c.started_at, changed)
    return changed_members(_CHANGED_RECORDS, *conditions, others=[renamed, *others], few=few)


_users = id_rows(KEYS, "user_id", "users")
_sheets = (
    select(
        *(timesheets.c[name] for name in ("user_id", "id", "started_at", "ended_at", "tracked_until", "updated_at")),
        is_overlapped(timesheets, end_of(timesheets)).label("is_overlapped"),
    )
    .where(rows_of(timesheets), starts_near_range(timesheets))
    .subquery("sheets")
)
_last_slot_change = (
    select(func.max(activity_slots.c.updated_at))
    .where(
        rows_of(activity_slots, _sheets.c.user_id),
        activity_slots.c.timesheet_id == _sheets.c.id,
        slots_in_range(activity_slots),
    )
    .correlate(_sheets)
    .scalar_subquery()
)
_last_attendance = (
    select(clock_records.c.updated_at)
    .where(rows_of(clock_records, _users.c.user_id), or_(is_near(clock_records), was_near(clock_records)))
    .order_by(clock_records.c.updated_at.desc())
    .limit(1)
    .correlate(_users)
    .lateral("attendance")
)
_renamed = (
    (timesheets.c.project_id, union_all(*_project_names).cte("renamed_projects")),
    (timesheets.c.task_id, _task_names.cte("renamed_tasks")),
)
"""The column of timesheets that refers to a name, and the names that changed: without any, nothing is looked up."""
_sheet_change = func.greatest(
    _sheets.c.updated_at, case((or_(_crosses_bound_of_day(_sheets), _sheets.c.is_overlapped), _last_slot_change))
)
_changes = union_all(
    # The index has the rows of each user together, so that their maximum costs less than to merge them.
    select(_sheets.c.user_id, func.max(_sheet_change).label("updated_at")).group_by(_sheets.c.user_id),
    *(
        select(table.c.user_id, func.max(table.c.updated_at))
        .where(rows_of(table), is_near(table))
        .group_by(table.c.user_id)
        for table in (idle_times, break_times, manual_requests)
    ),
    *(
        select(table.c.user_id, table.c.updated_at).where(
            rows_of(table), table.c.earlier_from.is_not(None), was_near(table)
        )
        for table in (*INTERVALS, manual_requests)
    ),
    *(
        select(func.unnest(table.c.earlier_user_ids), table.c.updated_at).where(
            in_organization(table), table.c.earlier_user_ids.is_not(None), was_near(table)
        )
        for table in FINAL_RECORDS
    ),
    *(
        select(timesheets.c.user_id, names.c.changed_at)
        .select_from(timesheets.join(names, names.c.id == reference))
        .where(rows_of(timesheets), starts_near_range(timesheets), exists(select(names.c.id).correlate(None)))
        for reference, names in _renamed
    ),
    select(_users.c.user_id, _last_attendance.c.updated_at).select_from(_users.join(_last_attendance, true())),
).subquery("changes")
_last_changes = (
    select(_changes.c.user_id, func.max(_changes.c.updated_at).label("updated_at"))
    .group_by(_changes.c.user_id)
    .subquery("last_changes")
)

RECORD_STATES = Statement(
    select(_users.c.user_id, _last_changes.c.updated_at, is_final(_users.c.user_id).label("is_final")).select_from(
        _users.outerjoin(_last_changes, _last_changes.c.user_id == _users.c.user_id)
    )
)
"""When the records of each user in KEYS last changed, null without any, and whether the row is final.

Parameters are LOW and HIGH, DAY_LOWS and DAY_HIGHS.
"""
