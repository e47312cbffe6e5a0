"""Tables of leave: types, policies, periods, assignments, balances and applications."""

from enum import StrEnum

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Index,
    Integer,
    Numeric,
    Text,
    Uuid,
    text,
)

from db.tables.columns import NOT_DELETED, enum_column, event_time, tenant_table
from db.tables.reference import timezone_column


class LeaveCategory(StrEnum):
    vacation = "vacation"
    sick = "sick"
    parental = "parental"
    unpaid = "unpaid"
    holiday = "holiday"
    compensatory = "compensatory"
    other = "other"


class LeaveUnit(StrEnum):
    day = "day"
    hour = "hour"


class LeaveAccrual(StrEnum):
    none = "none"
    upfront = "upfront"
    monthly = "monthly"
    biweekly = "biweekly"
    hours_worked = "hours_worked"
    anniversary = "anniversary"


class LeavePeriodStatus(StrEnum):
    upcoming = "upcoming"
    open = "open"
    closed = "closed"


class LeaveStatus(StrEnum):
    pending = "pending"
    approved = "approved"
    rejected = "rejected"
    cancelled = "cancelled"
    withdrawn = "withdrawn"


class DayPart(StrEnum):
    full = "full"
    first_half = "first_half"
    second_half = "second_half"


def quantity_column(name: str, *, nullable: bool = False) -> Column[object]:
    """A number of days or hours, the unit of the leave type. Defaults to 0 unless nullable."""
    return Column(name, Numeric(9, 2), nullable=nullable, server_default=None if nullable else text("0"))


def flag_column(name: str, *, default: bool) -> Column[bool]:
    return Column(name, Boolean, nullable=False, server_default=text(str(default).lower()))


leave_types = tenant_table(
    "leave_types",
    Column("name", Text, nullable=False),
    Column("code", Text),
    Column("description", Text),
    Column("color", Text),
    enum_column("category", LeaveCategory),
    # The unit of every quantity of this type. Writers must not change it once it is used: days would become hours.
    enum_column("unit", LeaveUnit, default=LeaveUnit.day),
    flag_column("is_paid", default=True),
    flag_column("requires_approval", default=True),
    flag_column("requires_attachment", default=False),
    flag_column("allows_half_day", default=True),
    flag_column("is_active", default=True),
)

leave_policies = tenant_table(
    "leave_policies",
    Column("leave_type_id", Uuid, nullable=False),
    Column("name", Text, nullable=False),
    # Null: no limit.
    quantity_column("entitlement", nullable=True),
    enum_column("accrual_type", LeaveAccrual, default=LeaveAccrual.upfront),
    quantity_column("accrual_amount", nullable=True),
    quantity_column("accrual_cap", nullable=True),
    quantity_column("carry_over_max", nullable=True),
    # MM-DD, a day of every year.
    Column("carry_over_expires_on_month_day", Text),
    flag_column("allows_negative_balance", default=False),
    quantity_column("max_negative", nullable=True),
    Column("waiting_period_days", Integer, nullable=False, server_default=text("0")),
    flag_column("prorate_on_hire", default=True),
    Column("min_notice_days", Integer),
    quantity_column("max_consecutive", nullable=True),
    Column("day_length_seconds", Integer, nullable=False, server_default=text("28800")),
    flag_column("auto_assign_new_members", default=False),
    flag_column("is_active", default=True),
    CheckConstraint(
        "carry_over_expires_on_month_day ~ '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'", name="carry_over_expires"
    ),
    CheckConstraint("day_length_seconds > 0", name="day_length"),
    references={"leave_type_id": "leave_types.id"},
)
Index(
    None,
    leave_policies.c.organization_id,
    leave_policies.c.leave_type_id,
    leave_policies.c.created_at,
    leave_policies.c.id,
)

leave_periods = tenant_table(
    "leave_periods",
    Column("name", Text, nullable=False),
    Column("start_date", Date, nullable=False),
    Column("end_date", Date, nullable=False),
    enum_column("status", LeavePeriodStatus, default=LeavePeriodStatus.open),
    CheckConstraint("start_date <= end_date", name="dates"),
)

leave_assignments = tenant_table(
    "leave_assignments",
    Column("user_id", Uuid, nullable=False),
    Column("leave_policy_id", Uuid, nullable=False),
    # Null: every period.
    Column("leave_period_id", Uuid),
    # Overrides the policy's.
    quantity_column("entitlement", nullable=True),
    Column("effective_from", Date, nullable=False),
    Column("effective_to", Date),
    flag_column("is_active", default=True),
    Column("assigned_by_user_id", Uuid),
    CheckConstraint("effective_from <= effective_to", name="dates"),
    references={
        "user_id": "members.user_id",
        "leave_policy_id": "leave_policies.id",
        "leave_period_id": "leave_periods.id",
        "assigned_by_user_id": "members.user_id",
    },
)
Index(
    None,
    leave_assignments.c.organization_id,
    leave_assignments.c.user_id,
    leave_assignments.c.created_at,
    leave_assignments.c.id,
)

