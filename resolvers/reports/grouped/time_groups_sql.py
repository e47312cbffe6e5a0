"""SQL of time by group: sums of time, and of what it costs customers and the organization, by days, people and work.

The parts that are summed are those of time activity, so that the sums are the same. A part of a person in two teams is
in the sums of both. One statement finds the people, sums, sorts, and reads one page with the number of all groups.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Numeric,
    Select,
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
from sqlalchemy.sql.elements import KeyedColumnElement
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.people import members
from db.tables.timesheets import timesheets
from db.tables.work import projects
from resolvers.lists.list_sql import LIMIT, OFFSET
from resolvers.lists.orders import ASCENDING
from resolvers.lists.where import columns_inside
from resolvers.records.interval_sql import EDGES
from resolvers.relations.relation import any_key
from resolvers.reports.grouped.compared_groups_sql import PERIODS_OF, compared_groups
from resolvers.reports.grouped.hourly_rates_sql import RateKind, rate_columns, settings_rates, work_rates
from resolvers.reports.grouped.summed_people_sql import current_teams, user_ids
from resolvers.reports.grouped.summed_time_sql import HASHED, summed_time
from resolvers.reports.grouped.time_conditions import TIME_WHERE, compared_currency, conditions_on
from resolvers.reports.grouped.variants import SumKind, TimeGroup, TimeGroupsVariant
from resolvers.values.amounts import rounded_amount
from resolvers.values.json_sql import JsonField, JsonKind, json_array
from resolvers.values.percent import percent
from resolvers.values.planner import FENCE

SECONDS_OF_HOUR = 3600

AMOUNTS = {
    "billable_amounts": ("currency", "amount", "billable_seconds"),
    "margins": ("currency", "billable_amount", "billable_seconds", "cost", "paid_seconds", "margin", "margin_percent"),
}
"""The amounts of a group, which are JSON, with the keys of each currency."""


def time_groups(variant: TimeGroupsVariant) -> Statement:
    """The statement of a variant: one page of groups with the number of all, below each parent if there are any."""
    groups = compared_groups(_groups(variant).subquery("summed"), variant).cte("groups")
    order = [groups.c[key.column].nulls_last() for key in variant.groups]
    if variant.order is not None:
        name, direction = variant.order
        first = groups.c[name] if direction == ASCENDING else groups.c[name].desc()
        order = [first.nulls_last(), *order]
    parent = variant.people.parent
    by = [] if parent is None else [groups.c[parent.column]]
    number = func.row_number().over(partition_by=by or None, order_by=order or None).label("number")
    numbered = select(*groups.c, number).subquery("numbered")
    is_on_page = and_(numbered.c.number > OFFSET, numbered.c.number <= OFFSET + LIMIT)
    page = select(*numbered.c).where(is_on_page).subquery("page")
    total = select(func.count().label("group_count"), *by).select_from(groups).group_by(*by).subquery("total")
    columns = [page.c[key.column] if key in variant.groups else null().label(key.column) for key in TimeGroup]
    sums = [column for column in page.c if column.name not in {key.column for key in variant.keys}]
    is_of_parent = true() if parent is None else page.c[parent.column] == total.c[parent.column]
    of_parent = (null() if parent is None else total.c[parent.column]).label("parent_key")
    found = select(total.c.group_count, of_parent, *columns, *sums)
    return Statement(found.select_from(total.outerjoin(page, is_of_parent)).order_by(page.c.number))


_PART_GROUPS = (TimeGroup.member, TimeGroup.project, TimeGroup.task, TimeGroup.billable)
"""The groups whose columns parts of time have."""

_OF_PERSON = {TimeGroup.team, TimeGroup.department}
"""The groups that depend on the person."""


def _times(variant: TimeGroupsVariant) -> FromClause:
    """Sums of time with the columns of their groups; with amounts, also with what their rates depend on.

    Days are in the groups, or in what a rate depends on, only where they must be: without them, there are few groups.
    """
    needs_project = bool(variant.rates) or TimeGroup.client in variant.keys
    keys = dict.fromkeys(key.column for key in _PART_GROUPS if key in variant.keys)
    keys |= dict.fromkeys(["project_id"] if needs_project else [])
    keys |= dict.fromkeys(["user_id"] if not _OF_PERSON.isdisjoint(variant.keys) or variant.rates else [])
    keys |= dict.fromkeys(["is_billable", "rate_date"] if variant.rates else [])
    keys |= dict.fromkeys(["date"] if not PERIODS_OF.keys().isdisjoint(variant.keys) else [])
    is_counted, conditions = partial(_is_counted, variant), partial(_conditions, variant)
    times = summed_time(user_ids(variant.people), [*keys], variant.sums, is_counted, conditions)

    source: FromClause = times
    columns: dict[str, ColumnElement[Any]] = {name: times.c[name] for name in (*keys, *variant.sums)}
    columns |= {key.column: period(times.c.date) for key, period in PERIODS_OF.items() if key in variant.keys}
    if needs_project:
        source = source.outerjoin(projects, and_(in_organization(projects), projects.c.id == times.c.project_id))
        columns[TimeGroup.client.column] = projects.c.client_id
    if TimeGroup.team in variant.keys:
        teams = current_teams(variant.people)
        source = source.outerjoin(teams, teams.c.user_id == times.c.user_id)
        columns[TimeGroup.team.column] = teams.c.team_id
    if TimeGroup.department in variant.keys:
        source = source.outerjoin(members, and_(in_organization(members), members.c.user_id == times.c.user_id))
        columns[TimeGroup.department.column] = members.c.department
    for kind in variant.rates:
        source, rates = work_rates(kind, source, times)
        columns |= rates
    # The fence makes PostgreSQL estimate the groups by their columns, and not by those of the joined tables: it expects
    # as many groups as rows otherwise, and sorts.
    shown = (column.label(name) for name, column in columns.items())
    return select(*shown, HASHED).select_from(source).offset(FENCE).subquery("times")


def _conditions(variant: TimeGroupsVariant, parts: FromClause) -> Iterable[ColumnElement[bool]]:
    """The conditions on parts of time: those of `where`, and those of the parents that are no people."""
    yield from conditions_on(variant.where, parts)
    parent = variant.people.parent
    if parent in (TimeGroup.project, TimeGroup.client, TimeGroup.task):
        yield columns_inside(timesheets, parts)(TIME_WHERE.columns[parent.column]) == any_key()


def _is_counted(variant: TimeGroupsVariant, parts: FromClause) -> ColumnElement[bool]:
    """Whether a part is the first one of its timesheet in its group.

    The days of a timesheet follow each other. Each of its slices is of one group of the others.
    """
    if TimeGroup.day in variant.groups:
        return parts.c.is_first_of_day
    date, day_before = EDGES.c.dates[parts.c.day], EDGES.c.dates[parts.c.day - literal(1, Integer())]
    begins = [period(date) != period(day_before) for key, period in PERIODS_OF.items() if key in variant.groups]
    return or_(parts.c.is_first, and_(parts.c.is_first_of_day, or_(*begins))) if begins else parts.c.is_first


def _groups(variant: TimeGroupsVariant) -> Select[Any]:
    """The sums of each group."""
    times = _times(variant)
    sums = [_sum(times.c[name]) for name in variant.sums]
    names = [key.column for key in variant.keys]
    if not variant.rates:
        by = [times.c[name] for name in names]
        return select(*by, *sums).group_by(*by)
    by = [times.c[name] for name in (*names, *(name for kind in variant.rates for name in rate_columns(kind)))]
    by_rate = select(*by, *sums).group_by(*by, times.c.hashed).subquery("by_rate")
    return _with_amounts(_by_currency(by_rate, variant), variant)


def _by_currency(by_rate: FromClause, variant: TimeGroupsVariant) -> FromClause:
    """The sums of each group and currency. Costs are 3,600 times the amount, so that nothing is rounded here.

    Time may be billed in one currency and paid in another: it counts once for each kind of rates, and its sums are in
    the currency of the first kind.
    """
    source, rated = by_rate, list[ColumnElement[Any]]()
    for kind in variant.rates:
        source, rate, currency = settings_rates(kind, source, by_rate)
        payable: ColumnElement[Any] = by_rate.c.billable_seconds
        if kind is RateKind.pay:
            payable = by_rate.c.tracked_seconds + by_rate.c.paid_break_seconds
        columns = {"currency": currency, "seconds": payable, "cost": payable * rate}
        rated += [column.label(f"{kind.name}_{name}") for name, column in columns.items()]
    keys = [key.column for key in variant.keys]
    times = select(*(by_rate.c[name] for name in (*keys, *variant.sums)), *rated).select_from(source).offset(FENCE)
    rows = times.subquery("rated")
    number = func.generate_series(1, len(variant.rates)).column_valued("kind")
    is_of = {kind: number == place for place, kind in enumerate(variant.rates, start=1)}
    own_currency = case(*((is_own, rows.c[f"{kind.name}_currency"]) for kind, is_own in is_of.items()))
    by = [*(rows.c[name] for name in keys), own_currency.label("currency")]
    sums = [_sum(rows.c[name], is_of[variant.rates[0]]) for name in variant.sums]
    for kind, is_own in is_of.items():
        cost = rows.c[f"{kind.name}_cost"]
        sums += [_sum(rows.c[f"{kind.name}_seconds"], is_own), func.sum(cost).filter(is_own).label(cost.name)]
    return select(*by, *sums).select_from(rows.join(number.scalar_alias, true())).group_by(*by).subquery("by_currency")


def _with_amounts(rows: FromClause, variant: TimeGroupsVariant) -> Select[Any]:
    """The sums of each group, with JSON of the amounts in each currency; null where there are none."""
    by = [rows.c[key.column] for key in variant.keys]
    zero = literal(0, BigInteger())
    costs = [func.coalesce(rows.c[f"{kind.name}_cost"], literal(0, Numeric())) for kind in variant.rates]
    amounts = [rounded_amount(cost / literal(SECONDS_OF_HOUR, Integer()), rows.c.currency) for cost in costs]
    has_time = [rows.c[f"{kind.name}_seconds"] > zero for kind in variant.rates]
    columns = {"currency": rows.c.currency, "amount": amounts[0], "billable_seconds": rows.c.bill_seconds}
    shown, in_currency = {"billable_amounts": has_time[0]}, {"billable_amount": (amounts[0], has_time[0])}
    if SumKind.margins in variant.kinds:
        columns |= {"billable_amount": amounts[0], "cost": amounts[1], "margin": amounts[0] - amounts[1]}
        columns |= {"paid_seconds": rows.c.pay_seconds, "margin_percent": percent(columns["margin"], amounts[0])}
        shown["margins"] = or_(*has_time)
        in_currency |= {"cost": (amounts[1], has_time[1]), "margin": (columns["margin"], shown["margins"])}
    arrays = (
        json_array(
            columns,
            [_amount_field(key, columns[key]) for key in AMOUNTS[name]],
            [rows.c.currency],
            where=and_(rows.c.currency.is_not(None), is_shown),
        ).label(name)
        for name, is_shown in shown.items()
    )
    compared = (
        func.sum(amount).filter(rows.c.currency == compared_currency(), is_shown).label(name)
        for name, (amount, is_shown) in in_currency.items()
        if name in variant.compared
    )
    return select(*by, *(_sum(rows.c[name]) for name in variant.sums), *arrays, *compared).group_by(*by)


def _amount_field(key: str, column: ColumnElement[Any]) -> JsonField:
    kind = JsonKind.bare if isinstance(column.type, Integer) else JsonKind.quoted
    return JsonField(key, kind, is_required=key != "margin_percent")


def _sum(column: KeyedColumnElement[Any], *where: ColumnElement[bool]) -> ColumnElement[Any]:
    total = func.sum(column)
    return cast(func.coalesce(total.filter(*where) if where else total, 0), BigInteger).label(column.name)
