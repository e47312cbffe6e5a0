"""GraphQL types and queries of leave: types, policies, periods, assignments, balances, applications."""

from datetime import date, datetime
from uuid import UUID

from db.tables.leaves import DayPart, LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveStatus, LeaveUnit
from resolvers import leaves, payroll, people
from schema.fields import Node, Page, audit_times, by_id, field, listed, object_type, totals
from schema.people import Member, person_who
from schema.scalars import Day, Quantity, Seconds


@object_type("A leave type, such as vacation.")
class LeaveType(Node):
    name: str = field("Name of the leave type.")
    code: str | None = field("Short code.")
    description: str | None = field("Description of the leave type.")
    color: str | None = field("Color as `#rrggbb`.")
    category: LeaveCategory = field("Category of the leave type.")
    unit: LeaveUnit = field("Unit: days or hours.")
    is_paid: bool = field("Whether the leave is paid.")
    requires_approval: bool = field("Whether leave needs approval.")
    requires_attachment: bool = field("Whether an application needs an attachment.")
    allows_half_day: bool = field("Whether half days are allowed.")
    is_active: bool = field("Whether it is active.")
    created_at, updated_at, deleted_at = audit_times()
    leave_policies = listed("Leave policies of a leave type", leaves.LEAVE_POLICIES, "leave_type_id")
    leave_applications = listed("Leave applications for a leave type", leaves.LEAVE_APPLICATIONS, "leave_type_id")


@object_type("A leave policy: the rules by which leave of one type is granted.")
class LeavePolicy(Node):
    name: str = field("Name of the leave policy.")
    leave_type_id: UUID = field("Id of the leave type.")
    leave_type_name: str = field("Name of the leave type.", leaves.types_by_id.of("leave_type_id", "name"))
    unit: LeaveUnit = field(
        "Unit of its quantities, that of the leave type.", leaves.types_by_id.of("leave_type_id", "unit")
    )
    entitlement: Quantity | None = field("Leave granted per period; null means unlimited.")
    is_unlimited: bool = field("Whether the policy has no limit: entitlement is null.")
    accrual_type: LeaveAccrual = field("Way in which leave is accrued.")
    accrual_amount: Quantity | None = field("Leave that is added each time, in `unit`.")
    accrual_cap: Quantity | None = field("Maximum of leave that accrual collects; null means no maximum.")
    carry_over_max: Quantity | None = field(
        "Maximum of leave carried over into the next period; null means no maximum."
    )
    carry_over_expires_on_month_day: str | None = field(
        "Day of the next period, as `MM-DD`, on which carried-over leave expires."
    )
    allows_negative_balance: bool = field("Whether the balance may become negative.")
    max_negative: Quantity | None = field(
        "How far below zero the balance may be; null means no limit. It applies only if allows_negative_balance."
    )
    waiting_period_days: int = field("Days after hiring before leave can be taken.")
    prorate_on_hire: bool = field("Whether leave is prorated for members hired within a period.")
    min_notice_days: int | None = field(
        "Days that must be between the application and the first day of leave; null means none."
    )
    max_consecutive: Quantity | None = field("Longest leave without interruption; null means no limit.")
    day_length_seconds: Seconds = field("Length of a day, to convert between days and time.")
    auto_assign_new_members: bool = field("Whether new members are assigned automatically.")
    is_active: bool = field("Whether it is active.")
    created_at, updated_at, deleted_at = audit_times()
    leave_type: LeaveType = field("The leave type.", leaves.leave_type_of)
    leave_assignments = listed("Assignments of a leave policy to people", leaves.LEAVE_ASSIGNMENTS, "leave_policy_id")
    leave_balances = listed("Leave balances under a leave policy", leaves.LEAVE_BALANCES, "leave_policy_id")
    leave_applications = listed("Leave applications under a leave policy", leaves.LEAVE_APPLICATIONS, "leave_policy_id")