leave_balances = tenant_table(
    "leave_balances",
    Column("user_id", Uuid, nullable=False),
    Column("leave_policy_id", Uuid, nullable=False),
    Column("leave_period_id", Uuid, nullable=False),
    quantity_column("entitled"),
    quantity_column("accrued"),
    quantity_column("carried_over"),
    # Manual corrections; may be negative.
    quantity_column("adjusted"),
    quantity_column("used"),
    quantity_column("pending"),
    quantity_column("expired"),
    Column("as_of", Date, nullable=False),
    CheckConstraint(
        "least(entitled, accrued, carried_over, used, pending, expired) >= 0",
        name="no_negative_parts",
    ),
    references={
        "user_id": "members.user_id",
        "leave_policy_id": "leave_policies.id",
        "leave_period_id": "leave_periods.id",
    },
)
Index(
    "leave_balances_live_key",
    leave_balances.c.organization_id,
    leave_balances.c.user_id,
    leave_balances.c.leave_policy_id,
    leave_balances.c.leave_period_id,
    unique=True,
    postgresql_where=NOT_DELETED,
)
Index(
    None,
    leave_balances.c.organization_id,
    leave_balances.c.user_id,
    leave_balances.c.created_at,
    leave_balances.c.id,
)
Index(
    None,
    leave_balances.c.organization_id,
    leave_balances.c.leave_period_id,
    leave_balances.c.created_at,
    leave_balances.c.id,
)

leave_applications = tenant_table(
    "leave_applications",
    Column("user_id", Uuid, nullable=False),
    Column("leave_type_id", Uuid, nullable=False),
    Column("leave_policy_id", Uuid),
    # The period of the first day; later days may be in the next period.
    Column("leave_period_id", Uuid),
    enum_column("status", LeaveStatus, default=LeaveStatus.pending),
    Column("start_date", Date, nullable=False),
    Column("end_date", Date, nullable=False),
    enum_column("start_day_part", DayPart, default=DayPart.full),
    enum_column("end_day_part", DayPart, default=DayPart.full),
    # Only for leave of some hours of one day.
    event_time("started_at", nullable=True),
    event_time("ended_at", nullable=True),
    timezone_column(),
    quantity_column("amount"),
    Column("duration_seconds", Integer, nullable=False),
    # A copy of the type's value at the time of the application.
    Column("is_paid", Boolean, nullable=False),
    Column("reason", Text),
    event_time("applied_at"),
    Column("reviewed_by_user_id", Uuid),
    event_time("reviewed_at", nullable=True),
    Column("review_note", Text),
    event_time("cancelled_at", nullable=True),
    flag_column("has_attachment", default=False),
    CheckConstraint("start_date <= end_date", name="dates"),
    CheckConstraint("(started_at IS NULL) = (ended_at IS NULL) AND started_at < ended_at", name="hours"),
    CheckConstraint("amount >= 0 AND duration_seconds >= 0", name="no_negative_parts"),
    references={
        "user_id": "members.user_id",
        "leave_type_id": "leave_types.id",
        "leave_policy_id": "leave_policies.id",
        "leave_period_id": "leave_periods.id",
        "reviewed_by_user_id": "members.user_id",
    },
)
Index(
    None,
    leave_applications.c.organization_id,
    leave_applications.c.user_id,
    leave_applications.c.created_at,
    leave_applications.c.id,
)
Index(
    None,
    leave_applications.c.organization_id,
    leave_applications.c.status,
    leave_applications.c.created_at,
    leave_applications.c.id,
)
Index(None, leave_applications.c.organization_id, leave_applications.c.start_date, leave_applications.c.end_date)

leave_application_days = tenant_table(
    "leave_application_days",
    Column("leave_application_id", Uuid, nullable=False),
    Column("date", Date, nullable=False),
    quantity_column("amount"),
    Column("duration_seconds", Integer, nullable=False),
    flag_column("is_holiday", default=False),
    CheckConstraint("amount >= 0 AND duration_seconds >= 0", name="no_negative_parts"),
    references={"leave_application_id": "leave_applications.id"},
    order=None,
    is_polled=False,
)
Index(
    "leave_application_days_live_key",
    leave_application_days.c.organization_id,
    leave_application_days.c.leave_application_id,
    leave_application_days.c.date,
    unique=True,
    postgresql_where=NOT_DELETED,
)
