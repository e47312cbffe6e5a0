"""SQL of time totals: tracked time by user, by day, and by project and task, in one statement for a page of users.

Each level sums the one below, so that all levels agree exactly. A timesheet across midnight counts once for the user
and once on each of its days. A statement sums and writes what a document shows, and nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Boolean, ColumnElement, Integer, Select, and_, cast, collate, func, select, true
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.work import clients, projects, tasks
from db.values.json_array import Keys, nested_keys
from resolvers.records.interval_sql import EDGES, seconds_between
from resolvers.relations.relation import KEYS
from resolvers.reports.tracked.time_parts_sql import time_parts
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS
from resolvers.values.json_sql import JsonField, JsonKind, json_array, json_members, json_nulls

MAX_TIME_STATEMENTS = 256
"""Statements of each kind that stay compiled, one for each variant; the least recently used is dropped."""

_LATER = ("locked_seconds",)
"""Sums that stand behind the other totals. New ones do: keys of a response keep their order."""

TIME_SUMS = (
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"),
    *("discarded_idle_seconds", "break_seconds", "paid_break_seconds", *COUNTERS, *_LATER),
)

TOTALS = (*TIME_SUMS[: -len(_LATER)], "activity_percent", "timesheets_count", *_LATER)
"""The totals of each level, in the order of the response."""

_MOMENTS: Mapping[str, Any] = {"first_started_at": func.min, "last_ended_at": func.max}

_OF_PARTS = {"timesheets_count": "is_first_of_day", "first_slices": "is_first"}
_OF_PARTS |= {"first_started_at": "begin", "last_ended_at": "end"}
"""The columns of parts of which numbers and moments are made. The first slices are the timesheets of a user."""

_SUMMED: Mapping[str, Sequence[str]] = {
    "activity_percent": COUNTERS[:2],
    "days_worked": ("tracked_seconds",),
    "timesheets_count": ("timesheets_count", "first_slices"),
}
"""What is summed for a total that is no sum."""

_USUAL = {"timesheets_count": 1} | dict.fromkeys(("manual_seconds", *TIME_SUMS[3:7], *_LATER), 0)
"""What most entries have: no idle time, no breaks."""


def _named(thing: str, *, is_required: bool) -> dict[str, JsonField]:
    kinds = {f"{thing}_id": JsonKind.quoted, f"{thing}_name": JsonKind.escaped}
    return {name: JsonField(name, kind, is_required) for name, kind in kinds.items()}


_PROJECT_FIELDS = _named("project", is_required=True) | _named("client", is_required=False)
_TASK_FIELDS = _named("task", is_required=True)
_TOTAL_FIELDS = {name: JsonField(name, JsonKind.bare, is_required=name != "activity_percent") for name in TOTALS}
_DAY_FIELDS = {
    "date": JsonField("date", JsonKind.day),
    "day_length_seconds": JsonField("day_length_seconds", JsonKind.bare),
    **_TOTAL_FIELDS,
    **{name: JsonField(name, JsonKind.second, is_required=False) for name in _MOMENTS},
    "entries": JsonField("entries", JsonKind.bare),
}


class ShownTime(NamedTuple):
    """What is shown of each user: columns of totals, and the keys of the days; None without days."""

    columns: frozenset[str]
    days: Keys | None


ALL_TIME = ShownTime(
    frozenset((*TOTALS, "days_worked", *_MOMENTS)),
    (*list(_DAY_FIELDS)[:-1], ("entries", (*_PROJECT_FIELDS, *_TASK_FIELDS, *TOTALS))),
)


@lru_cache(MAX_TIME_STATEMENTS)
def time_totals(shown: ShownTime) -> Statement:
    """The statement of what is shown of each user with time; `interval_sql` and `tracked` name its parameters."""
    day_keys = nested_keys(shown.days or ())
    entry_keys = day_keys.get("entries")
    totals = {*shown.columns, *day_keys, *nested_keys(entry_keys or ())}
    needed = {each for total in totals for each in _SUMMED.get(total, (total,))}
    names = [name for name in (*TIME_SUMS, *_OF_PARTS) if name in needed]
    keys = ["user_id", "day", *([] if entry_keys is None else ["project_id", "task_id"])]
    sources = {name: _OF_PARTS.get(name, name) for name in (*keys, *names)}
    parts = time_parts(KEYS, sources.values())
    rows = select(*(_number(parts.c[source]).label(name) for name, source in sources.items())).subquery()
    if entry_keys is None:
        days = _summed(rows, keys, names)
    else:
        days = _days_with_entries(rows, names, list(nested_keys(entry_keys)))
    users = _users(days.subquery("day_totals"), names, None if shown.days is None else list(day_keys)).subquery("users")
    columns: dict[str, ColumnElement[Any]] = {**dict(users.c)}
    if "activity_percent" in shown.columns:
        columns["activity_percent"] = activity_percent(users)
    visible = ["user_id", *sorted(shown.columns), *([] if shown.days is None else ["days"])]
    return Statement(select(*(columns[name].label(name) for name in visible)))


def _number(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column of which sums can be made: 1 for true."""
    return cast(column, Integer) if isinstance(column.type, Boolean) else column


