"""Tables of leave: types, policies, periods, assignments, balances and applications."""

from sqlalchemy import Boolean, CheckConstraint, Column, Numeric, text

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
    mention_column,
    number_column,
    person_column,
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
    text_column("name", "Name of the leave type.", nullable=False, is_name=True),
    text_column("code", "Short code."),
    text_column("description", "Description of the leave type."),
    text_column("color", "Color as `#rrggbb`."),
    enum_column("category", LeaveCategory, "Category of the leave type.\nIt says what payroll does with the leave."),
    immovable(
        enum_column(
            "unit",
            LeaveUnit.day,
            "Unit: days or hours.\nAll quantities of the type have it; it cannot change: days would become hours.",
        )
    ),
    flag_column("is_paid", "Whether the leave is paid.", default=True),
    flag_column("requires_approval", "Whether leave needs approval.", default=True),
    flag_column("requires_attachment", "Whether an application needs an attachment."),
    flag_column("allows_half_day", "Whether half days are allowed.", default=True),
    flag_column("is_active", "Whether it is active.\nOnly an active one can be applied for.", default=True),
    has_deleted_index=True,
    is_small=True,
)

leave_policies = tenant_table(
    "leave_policies",
    "Rules for one type of leave, for the people who are assigned to it.",
    immovable(foreign_key("leave_type_id", "leave_types.id", "Id of the leave type.", nullable=False)),
    text_column("name", "Name of the leave policy.", nullable=False, is_name=True),
    quantity_column("entitlement", "Leave granted per period; null means unlimited.", nullable=True),
    enum_column("accrual_type", LeaveAccrual.upfront, "Way in which leave is accrued."),
    quantity_column("accrual_amount", "Leave that is added each time, in `unit`.", nullable=True),
    quantity_column("accrual_cap", "Maximum of leave that accrual collects; null means no maximum.", nullable=True),
    quantity_column(
        "carry_over_max", "Maximum of leave carried over into the next period; null means no maximum.", nullable=True
    ),
    text_column(
        "carry_over_expires_on_month_day", "Day of the next period, as `MM-DD`, on which carried-over leave expires."
    ),
    flag_column("allows_negative_balance", "Whether the balance may become negative."),
    quantity_column(
        "max_negative",
        "How far below zero the balance may be; null means no limit. It applies only if allows_negative_balance.",
        nullable=True,
    ),
    count_column("waiting_period_days", "Days after hiring before leave can be taken."),
    flag_column("prorate_on_hire", "Whether leave is prorated for members hired within a period.", default=True),
    number_column(
        "min_notice_days", "Days that must be between the application and the first day of leave; null means none."
    ),
    quantity_column("max_consecutive", "Longest leave without interruption; null means no limit.", nullable=True),
    count_column("day_length_seconds", "Length of a day, to convert between days and time.", default=28800),
    flag_column("auto_assign_new_members", "Whether new members are assigned automatically."),
    flag_column("is_active", "Whether it is active.\nOnly an active one can be assigned.", default=True),
    CheckConstraint(
        "carry_over_expires_on_month_day ~ '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'", name="carry_over_expires"
    ),
    CheckConstraint("day_length_seconds > 0", name="day_length"),
    has_deleted_index=True,
    is_small=True,
)
index(leave_policies, "leave_type_id", "created_at", "id")

leave_periods = tenant_table(
    "leave_periods",
    "A range of days in which balances are kept, usually a year.",
    text_column("name", "Name of the leave period.", nullable=False, is_name=True),
    date_column("start_date", "First day.", nullable=False),
    date_column("end_date", "Last day, inclusive.", nullable=False),
    enum_column("status", LeavePeriodStatus.open, "Status of the leave period."),
    CheckConstraint("start_date <= end_date", name="dates"),
    has_deleted_index=True,
    is_small=True,
)

leave_assignments = tenant_table(
    "leave_assignments",
    "A policy that holds for a person.",
    immovable(person_column("Id of the person.", "records", is_named=True)),
    foreign_key("leave_policy_id", "leave_policies.id", "Id of the leave policy.", nullable=False),
    foreign_key(
        "leave_period_id", "leave_periods.id", "Id of the leave period of the assignment; null means every period."
    ),
    quantity_column(
        "entitlement",
        "Entitlement that replaces that of the policy, in the unit of the policy; null means that of the policy.",
        nullable=True,
    ),
    date_column("effective_from", "First day.", nullable=False),
    date_column("effective_to", "Last day, inclusive; null means without end."),
    flag_column("is_active", "Whether the assignment is in force.", default=True),
    mention_column("assigned_by_user_id", "Id of the user who made the assignment."),
    CheckConstraint("effective_from <= effective_to", name="dates"),
    is_small=True,
)
index(leave_assignments, "user_id", "created_at", "id")
for parent in "leave_policy_id", "leave_period_id":
    index_by_parent(leave_assignments, parent, "created_at", "id")