@object_type("A leave period, such as a year, in which leave is granted and used.")
class LeavePeriod(Node):
    name: str = field("Name of the leave period.")
    start_date: date = field("First day.")
    end_date: date = field("Last day, inclusive.")
    status: LeavePeriodStatus = field("Status of the leave period.")
    is_current: bool = field(
        "Whether today, in the organization's time zone, is in the period. A change of it does not change updated_at.",
        leaves.is_current_period,
    )
    created_at, updated_at, deleted_at = audit_times()
    leave_balances: Page["LeaveBalance"] = field(
        "Leave balances of a leave period, by creation.", leaves.LEAVE_BALANCES.of("leave_period_id")
    )
    leave_assignments = listed(
        "Assignments of leave policies to people for a leave period alone", leaves.LEAVE_ASSIGNMENTS, "leave_period_id"
    )
    leave_applications = listed("Leave applications in a leave period", leaves.LEAVE_APPLICATIONS, "leave_period_id")


@object_type("Assignment of a leave policy to a person.")
class LeaveAssignment(Node):
    user: Member = field("The person.", people.user_of)
    leave_policy_id: UUID = field("Id of the leave policy.")
    leave_policy_name: str = field("Name of the leave policy.", leaves.policies_by_id.of("leave_policy_id", "name"))
    leave_type_id: UUID = field("Id of the leave type.", leaves.policies_by_id.of("leave_policy_id", "leave_type_id"))
    leave_type: LeaveType = field("The leave type.", leaves.leave_type_of_policy)
    leave_period_id: UUID | None = field("Id of the leave period of the assignment; null means every period.")
    leave_period: LeavePeriod | None = field(
        "Leave period of the assignment; null means every period.", leaves.leave_period_of
    )
    entitlement: Quantity | None = field(
        "Entitlement that replaces that of the policy, in the unit of the policy; null means that of the policy."
    )
    effective_from: date = field("First day.")
    effective_to: date | None = field("Last day, inclusive; null means without end.")
    is_active: bool = field("Whether the assignment is in force.")
    assigned_by_user_id, assigned_by = person_who("made the assignment", "assigned_by_user_id")
    created_at, updated_at, deleted_at = audit_times()
    leave_policy: LeavePolicy = field("The leave policy.", leaves.leave_policy_of)


@object_type("Leave balance of a person for one policy in one period.")
class LeaveBalance(Node):
    user: Member = field("The person.", people.user_of)
    leave_type_id: UUID = field("Id of the leave type.", leaves.policies_by_id.of("leave_policy_id", "leave_type_id"))
    leave_type_name: str = field("Name of the leave type.", leaves.policies_by_id.of("leave_policy_id", "type_name"))
    leave_type: LeaveType = field("The leave type.", leaves.leave_type_of_policy)
    leave_policy_id: UUID = field("Id of the leave policy.")
    leave_period_id: UUID = field("Id of the leave period.")
    period_start: date = field("First day of the period.", leaves.periods_by_id.of("leave_period_id", "start_date"))
    period_end: date = field(
        "Last day of the period, inclusive.", leaves.periods_by_id.of("leave_period_id", "end_date")
    )
    unit: LeaveUnit = field("Unit of all quantities.", leaves.policies_by_id.of("leave_policy_id", "type_unit"))
    is_unlimited: bool = field(
        "Whether the policy has no limit. Then the balance only counts what was used; available may be negative, and "
        "is no limit.",
        leaves.policies_by_id.of("leave_policy_id", "is_unlimited"),
    )
    entitled: Quantity = field("Leave granted for the whole period.")
    accrued: Quantity = field("Leave accrued so far.")
    carried_over: Quantity = field("Leave carried over from the previous period.")
    adjusted: Quantity = field("Manual adjustment; may be negative.")
    used: Quantity = field("Leave that was approved.")
    pending: Quantity = field("Leave in applications that are not decided yet.")
    expired: Quantity = field("Leave that expired unused.")
    available: Quantity = field(
        "Leave that can still be taken: accrued + carried_over + adjusted - used - pending - expired; may be negative."
    )
    as_of: date = field("Day for which the balance was calculated.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Always null: balances are not deleted.")
    leave_policy: LeavePolicy = field("The leave policy.", leaves.leave_policy_of)
    leave_period: LeavePeriod = field("The leave period.", leaves.leave_period_of)


@object_type("One day of a leave application.")
class LeaveDay:
    date: Day = field("Day of the leave.")
    amount: Quantity = field("Leave taken on this day.")
    duration_seconds: Seconds = field("The amount as time; day_length_seconds of the policy is one day.")
    is_holiday: bool = field("Whether the day is a holiday; holidays take no leave.")


