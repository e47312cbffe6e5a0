"""Resolvers of leave: types, policies, periods, assignments, balances, applications.

The dates of leave are calendar dates: no zone ever shifts them. Quantities are texts with two decimals.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Case, Text, and_, case, cast, exists, func, select

from db.tables.columns import constant, in_organization
from db.tables.leaves import (
    LeaveStatus,
    leave_application_days,
    leave_applications,
    leave_assignments,
    leave_balances,
    leave_periods,
    leave_policies,
    leave_types,
)
from resolvers.context import Context
from resolvers.lists.filters import active, exactly, flag, identifiers, one_of, person, through
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import FIRST, LAST, NOW, TODAY, DateRange
from resolvers.lists.listing import Listing
from resolvers.period import today_of
from resolvers.records.interval_sql import seconds_between
from resolvers.relations.live import is_live
from resolvers.relations.nodes import rows_behind, rows_below, rows_by_id
from resolvers.relations.relation import Relation
from resolvers.steps.batch import batched
from resolvers.values.amounts import columns_of

LEAVE_TYPE = columns_of(leave_types)
LEAVE_POLICY = columns_of(leave_policies, is_unlimited=leave_policies.c.entitlement.is_(None))

_AVAILABLE = (
    leave_balances.c.accrued
    + leave_balances.c.carried_over
    + leave_balances.c.adjusted
    - leave_balances.c.used
    - leave_balances.c.pending
    - leave_balances.c.expired
)
LEAVE_BALANCE_COLUMNS = columns_of(leave_balances, available=cast(_AVAILABLE, Text))

types_by_id = rows_by_id(leave_types, LEAVE_TYPE, "Leave type")
leave_type_of = types_by_id.of("leave_type_id")

# Joined with its type, so that rows that point at a policy need one round trip, not two.
policies_by_id = Relation(
    leave_policies.c.id,
    select(
        *LEAVE_POLICY,
        leave_types.c.name.label("type_name"),
        leave_types.c.unit.label("type_unit"),
        is_live(leave_policies).label("is_live"),
    )
    .select_from(leave_policies.join(leave_types, leave_types.c.id == leave_policies.c.leave_type_id))
    .where(in_organization(leave_policies), in_organization(leave_types)),
    noun="Leave policy",
)
leave_policy_of = policies_by_id.of("leave_policy_id")
leave_type_of_policy = rows_behind(leave_types, LEAVE_TYPE, leave_policies, "leave_type_id").of("leave_policy_id")

periods_by_id = rows_by_id(leave_periods, columns_of(leave_periods), "Leave period")
leave_period_of = periods_by_id.of("leave_period_id")

LEAVE_APPLICATION_COLUMNS = columns_of(
    leave_applications,
    review_seconds=seconds_between(leave_applications.c.applied_at, leave_applications.c.reviewed_at),
)
applications_by_id = rows_by_id(leave_applications, LEAVE_APPLICATION_COLUMNS, "Leave application")

days_of_application = rows_below(
    leave_application_days.c.leave_application_id, columns_of(leave_application_days), "leave_application_id", "date"
).of("id")


@batched("start_date", "end_date")
async def is_current_period(context: Context, periods: Sequence[Any], _: Mapping[str, Any]) -> Sequence[bool]:
    """Whether today, in the organization's zone, is in the period."""
    today = await today_of(context)
    return [period.start_date <= today <= period.end_date for period in periods]


LEAVE_TYPES = Listing(
    leave_types,
    resource="leaves.LeaveType",
    filters=[identifiers(leave_types.c.id, "leave types"), active(leave_types.c.is_active, "leave types")],
)

LEAVE_POLICIES = Listing(
    leave_policies,
    LEAVE_POLICY,
    resource="leaves.LeavePolicy",
    filters=[
        identifiers(leave_policies.c.id, "policies"),
        active(leave_policies.c.is_active, "policies"),
        exactly(leave_policies.c.leave_type_id, "Only policies of this leave type."),
    ],
)

LEAVE_PERIODS = Listing(
    leave_periods,
    resource="leaves.LeavePeriod",
    filters=[identifiers(leave_periods.c.id, "periods"), one_of(leave_periods.c.status, "Only these statuses.")],
)


LEAVE_ASSIGNMENTS = Listing(
    leave_assignments,
    resource="leaves.LeaveAssignment",
    filters=[
        *person(leave_assignments.c.user_id, "Only assignments of this person."),
        exactly(leave_assignments.c.leave_policy_id, "Only assignments of this policy."),
        through(leave_assignments.c.leave_policy_id, leave_policies.c.leave_type_id, "Only rows of this leave type."),
        flag(
            leave_assignments.c.is_active,
            "Only assignments that are (true) or are not (false) in force; default: both.",
        ),
    ],
)
assignments_by_id = rows_by_id(leave_assignments, columns_of(leave_assignments), "Leave assignment")

