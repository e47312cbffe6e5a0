"""What can be asked about leaves: types, policies, periods, assignments, balances, applications."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.leaves import DayPart, LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveStatus, LeaveUnit
from resolvers import leaves, people
from schema.page import Page, told
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
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    code: str | None = told("A short name.")
    description: str | None = told("What it is for.")
    color: str | None = told("`#rrggbb`.")
    category: LeaveCategory = told("What it is for, in one word.")
    unit: LeaveUnit = told("What it is counted in.")
    is_paid: bool = told("Whether leave of it is paid.")
    requires_approval: bool = told("Whether somebody must approve it.")
    requires_attachment: bool = told("Whether it needs a document.")
    allows_half_day: bool = told("Whether half days can be taken.")
    is_active: bool = told("Whether it is in use.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")


@strawberry.type(description="The rules by which leave of a type is granted.")
class LeavePolicy:
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    leave_type_id: UUID = told("The type of leave.")
    leave_type_name: str = told("Name of the type.", leaves.leave_type_name_of)
    unit: LeaveUnit = told("What its quantities are counted in, which is what the type is.", leaves.unit_of)
    entitlement: Quantity | None = told("Granted in a period; null means without limit.")
    accrual_type: LeaveAccrual = told("How the entitlement is earned.")
    accrual_amount: Quantity | None = told("Earned each time.")
    accrual_cap: Quantity | None = told("Earned at most.")
    carry_over_max: Quantity | None = told("Carried into the next period at most.")
    carry_over_expires_on_month_day: str | None = told("`MM-DD` of the next period on which the carried rest expires.")
    allows_negative_balance: bool = told("Whether more may be taken than there is.")
    max_negative: Quantity | None = told("How much more at most.")
    waiting_period_days: int = told("Days after hiring before leave can be taken.")
    prorate_on_hire: bool = told("Whether who is hired within a period is granted a part.")
    min_notice_days: int | None = told("Days before its first day by which leave must be asked for.")
    max_consecutive: Quantity | None = told("Taken at a stretch at most.")
    day_length_seconds: Seconds = told("Length of a day; converts days into time and back.")
    auto_assign_new_members: bool = told("Whether new members are assigned to it.")
    is_active: bool = told("Whether it is in use.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    leave_type: LeaveType = told("The type of leave.", leaves.leave_type_of)


@strawberry.type(description="A stretch of time in which leave is granted and used, such as a year.")
class LeavePeriod:
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    start_date: date = told("First day.")
    end_date: date = told("Last day, inclusive.")
    status: LeavePeriodStatus = told("Where it stands.")
    is_current: bool = told(
        "Whether today, in the organization's zone, lies in it; does not move updated_at.", leaves.is_current
    )
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")


@strawberry.type(description="That a policy holds for a person.")
class LeaveAssignment:
    id: UUID = told("Its id.")
    user: User = told("The person.", people.user_of)
    leave_policy_id: UUID = told("The policy.")
    leave_policy_name: str = told("Name of the policy.", leaves.leave_policy_name_of)
    leave_type_id: UUID = told("The type of leave.", leaves.leave_type_id_of_policy)
    leave_period_id: UUID | None = told("The one period for which it holds; null means every one.")
    entitlement: Quantity | None = told("Granted instead of what the policy grants, in the unit of the policy.")
    effective_from: date = told("First day.")
    effective_to: date | None = told("Last day, inclusive.")
    is_active: bool = told("Whether it is in force.")
    assigned_by_user_id: UUID | None = told("Who assigned it.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    leave_policy: LeavePolicy = told("The policy.", leaves.leave_policy_of)


@strawberry.type(description="What a person has, and has used, of the leave of one policy in one period.")
class LeaveBalance:
    id: UUID = told("Its id.")
    user: User = told("The person.", people.user_of)
    leave_type_id: UUID = told("The type of leave.", leaves.leave_type_id_of_policy)
    leave_type_name: str = told("Name of the type.", leaves.leave_type_name_of_policy)
    leave_policy_id: UUID = told("The policy.")
    leave_period_id: UUID = told("The period.")
    period_start: date = told("First day of the period.", leaves.period_start_of)
    period_end: date = told("Last day of the period, inclusive.", leaves.period_end_of)
    unit: LeaveUnit = told("What all of it is counted in.", leaves.unit_of_policy)
    entitled: Quantity = told("Granted for the whole period.")
    accrued: Quantity = told("Earned of that so far.")
    carried_over: Quantity = told("Carried over from the period before.")
    adjusted: Quantity = told("Granted by hand; negative if taken away.")
    used: Quantity = told("Approved leave.")
    pending: Quantity = told("Leave that is asked for and not decided.")
    expired: Quantity = told("Carried over and not used in time.")
    available: Quantity = told("accrued + carried_over + adjusted - used - pending - expired; may be negative.")
    as_of: date = told("The day as of which it was calculated.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted; always null.")
    leave_policy: LeavePolicy = told("The policy.", leaves.leave_policy_of)
    leave_period: LeavePeriod = told("The period.", leaves.leave_period_of)


@strawberry.type(description="One day of a leave.")
class LeaveDay:
    date: Day = told("The day.")
    amount: Quantity = told("How much leave it takes.")
    duration_seconds: Seconds = told("The same as time.")
    is_holiday: bool = told("Whether it is a holiday, which takes no leave.")


@strawberry.type(description="An application for leave; the leave itself, once it is approved.")
class LeaveApplication:
    id: UUID = told("Its id.")
    user: User = told("The person.", people.user_of)
    leave_type_id: UUID = told("The type of leave.")
    leave_type_name: str = told("Name of the type.", leaves.leave_type_name_of)
    leave_policy_id: UUID | None = told("The policy under which it is taken.")
    leave_period_id: UUID | None = told("The period in which it is counted.")
    status: LeaveStatus = told("Where it stands.")
    start_date: date = told("First day.")
    end_date: date = told("Last day, inclusive.")
    start_day_part: DayPart = told("The part of the first day that it takes.")
    end_day_part: DayPart = told("The part of the last day that it takes.")
    started_at: datetime | None = told("When leave of some hours begins; null for leave of days.")
    ended_at: datetime | None = told("When leave of some hours ends; null for leave of days.")
    timezone: str = told("The person's IANA time zone when it was asked for.")
    unit: LeaveUnit = told("What it is counted in.", leaves.unit_of)
    amount: Quantity = told("How much leave it takes: the sum of its days.")
    duration_seconds: Seconds = told("The same as time.")
    is_paid: bool = told("Whether it is paid.")
    reason: str | None = told("Why it was asked for.")
    days: list[LeaveDay] = told("Its days, ascending.", leaves.days_of_application)
    applied_at: datetime = told("When it was asked for.")
    reviewed_by_user_id: UUID | None = told("Who decided on it.")
    reviewed_at: datetime | None = told("When it was decided on.")
    review_note: str | None = told("What was said about it.")
    cancelled_at: datetime | None = told("When it was cancelled or withdrawn.")
    has_attachment: bool = told("Whether a document came with it.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    leave_type: LeaveType = told("The type of leave.", leaves.leave_type_of)
    leave_policy: LeavePolicy | None = told("The policy under which it is taken.", leaves.leave_policy_of)
    leave_period: LeavePeriod | None = told("The period in which it is counted.", leaves.leave_period_of)


@strawberry.type
class LeavesQuery:
    leave_applications: Page[LeaveApplication] = told("Applications for leave.", leaves.list_leave_applications)
    leave_types: Page[LeaveType] = told("Types of leave.", leaves.list_leave_types)
    leave_policies: Page[LeavePolicy] = told("Policies of leave.", leaves.list_leave_policies)
    leave_periods: Page[LeavePeriod] = told("Periods of leave.", leaves.list_leave_periods)
    leave_balances: Page[LeaveBalance] = told("Balances of leave.", leaves.list_leave_balances)
    leave_assignments: Page[LeaveAssignment] = told("For whom which policy holds.", leaves.list_leave_assignments)
