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
from schema.page import Page, field
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
    user_id: UUID = field("The person.")
    email: str = field("E-mail address; empty after erasure.", idle_time.email_of)


@strawberry.type(description="A stretch of a timesheet without any input.")
class IdleTime:
    id: UUID = field("Its id.")
    started_at: datetime = field("When it began.")
    ended_at: datetime = field("When it ended; this moment is no longer in it.")
    duration_seconds: Seconds = field("How long it lasted.")
    action: IdleAction = field("What became of it; kept and pending idle time is tracked time.")
    reassigned_project_id: UUID | None = field("The project to which it was reassigned.")
    reassigned_task_id: UUID | None = field("The task to which it was reassigned.")
    reason: str | None = field("What the person said about it.")
    updated_at: datetime = field("When it last changed.")


@strawberry.type(description="A timesheet: one uninterrupted interval of one person, with its idle time.")
class TimesheetIdleTime:
    id: UUID = field("The timesheet.")
    idle_times: list[IdleTime] = field("Its idle time, by start; empty if there was none.")


@strawberry.type(description="A person's timesheets that began in the range, with their idle time.")
class UserIdleTime:
    user: IdleUser = field("The person.")
    timesheets: list[TimesheetIdleTime] = field("The timesheets, by start; empty if there are none.")


@strawberry.type(description="Where a page of idle time stands in the walk.")
class IdleTimePagination:
    limit: int = field("People of a page at most.")
    timesheets_cap: int = field("Timesheets of a page at most; a page ends before the person who would exceed it.")
    users_returned: int = field("People on this page.")
    timesheets_returned: int = field("Timesheets on this page.")
    total_users: int = field("People on all pages.")
    has_more: bool = field("Whether a page follows.")
    next_cursor: str | None = field("What leads to the next page; null on the last one.")


@strawberry.type(description="One page of idle time.")
class IdleTimePage:
    results: list[UserIdleTime] = field("The people of this page.")
    pagination: IdleTimePagination = field("Where the page stands.")


@strawberry.type(description="How time was spent.")
class TimeTotals:
    tracked_seconds: Seconds = field("Work: automatic and approved manual time without breaks and discarded idle time.")
    manual_seconds: Seconds = field("Out of tracked: entered by hand.")
    billable_seconds: Seconds = field("Out of tracked: billable.")
    idle_seconds: Seconds = field("Out of tracked: idle time that was kept, or not decided on yet.")
    discarded_idle_seconds: Seconds = field("Outside tracked: idle time that was discarded or reassigned.")
    break_seconds: Seconds = field("Outside tracked: breaks.")
    input_seconds: Seconds = field("Out of tracked: while input was captured.")
    active_seconds: Seconds = field("Out of input: seconds with any input.")
    keyboard_seconds: Seconds = field("Out of input: seconds with keyboard input.")
    mouse_seconds: Seconds = field("Out of input: seconds with mouse input.")
    activity_percent: int | None = field("Active in hundredths of input; null without input.")
    timesheets_count: int = field("Different timesheets; one over midnight counts on both days, and once for the row.")


@strawberry.type(description="A member's time on one project and task of one day.")
class TimeActivityEntry(TimeTotals):
    project_id: UUID | None = field("The project.")
    project_name: str | None = field("Name of the project.")
    client_id: UUID | None = field("For whom the project is done.")
    client_name: str | None = field("Name of the client.")
    task_id: UUID | None = field("The task.")
    task_name: str | None = field("Name of the task.")


@strawberry.type(description="A member's time on one local day: the sum of its entries.")
class TimeActivityDay(TimeTotals):
    date: Day = field("The day, in the zone of the report.")
    day_length_seconds: Seconds = field("How long the day was; not always 86,400.")
    first_started_at: datetime | None = field("When work began, on this day.")
    last_ended_at: datetime | None = field("When work ended, on this day.")
    entries: list[TimeActivityEntry] = field("By project and task: by their names, nameless last.")


@strawberry.type(description="A member's time in a range of days: the sum of its days.")
class TimeActivity(TimeTotals):
    user: User = field("The member.")
    start_date: date = field("First day of the report.")
    end_date: date = field("Last day of the report.")
    timezone: str = field("The zone of its days.")
    days_worked: int = field("Days with tracked time.")
    first_started_at: datetime | None = field("When work began, in the range.")
    last_ended_at: datetime | None = field("When work ended, in the range.")
    is_final: bool = field("False while a timesheet of the range runs or manual time is pending.")
    updated_at: datetime | None = field("When a record of the range last changed, or was deleted; null without any.")
    days: list[TimeActivityDay] = field("Days with anything on them, in order.")


