"""GraphQL types and queries of leave: types, policies, periods, assignments, balances, applications."""

from datetime import date, datetime
from uuid import UUID

from db.tables.leaves import DayPart, LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveStatus, LeaveUnit
from resolvers import leaves, payroll, people
from resolvers.lists.page_reader import PageReader
from schema.fields import Node, Page, audit_times, by_id, field, listed, object_type, refers_to
from schema.people import Member, person_who
from schema.scalars import Day, Quantity, Seconds
from schema.totals import totals


@object_type("A leave type, such as vacation.", "leave_types")
class LeaveType(Node):
    name: str = field()
    code: str | None = field()
    description: str | None = field()
    color: str | None = field()
    category: LeaveCategory = field()
    unit: LeaveUnit = field()
    is_paid: bool = field()
    requires_approval: bool = field()
    requires_attachment: bool = field()
    allows_half_day: bool = field()
    is_active: bool = field()
    created_at, updated_at, deleted_at = audit_times()
    leave_policies = listed("Leave policies of a leave type", leaves.LEAVE_POLICIES, "leave_type_id")
    leave_applications = listed("Leave applications for a leave type", leaves.LEAVE_APPLICATIONS, "leave_type_id")


@object_type("A leave policy: the rules by which leave of one type is granted.", "leave_policies")
class LeavePolicy(Node):
    name: str = field()
    leave_type_id: UUID = field()
    leave_type_name: str = field("Name of the leave type.", leaves.types_by_id.of("leave_type_id", "name"))
    unit: LeaveUnit = field(
        "Unit of its quantities, that of the leave type.", leaves.types_by_id.of("leave_type_id", "unit")
    )
    entitlement: Quantity | None = field()
    is_unlimited: bool = field("Whether the policy has no limit: entitlement is null.")
    accrual_type: LeaveAccrual = field()
    accrual_amount: Quantity | None = field()
    accrual_cap: Quantity | None = field()
    carry_over_max: Quantity | None = field()
    carry_over_expires_on_month_day: str | None = field()
    allows_negative_balance: bool = field()
    max_negative: Quantity | None = field()
    waiting_period_days: int = field()
    prorate_on_hire: bool = field()
    min_notice_days: int | None = field()
    max_consecutive: Quantity | None = field()
    day_length_seconds: Seconds = field()
    auto_assign_new_members: bool = field()
    is_active: bool = field()
    created_at, updated_at, deleted_at = audit_times()
    leave_type: LeaveType = field(resolver=leaves.leave_type_of)
    leave_assignments = listed("Assignments of a leave policy to people", leaves.LEAVE_ASSIGNMENTS, "leave_policy_id")
    leave_balances = listed("Leave balances under a leave policy", leaves.LEAVE_BALANCES, "leave_policy_id")
    leave_applications = listed("Leave applications under a leave policy", leaves.LEAVE_APPLICATIONS, "leave_policy_id")


@object_type("A leave period, such as a year, in which leave is granted and used.", "leave_periods")
class LeavePeriod(Node):
    name: str = field()
    start_date: date = field()
    end_date: date = field()
    status: LeavePeriodStatus = field()
    is_current: bool = field(
        "Whether today, in the organization's time zone, is in the period. A change of it does not change updated_at.",
        leaves.is_current_period,
    )
    created_at, updated_at, deleted_at = audit_times()
    leave_balances: Page["LeaveBalance"] = field(
        "Leave balances of a leave period, by creation.", PageReader(leaves.LEAVE_BALANCES, "leave_period_id").step()
    )
    leave_balance_totals = totals(
        "the leave balances of a leave period", leaves.LEAVE_BALANCE_TOTALS, "leave_period_id"
    )
    leave_assignments = listed(
        "Assignments of leave policies to people for a leave period alone", leaves.LEAVE_ASSIGNMENTS, "leave_period_id"
    )
    leave_applications = listed("Leave applications in a leave period", leaves.LEAVE_APPLICATIONS, "leave_period_id")


@object_type("Assignment of a leave policy to a person.", "leave_assignments")
class LeaveAssignment(Node):
    user: Member = field(resolver=people.user_of)
    leave_policy_id: UUID = field()
    leave_policy_name: str = field("Name of the leave policy.", leaves.policies_by_id.of("leave_policy_id", "name"))
    leave_type_id: UUID = field("Id of the leave type.", leaves.policies_by_id.of("leave_policy_id", "leave_type_id"))
    leave_type: LeaveType = field("The leave type.", leaves.leave_type_of_policy)
    leave_period_id, leave_period = refers_to(LeavePeriod, leaves.leave_period_of)
    entitlement: Quantity | None = field()
    effective_from: date = field()
    effective_to: date | None = field()
    is_active: bool = field()
    assigned_by_user_id, assigned_by = person_who("assigned_by_user_id")
    created_at, updated_at, deleted_at = audit_times()
    leave_policy: LeavePolicy = field(resolver=leaves.leave_policy_of)


