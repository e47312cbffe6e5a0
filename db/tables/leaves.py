"""Tables of leave: types, policies, periods, assignments, balances and applications."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Integer,
    Numeric,
    Text,
    text,
)

from db.tables.columns import (
    DescribedEnum,
    count_column,
    enum_column,
    erased,
    event_time,
    flag_column,
    foreign_key,
    immovable,
    index,
    index_by_parent,
    index_orders,
    live_key,
    review_columns,
    tenant_table,
)
from db.tables.reference import timezone_column


class LeaveCategory(DescribedEnum):
    """Category of leave."""

    vacation = "vacation", "Vacation."
    sick = "sick", "Sick leave."
    parental = "parental", "Parental leave."
    unpaid = "unpaid", "Unpaid leave."
    holiday = "holiday", "Public or company holiday."
    compensatory = "compensatory", "Time off for overtime."
    other = "other", "Any other leave."


class LeaveUnit(DescribedEnum):
    """Unit of leave: days or hours."""

    day = "day", "Days."
    hour = "hour", "Hours."


class LeaveAccrual(DescribedEnum):
    """Way in which leave is accrued."""

    none = "none", "Leave is not accrued."
    upfront = "upfront", "The whole entitlement at the start of the period."
    monthly = "monthly", "A part every month."
    biweekly = "biweekly", "A part every two weeks."
    hours_worked = "hours_worked", "A part for hours worked."
    anniversary = "anniversary", "The whole entitlement on each anniversary of hiring."


class LeavePeriodStatus(DescribedEnum):
    """Status of a leave period."""

    upcoming = "upcoming", "The period has not begun."
    open = "open", "Leave of the period can be taken."
    closed = "closed", "The period is closed."


class LeaveStatus(DescribedEnum):
    """Status of a leave application."""

    pending = "pending", "Not decided yet."
    approved = "approved", "Approved; the leave counts as used."
    rejected = "rejected", "Rejected."
    cancelled = "cancelled", "Cancelled after it was approved."
    withdrawn = "withdrawn", "Withdrawn by the person before a decision."


class DayPart(DescribedEnum):
    """Part of a day: full, first half or second half."""

    full = "full", "The whole day."
    first_half = "first_half", "The first half of the day."
    second_half = "second_half", "The second half of the day."


def quantity_column(name: str, *, nullable: bool = False, comment: str | None = None) -> Column[object]:
    """A number of days or hours, the unit of the leave type. Defaults to 0 unless nullable."""
    default = None if nullable else text("0")
    return Column(name, Numeric(9, 2), nullable=nullable, server_default=default, comment=comment)


leave_types = tenant_table(
    "leave_types",
    "A kind of leave, such as vacation.",
    Column("name", Text, nullable=False, comment="Name that clients see."),
    Column("code", Text, comment="Short name."),
    Column("description", Text, comment="Free text."),
    Column("color", Text, comment="#rrggbb."),
    enum_column("category", LeaveCategory, comment="What payroll does with it."),
    immovable(
        enum_column(
            "unit",
            LeaveUnit,
            default=LeaveUnit.day,
            comment="Unit of every quantity of this type; it cannot change: days would become hours.",
        )
    ),
    flag_column("is_paid", default=True, comment="Whether leave of this type is paid."),
    flag_column("requires_approval", default=True, comment="Whether a reviewer must approve it."),
    flag_column("requires_attachment", default=False, comment="Whether a document is needed."),
    flag_column("allows_half_day", default=True, comment="Whether half days can be taken."),
    flag_column("is_active", default=True, comment="Whether it can be applied for."),
    has_deleted_index=True,
)

leave_policies = tenant_table(
    "leave_policies",
    "Rules for one type of leave, for the people who are assigned to it.",
    immovable(foreign_key("leave_type_id", "leave_types.id", nullable=False, comment="The type.")),
    Column("name", Text, nullable=False, comment="Name that clients see."),
    quantity_column("entitlement", nullable=True, comment="What a person gets in a period; null: no limit."),
    enum_column("accrual_type", LeaveAccrual, default=LeaveAccrual.upfront, comment="When a person gets it."),
    quantity_column("accrual_amount", nullable=True, comment="What is added each time."),
    quantity_column("accrual_cap", nullable=True, comment="Most that can be collected."),
    quantity_column("carry_over_max", nullable=True, comment="Most that goes to the next period."),
    Column(
        "carry_over_expires_on_month_day",
        Text,
        comment="MM-DD, the day of each year on which the rest of the last period expires.",
    ),
    flag_column("allows_negative_balance", default=False, comment="Whether more can be taken than there is."),
    quantity_column("max_negative", nullable=True, comment="How much more."),
    count_column("waiting_period_days", comment="Days after joining before leave can be taken."),
    flag_column("prorate_on_hire", default=True, comment="Whether a person who joins late gets less."),
    Column("min_notice_days", Integer, comment="Days between application and leave."),
    quantity_column("max_consecutive", nullable=True, comment="Longest leave."),
    count_column("day_length_seconds", default=28800, comment="What a day of leave is worth in seconds."),
    flag_column("auto_assign_new_members", default=False, comment="Whether new members get it."),
    flag_column("is_active", default=True, comment="Whether it can be assigned."),
    CheckConstraint(
        "carry_over_expires_on_month_day ~ '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'", name="carry_over_expires"
    ),
    CheckConstraint("day_length_seconds > 0", name="day_length"),
    has_deleted_index=True,
)
index(leave_policies, "leave_type_id", "created_at", "id")

leave_periods = tenant_table(
    "leave_periods",
    "A range of days in which balances are kept, usually a year.",
    Column("name", Text, nullable=False, comment="Name that clients see."),
    Column("start_date", Date, nullable=False, comment="First day, without a time zone."),
    Column("end_date", Date, nullable=False, comment="Last day, without a time zone."),
    enum_column("status", LeavePeriodStatus, default=LeavePeriodStatus.open, comment="State of the period."),
    CheckConstraint("start_date <= end_date", name="dates"),
    has_deleted_index=True,
)

leave_assignments = tenant_table(
    "leave_assignments",
    "A policy that holds for a person.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="The person.")),
    foreign_key("leave_policy_id", "leave_policies.id", nullable=False, comment="The policy."),
    foreign_key("leave_period_id", "leave_periods.id", comment="The period; null: every period."),
    quantity_column("entitlement", nullable=True, comment="Replaces that of the policy."),
    Column("effective_from", Date, nullable=False, comment="First day on which it holds."),
    Column("effective_to", Date, comment="Last day on which it holds; null: without end."),
    flag_column("is_active", default=True, comment="Whether it is used."),
    foreign_key("assigned_by_user_id", "members.user_id", comment="Who assigned it."),
    CheckConstraint("effective_from <= effective_to", name="dates"),
)
index(leave_assignments, "user_id", "created_at", "id")
for parent in "leave_policy_id", "leave_period_id":
    index_by_parent(leave_assignments, parent, "created_at", "id")

leave_balances = tenant_table(
    "leave_balances",
    "What a person has, took and asked for of one policy in one period. Written by the writer of leave.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="The person.")),
    foreign_key("leave_policy_id", "leave_policies.id", nullable=False, comment="The policy."),
    foreign_key("leave_period_id", "leave_periods.id", nullable=False, comment="The period."),
    quantity_column("entitled", comment="What the period gives."),
    quantity_column("accrued", comment="What was collected until as_of."),
    quantity_column("carried_over", comment="What came from the period before."),
    quantity_column("adjusted", comment="Manual corrections; may be negative."),
    quantity_column("used", comment="Sum of approved leave."),
    quantity_column("pending", comment="Sum of leave that is not decided."),
    quantity_column("expired", comment="What was lost."),
    Column("as_of", Date, nullable=False, comment="Day on which the numbers were right."),
    CheckConstraint(
        "least(entitled, accrued, carried_over, used, pending, expired) >= 0",
        name="no_negative_parts",
    ),
)
live_key(leave_balances, "user_id", "leave_policy_id", "leave_period_id")
index(leave_balances, "user_id", "created_at", "id")
index(leave_balances, "leave_period_id", "created_at", "id")
index_by_parent(leave_balances, "leave_policy_id", "created_at", "id")

leave_applications = tenant_table(
    "leave_applications",
    "An application of a person for leave.",
    immovable(foreign_key("user_id", "members.user_id", nullable=False, comment="Who asks for leave.")),
    foreign_key("leave_type_id", "leave_types.id", nullable=False, comment="The type."),
    foreign_key("leave_policy_id", "leave_policies.id", comment="The policy that pays for it."),
    foreign_key(
        "leave_period_id", "leave_periods.id", comment="The period of the first day; later days may be in the next one."
    ),
    enum_column("status", LeaveStatus, default=LeaveStatus.pending, comment="Only approved leave is used."),
    Column("start_date", Date, nullable=False, comment="First day, without a time zone."),
    Column("end_date", Date, nullable=False, comment="Last day, without a time zone."),
    enum_column("start_day_part", DayPart, default=DayPart.full, comment="Part of the first day."),
    enum_column("end_day_part", DayPart, default=DayPart.full, comment="Part of the last day."),
    event_time("started_at", nullable=True, comment="Start, only for leave of some hours of one day."),
    event_time("ended_at", nullable=True, comment="End, only for leave of some hours of one day."),
    timezone_column(),
    quantity_column("amount", comment="Sum of its days, in the unit of the type."),
    Column("duration_seconds", Integer, nullable=False, comment="The same in seconds."),
    Column("is_paid", Boolean, nullable=False, comment="Copy of the type's value at the time of the application."),
    erased(Column("reason", Text, comment="What the person gave as the reason.")),
    event_time("applied_at", comment="When it was asked for."),
    *review_columns(),
    event_time("cancelled_at", nullable=True, comment="When it was cancelled or withdrawn."),
    flag_column("has_attachment", default=False, comment="Whether a document is stored elsewhere."),
    CheckConstraint("start_date <= end_date", name="dates"),
    CheckConstraint("(started_at IS NULL) = (ended_at IS NULL) AND started_at < ended_at", name="hours"),
    CheckConstraint("amount >= 0 AND duration_seconds >= 0", name="no_negative_parts"),
)
index(leave_applications, "user_id", "created_at", "id")
index(leave_applications, "status", "created_at", "id")
index_orders(leave_applications, "start_date")
index(leave_applications, "start_date", "end_date")
for parent in "leave_type_id", "leave_policy_id", "leave_period_id", "reviewed_by_user_id":
    index_by_parent(leave_applications, parent, "created_at", "id")

leave_application_days = tenant_table(
    "leave_application_days",
    "One day of an application; its amounts add up to the application's.",
    foreign_key("leave_application_id", "leave_applications.id", nullable=False, comment="The application."),
    Column("date", Date, nullable=False, comment="Calendar date, without a time zone."),
    quantity_column("amount", comment="Part of the day, in the unit of the type; 0 on holidays."),
    Column("duration_seconds", Integer, nullable=False, comment="The same in seconds."),
    flag_column("is_holiday", default=False, comment="Whether it is a public holiday."),
    CheckConstraint("amount >= 0 AND duration_seconds >= 0", name="no_negative_parts"),
    order=None,
    is_polled=False,
)
live_key(leave_application_days, "leave_application_id", "date")
