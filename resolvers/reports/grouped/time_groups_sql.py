"""SQL of time by group: sums of time, and of what it costs customers, by days, people, teams and work.

The parts that are summed are those of time activity, so that the sums are the same. A part of a person in two teams is
in the sums of both. One statement finds the people, sums, sorts, and reads one page with the number of all groups.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    ColumnElement,
    Date,
    Integer,
    Numeric,
    Uuid,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.elements import KeyedColumnElement
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from db.tables.people import Weekday, members, organizations, team_members
from resolvers.lists.filters import identifier, team
from resolvers.relations.live import is_live
from resolvers.reports.day_slices_sql import EDGES
from resolvers.reports.grouped.bill_rates_sql import rated
from resolvers.reports.time_totals_sql import SUMS, activity_percent, time_parts

MAX_STATEMENTS = 256
"""Statements that stay compiled, one for each variant; the least recently used is dropped."""


class TimeGroup(StrEnum):
    """What time is grouped by."""

    day = "day"
    week = "week"
    month = "month"
    member = "member"
    team = "team"
    project = "project"
    client = "client"
    task = "task"
    billable = "billable"

    @property
    def column(self) -> str:
        """The column of the group."""
        return _COLUMNS[self]


_COLUMNS = {
    TimeGroup.day: "date",
    TimeGroup.week: "week_start",
    TimeGroup.month: "month_start",
    TimeGroup.member: "user_id",
    TimeGroup.team: "team_id",
    TimeGroup.project: "project_id",
    TimeGroup.client: "client_id",
    TimeGroup.task: "task_id",
    TimeGroup.billable: "is_billable",
}


class TimeGroupOrder(StrEnum):
    """How groups are sorted: by themselves, or by a sum, the largest first. The value of a sum is its column."""

    group = "group"
    tracked_seconds = "tracked_seconds"
    manual_seconds = "manual_seconds"
    billable_seconds = "billable_seconds"
    idle_seconds = "idle_seconds"
    discarded_idle_seconds = "discarded_idle_seconds"
    break_seconds = "break_seconds"
    paid_break_seconds = "paid_break_seconds"
    input_seconds = "input_seconds"
    active_seconds = "active_seconds"
    timesheets_count = "timesheets_count"


PEOPLE = {
    filter.name: filter
    for filter in (
        identifier("user_id", members.c.user_id, "Only this person."),
        team(members.c.user_id),
    )
}
"""The filters by person. With a team, groups by team are those of this team only."""

IS_BILLABLE = bind("is_billable", Boolean())

LIMIT, OFFSET = bind("limit", Integer()), bind("offset", Integer())

RATED_SUMS = (*SUMS, "timesheets_count")


class TimeGroupsVariant(NamedTuple):
    """What the SQL of a statement depends on: the groups, their order, and the names of the filters that have a value.

    Filters by project, client and task have no influence: they are those of the day slices.
    """

    groups: Sequence[TimeGroup]
    order: TimeGroupOrder
    filters: frozenset[str]


@lru_cache(MAX_STATEMENTS)
def time_groups(variant: TimeGroupsVariant) -> Statement:
    """The statement of a variant: one page of groups with the number of all; without a group, one row of nulls."""
    groups = _sums(_by_currency(_daily(variant), variant), variant).cte("groups")
    keys = [groups.c[key.column].nulls_last() for key in variant.groups]
    is_by_sum = variant.order is not TimeGroupOrder.group
    order = [groups.c[variant.order.value].desc(), *keys] if is_by_sum else keys
    numbered = select(*groups.c, func.row_number().over(order_by=order or None).label("number")).subquery("numbered")
    page = select(*numbered.c).order_by(numbered.c.number).limit(LIMIT).offset(OFFSET).subquery("page")
    total = select(func.count().label("group_count")).select_from(groups).subquery("total")
    columns = [page.c[key.column] if key in variant.groups else null().label(key.column) for key in TimeGroup]
    sums = [column for column in page.c if column.name not in {key.column for key in variant.groups}]
    return Statement(
        select(total.c.group_count, *columns, *sums, activity_percent(page).label("activity_percent"))
        .select_from(total.outerjoin(page, true()))
        .order_by(page.c.number)
    )


def _people(filters: frozenset[str]) -> ColumnElement[Any]:
    """An array of the people whose time is summed: those that are not deleted, as in time activity."""
    conditions = [PEOPLE[name].where for name in sorted(filters & PEOPLE.keys())]
    found = select(members.c.user_id).where(in_organization(members), members.c.deleted_at.is_(None), *conditions)
    return func.array(found.scalar_subquery(), type_=ARRAY(Uuid()))


def _daily(variant: TimeGroupsVariant) -> FromClause:
    """The sums of each person, day, project, task, and of billable and other time."""
    parts = time_parts(_people(variant.filters))
    keys = [parts.c[name] for name in ("user_id", "day", "project_id", "task_id", "is_billable")]
    tracked = func.sum(parts.c.tracked_seconds)
    sums = {name: func.sum(parts.c[name]) for name in SUMS if name in parts.c} | {
        "manual_seconds": tracked.filter(parts.c.is_manual),
        "billable_seconds": tracked.filter(parts.c.is_billable),
    }
    daily = (
        select(
            *keys,
            *(cast(func.coalesce(sums[name], 0), BigInteger).label(name) for name in SUMS),
            func.count(parts.c.id).label("slices"),
            func.count().filter(parts.c.is_first).label("first_slices"),
        )
        .group_by(*keys)
        .subquery("daily_sums")
    )
    dates = EDGES.c.dates
    columns = [column for column in daily.c if column.name not in {"slices", "first_slices"}]
    date, day_before = dates[daily.c.day], dates[daily.c.day - literal(1, Integer())]
    return (
        select(*columns, date.label("date"), _timesheets(daily, date, day_before, variant).label("timesheets_count"))
        .select_from(daily.join(EDGES, true()))
        .where(*_billing(daily, variant))
        .offset(0)
        .subquery("daily")
    )


def _billing(daily: FromClause, variant: TimeGroupsVariant) -> list[ColumnElement[bool]]:
    """The filter by `is_billable`. As each filter by content, it excludes breaks outside timesheets."""
    if IS_BILLABLE.key not in variant.filters:
        return []
    return [daily.c.is_billable == IS_BILLABLE, daily.c.slices > literal(0, Integer())]


def _timesheets(
    daily: FromClause, date: ColumnElement[Any], day_before: ColumnElement[Any], variant: TimeGroupsVariant
) -> ColumnElement[int]:
    """How many timesheets of a day count in its group: those that had no slice in the same group on the day before.

    A timesheet has one slice on each of its days, which follow each other. Each is of one group of the others.
    """
    if TimeGroup.day in variant.groups:
        return daily.c.slices
    begins = [_period(key, date) != _period(key, day_before) for key in variant.groups if key in _PERIODS]
    return case((or_(*begins), daily.c.slices), else_=daily.c.first_slices) if begins else daily.c.first_slices


_week_start_day = select(
    case(
        {day.value: number for number, day in enumerate(Weekday, start=1)},
        value=organizations.c.week_start_day,
    )
).where(in_organization(organizations))


def _week_start(date: ColumnElement[Any]) -> ColumnElement[Any]:
    days = (cast(func.date_part("isodow", date), Integer) + 7 - _week_start_day.scalar_subquery()) % 7
    return cast(date - days, Date)


def _month_start(date: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast(date - cast(func.date_part("day", date) - 1, Integer), Date)


_PERIODS = {TimeGroup.week: _week_start, TimeGroup.month: _month_start}


def _period(key: TimeGroup, date: ColumnElement[Any]) -> ColumnElement[Any]:
    """The first day of the week or the month of a date."""
    return _PERIODS[key](date)


def _by_currency(daily: FromClause, variant: TimeGroupsVariant) -> FromClause:
    """The sums of each group and currency. `cost` is 3,600 times the amount, so that nothing is rounded here."""
    time = rated(daily)
    source = time.source
    keys: dict[TimeGroup, ColumnElement[Any]] = {}
    keys |= {key: daily.c[key.column] for key in variant.groups if key.column in daily.c}
    keys |= {key: _period(key, daily.c.date) for key in variant.groups if key in _PERIODS}
    if TimeGroup.client in variant.groups:
        keys[TimeGroup.client] = time.client_id
    if TimeGroup.team in variant.groups:
        teams = _teams(variant.filters)
        source = source.outerjoin(teams, teams.c.user_id == daily.c.user_id)
        keys[TimeGroup.team] = teams.c.team_id
    columns = (
        select(
            *(keys[key].label(key.column) for key in variant.groups),
            *(daily.c[name] for name in RATED_SUMS),
            time.currency.label("currency"),
            (daily.c.billable_seconds * time.rate).label("cost"),
        )
        .select_from(source)
        .subquery("rated")
    )
    by = [*(columns.c[key.column] for key in variant.groups), columns.c.currency]
    sums = [_sum(columns.c[name]) for name in RATED_SUMS]
    cost = cast(func.sum(columns.c.cost), Numeric()).label("cost")
    return select(*by, *sums, cost).group_by(*by).subquery("by_currency")


def _teams(filters: frozenset[str]) -> FromClause:
    """The current teams of each person; with the filter by team, this team only."""
    one = [team_members.c.team_id == bind("team_id", Uuid())] if "team_id" in filters else []
    return (
        select(team_members.c.user_id, team_members.c.team_id)
        .where(in_organization(team_members), is_live(team_members), *one)
        .subquery("current_teams")
    )


def _sums(rows: FromClause, variant: TimeGroupsVariant) -> Any:
    """The sums of each group, with arrays of the currencies of its rates and of the sums in each."""
    by = [rows.c[key.column] for key in variant.groups]
    has_cost = and_(rows.c.currency.is_not(None), rows.c.billable_seconds > literal(0, BigInteger()))
    arrays = (
        func.array_agg(aggregate_order_by(rows.c[name], rows.c.currency)).filter(has_cost).label(label)
        for name, label in (
            ("currency", "currencies"),
            ("cost", "costs"),
            ("billable_seconds", "seconds_by_currency"),
        )
    )
    return select(*by, *(_sum(rows.c[name]) for name in RATED_SUMS), *arrays).group_by(*by)


def _sum(column: KeyedColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger).label(column.name)