leave_balances = tenant_table(
    "leave_balances",
    "What a person has, took and asked for of one policy in one period. Written by the writer of leave.",
    immovable(person_column("Id of the person.", "records", is_named=True)),
    foreign_key("leave_policy_id", "leave_policies.id", "Id of the leave policy.", nullable=False),
    foreign_key("leave_period_id", "leave_periods.id", "Id of the leave period.", nullable=False),
    quantity_column("entitled", "Leave granted for the whole period."),
    quantity_column("accrued", "Leave accrued so far."),
    quantity_column("carried_over", "Leave carried over from the previous period."),
    quantity_column("adjusted", "Manual adjustment; may be negative."),
    quantity_column("used", "Leave that was approved."),
    quantity_column("pending", "Leave in applications that are not decided yet."),
    quantity_column("expired", "Leave that expired unused."),
    date_column("as_of", "Day for which the balance was calculated.", nullable=False),
    CheckConstraint("least(entitled, accrued, carried_over, used, pending, expired) >= 0", name="no_negative_parts"),
    is_small=True,
)
live_key(leave_balances, "user_id", "leave_policy_id", "leave_period_id")
index(leave_balances, "user_id", "created_at", "id")
index(leave_balances, "leave_period_id", "created_at", "id")
index_by_parent(leave_balances, "leave_policy_id", "created_at", "id")

leave_applications = tenant_table(
    "leave_applications",
    "An application of a person for leave.",
    immovable(person_column("Id of the person.", "records", is_named=True)),
    foreign_key("leave_type_id", "leave_types.id", "Id of the leave type.", nullable=False),
    foreign_key("leave_policy_id", "leave_policies.id", "Id of the leave policy."),
    foreign_key(
        "leave_period_id",
        "leave_periods.id",
        "Id of the leave period.\nIt is that of the first day; later days may be in the next one.",
    ),
    enum_column("status", LeaveStatus.pending, "Status of the application.\nOnly approved leave is used."),
    date_column("start_date", "First day.", nullable=False),
    date_column("end_date", "Last day, inclusive.", nullable=False),
    enum_column("start_day_part", DayPart.full, "Part of the first day."),
    enum_column("end_day_part", DayPart.full, "Part of the last day."),
    event_time(
        "started_at",
        "Start of leave by hours; null for leave by days.\nOnly for leave of some hours of one day.",
        nullable=True,
    ),
    event_time(
        "ended_at",
        "End of leave by hours, exclusive; null for leave by days.\nOnly for leave of some hours of one day.",
        nullable=True,
    ),
    timezone_column("IANA time zone of the person at the time of the application."),
    quantity_column("amount", "Total leave taken: the sum of the days.\nIt is in the unit of the type."),
    number_column(
        "duration_seconds", "The amount as time; day_length_seconds of the policy is one day.", nullable=False
    ),
    Column(
        "is_paid",
        Boolean,
        nullable=False,
        comment="Whether the leave is paid.\nCopy of the type's value at the time of the application.",
    ),
    erased(text_column("reason", "Reason that the person gave.")),
    event_time("applied_at", "Time of the application."),
    *review_columns("approved or rejected it; null until the decision"),
    event_time("cancelled_at", "Time when it was cancelled or withdrawn; null unless it was.", nullable=True),
    flag_column("has_attachment", "Whether there is an attachment.\nThe document is stored elsewhere."),
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
    date_column("date", "Day of the leave.", nullable=False),
    quantity_column("amount", "Leave taken on this day.\nIt is in the unit of the type, and 0 on holidays."),
    number_column(
        "duration_seconds", "The amount as time; day_length_seconds of the policy is one day.", nullable=False
    ),
    flag_column("is_holiday", "Whether the day is a holiday; holidays take no leave."),
    CheckConstraint("amount >= 0 AND duration_seconds >= 0", name="no_negative_parts"),
    order=None,
    is_polled=False,
)
live_key(leave_application_days, "leave_application_id", "date")