@strawberry.type(description="Time that somebody asked to be added, edited or deleted by hand.")
class ManualTime:
    id: UUID = field("Its id.")
    user: User = field("Whose time it is.", people.user_of)
    date: Day = field("Local day of its start, in the zone of the report.")
    project_id: UUID | None = field("The project.")
    project_name: str | None = field("Name of the project.", work.project_name_of)
    client_id: UUID | None = field("For whom the project is done.", timesheets.client_id_of)
    task_id: UUID | None = field("The task.")
    task_name: str | None = field("Name of the task.", timesheets.task_name_of)
    started_at: datetime = field("When the time begins; not clipped to the range.")
    ended_at: datetime = field("When it ends.")
    duration_seconds: Seconds = field("How long it is.")
    action: ManualTimeAction = field("What it does.")
    original_started_at: datetime | None = field("When the time began before.")
    original_ended_at: datetime | None = field("When it ended before.")
    original_project_id: UUID | None = field("The project before.")
    delta_seconds: Seconds = field("By how much tracked time grows; negative where it shrinks.")
    is_billable: bool = field("Whether it is billable.")
    reason: str | None = field("Why.")
    note: str | None = field("A note.")
    status: ManualTimeStatus = field("What became of the request.")
    requested_by_user_id: UUID = field("Who asked.")
    requested_at: datetime = field("When.")
    reviewed_by_user_id: UUID | None = field("Who decided.")
    reviewed_at: datetime | None = field("When.")
    review_note: str | None = field("What was said about it.")
    timesheet_id: UUID | None = field("The timesheet that came of it.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type(description="A break.")
class BreakTime:
    id: UUID = field("Its id.")
    started_at: datetime = field("When it began.")
    ended_at: datetime | None = field("When it ended; null while it lasts.")
    duration_seconds: Seconds | None = field("How long it was; null while it lasts.")
    is_paid: bool = field("Whether it is paid.")


@strawberry.type(description="A place.")
class Place:
    latitude: str = field("Degrees north, as a decimal number.")
    longitude: str = field("Degrees east, as a decimal number.")
    accuracy_meters: int | None = field("How exact that is.")
    label: str | None = field("What the place is called.")


@strawberry.type(description="Attendance: from clocking in until clocking out.")
class ClockRecord:
    id: UUID = field("Its id.")
    user: User = field("Who was there.", people.user_of)
    date: Day = field("Local day of clocking in, in the zone of the report.")
    clock_in_at: datetime = field("When the person clocked in.")
    clock_out_at: datetime | None = field("When the person clocked out; null while still there.")
    status: ClockStatus = field("Whether it is open, and who closed it.")
    elapsed_seconds: Seconds | None = field("From in to out; null while open.")
    break_seconds: Seconds = field("All breaks that have ended.", timesheets.break_seconds)
    worked_seconds: Seconds | None = field(
        "Elapsed, but for unpaid breaks; null while open.", timesheets.worked_seconds
    )
    breaks: list[BreakTime] = field("The breaks, by start.", timesheets.breaks_of)
    clock_in_source: TimeSource = field("Where the person clocked in.")
    clock_out_source: TimeSource | None = field("Where the person clocked out.")
    auto_clock_out_reason: AutoClockOutReason | None = field("Why the system clocked out.")
    clock_in_note: str | None = field("A note on coming.")
    clock_out_note: str | None = field("A note on leaving.")
    clock_in_location: Place | None = field("Where the person was on coming.")
    clock_out_location: Place | None = field("Where the person was on leaving.")
    scheduled_start_at: datetime | None = field("When the shift was to begin.")
    scheduled_end_at: datetime | None = field("When the shift was to end.")
    late_seconds: Seconds | None = field("How long after that the person came; null without a schedule.")
    early_leave_seconds: Seconds | None = field("How long before that the person left; null without a schedule.")
    is_edited: bool = field("Whether it was changed by hand.")
    edited_by_user_id: UUID | None = field("Who changed it.")
    project_id: UUID | None = field("The project.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type
class TimesheetsQuery:
    timesheet_idle_times: IdleTimePage = field("Idle time, member by member.", idle_time.list_idle_times)
    time_activity: Page[TimeActivity] = field("Time activity, one row a member.", time_activity.list_time_activity)
    manual_times: Page[ManualTime] = field("Manual time, by its start.", timesheets.list_manual_time)
    clock_records: Page[ClockRecord] = field("Attendance, by its start.", timesheets.list_clock_records)
