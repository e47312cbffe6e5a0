"""SQL of time totals: tracked time by user, by day, and by project and task, in one statement for a page of users.

Each level sums the one below, so that all levels agree exactly. A timesheet across midnight counts once for the user
and once on each of its days.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    and_,
    cast,
    collate,
    func,
    select,
    true,
)
from sqlalchemy.sql.selectable import FromClause

from db.reading.json_array import Keys
from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.work import clients, projects, tasks
from resolvers.relations.relation import KEYS
from resolvers.reports.interval_sql import seconds_between
from resolvers.reports.tracked.days_sql import EDGES
from resolvers.reports.tracked.time_parts_sql import time_parts
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS
from resolvers.values.json_sql import JsonField, JsonKind, json_array, json_members, json_nulls

TIME_SUMS = (
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"),
    *("discarded_idle_seconds", "break_seconds", "paid_break_seconds", *COUNTERS, "locked_seconds"),
)

TOTALS = (*TIME_SUMS[:-1], "activity_percent", "timesheets_count", "locked_seconds")
"""The totals of each level, in the order of the response."""

_USUAL = {"timesheets_count": 1} | dict.fromkeys(("manual_seconds", *TIME_SUMS[3:7], "locked_seconds"), 0)
"""What most entries have: no idle time, no breaks."""


def _named(thing: str, *, is_required: bool) -> list[JsonField]:
    kinds = {"id": JsonKind.quoted, "name": JsonKind.escaped}
    return [JsonField(f"{thing}_{name}", kind, is_required) for name, kind in kinds.items()]


_PROJECT_FIELDS = [*_named("project", is_required=True), *_named("client", is_required=False)]
_TASK_FIELDS = _named("task", is_required=True)
_TOTAL_FIELDS = [JsonField(name, JsonKind.bare, is_required=name != "activity_percent") for name in TOTALS]
ENTRY_FIELDS = [
    JsonField("project", JsonKind.members),
    JsonField("task", JsonKind.members),
    *(field._replace(usual=_USUAL.get(field.name)) for field in _TOTAL_FIELDS),
]
DAY_FIELDS = [
    JsonField("date", JsonKind.day),
    JsonField("day_length_seconds", JsonKind.bare),
    *_TOTAL_FIELDS,
    JsonField("first_started_at", JsonKind.second, is_required=False),
    JsonField("last_ended_at", JsonKind.second, is_required=False),
    JsonField("entries", JsonKind.bare),
]

DAY_KEYS: Keys = (
    *(field.name for field in DAY_FIELDS[:-1]),
    ("entries", tuple(field.name for field in (*_PROJECT_FIELDS, *_TASK_FIELDS, *_TOTAL_FIELDS))),
)
"""The keys of the days and of their entries, in the order of the response."""


def _entries(parts: FromClause) -> FromClause:
    """The totals of each project and task on each day, with their names.

    Names are joined before the sums and lead their keys, so that one sort serves the sums and the order of the entries.
    """
    columns = {"project_id": projects.c.id, "project_name": projects.c.name}
    columns |= {"client_id": projects.c.client_id, "client_name": clients.c.name}
    project = (
        select(projects.c.id, projects.c.name, json_members(columns, _PROJECT_FIELDS).label("json"))
        .select_from(projects.outerjoin(clients, and_(in_organization(clients), clients.c.id == projects.c.client_id)))
        .where(in_organization(projects))
        .subquery("project")
    )
    named = (
        select(
            *parts.c,
            collate(project.c.name, "C").label("project_name"),
            collate(tasks.c.name, "C").label("task_name"),
            project.c.json.label("project"),
        )
        .select_from(
            parts.outerjoin(project, project.c.id == parts.c.project_id).outerjoin(
                tasks, and_(in_organization(tasks), tasks.c.id == parts.c.task_id)
            )
        )
        .subquery("named")
    )
    tracked = func.sum(named.c.tracked_seconds)
    sums = {name: func.sum(named.c[name]) for name in TIME_SUMS if name in named.c} | {
        "manual_seconds": tracked.filter(named.c.is_manual),
        "billable_seconds": tracked.filter(named.c.is_billable),
        "locked_seconds": tracked.filter(named.c.is_locked),
    }
    names = ("user_id", "day", "project_name", "task_name", "project_id", "task_id", "project")
    keys = [named.c[name] for name in names]
    totals = (
        select(
            *keys,
            *(cast(func.coalesce(sums[name], 0), _type_of(name)).label(name) for name in TIME_SUMS),
            cast(func.count().filter(named.c.is_first_of_day), Integer).label("timesheets_count"),
            cast(func.count().filter(named.c.is_first), Integer).label("first_slices"),
            func.min(named.c.begin).label("first_started_at"),
            func.max(named.c.end).label("last_ended_at"),
        )
        .group_by(*keys)
        .subquery("entry_totals")
    )
    return select(*totals.c, activity_percent(totals).label("activity_percent")).subquery("entries")


def _type_of(name: str) -> Integer:
    """The type of a sum of a day. Its seconds fit an integer, of which sums are cheaper; counters have no limit."""
    return BigInteger() if name in COUNTERS else Integer()


def activity_percent(totals: FromClause) -> ColumnElement[Any]:
    """The share of captured seconds with input, rounded half up, in integers; null without captured seconds."""
    captured = totals.c.input_seconds
    return (200 * totals.c.active_seconds + captured) // func.nullif(2 * captured, 0, type_=BigInteger)


def _summed(
    rows: FromClause, keys: Sequence[str], timesheets_count: ColumnElement[int], *columns: ColumnElement[Any]
) -> Select[Any]:
    """The sums of rows that have totals, by the columns `keys`."""
    by = [rows.c[key] for key in keys]
    summed = {name: rows.c[name] for name in (*TIME_SUMS, "first_slices")} | {"timesheets_count": timesheets_count}
    types = {name: _type_of(name) if "day" in keys else BigInteger() for name in summed}
    return select(
        *by,
        *(cast(func.sum(each), types[name]).label(name) for name, each in summed.items()),
        func.min(rows.c.first_started_at).label("first_started_at"),
        func.max(rows.c.last_ended_at).label("last_ended_at"),
        *columns,
    ).group_by(*by)


def _by_day(entries: FromClause) -> FromClause:
    """The totals of each day, with its entries as JSON."""
    order = [entries.c[name].nulls_last() for name in ("project_name", "task_name", "project_id", "task_id")]
    task = func.coalesce(json_members(dict(entries.c), _TASK_FIELDS), json_nulls(_TASK_FIELDS))
    project = func.coalesce(entries.c.project, json_nulls(_PROJECT_FIELDS))
    array = json_array({**dict(entries.c), "project": project, "task": task}, ENTRY_FIELDS, order).label("entries")
    return _summed(entries, ["user_id", "day"], entries.c.timesheets_count, array).subquery("day_totals")


def _by_user(days: FromClause) -> Select[Any]:
    """The totals of each user, with the days as JSON."""
    day = days.c.day
    columns = {
        **dict(days.c),
        "date": EDGES.c.dates[day],
        "day_length_seconds": seconds_between(EDGES.c.lows[day], EDGES.c.highs[day]),
        "activity_percent": activity_percent(days),
    }
    worked = func.count().filter(days.c.tracked_seconds > 0).label("days_worked")
    array = json_array(columns, DAY_FIELDS, [day]).label("days")
    sums = _summed(days, ["user_id"], days.c.first_slices, worked, array)
    return sums.select_from(days.join(EDGES, true()))


_totals = _by_user(_by_day(_entries(time_parts(KEYS)))).subquery("totals")

TIME_TOTALS = Statement(
    select(
        *(column for column in _totals.c if column.name != "first_slices"),
        activity_percent(_totals).label("activity_percent"),
    )
)
"""The totals of each user; `resolvers.reports.tracked` names its parameters."""
