"""SQL of what is made of the sums of groups: shares, what is expected of people, and comparisons with estimates."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Date,
    Integer,
    Select,
    Text,
    and_,
    cast,
    column,
    func,
    literal,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.sql import any_
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from db.tables.people import members
from db.tables.work import tasks
from resolvers.lists.calendar_sql import PERIODS
from resolvers.lists.list_sql import DATES
from resolvers.relations.relation import KEYS, id_rows
from resolvers.reports.grouped.summed_people_sql import current_teams, user_ids
from resolvers.reports.grouped.time_conditions import TIME_HAVING
from resolvers.reports.grouped.variants import SumKind, TimeGroup, TimeGroupsVariant
from resolvers.reports.time_activity import HAS_ROW
from resolvers.reports.time_totals_sql import activity_percent
from resolvers.values.percent import percent

OVER_ESTIMATE = bind("over_estimate", Boolean())

PERIODS_OF = {key: PERIODS[key.column][0] for key in (TimeGroup.day, TimeGroup.week, TimeGroup.month)}
"""The first day of the period of a date."""

SHARES: Mapping[str, tuple[str, str]] = {
    "billable_percent": ("billable_seconds", "tracked_seconds"),
    "idle_percent": ("idle_seconds", "tracked_seconds"),
    "utilization_percent": ("tracked_seconds", "expected_seconds"),
    "estimate_used_percent": ("tracked_seconds", "estimate_seconds"),
    "margin_percent": ("margin", "billable_amount"),
}
"""Sums that are percentages: of what, and what is the whole."""

_OF_WEEK = {"expected_seconds": members.c.expected_weekly_seconds, "limit_seconds": members.c.weekly_limit_seconds}
"""Sums of what is set for a week of a person, of which each day has a seventh."""

_DAYS_OF_WEEK = literal(7, BigInteger())


def compared_groups(summed: FromClause, variant: TimeGroupsVariant) -> Select[Any]:
    """Groups with what is made of their sums, for which the comparisons with these are true.

    The estimate is that of their task, and null without one. A parent without time has one group of all time, too.
    """
    source, columns, conditions = summed, dict[str, ColumnElement[Any]](summed.c), list[ColumnElement[bool]]()
    parent = variant.people.parent
    zeros = {name: func.coalesce(columns[name], literal(0, BigInteger())) for name in variant.sums}
    if parent is not None and not variant.groups:
        parents = id_rows(KEYS, "key", "parents")
        source = parents.outerjoin(summed, summed.c[parent.column] == parents.c.key)
        columns |= zeros | {parent.column: parents.c.key}
    if SumKind.expected in variant.kinds and not is_of_people(variant.keys):
        columns |= dict.fromkeys((*_OF_WEEK, "over_limit_seconds"), cast(null(), BigInteger))
    elif SumKind.expected in variant.kinds or variant.has_untracked:
        expected = _expected(variant).subquery("expected")
        keys = [key.column for key in variant.keys]
        is_same = _joined(expected.c, keys) == _joined(columns, keys) if keys else true()
        source = source.join(expected, is_same, isouter=True, full=variant.has_untracked)
        columns |= zeros | {name: expected.c[name] for name in _OF_WEEK}
        columns |= {key: func.coalesce(columns[key], expected.c[key]) for key in keys}
        columns["over_limit_seconds"] = columns["tracked_seconds"] - columns["limit_seconds"]
        if variant.has_untracked:
            conditions.append(or_(summed.c.timesheets_count.is_not(None), expected.c.is_there))
    if SumKind.counters in variant.kinds:
        columns["activity_percent"] = activity_percent(summed)
    if SumKind.estimates in variant.kinds:
        estimate: ColumnElement[Any] = cast(null(), BigInteger)
        if TimeGroup.task in variant.groups:
            source = source.outerjoin(tasks, and_(in_organization(tasks), tasks.c.id == columns["task_id"]))
            estimate = tasks.c.estimate_seconds
        columns |= {"estimate_seconds": estimate, "over_estimate_seconds": columns["tracked_seconds"] - estimate}
    for name, (part, whole) in SHARES.items():
        if part in columns and whole in columns:
            columns[name] = percent(columns[part], columns[whole])
    if variant.has_over_estimate:
        conditions.append((columns["over_estimate_seconds"] > literal(0, BigInteger())) == OVER_ESTIMATE)
    if variant.having is not None:
        conditions.append(TIME_HAVING.condition(variant.having, lambda each: columns[str(each.key)]))
    return select(*(each.label(name) for name, each in columns.items())).select_from(source).where(*conditions)


def is_of_people(keys: Iterable[TimeGroup]) -> bool:
    """Whether groups by these keys are of people and periods alone, so that something is expected of them."""
    return {*keys} <= {*PERIODS_OF, TimeGroup.member, TimeGroup.team, TimeGroup.department}


def _joined(columns: Any, keys: Iterable[str]) -> ColumnElement[Any]:
    """The keys of a group as one value, of which null equals null, so that groups can be joined by hash."""
    return array([cast(columns[key], Text) for key in keys])


def _expected(variant: TimeGroupsVariant) -> Select[Any]:
    """The sums of _OF_WEEK of each group of people and periods, for the people of time activity of the whole range.

    The days of a person in a period are those from `hired_on` to the last one, which is `left_on`, or the day of the
    removal in UTC. The part of each person is rounded down, as in time activity. `is_there` says whether anybody has
    such a day.
    """
    starts = [
        period(column("date", Date())).label(key.column) for key, period in PERIODS_OF.items() if key in variant.keys
    ]
    date = func.unnest(DATES).column_valued("date")
    ends = [func.min(date).label("first"), func.max(date).label("last")]
    periods = select(*starts, *ends).select_from(date.scalar_alias).group_by(*starts).subquery("periods")
    last_day = func.coalesce(members.c.left_on, cast(func.timezone("UTC", members.c.removed_at), Date))
    first, last = func.greatest(periods.c.first, members.c.hired_on), func.least(periods.c.last, last_day)
    # Days that the zone skipped are not among the dates.
    days = func.width_bucket(last, DATES) - func.width_bucket(first - literal(1, Integer()), DATES)
    days = func.greatest(cast(days, BigInteger), literal(0, BigInteger()))
    source: FromClause = members.join(periods, true())
    columns: dict[str, ColumnElement[Any]] = {**dict(periods.c), **dict(members.c)}
    if TimeGroup.team in variant.keys:
        teams = current_teams(variant.people)
        source = source.outerjoin(teams, teams.c.user_id == members.c.user_id)
        columns[TimeGroup.team.column] = teams.c.team_id
    by = [columns[key.column] for key in variant.keys]
    sums = (cast(func.sum(value * days // _DAYS_OF_WEEK), BigInteger).label(name) for name, value in _OF_WEEK.items())
    is_there = func.bool_or(days > literal(0, BigInteger())).label("is_there")
    own = and_(in_organization(members), members.c.user_id == any_(user_ids(variant.people)), HAS_ROW)
    return select(*by, *sums, is_there).select_from(source).where(own).group_by(*by)