@object_type("A leave application; once approved, the leave itself.")
class LeaveApplication(Node):
    user: Member = field("The person.", people.user_of)
    leave_type_id: UUID = field("Id of the leave type.")
    leave_type_name: str = field("Name of the leave type.", leaves.types_by_id.of("leave_type_id", "name"))
    leave_policy_id: UUID | None = field("Id of the leave policy.")
    leave_period_id: UUID | None = field("Id of the leave period.")
    status: LeaveStatus = field("Status of the application.")
    start_date: date = field("First day.")
    end_date: date = field("Last day, inclusive.")
    start_day_part: DayPart = field("Part of the first day.")
    end_day_part: DayPart = field("Part of the last day.")
    started_at: datetime | None = field("Start of leave by hours; null for leave by days.")
    ended_at: datetime | None = field("End of leave by hours, exclusive; null for leave by days.")
    timezone: str = field("IANA time zone of the person at the time of the application.")
    unit: LeaveUnit = field("Unit: days or hours.", leaves.types_by_id.of("leave_type_id", "unit"))
    amount: Quantity = field("Total leave taken: the sum of the days.")
    duration_seconds: Seconds = field("The amount as time; day_length_seconds of the policy is one day.")
    is_paid: bool = field("Whether the leave is paid.")
    reason: str | None = field("Reason that the person gave.")
    days: list[LeaveDay] = field("Days of the leave, ascending.", leaves.days_of_application)
    applied_at: datetime = field("Time of the application.")
    reviewed_by_user_id, reviewed_by = person_who(
        "approved or rejected it; null until the decision", "reviewed_by_user_id"
    )
    reviewed_at: datetime | None = field("Time of the decision; null until it is made.")
    review_note: str | None = field("Note of the reviewer.")
    cancelled_at: datetime | None = field("Time when it was cancelled or withdrawn; null unless it was.")
    has_attachment: bool = field("Whether there is an attachment.")
    created_at, updated_at, deleted_at = audit_times()
    leave_type: LeaveType = field("The leave type.", leaves.leave_type_of)
    leave_policy: LeavePolicy | None = field("Leave policy under which the leave is granted.", leaves.leave_policy_of)
    leave_period: LeavePeriod | None = field(
        "Leave period of the first day; later days may be in the next one.", leaves.leave_period_of
    )
    payables = listed("Amounts owed because of the leave", payroll.PAYABLES, "source_id")


@object_type("Sums of leave over all pages of a list, of one type.")
class LeaveTotal:
    leave_type_id: UUID = field("Id of the leave type.")
    leave_type: LeaveType = field("The leave type, with the unit of the amount.", leaves.leave_type_of)
    count: int = field("Number of applications for this type.")
    amount: Quantity = field("Sum of the amounts of whole applications, also of days outside the range.")
    duration_seconds: Seconds = field("Sum of the amounts as time.")
    amount_in_range: Quantity = field(
        "Sum of the amounts of the days inside the range, so that adjacent ranges add up; without a range, as amount."
    )
    duration_seconds_in_range: Seconds = field("The same as time.")


@object_type()
class LeavesQuery:
    leave_applications = listed("Leave applications", leaves.LEAVE_APPLICATIONS)
    leave_application_totals = totals(LeaveTotal, "Sums of the leave applications", leaves.LEAVE_APPLICATIONS)
    leave_types = listed("Leave types", leaves.LEAVE_TYPES)
    leave_policies = listed("Leave policies", leaves.LEAVE_POLICIES)
    leave_periods = listed("Leave periods", leaves.LEAVE_PERIODS)
    leave_balances = listed("Leave balances", leaves.LEAVE_BALANCES)
    leave_assignments = listed("Assignments of leave policies to people", leaves.LEAVE_ASSIGNMENTS)
    leave_application, leave_applications_by_id = by_id(LeaveApplication, leaves.applications_by_id)
    leave_type, leave_types_by_id = by_id(LeaveType, leaves.types_by_id)
    leave_policy, leave_policies_by_id = by_id(LeavePolicy, leaves.policies_by_id)
    leave_period, leave_periods_by_id = by_id(LeavePeriod, leaves.periods_by_id)
    leave_balance, leave_balances_by_id = by_id(LeaveBalance, leaves.balances_by_id)
    leave_assignment, leave_assignments_by_id = by_id(LeaveAssignment, leaves.assignments_by_id)
