"""What can be asked about time: idle time, time activity, manual time, attendance."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.timesheets import (
    AutoClockOutReason,
    ClockStatus,
    IdleAction,
    ManualTimeAction,
    ManualTimeStatus,
    TimeSource,
)
from resolvers import people, timesheets, work
from resolvers.reports import idle_time, time_activity
from schema.page import Page, told
from schema.people import User
from schema.scalars import Seconds

# A class whose field is called date can't name its type so.
Day = date

strawberry.enum(AutoClockOutReason, description="Why attendance was ended by the system.")
strawberry.enum(ClockStatus, description="Whether an attendance record is open, and who closed it.")
strawberry.enum(IdleAction, description="What became of idle time; pending counts as kept.")
strawberry.enum(ManualTimeAction, description="What manual time does to a timesheet.")
strawberry.enum(ManualTimeStatus, description="What became of a request for manual time.")
strawberry.enum(TimeSource, description="Where time was recorded.")


@strawberry.type(description="A person, as idle time names people.")
class IdleUser:
    user_id: UUID = told("The person.")
    email: str = told("E-mail address; empty after erasure.", idle_time.email_of)


@strawberry.type(description="A stretch of a timesheet without any input.")
class IdleTime:
    id: UUID = told("Its id.")
    started_at: datetime = told("When it began.")
    ended_at: datetime = told("When it ended; this moment is no longer in it.")
    duration_seconds: Seconds = told("How long it lasted.")
    action: IdleAction = told("What became of it; kept and pending idle time is tracked time.")
    reassigned_project_id: UUID | None = told("The project to which it was reassigned.")
    reassigned_task_id: UUID | None = told("The task to which it was reassigned.")
    reason: str | None = told("What the person said about it.")
    updated_at: datetime = told("When it last changed.")


@strawberry.type(description="A timesheet: one uninterrupted interval of one person, with its idle time.")
class TimesheetIdleTime:
    id: UUID = told("The timesheet.")
    idle_times: list[IdleTime] = told("Its idle time, by start; empty if there was none.")


@strawberry.type(description="A person's timesheets that began in the range, with their idle time.")
class UserIdleTime:
    user: IdleUser = told("The person.")
    timesheets: list[TimesheetIdleTime] = told("The timesheets, by start; empty if there are none.")


@strawberry.type(description="Where a page of idle time stands in the walk.")
class IdleTimePagination:
    limit: int = told("People of a page at most.")
    timesheets_cap: int = told("Timesheets of a page at most; a page ends before the person who would exceed it.")
    users_returned: int = told("People on this page.")
    timesheets_returned: int = told("Timesheets on this page.")
    total_users: int = told("People on all pages.")
    has_more: bool = told("Whether a page follows.")
    next_cursor: str | None = told("What leads to the next page; null on the last one.")


@strawberry.type(description="One page of idle time.")
class IdleTimePage:
    results: list[UserIdleTime] = told("The people of this page.")
    pagination: IdleTimePagination = told("Where the page stands.")


@strawberry.type(description="How time was spent.")
class TimeTotals:
    tracked_seconds: Seconds = told("Work: automatic and approved manual time without breaks and discarded idle time.")
    manual_seconds: Seconds = told("Out of tracked: entered by hand.")
    billable_seconds: Seconds = told("Out of tracked: billable.")
    idle_seconds: Seconds = told("Out of tracked: idle time that was kept, or not decided on yet.")
    discarded_idle_seconds: Seconds = told("Outside tracked: idle time that was discarded or reassigned.")
    break_seconds: Seconds = told("Outside tracked: breaks.")
    input_seconds: Seconds = told("Out of tracked: while input was captured.")
    active_seconds: Seconds = told("Out of input: seconds with any input.")
    keyboard_seconds: Seconds = told("Out of input: seconds with keyboard input.")
    mouse_seconds: Seconds = told("Out of input: seconds with mouse input.")
    activity_percent: int | None = told("Active in hundredths of input; null without input.")
    timesheets_count: int = told("Different timesheets; one over midnight counts on both days, and once for the row.")


@strawberry.type(description="A member's time on one project and task of one day.")
class TimeActivityEntry(TimeTotals):
    project_id: UUID | None = told("The project.")
    project_name: str | None = told("Name of the project.")
    client_id: UUID | None = told("For whom the project is done.")
    client_name: str | None = told("Name of the client.")
    task_id: UUID | None = told("The task.")
    task_name: str | None = told("Name of the task.")


@strawberry.type(description="A member's time on one local day: the sum of its entries.")
class TimeActivityDay(TimeTotals):
    date: Day = told("The day, in the zone of the report.")
    day_length_seconds: Seconds = told("How long the day was; not always 86,400.")
    first_started_at: datetime | None = told("When work began, on this day.")
    last_ended_at: datetime | None = told("When work ended, on this day.")
    entries: list[TimeActivityEntry] = told("By project and task: by their names, nameless last.")


@strawberry.type(description="A member's time in a range of days: the sum of its days.")
class TimeActivity(TimeTotals):
    user: User = told("The member.")
    start_date: date = told("First day of the report.")
    end_date: date = told("Last day of the report.")
    timezone: str = told("The zone of its days.")
    days_worked: int = told("Days with tracked time.")
    first_started_at: datetime | None = told("When work began, in the range.")
    last_ended_at: datetime | None = told("When work ended, in the range.")
    is_final: bool = told("False while a timesheet of the range runs or manual time is pending.")
    updated_at: datetime | None = told("When a record of the range last changed, or was deleted; null without any.")
    days: list[TimeActivityDay] = told("Days with anything on them, in order.")


@strawberry.type(description="Time that somebody asked to be added, edited or deleted by hand.")
class ManualTime:
    id: UUID = told("Its id.")
    user: User = told("Whose time it is.", people.user_of)
    date: Day = told("Local day of its start, in the zone of the report.")
    project_id: UUID | None = told("The project.")
    project_name: str | None = told("Name of the project.", work.project_name_of)
    client_id: UUID | None = told("For whom the project is done.", timesheets.client_id_of)
    task_id: UUID | None = told("The task.")
    task_name: str | None = told("Name of the task.", timesheets.task_name_of)
    started_at: datetime = told("When the time begins; not clipped to the range.")
    ended_at: datetime = told("When it ends.")
    duration_seconds: Seconds = told("How long it is.")
    action: ManualTimeAction = told("What it does.")
    original_started_at: datetime | None = told("When the time began before.")
    original_ended_at: datetime | None = told("When it ended before.")
    original_project_id: UUID | None = told("The project before.")
    delta_seconds: Seconds = told("By how much tracked time grows; negative where it shrinks.")
    is_billable: bool = told("Whether it is billable.")
    reason: str | None = told("Why.")
    note: str | None = told("A note.")
    status: ManualTimeStatus = told("What became of the request.")
    requested_by_user_id: UUID = told("Who asked.")
    requested_at: datetime = told("When.")
    reviewed_by_user_id: UUID | None = told("Who decided.")
    reviewed_at: datetime | None = told("When.")
    review_note: str | None = told("What was said about it.")
    timesheet_id: UUID | None = told("The timesheet that came of it.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")


@strawberry.type(description="A break.")
class BreakTime:
    id: UUID = told("Its id.")
    started_at: datetime = told("When it began.")
    ended_at: datetime | None = told("When it ended; null while it lasts.")
    duration_seconds: Seconds | None = told("How long it was; null while it lasts.")
    is_paid: bool = told("Whether it is paid.")


@strawberry.type(description="A place.")
class Place:
    latitude: str = told("Degrees north, as a decimal number.")
    longitude: str = told("Degrees east, as a decimal number.")
    accuracy_meters: int | None = told("How exact that is.")
    label: str | None = told("What the place is called.")


@strawberry.type(description="Attendance: from clocking in until clocking out.")
class ClockRecord:
    id: UUID = told("Its id.")
    user: User = told("Who was there.", people.user_of)
    date: Day = told("Local day of clocking in, in the zone of the report.")
    clock_in_at: datetime = told("When the person clocked in.")
    clock_out_at: datetime | None = told("When the person clocked out; null while still there.")
    status: ClockStatus = told("Whether it is open, and who closed it.")
    elapsed_seconds: Seconds | None = told("From in to out; null while open.")
    break_seconds: Seconds = told("All breaks that have ended.", timesheets.break_seconds)
    worked_seconds: Seconds | None = told("Elapsed, but for unpaid breaks; null while open.", timesheets.worked_seconds)
    breaks: list[BreakTime] = told("The breaks, by start.", timesheets.breaks_of)
    clock_in_source: TimeSource = told("Where the person clocked in.")
    clock_out_source: TimeSource | None = told("Where the person clocked out.")
    auto_clock_out_reason: AutoClockOutReason | None = told("Why the system clocked out.")
    clock_in_note: str | None = told("A note on coming.")
    clock_out_note: str | None = told("A note on leaving.")
    clock_in_location: Place | None = told("Where the person was on coming.")
    clock_out_location: Place | None = told("Where the person was on leaving.")
    scheduled_start_at: datetime | None = told("When the shift was to begin.")
    scheduled_end_at: datetime | None = told("When the shift was to end.")
    late_seconds: Seconds | None = told("How long after that the person came; null without a schedule.")
    early_leave_seconds: Seconds | None = told("How long before that the person left; null without a schedule.")
    is_edited: bool = told("Whether it was changed by hand.")
    edited_by_user_id: UUID | None = told("Who changed it.")
    project_id: UUID | None = told("The project.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")


@strawberry.type
class TimesheetsQuery:
    timesheet_idle_times: IdleTimePage = told("Idle time, member by member.", idle_time.list_idle_times)
    time_activity: Page[TimeActivity] = told("Time activity, one row a member.", time_activity.list_time_activity)
    manual_times: Page[ManualTime] = told("Manual time, by its start.", timesheets.list_manual_time)
    clock_records: Page[ClockRecord] = told("Attendance, by its start.", timesheets.list_clock_records)
