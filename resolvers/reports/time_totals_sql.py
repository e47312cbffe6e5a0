"""SQL of time totals: tracked time by user, by day, and by project and task, in one statement for a page of users.

Breaks are not tracked time, nor is idle time that was discarded or reassigned. Time that is both is a break. So the
length of a slice = its tracked + discarded idle + break seconds. Payable time = tracked + paid break seconds; time in a
paid and an unpaid break is unpaid. Each level sums the one below, so that all levels agree exactly. A timesheet across
midnight counts once for the user and once on each of its days.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    DateTime,
    Integer,
    Select,
    Uuid,
    and_,
    case,
    cast,
    collate,
    func,
    literal,
    null,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.selectable import FromClause

from db.reading.json_array import Keys
from db.reading.statement import Statement
from db.tables.columns import constant, in_organization
from db.tables.work import clients, projects, tasks
from resolvers.relations.relation import KEYS
from resolvers.reports.day_slices_sql import (
    COUNTERS,
    EDGES,
    OF_CLIENT,
    OF_PROJECT,
    OF_TASK,
    DaySlices,
    day_slices,
    slots_of,
)
from resolvers.reports.interval_sql import (
    difference,
    intersection,
    seconds_between,
    seconds_in,
)
from resolvers.values.json_sql import JsonField, JsonKind, json_array, json_members, json_nulls

TIME_SUMS = (
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"),
    *("discarded_idle_seconds", "break_seconds", "paid_break_seconds", *COUNTERS, "locked_seconds"),
)

TOTALS = (*TIME_SUMS[:-1], "activity_percent", "timesheets_count", "locked_seconds")
"""The totals of each level, in the order of the response."""

_USUAL = {"timesheets_count": 1} | dict.fromkeys(
    (
        "manual_seconds",
        "idle_seconds",
        "discarded_idle_seconds",
        "break_seconds",
        "paid_break_seconds",
        "locked_seconds",
    ),
    0,
)
"""What most entries have."""


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

ZERO = literal(0, Integer())


PART_COLUMNS = (
    *("user_id", "day", "project_id", "task_id", "begin", "end", "is_slice", "is_first", "is_first_of_day"),
    *("is_manual", "is_billable", "is_locked"),
    *("tracked_seconds", "idle_seconds", "discarded_idle_seconds", "break_seconds", "paid_break_seconds", *COUNTERS),
)
"""The columns of parts of time. Manual, billable and locked seconds are the tracked seconds of some of them."""

_OF_IDLE = frozenset({"tracked_seconds", "idle_seconds", "discarded_idle_seconds"})
"""Columns that depend on idle times."""


def _slice_ranges(time: DaySlices, counters: Sequence[str], *, has_idle: bool, has_kept: bool) -> FromClause:
    """Each slice with its breaks and idle times as multiranges, null where there are none, and its slots' counters."""
    slices, breaks, idle = time.slices.c, time.breaks.c, time.idle.c
    meets = func.multirange_overlaps_range(breaks.ranges, func.tstzrange(slices.begin, slices.end), type_=Boolean())
    of_day = and_(breaks.user_id == slices.user_id, breaks.day == slices.day, meets)
    source = time.slices.outerjoin(time.breaks, of_day)
    ranges = {"breaks": breaks.ranges, "paid_breaks": breaks.paid_ranges}
    if has_idle:
        source = source.outerjoin(time.idle, and_(idle.timesheet_id == slices.id, idle.user_id == slices.user_id))
        ranges["discarded"] = idle.discarded_ranges
    if has_kept:
        ranges["kept"] = idle.kept_ranges
    columns = {name: intersection(slices.begin, slices.end, each) for name, each in ranges.items()}
    if counters:
        columns["slots"] = slots_of(time.slices, counters)
    # OFFSET keeps PostgreSQL from writing the expressions once for each use.
    found = select(*slices, *(each.label(name) for name, each in columns.items())).select_from(source)
    return found.offset(constant(0)).subquery("slice_ranges")


def _slice_seconds(time: DaySlices, names: AbstractSet[str]) -> CTE:
    """Each slice with its seconds of every kind."""
    counters = [name for name in COUNTERS if name in names]
    has_idle, has_kept = not names.isdisjoint(_OF_IDLE), "idle_seconds" in names
    slices = _slice_ranges(time, counters, has_idle=has_idle, has_kept=has_kept)
    breaks = slices.c.breaks
    columns: dict[str, ColumnElement[Any]] = {name: column for name, column in slices.c.items() if name in names}
    columns |= {"is_slice": true(), "break_seconds": seconds_in(breaks)}
    columns["paid_break_seconds"] = seconds_in(slices.c.paid_breaks)
    if has_idle:
        columns["discarded_idle_seconds"] = seconds_in(difference(slices.c.discarded, breaks))
    if has_kept:
        columns["idle_seconds"] = seconds_in(difference(slices.c.kept, breaks))
    if counters:
        of_slots = slices.c.slots
        is_all = and_(slices.c.is_whole, slices.c.is_first_of_day)
        columns |= {
            name: case((is_all, slices.c[name]), else_=func.coalesce(of_slots[number], 0))
            for number, name in enumerate(counters, start=1)
        }
    if "tracked_seconds" in names:
        columns["slice_seconds"] = cast(seconds_between(slices.c.begin, slices.c.end), Integer)
    parts = select(*(each.label(name) for name, each in columns.items())).offset(constant(0)).subquery("seconds")
    shown: dict[str, ColumnElement[Any]] = dict(parts.c)
    if "tracked_seconds" in names:
        untracked = parts.c.discarded_idle_seconds + parts.c.break_seconds
        shown["tracked_seconds"] = parts.c.slice_seconds - untracked
    return select(*(shown[name].label(name) for name in PART_COLUMNS if name in names)).cte("slice_seconds")


