"""What can be asked about leaves: types, policies, periods, assignments, balances, applications."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.leaves import DayPart, LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveStatus, LeaveUnit
from resolvers import leaves, people
from schema.page import Page, field
from schema.people import User
from schema.scalars import Quantity, Seconds

# A class whose field is called date can't name its type so.
Day = date

strawberry.enum(DayPart, description="Which part of a first or last day leave takes.")
strawberry.enum(LeaveAccrual, description="How an entitlement to leave is earned.")
strawberry.enum(LeaveCategory, description="What leave is for.")
strawberry.enum(LeavePeriodStatus, description="Where a period of leave stands.")
strawberry.enum(LeaveStatus, description="Where an application for leave stands.")
strawberry.enum(LeaveUnit, description="What leave is counted in.")


@strawberry.type(description="A type of leave, such as vacation.")
class LeaveType:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    code: str | None = field("A short name.")
    description: str | None = field("What it is for.")
    color: str | None = field("`#rrggbb`.")
    category: LeaveCategory = field("What it is for, in one word.")
    unit: LeaveUnit = field("What it is counted in.")
    is_paid: bool = field("Whether leave of it is paid.")
    requires_approval: bool = field("Whether somebody must approve it.")
    requires_attachment: bool = field("Whether it needs a document.")
    allows_half_day: bool = field("Whether half days can be taken.")
    is_active: bool = field("Whether it is in use.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type(description="The rules by which leave of a type is granted.")
class LeavePolicy:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    leave_type_id: UUID = field("The type of leave.")
    leave_type_name: str = field("Name of the type.", leaves.leave_type_name_of)
    unit: LeaveUnit = field("What its quantities are counted in, which is what the type is.", leaves.unit_of)
    entitlement: Quantity | None = field("Granted in a period; null means without limit.")
    accrual_type: LeaveAccrual = field("How the entitlement is earned.")
    accrual_amount: Quantity | None = field("Earned each time.")
    accrual_cap: Quantity | None = field("Earned at most.")
    carry_over_max: Quantity | None = field("Carried into the next period at most.")
    carry_over_expires_on_month_day: str | None = field("`MM-DD` of the next period on which the carried rest expires.")
    allows_negative_balance: bool = field("Whether more may be taken than there is.")
    max_negative: Quantity | None = field("How much more at most.")
    waiting_period_days: int = field("Days after hiring before leave can be taken.")
    prorate_on_hire: bool = field("Whether who is hired within a period is granted a part.")
    min_notice_days: int | None = field("Days before its first day by which leave must be asked for.")
    max_consecutive: Quantity | None = field("Taken at a stretch at most.")
    day_length_seconds: Seconds = field("Length of a day; converts days into time and back.")
    auto_assign_new_members: bool = field("Whether new members are assigned to it.")
    is_active: bool = field("Whether it is in use.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    leave_type: LeaveType = field("The type of leave.", leaves.leave_type_of)


@strawberry.type(description="A stretch of time in which leave is granted and used, such as a year.")
class LeavePeriod:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    start_date: date = field("First day.")
    end_date: date = field("Last day, inclusive.")
    status: LeavePeriodStatus = field("Where it stands.")
    is_current: bool = field(
        "Whether today, in the organization's zone, lies in it; does not move updated_at.", leaves.is_current
    )
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type(description="That a policy holds for a person.")
class LeaveAssignment:
    id: UUID = field("Its id.")
    user: User = field("The person.", people.user_of)
    leave_policy_id: UUID = field("The policy.")
    leave_policy_name: str = field("Name of the policy.", leaves.leave_policy_name_of)
    leave_type_id: UUID = field("The type of leave.", leaves.leave_type_id_of_policy)
    leave_period_id: UUID | None = field("The one period for which it holds; null means every one.")
    entitlement: Quantity | None = field("Granted instead of what the policy grants, in the unit of the policy.")
    effective_from: date = field("First day.")
    effective_to: date | None = field("Last day, inclusive.")
    is_active: bool = field("Whether it is in force.")
    assigned_by_user_id: UUID | None = field("Who assigned it.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    leave_policy: LeavePolicy = field("The policy.", leaves.leave_policy_of)


@strawberry.type(description="What a person has, and has used, of the leave of one policy in one period.")
class LeaveBalance:
    id: UUID = field("Its id.")
    user: User = field("The person.", people.user_of)
    leave_type_id: UUID = field("The type of leave.", leaves.leave_type_id_of_policy)
    leave_type_name: str = field("Name of the type.", leaves.leave_type_name_of_policy)
    leave_policy_id: UUID = field("The policy.")
    leave_period_id: UUID = field("The period.")
    period_start: date = field("First day of the period.", leaves.period_start_of)
    period_end: date = field("Last day of the period, inclusive.", leaves.period_end_of)
    unit: LeaveUnit = field("What all of it is counted in.", leaves.unit_of_policy)
    entitled: Quantity = field("Granted for the whole period.")
    accrued: Quantity = field("Earned of that so far.")
    carried_over: Quantity = field("Carried over from the period before.")
    adjusted: Quantity = field("Granted by hand; negative if taken away.")
    used: Quantity = field("Approved leave.")
    pending: Quantity = field("Leave that is asked for and not decided.")
    expired: Quantity = field("Carried over and not used in time.")
    available: Quantity = field("accrued + carried_over + adjusted - used - pending - expired; may be negative.")
    as_of: date = field("The day as of which it was calculated.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted; always null.")
    leave_policy: LeavePolicy = field("The policy.", leaves.leave_policy_of)
    leave_period: LeavePeriod = field("The period.", leaves.leave_period_of)


@strawberry.type(description="One day of a leave.")
class LeaveDay:
    date: Day = field("The day.")
    amount: Quantity = field("How much leave it takes.")
    duration_seconds: Seconds = field("The same as time.")
    is_holiday: bool = field("Whether it is a holiday, which takes no leave.")


@strawberry.type(description="An application for leave; the leave itself, once it is approved.")
class LeaveApplication:
    id: UUID = field("Its id.")
    user: User = field("The person.", people.user_of)
    leave_type_id: UUID = field("The type of leave.")
    leave_type_name: str = field("Name of the type.", leaves.leave_type_name_of)
    leave_policy_id: UUID | None = field("The policy under which it is taken.")
    leave_period_id: UUID | None = field("The period in which it is counted.")
    status: LeaveStatus = field("Where it stands.")
    start_date: date = field("First day.")
    end_date: date = field("Last day, inclusive.")
    start_day_part: DayPart = field("The part of the first day that it takes.")
    end_day_part: DayPart = field("The part of the last day that it takes.")
    started_at: datetime | None = field("When leave of some hours begins; null for leave of days.")
    ended_at: datetime | None = field("When leave of some hours ends; null for leave of days.")
    timezone: str = field("The person's IANA time zone when it was asked for.")
    unit: LeaveUnit = field("What it is counted in.", leaves.unit_of)
    amount: Quantity = field("How much leave it takes: the sum of its days.")
    duration_seconds: Seconds = field("The same as time.")
    is_paid: bool = field("Whether it is paid.")
    reason: str | None = field("Why it was asked for.")
    days: list[LeaveDay] = field("Its days, ascending.", leaves.days_of_application)
    applied_at: datetime = field("When it was asked for.")
    reviewed_by_user_id: UUID | None = field("Who decided on it.")
    reviewed_at: datetime | None = field("When it was decided on.")
    review_note: str | None = field("What was said about it.")
    cancelled_at: datetime | None = field("When it was cancelled or withdrawn.")
    has_attachment: bool = field("Whether a document came with it.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    leave_type: LeaveType = field("The type of leave.", leaves.leave_type_of)
    leave_policy: LeavePolicy | None = field("The policy under which it is taken.", leaves.leave_policy_of)
    leave_period: LeavePeriod | None = field("The period in which it is counted.", leaves.leave_period_of)


@strawberry.type
class LeavesQuery:
    leave_applications: Page[LeaveApplication] = field("Applications for leave.", leaves.list_leave_applications)
    leave_types: Page[LeaveType] = field("Types of leave.", leaves.list_leave_types)
    leave_policies: Page[LeavePolicy] = field("Policies of leave.", leaves.list_leave_policies)
    leave_periods: Page[LeavePeriod] = field("Periods of leave.", leaves.list_leave_periods)
    leave_balances: Page[LeaveBalance] = field("Balances of leave.", leaves.list_leave_balances)
    leave_assignments: Page[LeaveAssignment] = field("For whom which policy holds.", leaves.list_leave_assignments)