def _summed(rows: FromClause, keys: Sequence[str], names: Iterable[str], *more: ColumnElement[Any]) -> Select[Any]:
    """The sums of rows that have these columns, by the columns `keys`. A timesheet of several days counts once."""
    by = [rows.c[key] for key in keys]
    is_of_day = "day" in keys
    sums: list[ColumnElement[Any]] = []
    for name in names:
        column = rows.c["first_slices" if name == "timesheets_count" and not is_of_day else name]
        if name in _MOMENTS:
            total: ColumnElement[Any] = _MOMENTS[name](column)
        else:
            # The seconds of a day fit an integer, of which sums are cheaper. Counters have no limit.
            is_small = is_of_day and name not in COUNTERS
            total = cast(func.sum(column), Integer() if is_small else BigInteger())
        sums.append(total.label(name))
    return select(*by, *sums, *more).group_by(*by)


def activity_percent(totals: FromClause) -> ColumnElement[Any]:
    """The share of captured seconds with input, rounded half up, in integers; null without captured seconds."""
    captured = totals.c.input_seconds
    return (200 * totals.c.active_seconds + captured) // func.nullif(2 * captured, 0, type_=BigInteger)


def _days_with_entries(parts: FromClause, names: Iterable[str], keys: Iterable[str]) -> Select[Any]:
    """The sums of each day, with JSON of its entries, which have these keys.

    An entry is a project and a task. Names are joined before the sums and lead their keys, so that one sort serves the
    sums and the order of the entries.
    """
    fields: list[JsonField] = []
    texts: dict[str, list[JsonField]] = {}
    # Entries share the text of their project and of their task, which is written once for neighbouring fields.
    for number, (thing, run) in enumerate(groupby(keys, _thing_of)):
        if thing is None:
            fields += [_TOTAL_FIELDS[name]._replace(usual=_USUAL.get(name)) for name in run]
        else:
            fields.append(JsonField(f"{thing}_{number}", JsonKind.members))
            texts[fields[-1].name] = [(_PROJECT_FIELDS | _TASK_FIELDS)[name] for name in run]
    of_project = {text: members for text, members in texts.items() if text.startswith("project")}
    columns = {"project_id": projects.c.id, "project_name": projects.c.name}
    columns |= {"client_id": projects.c.client_id, "client_name": clients.c.name}
    written = (json_members(columns, members).label(text) for text, members in of_project.items())
    project = (
        select(projects.c.id, projects.c.name, *written)
        .select_from(projects.outerjoin(clients, and_(in_organization(clients), clients.c.id == projects.c.client_id)))
        .where(in_organization(projects))
        .subquery("project")
    )
    task_of_part = and_(in_organization(tasks), tasks.c.id == parts.c.task_id)
    named = (
        select(
            *parts.c,
            collate(project.c.name, "C").label("project_name"),
            collate(tasks.c.name, "C").label("task_name"),
            *(project.c[text] for text in of_project),
        )
        .select_from(parts.outerjoin(project, project.c.id == parts.c.project_id).outerjoin(tasks, task_of_part))
        .subquery("named")
    )
    by = ["user_id", "day", "project_name", "task_name", "project_id", "task_id", *of_project]
    entries = _summed(named, by, names).subquery("entries")
    shown: dict[str, ColumnElement[Any]] = {**dict(entries.c)}
    if "activity_percent" in keys:
        shown["activity_percent"] = activity_percent(entries)
    for text, members in texts.items():
        own = shown[text] if text in of_project else json_members(shown, members)
        shown[text] = func.coalesce(own, json_nulls(members))
    order = [entries.c[name].nulls_last() for name in ("project_name", "task_name", "project_id", "task_id")]
    array = json_array(shown, fields, order).label("entries")
    return _summed(entries, ["user_id", "day"], names, array)


def _thing_of(key: str) -> str | None:
    """What a key of an entry is a field of, unless it is a total."""
    return "project" if key in _PROJECT_FIELDS else "task" if key in _TASK_FIELDS else None


def _users(days: FromClause, names: Iterable[str], keys: Iterable[str] | None) -> Select[Any]:
    """The sums of each user, with JSON of the days, which have these keys."""
    day = days.c.day
    columns: dict[str, ColumnElement[Any]] = {
        **dict(days.c),
        "date": EDGES.c.dates[day],
        "day_length_seconds": seconds_between(EDGES.c.lows[day], EDGES.c.highs[day]),
    }
    more: list[ColumnElement[Any]] = []
    if "tracked_seconds" in days.c:
        more.append(func.count().filter(days.c.tracked_seconds > 0).label("days_worked"))
    if keys is not None:
        if "activity_percent" in keys:
            columns["activity_percent"] = activity_percent(days)
        more.append(json_array(columns, [_DAY_FIELDS[key] for key in keys], [day]).label("days"))
    return _summed(days, ["user_id"], names, *more).select_from(days.join(EDGES, true()))
