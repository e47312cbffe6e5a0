"""SQL of bill rates: what an hour of a person costs the customer, on a project and a day.

It is the rate of the person's membership in the project, else that of the project, else that of the person's payment
settings on the day. A membership that ended with the removal of the person counts: time before it was worked for that
rate. A project with a fixed price has no rate. Rates are those of now: only payment settings say from when they hold.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, or_, select, true
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import in_organization
from db.tables.payroll import payment_settings
from db.tables.people import members
from db.tables.work import BillingType, project_members, projects
from resolvers.relations.live import is_live

_of_person = and_(in_organization(members), members.c.user_id == project_members.c.user_id)
_with_person = project_members.c.deleted_at == members.c.removed_at
_memberships = (
    select(*(project_members.c[name] for name in ("project_id", "user_id", "bill_rate", "currency")))
    .select_from(project_members.join(members, _of_person))
    .where(
        in_organization(project_members),
        project_members.c.bill_rate.is_not(None),
        or_(is_live(project_members), _with_person),
    )
    # A live membership goes before one that ended.
    .ext(distinct_on(project_members.c.project_id, project_members.c.user_id))
    .order_by(project_members.c.project_id, project_members.c.user_id, project_members.c.deleted_at.nulls_first())
    .subquery("membership_rates")
)


class WorkRates(NamedTuple):
    """Time joined with the rates of memberships and projects, which do not depend on the day.

    Where they say nothing, and the time has a rate per hour, `settings_user_id` and `settings_date` say whose payment
    settings do, and of which day; else both are null.
    """

    source: FromClause
    rate: ColumnElement[Any]
    currency: ColumnElement[Any]
    settings_user_id: ColumnElement[Any]
    settings_date: ColumnElement[Any]

    def columns(self) -> Mapping[str, ColumnElement[Any]]:
        """The columns that `settings_rates` needs. Time with the same values has the same rate."""
        return {name: getattr(self, name) for name in RATE_COLUMNS}


RATE_COLUMNS = WorkRates._fields[1:]


def work_rates(source: FromClause, time: FromClause, date: ColumnElement[Any]) -> WorkRates:
    """The rates of `time`: it has a person, a project, and whether it is billable. `source` joins it with projects."""
    of_member, of_project = _memberships.c, projects.c
    is_rated = and_(time.c.is_billable, of_project.billing_type.is_distinct_from(BillingType.fixed.value))
    rate = func.coalesce(of_member.bill_rate, of_project.bill_rate)
    of_member_or_project = func.coalesce(of_member.currency, of_project.currency)
    needs_settings = and_(is_rated, rate.is_(None))
    return WorkRates(
        source.outerjoin(
            _memberships, and_(of_member.project_id == time.c.project_id, of_member.user_id == time.c.user_id)
        ),
        case((is_rated, rate)),
        case(
            (and_(is_rated, of_member.bill_rate.is_not(None)), of_member_or_project),
            (and_(is_rated, rate.is_not(None)), of_project.currency),
        ),
        case((needs_settings, time.c.user_id)),
        case((needs_settings, date)),
    )


class RatedTime(NamedTuple):
    """Time joined with its rates, and the currency of the rate; null where none is known."""

    source: FromClause
    rate: ColumnElement[Any]
    currency: ColumnElement[Any]


def settings_rates(time: FromClause) -> RatedTime:
    """The rates of `time`, which has the columns of `WorkRates`."""
    settings = (
        select(payment_settings.c.bill_rate, payment_settings.c.currency)
        .where(
            in_organization(payment_settings),
            payment_settings.c.user_id == time.c.settings_user_id,
            is_live(payment_settings),
            payment_settings.c.effective_from <= time.c.settings_date,
            or_(payment_settings.c.effective_to.is_(None), payment_settings.c.effective_to >= time.c.settings_date),
            payment_settings.c.bill_rate.is_not(None),
            # PostgreSQL tests this once a row, before it searches the index.
            time.c.settings_date.is_not(None),
        )
        # One row, also if a writer left two for a day: time must not count twice.
        .order_by(payment_settings.c.effective_from.desc(), payment_settings.c.id)
        .limit(1)
        .correlate(time)
        .lateral("settings_rates")
    )
    return RatedTime(
        time.outerjoin(settings, true()),
        func.coalesce(time.c.rate, settings.c.bill_rate),
        case((time.c.rate.is_not(None), time.c.currency), else_=settings.c.currency),
    )
