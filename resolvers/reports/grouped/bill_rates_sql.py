"""SQL of bill rates: what an hour of a person costs the customer, on a project and a day.

It is the rate of the person's membership in the project, else that of the project, else that of the person's payment
settings on the day. A membership that ended with the removal of the person counts: time before it was worked for that
rate. A project with a fixed price has no rate. Rates are those of now: only payment settings say from when they hold.
"""

from typing import NamedTuple

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


class RatedTime(NamedTuple):
    """Time joined with its rates, the client of its project, and the currency of the rate; null where none is known."""

    source: FromClause
    client_id: ColumnElement[object]
    rate: ColumnElement[object]
    currency: ColumnElement[object]


def rated(time: FromClause) -> RatedTime:
    """The rates of `time`, which has a person, a project, a date, and whether it is billable."""
    rates = _memberships.c
    has_rate = and_(time.c.is_billable, projects.c.billing_type.is_distinct_from(BillingType.fixed.value))
    settings = (
        select(payment_settings.c.bill_rate, payment_settings.c.currency)
        .where(
            in_organization(payment_settings),
            payment_settings.c.user_id == time.c.user_id,
            is_live(payment_settings),
            payment_settings.c.effective_from <= time.c.date,
            or_(payment_settings.c.effective_to.is_(None), payment_settings.c.effective_to >= time.c.date),
            payment_settings.c.bill_rate.is_not(None),
            # Without these conditions, settings of all time would be read, although projects say otherwise for most.
            has_rate,
            func.coalesce(rates.bill_rate, projects.c.bill_rate).is_(None),
        )
        # One row, also if a writer left two for a day: time must not count twice.
        .order_by(payment_settings.c.effective_from.desc(), payment_settings.c.id)
        .limit(1)
        .correlate(time, projects, _memberships)
        .lateral("settings_rates")
    )
    source = (
        time.outerjoin(projects, and_(in_organization(projects), projects.c.id == time.c.project_id))
        .outerjoin(_memberships, and_(rates.project_id == time.c.project_id, rates.user_id == time.c.user_id))
        .outerjoin(settings, true())
    )
    choices = [
        (rates.bill_rate, func.coalesce(rates.currency, projects.c.currency)),
        (projects.c.bill_rate, projects.c.currency),
        (settings.c.bill_rate, settings.c.currency),
    ]
    return RatedTime(
        source,
        projects.c.client_id,
        case((has_rate, func.coalesce(*(rate for rate, _ in choices)))),
        case(*((and_(has_rate, rate.is_not(None)), currency) for rate, currency in choices)),
    )
