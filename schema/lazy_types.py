"""Lazy references to types of the schema, for modules that the module of the type imports.

A type of the same module, or of one that is imported anyway, is named directly.
"""

from typing import TYPE_CHECKING, Annotated

import strawberry

if TYPE_CHECKING:
    from schema.activity import Screenshot, SuspiciousActivityLog
    from schema.leaves import LeaveApplication, LeaveAssignment, LeaveBalance, LeaveTotal
    from schema.money import Invoice
    from schema.people import Member
    from schema.timesheets import ClockRecord, ManualTime, Timesheet
    from schema.work import Project, ProjectMember, Task, TaskMember

LazyClockRecord = Annotated["ClockRecord", strawberry.lazy("schema.timesheets")]
LazyInvoice = Annotated["Invoice", strawberry.lazy("schema.money")]
LazyLeaveApplication = Annotated["LeaveApplication", strawberry.lazy("schema.leaves")]
LazyLeaveAssignment = Annotated["LeaveAssignment", strawberry.lazy("schema.leaves")]
LazyLeaveBalance = Annotated["LeaveBalance", strawberry.lazy("schema.leaves")]
LazyLeaveTotal = Annotated["LeaveTotal", strawberry.lazy("schema.leaves")]
LazyManualTime = Annotated["ManualTime", strawberry.lazy("schema.timesheets")]
LazyMember = Annotated["Member", strawberry.lazy("schema.people")]
LazyProject = Annotated["Project", strawberry.lazy("schema.work")]
LazyProjectMember = Annotated["ProjectMember", strawberry.lazy("schema.work")]
LazyScreenshot = Annotated["Screenshot", strawberry.lazy("schema.activity")]
LazySuspiciousActivityLog = Annotated["SuspiciousActivityLog", strawberry.lazy("schema.activity")]
LazyTask = Annotated["Task", strawberry.lazy("schema.work")]
LazyTaskMember = Annotated["TaskMember", strawberry.lazy("schema.work")]
LazyTimesheet = Annotated["Timesheet", strawberry.lazy("schema.timesheets")]
