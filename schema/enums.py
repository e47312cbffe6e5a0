"""The enumerations of the schema, with their descriptions.

They are declared before all types: a field of one area may have an argument of another one.
"""

import strawberry

from db.tables.activity import Productivity, ScreenshotStatus, SuspicionSeverity, SuspicionStatus, SuspicionType
from db.tables.leaves import DayPart, LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveStatus, LeaveUnit
from db.tables.money import DiscountType, InvoiceLineKind, InvoiceLineUnit, InvoiceStatus
from db.tables.payroll import (
    OneTimePaymentType,
    PayableKind,
    PayableStatus,
    PaymentMethod,
    PaymentStatus,
    PayPeriod,
    PayType,
)
from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, Weekday
from db.tables.timesheets import (
    AutoClockOutReason,
    ClockStatus,
    IdleAction,
    ManualTimeAction,
    ManualTimeStatus,
    TimesheetKind,
    TimeSource,
)
from db.tables.work import (
    BillingType,
    BudgetRecurrence,
    BudgetType,
    MembershipSource,
    ProjectRole,
    ProjectStatus,
    TaskPriority,
    TaskRole,
    TaskStatus,
)
from resolvers.reports.grouped.time_groups_sql import TimeGroup, TimeGroupOrder

strawberry.enum(EmploymentType, description="Type of employment.")
strawberry.enum(MemberRole, description="Role of a member in the organization.")
strawberry.enum(MemberStatus, description="Status of a membership; `active` is a current one.")
strawberry.enum(OrganizationStatus, description="Status of an organization.")
strawberry.enum(TeamRole, description="Role of a member in a team.")
strawberry.enum(Weekday, description="A day of the week.")
strawberry.enum(BillingType, description="Billing type of a project.")
strawberry.enum(BudgetRecurrence, description="Interval at which a budget restarts.")
strawberry.enum(BudgetType, description="Type of a budget: none, money or time.")
strawberry.enum(MembershipSource, description="How a person joined a project: directly or through a team.")
strawberry.enum(ProjectRole, description="Role of a person on a project.")
strawberry.enum(ProjectStatus, description="Status of a project; `active` and `on_hold` count as active.")
strawberry.enum(TaskPriority, description="Priority of a task.")
strawberry.enum(TaskRole, description="Role of a person on a task.")
strawberry.enum(TaskStatus, description="Status of a task; `open` and `in_progress` count as active.")
strawberry.enum(AutoClockOutReason, description="Reason why the system clocked a person out.")
strawberry.enum(
    ClockStatus, description="Status of a clock record: open, closed by the person, or closed by the system."
)
strawberry.enum(IdleAction, description="Decision about idle time; `pending` counts as kept.")
strawberry.enum(ManualTimeAction, description="Effect of a manual time entry: time is added, edited or deleted.")
strawberry.enum(ManualTimeStatus, description="Status of a manual time entry.")
strawberry.enum(TimesheetKind, description="Kind of a timesheet: automatic or manual.")
strawberry.enum(TimeSource, description="Application or device that recorded the time.")
strawberry.enum(Productivity, description="Productivity rating of an application or website by the organization.")
strawberry.enum(ScreenshotStatus, description="Status of a screenshot; only `available` ones can be downloaded.")
strawberry.enum(SuspicionSeverity, description="Severity of a suspicious activity.")
strawberry.enum(SuspicionStatus, description="Review status of a suspicious activity.")
strawberry.enum(SuspicionType, description="Type of a suspicious activity.")
strawberry.enum(DiscountType, description="Type of a discount: percent or amount.")
strawberry.enum(InvoiceLineKind, description="What an invoice line charges for.")
strawberry.enum(InvoiceLineUnit, description="Unit of a quantity on an invoice.")
strawberry.enum(InvoiceStatus, description="Status of an invoice.")
strawberry.enum(OneTimePaymentType, description="Type of a one-time payment.")
strawberry.enum(PayPeriod, description="Pay period of a member.")
strawberry.enum(PayType, description="Pay type of a member: hourly, fixed per period, or none.")
strawberry.enum(PayableKind, description="Kind of a payable.")
strawberry.enum(PayableStatus, description="Status of a payable.")
strawberry.enum(PaymentMethod, description="Payment method.")
strawberry.enum(PaymentStatus, description="Status of a payment.")
strawberry.enum(DayPart, description="Part of a day: full, first half or second half.")
strawberry.enum(LeaveAccrual, description="Way in which leave is accrued.")
strawberry.enum(LeaveCategory, description="Category of leave.")
strawberry.enum(LeavePeriodStatus, description="Status of a leave period.")
strawberry.enum(LeaveStatus, description="Status of a leave application.")
strawberry.enum(LeaveUnit, description="Unit of leave: days or hours.")
strawberry.enum(TimeGroup, description="What time is grouped by.")
strawberry.enum(TimeGroupOrder, description="Order of groups of time: by themselves, or by a sum, the largest first.")
