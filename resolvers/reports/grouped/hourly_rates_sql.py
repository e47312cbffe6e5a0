"""SQL of rates per hour: what an hour of a person costs the customer, and what it costs the organization, on a day.

The bill rate is that of the person's membership in the project, else that of the project, else that of the person's
payment settings on the day. A project with a fixed price has none. The pay rate is that of the membership, else that of
payment settings with pay by the hour. A membership that ended with the removal of the person, or with the deletion of
the project or the team, counts: time before it was worked for that rate. Rates are those of now: only payment settings
say from when they hold.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Date,
    Integer,
    and_,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by, distinct_on
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import in_organization
from db.tables.payroll import PayType, payment_settings
from db.tables.people import members, teams
from db.tables.work import BillingType, project_members, projects
from resolvers.relations.live import is_live


class RateKind(StrEnum):
    """A rate per hour: the name of its column in memberships and payment settings."""

    bill = "bill_rate"
    pay = "pay_rate"


def _ended_with(key: Column[Any], id_: Column[Any], moment: Column[Any]) -> ColumnElement[bool]:
    """Whether a membership ended at the `moment` of the row that it belongs to, whose `id_` its `key` has."""
    return exists().where(in_organization(id_.table), id_ == key, moment == project_members.c.deleted_at)


_with_parent = or_(
    _ended_with(project_members.c.user_id, members.c.user_id, members.c.removed_at),
    _ended_with(project_members.c.project_id, projects.c.id, projects.c.deleted_at),
    _ended_with(project_members.c.team_id, teams.c.id, teams.c.deleted_at),
)

_present = project_members.alias("present")
# The rate of one that ended is not that of one without a rate that the person has now.
_is_over = ~exists().where(
    in_organization(_present),
    _present.c.project_id == project_members.c.project_id,
    _present.c.user_id == project_members.c.user_id,
    _present.c.deleted_at.is_(None),
)


def _memberships(kind: RateKind) -> FromClause:
    ended_at = project_members.c.deleted_at
    return (
        select(*(project_members.c[name] for name in ("project_id", "user_id", kind.value, "currency")))
        .where(
            in_organization(project_members),
            project_members.c[kind.value].is_not(None),
            or_(ended_at.is_(None), and_(_with_parent, _is_over)),
        )
        # Of those that ended, the last one.
        .ext(distinct_on(project_members.c.project_id, project_members.c.user_id))
        .order_by(project_members.c.project_id, project_members.c.user_id, ended_at.desc())
        .subquery(f"membership_{kind.value}s")
    )


def with_rate_date(
    source: FromClause, user_id: ColumnElement[Any], date: ColumnElement[Any]
) -> tuple[FromClause, ColumnElement[Any]]:
    """Time joined with the day from which the person's payment settings have been the same until `date`, or null.

    What is grouped by it has few rows, and `settings_rates` looks up as many.
    """
    settings = payment_settings.c
    own = and_(in_organization(payment_settings), is_live(payment_settings))
    day_after = (settings.effective_to + literal(1, Integer())).label("day")
    days = union_all(
        select(settings.user_id, settings.effective_from.label("day")).where(own),
        select(settings.user_id, day_after).where(own, settings.effective_to.is_not(None)),
    ).subquery("days")
    ordered = func.array_agg(aggregate_order_by(days.c.day, days.c.day), type_=ARRAY(Date()))
    changes = select(days.c.user_id, ordered.label("days")).group_by(days.c.user_id).subquery("rate_changes")
    place = func.nullif(func.width_bucket(date, changes.c.days), literal(0, Integer()))
    return source.outerjoin(changes, changes.c.user_id == user_id), changes.c.days[place]


def rate_columns(kind: RateKind) -> list[str]:
    """The names of what decides a rate: `rate` and `currency` of a membership or a project, null without them.

    Where they say nothing, and the time has a rate per hour, `settings_user_id` and `settings_date` say whose payment
    settings do, and of which day; else they are null.
    """
    return [f"{kind.name}_{name}" for name in ("rate", "currency", "settings_user_id", "settings_date")]


def work_rates(
    kind: RateKind, source: FromClause, time: FromClause
) -> tuple[FromClause, Mapping[str, ColumnElement[Any]]]:
    """`source` joined with memberships, and `rate_columns` of the `time` in it. Time with the same ones has one rate.

    Time has a person, a project, whether it is billable, and the day of `with_rate_date`; `source` has its project.
    """
    memberships = _memberships(kind)
    of_member, of_project, own_rate = memberships.c, projects.c, memberships.c[kind.value]
    is_rated: ColumnElement[bool] = true()
    rate: ColumnElement[Any] = own_rate
    currency: ColumnElement[Any] = case((own_rate.is_not(None), func.coalesce(of_member.currency, of_project.currency)))
    if kind is RateKind.bill:
        is_rated = and_(time.c.is_billable, of_project.billing_type.is_distinct_from(BillingType.fixed.value))
        rate = func.coalesce(own_rate, of_project.bill_rate)
        currency = func.coalesce(currency, case((rate.is_not(None), of_project.currency)))
    needs_settings = and_(is_rated, rate.is_(None))
    own = and_(of_member.project_id == time.c.project_id, of_member.user_id == time.c.user_id)
    values = [case((is_rated, each)) for each in (rate, currency)]
    values += [case((needs_settings, each)) for each in (time.c.user_id, time.c.rate_date)]
    return source.outerjoin(memberships, own), dict(zip(rate_columns(kind), values, strict=True))


def settings_rates(
    kind: RateKind, source: FromClause, time: FromClause
) -> tuple[FromClause, ColumnElement[Any], ColumnElement[Any]]:
    """`source` joined with payment settings, and the rate and the currency of the `time` in it, which has
    `rate_columns`; null where none is known.
    """
    own_rate, own_currency, user_id, date = (time.c[name] for name in rate_columns(kind))
    rate = payment_settings.c[kind.value]
    settings = (
        select(rate.label("rate"), payment_settings.c.currency)
        .where(
            in_organization(payment_settings),
            payment_settings.c.user_id == user_id,
            is_live(payment_settings),
            payment_settings.c.effective_from <= date,
            or_(payment_settings.c.effective_to.is_(None), payment_settings.c.effective_to >= date),
            rate.is_not(None),
            *([payment_settings.c.pay_type == PayType.hourly.value] if kind is RateKind.pay else []),
            # PostgreSQL tests this once a row, before it searches the index.
            date.is_not(None),
        )
        # One row, also if a writer left two for a day: time must not count twice.
        .order_by(payment_settings.c.effective_from.desc(), payment_settings.c.id)
        .limit(1)
        .correlate(time)
        .lateral(f"settings_{kind.value}s")
    )
    return (
        source.outerjoin(settings, true()),
        func.coalesce(own_rate, settings.c.rate),
        case((own_rate.is_not(None), own_currency), else_=settings.c.currency),
    )