def _untracked_breaks(time: DaySlices, slices: CTE) -> Select[Any]:
    """Breaks outside every slice. They have no project and no task, so each filter by content excludes them.

    Slices are disjoint, so that the seconds of breaks outside them are all but those inside.
    """
    breaks = time.breaks.c
    kinds = {"break_seconds": breaks.ranges, "paid_break_seconds": breaks.paid_ranges}
    kinds = {name: ranges for name, ranges in kinds.items() if name in slices.c}
    inside = (
        select(slices.c.user_id, slices.c.day, *(func.sum(slices.c[name]).label(name) for name in kinds))
        .where(slices.c.break_seconds > ZERO)
        .group_by(slices.c.user_id, slices.c.day)
        .subquery("inside")
    )
    outside = {
        name: cast(seconds_in(ranges) - func.coalesce(inside.c[name], 0), Integer) for name, ranges in kinds.items()
    }
    seconds = (
        select(breaks.user_id, breaks.day, *(each.label(name) for name, each in outside.items()))
        .select_from(
            time.breaks.outerjoin(inside, and_(inside.c.user_id == breaks.user_id, inside.c.day == breaks.day))
        )
        .where(OF_PROJECT.is_(None), OF_CLIENT.is_(None), OF_TASK.is_(None))
        .offset(constant(0))
        .subquery("outside")
    )
    columns: dict[str, ColumnElement[Any]] = {name: ZERO for name in PART_COLUMNS if name.endswith("_seconds")}
    columns |= {name: cast(null(), Uuid()) for name in ("project_id", "task_id")}
    columns |= {name: cast(null(), DateTime(timezone=True)) for name in ("begin", "end")}
    columns |= {name: literal(False, Boolean()) for name in PART_COLUMNS if name.startswith("is_")}
    columns |= dict(seconds.c)
    shown = (columns[column.name].label(column.name) for column in slices.c)
    return select(*shown).where(seconds.c.break_seconds > ZERO)


def time_parts(users: ColumnElement[Any], columns: Iterable[str] = PART_COLUMNS) -> FromClause:
    """The time of the users in an array, in parts of one user and day, with these columns, and some that they need.

    A part is a slice of a timesheet (`is_slice`), or the time of breaks outside timesheets. Only the first slice of a
    timesheet on a day has its counters.
    """
    names = {*columns, "user_id", "day", "break_seconds"}
    if "tracked_seconds" in names:
        names.add("discarded_idle_seconds")
    time = day_slices(users, [name for name in COUNTERS if name in names], has_kept="idle_seconds" in names)
    slices = _slice_seconds(time, names)
    return union_all(select(*slices.c), _untracked_breaks(time, slices)).subquery("parts")


def _entries(parts: FromClause) -> FromClause:
    """The totals of each project and task on each day, with their names.

    Names are joined before the sums and lead their keys, so that one sort serves the sums and the order of the entries.
    """
    columns = {name: projects.c[name.removeprefix("project_")] for name in ("project_id", "project_name", "client_id")}
    project = (
        select(
            projects.c.id,
            projects.c.name,
            json_members({**columns, "client_name": clients.c.name}, _PROJECT_FIELDS).label("json"),
        )
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
    rows: FromClause,
    keys: Sequence[str],
    timesheets_count: ColumnElement[int],
    type_of: Callable[[str], Integer],
    *columns: ColumnElement[Any],
) -> Select[Any]:
    """The sums of rows that have totals, by the columns `keys`."""
    by = [rows.c[key] for key in keys]
    return select(
        *by,
        *(cast(func.sum(rows.c[name]), type_of(name)).label(name) for name in (*TIME_SUMS, "first_slices")),
        cast(func.sum(timesheets_count), type_of("timesheets_count")).label("timesheets_count"),
        func.min(rows.c.first_started_at).label("first_started_at"),
        func.max(rows.c.last_ended_at).label("last_ended_at"),
        *columns,
    ).group_by(*by)


def _of_user(_: str) -> Integer:
    """The type of a sum of a range of days."""
    return BigInteger()


def _by_day(entries: FromClause) -> FromClause:
    """The totals of each day, with its entries as JSON."""
    order = [entries.c[name].nulls_last() for name in ("project_name", "task_name", "project_id", "task_id")]
    task = func.coalesce(json_members(dict(entries.c), _TASK_FIELDS), json_nulls(_TASK_FIELDS))
    project = func.coalesce(entries.c.project, json_nulls(_PROJECT_FIELDS))
    array = json_array({**dict(entries.c), "project": project, "task": task}, ENTRY_FIELDS, order).label("entries")
    return _summed(entries, ["user_id", "day"], entries.c.timesheets_count, _type_of, array).subquery("day_totals")


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
    sums = _summed(days, ["user_id"], days.c.first_slices, _of_user, worked, array)
    return sums.select_from(days.join(EDGES, true()))


_totals = _by_user(_by_day(_entries(time_parts(KEYS)))).subquery("totals")

TIME_TOTALS = Statement(
    select(
        *(column for column in _totals.c if column.name != "first_slices"),
        activity_percent(_totals).label("activity_percent"),
    )
)
"""The totals of each user; `resolvers.reports.day_slices_sql` names its parameters."""
