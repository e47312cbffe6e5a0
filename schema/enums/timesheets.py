"""Enumerations of timesheets, idle time, manual time and clock records, and of sums of time."""

from db.tables.timesheets import (
    AutoClockOutReason,
    ClockStatus,
    IdleAction,
    ManualTimeAction,
    ManualTimeStatus,
    TimesheetKind,
    TimeSource,
)
from resolvers.reports.grouped.variants import TimeGroup, TimeGroupOrder
from schema.enums.declaration import enumeration

enumeration(
    AutoClockOutReason,
    "Reason why the system clocked a person out.",
    shift_ended="The scheduled shift ended.",
    daily_limit="The person reached the daily limit of time.",
    inactivity="The person was inactive.",
    midnight="The day ended.",
    geofence_exit="The person left the location of work.",
    system="Any other reason of the system.",
)
enumeration(
    ClockStatus,
    "Status of a clock record: open, closed by the person, or closed by the system.",
    open="Clocked in, and not yet out.",
    closed="The person clocked out.",
    auto_closed="The system clocked the person out; `auto_clock_out_reason` may say why.",
)
enumeration(
    IdleAction,
    "Decision about idle time; `pending` counts as kept.",
    kept="The time is kept; it counts as tracked time.",
    discarded="The time is discarded; it does not count as tracked time.",
    reassigned="The time is moved to another project or task; it does not count as tracked time of this timesheet.",
    pending="The person has not decided; the time counts as tracked time until then.",
)
enumeration(
    ManualTimeAction,
    "Effect of a manual time entry: time is added, edited or deleted.",
    added="Time is added.",
    edited="Start, end or project of existing time is changed.",
    deleted="Existing time is deleted.",
)
enumeration(
    ManualTimeStatus,
    "Status of a manual time entry.",
    pending="Not decided yet.",
    approved="Approved.",
    rejected="Rejected.",
    cancelled="Cancelled before a decision.",
)
enumeration(
    TimesheetKind,
    "Kind of a timesheet: automatic or manual.",
    automatic="A timer recorded the time.",
    manual="The time was entered by hand and approved.",
)
enumeration(
    TimeSource,
    "Application or device that recorded the time.",
    desktop="Desktop application.",
    web="Web application.",
    mobile="Mobile application.",
    kiosk="Shared device on which people clock in and out.",
    api="Another program, through an API.",
    admin="An administrator, for the person.",
    system="The system itself.",
)
enumeration(
    TimeGroup,
    "What time is grouped by.",
    day="Local day; `date` has it.",
    week="Week; `week_start` has its first day.",
    month="Calendar month; `month_start` has its first day.",
    member="Person; `user_id` and `user` have it.",
    team="Team that the person is in now; `team_id` and `team` have it.",
    project="Project; `project_id` and `project` have it.",
    client="Client of the project; `client_id` and `client` have it.",
    task="Task; `task_id` and `task` have it.",
    billable="Billable time, and other time; `is_billable` says which.",
)
enumeration(
    TimeGroupOrder,
    "Order of groups of time: by what they are grouped by, or by a sum.",
    group="By what time is grouped by, ascending, null last.",
    tracked_seconds="By tracked_seconds, the largest first.",
    manual_seconds="By manual_seconds, the largest first.",
    billable_seconds="By billable_seconds, the largest first.",
    idle_seconds="By idle_seconds, the largest first.",
    discarded_idle_seconds="By discarded_idle_seconds, the largest first.",
    break_seconds="By break_seconds, the largest first.",
    paid_break_seconds="By paid_break_seconds, the largest first.",
    input_seconds="By input_seconds, the largest first.",
    active_seconds="By active_seconds, the largest first.",
    timesheets_count="By timesheets_count, the largest first.",
)
