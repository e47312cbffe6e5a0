"""GraphQL types and queries of time: idle time, time activity, manual time, clock records."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from db.tables.timesheets import (
    AutoClockOutReason,
    ClockStatus,
    IdleAction,
    ManualTimeAction,
    ManualTimeStatus,
    TimesheetKind,
    TimeSource,
)
from resolvers import activity, people, timesheets, work
from resolvers.lists.local_day import date_of
from resolvers.reports import idle_time, time_activity
from resolvers.reports.grouped import time_groups
from resolvers.reports.report_members import member_of_row
from resolvers.screenshots import screenshots_of_timesheet
from schema.fields import Node, Page, audit_times, by_id, field, list_of, listed, object_type, refers_to
from schema.people import Member, Team, person_who
from schema.scalars import Amount, Day, Seconds
from schema.totals import totals
from schema.work import Client, Project, Task


@object_type(
    "A timesheet: one uninterrupted interval of a person's time, tracked, or manual and approved. Reports "
    "split it at local midnight and count a second of overlapping ones once.",
    "timesheets",
)
class Timesheet(Node):
    user_id, user = person_who("user_id", is_required=True)
    project_id, project = refers_to(Project, work.project_of, "Project of the time.")
    task_id, task = refers_to(Task, work.task_of, "Task of the time.")
    started_at: datetime = field()
    ended_at: datetime | None = field()
    tracked_until: datetime = field()
    is_running: bool = field("Whether the timer runs.")
    duration_seconds: Seconds = field("Time from the start to the end; while the timer runs, to tracked_until.")
    kind: TimesheetKind = field()
    source: TimeSource = field()
    is_billable: bool = field()
    is_locked: bool = field()
    note: str | None = field()
    tags: list[str] = field()
    input_seconds: Seconds = field()
    active_seconds: Seconds = field()
    keyboard_seconds: Seconds = field()
    mouse_seconds: Seconds = field()
    idle_times: list["IdleTime"] = field("Idle time of the timesheet, by start.", timesheets.idle_times_of_timesheet)
    manual_timesheet_reports: list["ManualTime"] = field(
        "Manual time entries that created or changed the timesheet, by start.", timesheets.manual_time_of_timesheet
    )
    screenshots = field(
        "Screenshots that were taken in the timesheet, by time.",
        screenshots_of_timesheet,
        list_of("activity.Screenshot"),
    )
    suspicious_activity_logs = listed(
        "Suspicious activity logs about a timesheet", activity.SUSPICIOUS_ACTIVITY, "timesheet_id"
    )
    created_at, updated_at, deleted_at = audit_times()


@object_type("A person in an idle-time row.")
class IdleUser:
    user_id: UUID = field("Id of the person.")
    email: str = field("E-mail address; empty if the person's data was erased.", idle_time.email_of)


@object_type("An interval of a timesheet without keyboard or mouse input.", "idle_times")
class IdleTime(Node):
    started_at: datetime = field()
    ended_at: datetime = field()
    duration_seconds: Seconds = field("Time from the start to the end.")
    action: IdleAction = field()
    reassigned_project_id, reassigned_project = refers_to(Project, work.projects_by_id.of("reassigned_project_id"))
    reassigned_task_id, reassigned_task = refers_to(Task, work.tasks_by_id.of("reassigned_task_id"))
    reason: str | None = field()
    updated_at: datetime = field()


@object_type("A timesheet (one uninterrupted tracked interval of one person) with its idle time.")
class TimesheetIdleTime:
    id: UUID = field("Id of the timesheet.")
    timesheet: Timesheet = field("The timesheet.", timesheets.timesheets_by_id.of("id"))
    idle_times: list[IdleTime] = field("Idle time of the timesheet, by start.")


@object_type("A person's timesheets that started in the date range, with their idle time.")
class UserIdleTime:
    user: IdleUser = field("The person.")
    member: Member = field("The person, with all fields of a member.", member_of_row)
    timesheets: list[TimesheetIdleTime] = field("Timesheets, by start; empty if there are none.")


@object_type("Paging state of an idle-time page.")
class IdleTimePagination:
    limit: int = field("Maximum number of people on a page.")
    timesheets_cap: int = field(
        "Maximum number of timesheets on a page; a page ends before the person who would exceed it."
    )
    users_returned: int = field("Number of people on this page.")
    timesheets_returned: int = field("Number of timesheets on this page.")
    total_users: int = field("Number of people on all pages.")
    has_more: bool = field("Whether another page follows.")
    next_cursor: str | None = field("Cursor of the next page; null on the last page.")


@object_type("One page of idle time.")
class IdleTimePage:
    results: list[UserIdleTime] = field("People of this page.")
    pagination: IdleTimePagination = field("Paging state.")


@object_type("Totals of time.")
class TimeTotals:
    tracked_seconds: Seconds = field(
        "Working time: automatic and approved manual time, without breaks and discarded idle time. Payable time is "
        "tracked_seconds + paid_break_seconds."
    )
    manual_seconds: Seconds = field("Part of tracked_seconds: manual time.")
    billable_seconds: Seconds = field("Part of tracked_seconds: billable time.")
    idle_seconds: Seconds = field("Part of tracked_seconds: idle time that was kept or is pending.")
    discarded_idle_seconds: Seconds = field("Not in tracked_seconds: idle time that was discarded or reassigned.")
    break_seconds: Seconds = field("Not in tracked_seconds: breaks, paid and unpaid.")
    paid_break_seconds: Seconds = field(
        "Part of break_seconds: paid breaks. Time in a paid and an unpaid break is unpaid. Payable time is "
        "tracked_seconds + paid_break_seconds."
    )
    input_seconds: Seconds = field("Part of tracked_seconds: time while input was captured.")
    active_seconds: Seconds = field("Part of input_seconds with keyboard or mouse input.")
    keyboard_seconds: Seconds = field("Part of input_seconds with keyboard input.")
    mouse_seconds: Seconds = field("Part of input_seconds with mouse input.")
    activity_percent: int | None = field("100 * active_seconds / input_seconds, rounded; null if input_seconds is 0.")
    timesheets_count: int = field(
        "Number of different timesheets with time in these totals. One that crosses midnight counts on both days, and "
        "once in the sum of the days."
    )
    locked_seconds: Seconds = field(
        "Part of tracked_seconds: time of locked timesheets, which were approved, paid or invoiced. Pay only this of "
        "people whose payment settings require approval."
    )


@object_type("A member's time on one project and task on one day.")
class TimeActivityEntry(TimeTotals):
    project_id: UUID | None = field("Id of the project.")
    project_name: str | None = field("Name of the project.")
    project: Project | None = field("Project of the time.", work.project_of)
    client_id: UUID | None = field("Id of the project's client.")
    client_name: str | None = field("Name of the client.")
    client: Client | None = field("Client of the project.", work.client_of)
    task_id: UUID | None = field("Id of the task.")
    task_name: str | None = field("Name of the task.")
    task: Task | None = field("Task of the time.", work.task_of)


@object_type("A member's time on one local day: the sum of the entries.")
class TimeActivityDay(TimeTotals):
    date: Day = field("Local day, in the time zone of the report.")
    day_length_seconds: Seconds = field("Length of the day; not 86,400 on days of clock changes.")
    first_started_at: datetime | None = field("Start of the first work on this day; null if there is none.")
    last_ended_at: datetime | None = field("End of the last work on this day; null if there is none.")
    entries: list[TimeActivityEntry] = field("Totals by project and task, sorted by their names; null names last.")


@object_type("A member's time in the date range: the sum of the days.")
class TimeActivity(TimeTotals):
    user: Member = field("The member.", member_of_row)
    start_date: date = field("First day of the date range.")
    end_date: date = field("Last day of the date range, inclusive.")
    timezone: str = field("IANA time zone of the days.")
    days_worked: int = field("Number of days with tracked time.")
    expected_seconds: Seconds | None = field(
        "Expected time of the range: for each day from hired_on to left_on, or to the removal, a seventh of "
        "expected_weekly_seconds, in sum rounded down; null without it.",
        time_activity.expected_seconds,
    )
    utilization_percent: int | None = field(
        "Use of the expected time: tracked_seconds in percent of expected_seconds, rounded down; null if nothing is "
        "expected.",
        time_activity.utilization_percent,
    )
    first_started_at: datetime | None = field("Start of the first work in the date range; null if there is none.")
    last_ended_at: datetime | None = field("End of the last work in the date range; null if there is none.")
    is_final: bool = field(
        "Whether nothing of the member is open in the range. False while a timer, a break or a clock record is open "
        "that began before the end of the range (a timer or a break: at most 24 hours before its start), and while "
        "idle time or manual time in the range is pending. A final row changes only by an edit, which moves "
        "updated_at."
    )
    updated_at: datetime | None = field(
        "Time of the last change of anything that the row shows: records in the range, also those that were deleted or "
        "moved out of it; names; the member; and the organization's time zone if the request names none."
    )
    days: list[TimeActivityDay] = field("Days with recorded time, ascending.")


@object_type("A manual time entry: a request to add, edit or delete time.", "manual_requests")
class ManualTime(Node):
    user: Member = field(resolver=people.user_of)
    date: Day = field("Local day of the start, in the time zone of the report.", date_of("started_at"))
    project_id: UUID | None = field()
    project_name: str | None = field("Name of the project.", work.projects_by_id.of("project_id", "name"))
    project: Project | None = field("Project of the time.", work.project_of)
    client_id: UUID | None = field("Id of the project's client.", work.projects_by_id.of("project_id", "client_id"))
    client: Client | None = field("Client of the project.", work.client_of_project)
    task_id: UUID | None = field()
    task_name: str | None = field("Name of the task.", work.tasks_by_id.of("task_id", "name"))
    task: Task | None = field("Task of the time.", work.task_of)
    started_at: datetime = field()
    ended_at: datetime = field()
    duration_seconds: Seconds = field("Time from the start to the end.")
    action: ManualTimeAction = field()
    original_started_at: datetime | None = field()
    original_ended_at: datetime | None = field()
    original_project_id, original_project = refers_to(Project, work.projects_by_id.of("original_project_id"))
    delta_seconds: Seconds = field("Change of tracked time; negative if time is taken away.")
    is_billable: bool = field()
    reason: str | None = field()
    note: str | None = field()
    status: ManualTimeStatus = field()
    requested_by_user_id, requested_by = person_who("requested_by_user_id", is_required=True)
    requested_at: datetime = field()
    reviewed_by_user_id, reviewed_by = person_who("reviewed_by_user_id")
    reviewed_at: datetime | None = field()
    review_seconds: Seconds | None = field("Time from the request to the decision; null until it is made.")
    review_note: str | None = field()
    timesheet_id, timesheet = refers_to(Timesheet, timesheets.timesheet_of)
    created_at, updated_at, deleted_at = audit_times()


@object_type("A break in a clock record.", "break_times")
class BreakTime(Node):
    started_at: datetime = field()
    ended_at: datetime | None = field()
    duration_seconds: Seconds | None = field("Time from the start to the end; null while the break lasts.")
    is_paid: bool = field()


@object_type("A location of a clock-in or clock-out.")
class Place:
    latitude: str = field("Latitude in degrees, decimal string.")
    longitude: str = field("Longitude in degrees, decimal string.")
    accuracy_meters: int | None = field("Accuracy in meters.")
    label: str | None = field("Name of the location.")


@object_type("A clock record: attendance from clock-in to clock-out.", "clock_records")
class ClockRecord(Node):
    user: Member = field(resolver=people.user_of)
    date: Day = field("Local day of the clock-in, in the time zone of the report.", date_of("clock_in_at"))
    clock_in_at: datetime = field()
    clock_out_at: datetime | None = field()
    status: ClockStatus = field()
    elapsed_seconds: Seconds | None = field("Time from clock-in to clock-out; null while open.")
    break_seconds: Seconds = field(
        "Time of all breaks of the record that have ended, paid and unpaid. Overlapping breaks count once, and only "
        "inside the record.",
        timesheets.break_seconds,
    )
    worked_seconds: Seconds | None = field(
        "Payable time of the attendance: elapsed_seconds without unpaid breaks; null while open. It equals "
        "tracked_seconds + paid_break_seconds of time activity if time was tracked during the whole attendance.",
        timesheets.worked_seconds,
    )
    breaks: list[BreakTime] = field("Breaks, by start.", timesheets.breaks_of_records.of("id"))
    clock_in_source: TimeSource = field()
    clock_out_source: TimeSource | None = field()
    auto_clock_out_reason: AutoClockOutReason | None = field()
    clock_in_note: str | None = field()
    clock_out_note: str | None = field()
    clock_in_location: Place | None = field()
    clock_out_location: Place | None = field()
    scheduled_start_at: datetime | None = field()
    scheduled_end_at: datetime | None = field()
    late_seconds: Seconds | None = field(
        "Time from the scheduled start to the clock-in, 0 if it was not late; null without a schedule."
    )
    early_leave_seconds: Seconds | None = field(
        "Time from the clock-out to the scheduled end, 0 if it was not early; null without a schedule."
    )
    is_edited: bool = field()
    edited_by_user_id, edited_by = person_who("edited_by_user_id")
    project_id, project = refers_to(Project, work.project_of, "Project of the shift.")
    created_at, updated_at, deleted_at = audit_times()


@object_type("Billable time whose rate is known, and what it costs customers, in one currency.")
class BillableAmount:
    currency: str = field("Currency, ISO 4217 code.")
    amount: Amount = field("Sum of hours times rates, rounded once to the decimals of the currency.")
    billable_seconds: Seconds = field("Part of billable_seconds of the group: time with a rate in this currency.")


@object_type("What the time of a group costs customers and what it costs the organization, in one currency.")
class TimeMargin:
    currency: str = field("Currency, ISO 4217 code.")
    billable_amount: Amount = field("What billable time costs customers, as `amount` of billable_amounts.")
    billable_seconds: Seconds = field("Billable time with a bill rate in this currency.")
    cost: Amount = field("Hours times pay rates, rounded once: without overtime, paid leave, and pay by the period.")
    paid_seconds: Seconds = field("Time with a pay rate in this currency: tracked time and paid breaks.")
    margin: Amount = field("Difference billable_amount - cost; negative if the time costs more than it earns.")
    margin_percent: int | None = field("The margin in percent of billable_amount, rounded down; null if that is 0.")


def of_group(group: str, what: str, missing: str = "", resolver: Any = None) -> Any:
    """A field that names the group: null without this value of `group_by`, and where the value is missing."""
    return field(f"{what}; null unless `group_by` has `{group}`{missing and f', and {missing}'}.", resolver)


@object_type(
    "Sums of the time of one group. Fields that name the group, such as `project`, are null unless "
    "`group_by` has them, and for the time that has no project, client, task or team."
)
class TimeGroupTotals(TimeTotals):
    date: Day | None = of_group("day", "Local day, in the time zone of the report")
    week_start: Day | None = field(
        "First day of the week, which may be before the range; null unless `group_by` has `week`. Weeks begin at "
        "week_start_day of the organization."
    )
    month_start: Day | None = of_group("month", "First day of the month, which may be before the range")
    user_id: UUID | None = of_group("member", "Id of the person")
    user: Member | None = of_group("member", "The person", resolver=people.user_of)
    team_id: UUID | None = of_group("team", "Id of a team that the person is in now", "for people without a team")
    team: Team | None = of_group(
        "team", "A team that the person is in now", "for people without a team", people.team_of
    )
    department: str | None = of_group("department", "Department that the person is in now", "for people without one")
    project_id: UUID | None = of_group("project", "Id of the project", "for time without a project")
    project: Project | None = of_group("project", "Project", "for time without a project", work.project_of)
    client_id: UUID | None = of_group("client", "Id of the project's client", "for time without a client")
    client: Client | None = of_group("client", "Client of the project", "for time without a client", work.client_of)
    task_id: UUID | None = of_group("task", "Id of the task", "for time without a task")
    task: Task | None = of_group("task", "Task", "for time without a task", work.task_of)
    is_billable: bool | None = of_group("billable", "Whether the time is billable; false for breaks outside timesheets")
    estimate_seconds: Seconds | None = of_group(
        "task", "Time that the task is estimated to take", "without an estimate"
    )
    over_estimate_seconds: int | None = field(
        "Time above the estimate: tracked_seconds - estimate_seconds; negative while less was tracked, null without an "
        "estimate."
    )
    estimate_used_percent: int | None = field(
        "Tracked time in percent of the estimate, rounded down; null without an estimate."
    )
    billable_percent: int | None = field(
        "Billable time in percent of tracked time, rounded down; null without tracked time."
    )
    idle_percent: int | None = field(
        "Idle time that was kept or is pending in percent of tracked time, rounded down; null without tracked time."
    )
    expected_seconds: Seconds | None = field(
        "Expected time of the people of the group: for each day from hired_on to left_on, or to their removal, a "
        "seventh of expected_weekly_seconds, in sum rounded down; null for groups that are also of work."
    )
    utilization_percent: int | None = field(
        "Use of the expected time: tracked_seconds in percent of expected_seconds, rounded down; null if nothing is "
        "expected."
    )
    limit_seconds: Seconds | None = field("Weekly limits of the people of the group, in the same way.")
    over_limit_seconds: Seconds | None = field(
        "Time above the weekly limits: tracked_seconds - limit_seconds; negative if less was tracked."
    )
    margins: list[TimeMargin] = field(
        "What time costs customers and the organization, by currency. The pay rate is that of the person's membership "
        "in the project, else of the payment settings of the day, if they pay by the hour. Time that is billed in one "
        "currency and paid in another is in both."
    )
    billable_amounts: list[BillableAmount] = field(
        "What billable time costs customers, by currency. The rate is that of the person's membership in the project, "
        "else of the project, else of the person's payment settings on the day. Time without a rate, and on projects "
        "with a fixed price, is in no amount."
    )


@object_type("One page of time by group.")
class TimeTotalsPage:
    count: int = field("Number of groups on all pages.")
    results: list[TimeGroupTotals] = field("Groups of this page.")


@object_type()
class TimesheetsQuery:
    timesheet_idle_times: IdleTimePage | None = field(
        "Timesheets that started in the date range with their idle time, one row per member. Without dates: "
        "the last 31 days.",
        idle_time.list_idle_times,
    )
    time_activity_reports = field(
        "Time activity report: one row per member, with totals by day, project and task. Time is split at "
        "local midnight.",
        time_activity.list_time_activity,
        Page[TimeActivity] | None,
    )
    manual_timesheet_reports = listed("Manual time entries", timesheets.MANUAL_TIMES)
    clockinouts = listed("Clock-in and clock-out records", timesheets.CLOCK_RECORDS)
    manual_timesheet_totals = totals("manual time entries", timesheets.MANUAL_TIME_TOTALS)
    timesheet_totals = totals("timesheets, whole and as they are, where they overlap, too", timesheets.TIMESHEET_TOTALS)
    clockinout_totals = totals("clock records", timesheets.CLOCK_RECORD_TOTALS)
    time_totals: TimeTotalsPage | None = field(
        "Sums of time activity by group, and what billable time costs customers. A person in two teams counts in each, "
        "so that the sums of teams may be more than the whole. A timesheet counts once in each group that has time of "
        "it.",
        time_groups.list_time_totals,
    )
    timesheet, timesheets_by_id = by_id(Timesheet, timesheets.timesheets_by_id)
    idle_time, idle_times_by_id = by_id(IdleTime, timesheets.idle_times_by_id)
    manual_timesheet_report, manual_timesheet_reports_by_id = by_id(ManualTime, timesheets.manual_times_by_id)
    clockinout, clockinouts_by_id = by_id(ClockRecord, timesheets.clock_records_by_id)
    break_time, break_times_by_id = by_id(BreakTime, timesheets.break_times_by_id)
    # The last one: after it, the name `timesheets` is this field here.
    timesheets = listed("Timesheets", timesheets.TIMESHEETS)