@object_type("Leave balance of a person for one policy in one period.", "leave_balances")
class LeaveBalance(Node):
    user: Member = field(resolver=people.user_of)
    leave_type_id: UUID = field("Id of the leave type.", leaves.policies_by_id.of("leave_policy_id", "leave_type_id"))
    leave_type_name: str = field("Name of the leave type.", leaves.policies_by_id.of("leave_policy_id", "type_name"))
    leave_type: LeaveType = field("The leave type.", leaves.leave_type_of_policy)
    leave_policy_id: UUID = field()
    leave_period_id: UUID = field()
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
    entitled: Quantity = field()
    accrued: Quantity = field()
    carried_over: Quantity = field()
    adjusted: Quantity = field()
    used: Quantity = field()
    pending: Quantity = field()
    expired: Quantity = field()
    available: Quantity = field(
        "Leave that can still be taken: accrued + carried_over + adjusted - used - pending - expired; may be negative."
    )
    as_of: date = field()
    created_at: datetime = field()
    updated_at: datetime = field()
    deleted_at: datetime | None = field("Always null: balances are not deleted.")
    leave_policy: LeavePolicy = field(resolver=leaves.leave_policy_of)
    leave_period: LeavePeriod = field(resolver=leaves.leave_period_of)


@object_type("One day of a leave application.", "leave_application_days")
class LeaveDay:
    date: Day = field()
    amount: Quantity = field()
    duration_seconds: Seconds = field()
    is_holiday: bool = field()


@object_type("A leave application; once approved, the leave itself.", "leave_applications")
class LeaveApplication(Node):
    user: Member = field(resolver=people.user_of)
    leave_type_id: UUID = field()
    leave_type_name: str = field("Name of the leave type.", leaves.types_by_id.of("leave_type_id", "name"))
    leave_policy_id: UUID | None = field()
    leave_period_id: UUID | None = field()
    status: LeaveStatus = field()
    start_date: date = field()
    end_date: date = field()
    start_day_part: DayPart = field()
    end_day_part: DayPart = field()
    started_at: datetime | None = field()
    ended_at: datetime | None = field()
    timezone: str = field()
    unit: LeaveUnit = field("Unit: days or hours.", leaves.types_by_id.of("leave_type_id", "unit"))
    amount: Quantity = field()
    duration_seconds: Seconds = field()
    is_paid: bool = field()
    reason: str | None = field()
    days: list[LeaveDay] = field(
        "Days of the leave, ascending; without any, the whole amount is of start_date.", leaves.days_of_application
    )
    applied_at: datetime = field()
    reviewed_by_user_id, reviewed_by = person_who("reviewed_by_user_id")
    reviewed_at: datetime | None = field()
    review_seconds: Seconds | None = field("Time from the application to the decision; null until it is made.")
    review_note: str | None = field()
    cancelled_at: datetime | None = field()
    has_attachment: bool = field()
    created_at, updated_at, deleted_at = audit_times()
    leave_type: LeaveType = field(resolver=leaves.leave_type_of)
    leave_policy: LeavePolicy | None = field("Leave policy under which the leave is granted.", leaves.leave_policy_of)
    leave_period: LeavePeriod | None = field(
        "Leave period of the first day; later days may be in the next one.", leaves.leave_period_of
    )
    payables = listed("Amounts owed because of the leave", payroll.PAYABLES, "source_id")


@object_type()
class LeavesQuery:
    leave_applications = listed("Leave applications", leaves.LEAVE_APPLICATIONS)
    leave_application_totals = totals("whole leave applications", leaves.LEAVE_APPLICATION_TOTALS)
    leave_day_totals = totals("the days of leave applications that lie in the range", leaves.LEAVE_DAY_TOTALS)
    leave_types = listed("Leave types", leaves.LEAVE_TYPES)
    leave_policies = listed("Leave policies", leaves.LEAVE_POLICIES)
    leave_periods = listed("Leave periods", leaves.LEAVE_PERIODS)
    leave_balances = listed("Leave balances", leaves.LEAVE_BALANCES)
    leave_balance_totals = totals("leave balances", leaves.LEAVE_BALANCE_TOTALS)
    leave_assignments = listed("Assignments of leave policies to people", leaves.LEAVE_ASSIGNMENTS)
    leave_application, leave_applications_by_id = by_id(LeaveApplication, leaves.applications_by_id)
    leave_type, leave_types_by_id = by_id(LeaveType, leaves.types_by_id)
    leave_policy, leave_policies_by_id = by_id(LeavePolicy, leaves.policies_by_id)
    leave_period, leave_periods_by_id = by_id(LeavePeriod, leaves.periods_by_id)
    leave_balance, leave_balances_by_id = by_id(LeaveBalance, leaves.balances_by_id)
    leave_assignment, leave_assignments_by_id = by_id(LeaveAssignment, leaves.assignments_by_id)