_in_current_period = exists().where(
    in_organization(leave_periods),
    leave_periods.c.id == leave_balances.c.leave_period_id,
    leave_periods.c.start_date <= TODAY,
    leave_periods.c.end_date >= TODAY,
    leave_periods.c.deleted_at.is_(None),
)
LEAVE_BALANCES = Listing(
    leave_balances,
    LEAVE_BALANCE_COLUMNS,
    description=", by creation; only of current periods unless `leave_period_id` is given.",
    resource="leaves.LeaveBalance",
    filters=[
        *person(leave_balances.c.user_id, "Only balances of this person."),
        exactly(leave_balances.c.leave_policy_id, "Only balances of this policy."),
        through(leave_balances.c.leave_policy_id, leave_policies.c.leave_type_id, "Only rows of this leave type."),
        exactly(
            leave_balances.c.leave_period_id,
            "Only balances of this period; default: of the periods that contain today.",
            _in_current_period,
        ),
    ],
)
_of_policy = select(leave_policies.c.leave_type_id).where(
    in_organization(leave_policies), leave_policies.c.id == leave_balances.c.leave_policy_id
)
_type_of_balance = _of_policy.correlate(leave_balances).scalar_subquery()
_unit_of_balance = (
    select(leave_types.c.unit)
    .where(in_organization(leave_types), leave_types.c.id == _type_of_balance)
    .correlate(leave_balances)
    .scalar_subquery()
)
LEAVE_BALANCE_TOTALS = Groups(
    LEAVE_BALANCES,
    ["entitled", "accrued", "carried_over", "adjusted", "used", "pending", "expired", "available"],
    by=["unit"],
    usual=["leave_type_id"],
    more={"leave_type_id": _type_of_balance, "unit": _unit_of_balance},
)
balances_by_id = rows_by_id(leave_balances, LEAVE_BALANCE_COLUMNS, "Leave balance")


def _in_range(name: str) -> Case[Any]:
    """What an application has of a quantity in a range: that of its days there. Without days, all is at its start."""
    days = leave_application_days.c
    own = and_(in_organization(leave_application_days), days.leave_application_id == leave_applications.c.id)
    of_days = select(func.coalesce(func.sum(days[name]).filter(days.date.between(FIRST, LAST)), 0))
    of_days = of_days.where(own, is_live(leave_application_days)).correlate(leave_applications)
    of_start = case((leave_applications.c.start_date >= FIRST, leave_applications.c[name]), else_=0)
    has_days = exists().where(own, is_live(leave_application_days)).correlate(leave_applications)
    return case((has_days, of_days.scalar_subquery()), else_=of_start)


_waits = leave_applications.c.status == constant(LeaveStatus.pending.value)
LEAVE_APPLICATIONS = Listing(
    leave_applications,
    LEAVE_APPLICATION_COLUMNS,
    description=", by creation. `start_date` and `end_date` select leave that overlaps them.",
    resource="leaves.LeaveApplication",
    date_range=DateRange(
        where=and_(leave_applications.c.start_date <= LAST, leave_applications.c.end_date >= FIRST), is_local=False
    ),
    filters=[
        identifiers(leave_applications.c.id, "applications"),
        *person(leave_applications.c.user_id, "Only applications of this person."),
        one_of(leave_applications.c.status, "Only these statuses."),
        exactly(leave_applications.c.leave_type_id, "Only applications for this leave type."),
        exactly(leave_applications.c.leave_policy_id, "Only applications under this policy."),
        exactly(leave_applications.c.leave_period_id, "Only applications in this leave period."),
    ],
    computed={"waiting_seconds": case((_waits, seconds_between(leave_applications.c.applied_at, NOW)))},
)
_SUMS = {name: leave_applications.c[name] for name in ("amount", "duration_seconds")}
# All quantities of a group have the unit of its types.
LEAVE_APPLICATION_TOTALS = Groups(
    LEAVE_APPLICATIONS,
    {
        **_SUMS,
        **{f"{name}_in_range": each for name, each in _SUMS.items()},
        "review_seconds": LEAVE_APPLICATIONS.columns_by_name["review_seconds"],
        **LEAVE_APPLICATIONS.computed,
    },
    day=leave_applications.c.start_date,
    by=["unit"],
    usual=["leave_type_id"],
    more={"unit": leave_types.c.unit, "is_paid": leave_applications.c.is_paid},
    in_range={f"{name}_in_range": _in_range(name) for name in _SUMS},
)

_days = leave_application_days.c
_of_application = and_(
    in_organization(leave_application_days),
    _days.leave_application_id == leave_applications.c.id,
    is_live(leave_application_days),
)
# An application without days has all of its amount on the first one.
_day = func.coalesce(_days.date, leave_applications.c.start_date, type_=leave_applications.c.start_date.type)
LEAVE_DAY_TOTALS = Groups(
    LEAVE_APPLICATIONS,
    {name: func.coalesce(_days[name], each, type_=each.type) for name, each in _SUMS.items()},
    day=_day,
    by=["unit"],
    more={"unit": leave_types.c.unit},
    source=leave_applications.outerjoin(leave_application_days, _of_application),
    where_in_range=_day.between(FIRST, LAST),
    row="LeaveDay",
)
