"""Tables of leave: types, policies, periods, assignments, balances and applications."""

from sqlalchemy import Boolean, CheckConstraint, Column, Integer, Numeric, text

from db.tables.columns import (
    DescribedEnum,
    count_column,
    date_column,
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
    text_column,
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


def quantity_column(name: str, comment: str, *, nullable: bool = False) -> Column[object]:
    """A number of days or hours, the unit of the leave type. Defaults to 0 unless nullable."""
    default = None if nullable else text("0")
    return Column(name, Numeric(9, 2), nullable=nullable, server_default=default, comment=comment)


leave_types = tenant_table(
    "leave_types",
    "A kind of leave, such as vacation.",
    text_column("name", "Name that clients see.", nullable=False),
    text_column("code", "Short name."),
    text_column("description", "Free text."),
    text_column("color", "#rrggbb."),
    enum_column("category", LeaveCategory, "What payroll does with it."),
    immovable(
        enum_column(
            "unit", LeaveUnit.day, "Unit of every quantity of this type; it cannot change: days would become hours."
        )
    ),
    flag_column("is_paid", "Whether leave of this type is paid.", default=True),
    flag_column("requires_approval", "Whether a reviewer must approve it.", default=True),
    flag_column("requires_attachment", "Whether a document is needed."),
    flag_column("allows_half_day", "Whether half days can be taken.", default=True),
    flag_column("is_active", "Whether it can be applied for.", default=True),
    has_deleted_index=True,
)

leave_policies = tenant_table(
    "leave_policies",
    "Rules for one type of leave, for the people who are assigned to it.",
    immovable(foreign_key("leave_type_id", "leave_types.id", "The type.", nullable=False)),
    text_column("name", "Name that clients see.", nullable=False),
    quantity_column("entitlement", "What a person gets in a period; null: no limit.", nullable=True),
    enum_column("accrual_type", LeaveAccrual.upfront, "When a person gets it."),
    quantity_column("accrual_amount", "What is added each time.", nullable=True),
    quantity_column("accrual_cap", "Most that can be collected.", nullable=True),
    quantity_column("carry_over_max", "Most that goes to the next period.", nullable=True),
    text_column(
        "carry_over_expires_on_month_day", "MM-DD, the day of each year on which the rest of the last period expires."
    ),
    flag_column("allows_negative_balance", "Whether more can be taken than there is."),
    quantity_column("max_negative", "How much more.", nullable=True),
    count_column("waiting_period_days", "Days after joining before leave can be taken."),
    flag_column("prorate_on_hire", "Whether a person who joins late gets less.", default=True),
    Column("min_notice_days", Integer, comment="Days between application and leave."),
    quantity_column("max_consecutive", "Longest leave.", nullable=True),
    count_column("day_length_seconds", "What a day of leave is worth in seconds.", default=28800),
    flag_column("auto_assign_new_members", "Whether new members get it."),
    flag_column("is_active", "Whether it can be assigned.", default=True),
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
    text_column("name", "Name that clients see.", nullable=False),
    date_column("start_date", "First day, without a time zone.", nullable=False),
    date_column("end_date", "Last day, without a time zone.", nullable=False),
    enum_column("status", LeavePeriodStatus.open, "State of the period."),
    CheckConstraint("start_date <= end_date", name="dates"),
    has_deleted_index=True,
)

leave_assignments = tenant_table(
    "leave_assignments",
    "A policy that holds for a person.",
    immovable(foreign_key("user_id", "members.user_id", "The person.", nullable=False)),
    foreign_key("leave_policy_id", "leave_policies.id", "The policy.", nullable=False),
    foreign_key("leave_period_id", "leave_periods.id", "The period; null: every period."),
    quantity_column("entitlement", "Replaces that of the policy.", nullable=True),
    date_column("effective_from", "First day on which it holds.", nullable=False),
    date_column("effective_to", "Last day on which it holds; null: without end."),
    flag_column("is_active", "Whether it is used.", default=True),
    foreign_key("assigned_by_user_id", "members.user_id", "Who assigned it."),
    CheckConstraint("effective_from <= effective_to", name="dates"),
)
index(leave_assignments, "user_id", "created_at", "id")
for parent in "leave_policy_id", "leave_period_id":
    index_by_parent(leave_assignments, parent, "created_at", "id")

leave_balances = tenant_table(
    "leave_balances",
    "What a person has, took and asked for of one policy in one period. Written by the writer of leave.",
    immovable(foreign_key("user_id", "members.user_id", "The person.", nullable=False)),
    foreign_key("leave_policy_id", "leave_policies.id", "The policy.", nullable=False),
    foreign_key("leave_period_id", "leave_periods.id", "The period.", nullable=False),
    quantity_column("entitled", "What the period gives."),
    quantity_column("accrued", "What was collected until as_of."),
    quantity_column("carried_over", "What came from the period before."),
    quantity_column("adjusted", "Manual corrections; may be negative."),
    quantity_column("used", "Sum of approved leave."),
    quantity_column("pending", "Sum of leave that is not decided."),
    quantity_column("expired", "What was lost."),
    date_column("as_of", "Day on which the numbers were right.", nullable=False),
    CheckConstraint("least(entitled, accrued, carried_over, used, pending, expired) >= 0", name="no_negative_parts"),
)
live_key(leave_balances, "user_id", "leave_policy_id", "leave_period_id")
index(leave_balances, "user_id", "created_at", "id")
index(leave_balances, "leave_period_id", "created_at", "id")
index_by_parent(leave_balances, "leave_policy_id", "created_at", "id")

leave_applications = tenant_table(
    "leave_applications",
    "An application of a person for leave.",
    immovable(foreign_key("user_id", "members.user_id", "Who asks for leave.", nullable=False)),
    foreign_key("leave_type_id", "leave_types.id", "The type.", nullable=False),
    foreign_key("leave_policy_id", "leave_policies.id", "The policy that pays for it."),
    foreign_key(
        "leave_period_id", "leave_periods.id", "The period of the first day; later days may be in the next one."
    ),
    enum_column("status", LeaveStatus.pending, "Only approved leave is used."),
    date_column("start_date", "First day, without a time zone.", nullable=False),
    date_column("end_date", "Last day, without a time zone.", nullable=False),
    enum_column("start_day_part", DayPart.full, "Part of the first day."),
    enum_column("end_day_part", DayPart.full, "Part of the last day."),
    event_time("started_at", "Start, only for leave of some hours of one day.", nullable=True),
    event_time("ended_at", "End, only for leave of some hours of one day.", nullable=True),
    timezone_column(),
    quantity_column("amount", "Sum of its days, in the unit of the type."),
    Column("duration_seconds", Integer, nullable=False, comment="The same in seconds."),
    Column("is_paid", Boolean, nullable=False, comment="Copy of the type's value at the time of the application."),
    erased(text_column("reason", "What the person gave as the reason.")),
    event_time("applied_at", "When it was asked for."),
    *review_columns(),
    event_time("cancelled_at", "When it was cancelled or withdrawn.", nullable=True),
    flag_column("has_attachment", "Whether a document is stored elsewhere."),
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
    foreign_key("leave_application_id", "leave_applications.id", "The application.", nullable=False),
    date_column("date", "Calendar date, without a time zone.", nullable=False),
    quantity_column("amount", "Part of the day, in the unit of the type; 0 on holidays."),
    Column("duration_seconds", Integer, nullable=False, comment="The same in seconds."),
    flag_column("is_holiday", "Whether it is a public holiday."),
    CheckConstraint("amount >= 0 AND duration_seconds >= 0", name="no_negative_parts"),
    order=None,
    is_polled=False,
)
live_key(leave_application_days, "leave_application_id", "date")
