"""Tables of time: timesheets, idle times, activity slots, breaks, manual time requests, clock records.

An interval is half-open, in whole seconds, and at most MAX_INTERVAL long; writers split longer ones. So the intervals
that overlap a range start in it, or within MAX_INTERVAL before it, and an index by person and start finds them. Writers
ensure that the intervals of one person in one table do not overlap; sums of days count a shared second once.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import CheckConstraint, Column, Table, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import SchemaItem

from db.tables.columns import (
    DescribedEnum,
    count_column,
    enum_column,
    erased,
    event_time,
    flag_column,
    foreign_key,
    index,
    index_by_parent,
    kept,
    mention_column,
    person_column,
    review_columns,
    tenant_table,
    text_column,
    text_list_column,
)
from db.tables.remembered import earlier_places, index_earlier_places
from db.tables.value_checks import json_path_check

MAX_INTERVAL = timedelta(hours=24)


_DEGREES = '"^-?[0-9]+([.][0-9]+)?$"'
NOT_A_PLACE = (
    '$ ? (@.latitude.type() != "string" || @.longitude.type() != "string"'
    f" || !exists(@.latitude ? (@ like_regex {_DEGREES})) || !exists(@.longitude ? (@ like_regex {_DEGREES}))"
    ' || @.label.type() != "string" && @.label.type() != "null" || @.accuracy_meters.type() != "null"'
    " && !exists(@.accuracy_meters ? (@.floor() == @ && @ >= 0 && @ < 2147483648)))"
)
"""The jsonpath of a location that lacks its coordinates as decimal strings, or has another label or accuracy."""


class TimesheetKind(DescribedEnum):
    """Kind of a timesheet: automatic or manual."""

    automatic = "automatic", "A timer recorded the time."
    manual = "manual", "The time was entered by hand and approved."


class TimeSource(DescribedEnum):
    """Application or device that recorded the time."""

    desktop = "desktop", "Desktop application."
    web = "web", "Web application."
    mobile = "mobile", "Mobile application."
    kiosk = "kiosk", "Shared device on which people clock in and out."
    api = "api", "Another program, through an API."
    admin = "admin", "An administrator, for the person."
    system = "system", "The system itself."


class IdleAction(DescribedEnum):
    """Decision about idle time; `pending` counts as kept."""

    kept = "kept", "The time is kept; it counts as tracked time."
    discarded = "discarded", "The time is discarded; it does not count as tracked time."
    reassigned = (
        "reassigned",
        "The time is moved to another project or task; it does not count as tracked time of this timesheet.",
    )
    pending = "pending", "The person has not decided; the time counts as tracked time until then."


class ManualTimeAction(DescribedEnum):
    """Effect of a manual time entry: time is added, edited or deleted."""

    added = "added", "Time is added."
    edited = "edited", "Start, end or project of existing time is changed."
    deleted = "deleted", "Existing time is deleted."


class ManualTimeStatus(DescribedEnum):
    """Status of a manual time entry."""

    pending = "pending", "Not decided yet."
    approved = "approved", "Approved."
    rejected = "rejected", "Rejected."
    cancelled = "cancelled", "Cancelled before a decision."


class ClockStatus(DescribedEnum):
    """Status of a clock record: open, closed by the person, or closed by the system."""

    open = "open", "Clocked in, and not yet out."
    closed = "closed", "The person clocked out."
    auto_closed = "auto_closed", "The system clocked the person out; `auto_clock_out_reason` may say why."


class AutoClockOutReason(DescribedEnum):
    """Reason why the system clocked a person out."""

    shift_ended = "shift_ended", "The scheduled shift ended."
    daily_limit = "daily_limit", "The person reached the daily limit of time."
    inactivity = "inactivity", "The person was inactive."
    midnight = "midnight", "The day ended."
    geofence_exit = "geofence_exit", "The person left the location of work."
    system = "system", "Any other reason of the system."


def interval_checks(reached: str | None = None) -> list[SchemaItem]:
    """CHECK constraints of an interval. `reached` is the column that limits it while `ended_at` is null."""
    end = f"coalesce(ended_at, {reached})" if reached else "ended_at"
    return [
        CheckConstraint("ended_at > started_at", name="interval"),
        CheckConstraint(f"{end} - started_at <= interval '24 hours'", name="longest"),
    ]


def counter_columns() -> list[SchemaItem]:
    """Seconds in which input was captured, and how many of them had any input, keyboard input, mouse input."""
    return [
        count_column("input_seconds", "Time while input was captured."),
        count_column("active_seconds", "Part of input_seconds with keyboard or mouse input."),
        count_column("keyboard_seconds", "Part of input_seconds with keyboard input."),
        count_column("mouse_seconds", "Part of input_seconds with mouse input."),
        CheckConstraint("active_seconds BETWEEN 0 AND input_seconds", name="active_seconds"),
        CheckConstraint("keyboard_seconds BETWEEN 0 AND input_seconds", name="keyboard_seconds"),
        CheckConstraint("mouse_seconds BETWEEN 0 AND input_seconds", name="mouse_seconds"),
    ]


def index_by_person(table: Table, **options: Any) -> None:
    """Index that finds a person's intervals of a range. It includes soft-deleted rows, which polling returns."""
    index(table, "user_id", "started_at", "id", **options)


def index_changes(table: Table, **options: Any) -> None:
    """Index that finds a person's changes since a time, for reports that are polled."""
    index(table, "user_id", "updated_at", "started_at", **options)


def index_all_changes(table: Table, *columns: str) -> None:
    """Index that finds the changes of a whole organization since a time. It has the columns that reports need of them.

    Without these, PostgreSQL prefers to read and sort the whole of a table.
    """
    index(table, "updated_at", name=f"{table.name}_changed_idx", postgresql_include=["user_id", *columns])


def index_unfinished(table: Table, start: str, condition: str) -> None:
    """Index of the few rows that are not final yet, which every report looks for."""
    where = text(f"{condition} AND deleted_at IS NULL")
    index(table, "user_id", start, name=f"{table.name}_unfinished_idx", postgresql_where=where)


timesheets = tenant_table(
    "timesheets",
    "Uninterrupted time of one person: tracked, or manual and approved. Rows of one person do not overlap.",
    person_column("Id of the person whose time it is.", "records", is_named=False),
    foreign_key("project_id", "projects.id", "Id of the project."),
    foreign_key("task_id", "tasks.id", "Id of the task.\nIt is a task of the same project."),
    event_time("started_at", "Start."),
    event_time(
        "ended_at",
        "End, exclusive; null while the timer runs.\nAt most 24 hours after the start: split longer time.",
        nullable=True,
    ),
    event_time(
        "tracked_until",
        "Time up to which the timesheet counts: the last report of its timer while it runs, then ended_at.",
    ),
    enum_column(
        "kind",
        TimesheetKind.automatic,
        "Kind: automatic or manual.\nManual time is counted in tracked_seconds and in manual_seconds.",
    ),
    enum_column("source", TimeSource.desktop, "Application or device that recorded it."),
    flag_column("is_billable", "Whether the time is billable."),
    flag_column(
        "is_locked",
        "Whether the pay period of the timesheet is closed, so that it should not change.\n"
        "True once it was approved, paid or invoiced.",
    ),
    erased(text_column("note", "What was done, as the person wrote it.")),
    kept(text_list_column("tags", "Tags of the time.")),
    # The sums of its slots; slots are needed to divide them into days.
    *counter_columns(),
    *earlier_places("started_at"),
    *interval_checks(reached="tracked_until"),
    CheckConstraint("tracked_until >= started_at", name="tracked_until"),
    natural_key=("user_id", "started_at"),
    order=None,
    is_polled=False,
)
index_by_person(
    timesheets,
    postgresql_include=[
        *("ended_at", "tracked_until", "project_id", "task_id", "kind", "is_billable", "is_locked"),
        *("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds", "updated_at", "deleted_at"),
    ],
)
# Without the included columns PostgreSQL prefers the index above, and reads all timesheets of a person.
index_changes(timesheets, postgresql_include=["earlier_from", "earlier_until"])
index_all_changes(timesheets, "started_at", "earlier_from", "earlier_until")
index_earlier_places(timesheets)
index_unfinished(timesheets, "started_at", "ended_at IS NULL")
for parent in "project_id", "task_id":
    index_by_parent(timesheets, parent, "started_at")

# An idle time lies inside its timesheet.
idle_times = tenant_table(
    "idle_times",
    "Time without input in a timesheet. Pending counts as kept; discarded and reassigned time is not tracked time.",
    foreign_key("timesheet_id", "timesheets.id", "The timesheet, in whose interval it lies.", nullable=False),
    person_column("The person of the timesheet.", "records", is_named=False),
    event_time("started_at", "Start."),
    event_time("ended_at", "End, exclusive."),
    enum_column(
        "action",
        IdleAction.pending,
        "Decision; `kept` and `pending` idle time counts as tracked time.\nA report is not final while one is pending.",
    ),
    foreign_key(
        "reassigned_project_id",
        "projects.id",
        "Id of the project to which the time was reassigned; null unless the action is `reassigned`.",
    ),
    foreign_key(
        "reassigned_task_id",
        "tasks.id",
        "Id of the task to which the time was reassigned; null unless the action is `reassigned`.",
    ),
    erased(text_column("reason", "Reason given by the person.")),
    *earlier_places("started_at"),
    *interval_checks(),
    CheckConstraint(
        "action = 'reassigned' OR (reassigned_project_id IS NULL AND reassigned_task_id IS NULL)", name="reassigned"
    ),
    natural_key=("timesheet_id", "started_at"),
    order=None,
    is_polled=False,
)
index_by_person(idle_times)
# Where tables were never analyzed, PostgreSQL looks up the idle times of each timesheet: without this index, it reads
# those of the whole page each time.
index(idle_times, "timesheet_id", "started_at", "id")
index_changes(idle_times)
index_all_changes(idle_times, "started_at", "earlier_from", "earlier_until", "timesheet_id")
index_earlier_places(idle_times)
index_unfinished(idle_times, "started_at", f"action = '{IdleAction.pending}'")

# A slot is 15 minutes of UTC. In every time zone it lies in one local day, since days begin at a quarter of an hour.
activity_slots = tenant_table(
    "activity_slots",
    "Input of a person in a quarter of an hour of a timesheet. Reports divide time over midnight by it.",
    person_column("The person of the timesheet.", "parts", is_named=False, primary_key=True),
    event_time(
        "slot_at",
        "Start of the quarter of an hour, in UTC: a quarter lies in one local day of every zone.",
        primary_key=True,
    ),
    foreign_key("timesheet_id", "timesheets.id", "The timesheet, which overlaps the slot.", primary_key=True),
    *counter_columns(),
    CheckConstraint("input_seconds <= 900", name="input_seconds"),
    CheckConstraint("extract(epoch FROM slot_at) % 900 = 0", name="slot_at"),
    key=(),
)
index(activity_slots, "user_id", "updated_at", "slot_at")
index_all_changes(activity_slots, "slot_at", "timesheet_id")

PLACE = "Object with latitude and longitude (decimal strings), accuracy_meters, label."

clock_records = tenant_table(
    "clock_records",
    "Attendance of a person, from clocking in to clocking out. Rows of one person do not overlap.",
    person_column("Id of the person.", "records", is_named=True),
    event_time("clock_in_at", "Clock-in time.\nIts local day is the date of the record."),
    event_time("clock_out_at", "Clock-out time; null while open.", nullable=True),
    enum_column(
        "status",
        ClockStatus.open,
        "Status: open, closed by the person, or closed by the system.\nopen exactly while clock_out_at is null.",
    ),
    enum_column("clock_in_source", TimeSource.web, "Application or device of the clock-in."),
    enum_column(
        "clock_out_source", TimeSource, "Application or device of the clock-out; null while open.", nullable=True
    ),
    enum_column(
        "auto_clock_out_reason",
        AutoClockOutReason,
        "Reason why the system clocked the person out; null if the person did.\nOnly if status is auto_closed.",
        nullable=True,
    ),
    erased(text_column("clock_in_note", "Note at clock-in.")),
    erased(text_column("clock_out_note", "Note at clock-out.")),
    erased(Column("clock_in_location", JSONB, comment=f"Location at clock-in.\n{PLACE}")),
    erased(Column("clock_out_location", JSONB, comment=f"Location at clock-out.\n{PLACE}")),
    event_time(
        "scheduled_start_at",
        "Scheduled start of the shift; null without a schedule.\nlate_seconds of the API is counted from it.",
        nullable=True,
    ),
    event_time(
        "scheduled_end_at",
        "Scheduled end of the shift; null without a schedule.\nearly_leave_seconds of the API is counted from it.",
        nullable=True,
    ),
    flag_column("is_edited", "Whether the record was edited."),
    mention_column("edited_by_user_id", "Id of the user who edited the record; null if it was not edited."),
    foreign_key("project_id", "projects.id", "Id of the project."),
    *earlier_places("clock_in_at"),
    CheckConstraint("clock_out_at > clock_in_at", name="interval"),
    CheckConstraint("scheduled_end_at > scheduled_start_at", name="scheduled"),
    json_path_check("clock_in_location", "is_place", NOT_A_PLACE),
    json_path_check("clock_out_location", "is_place", NOT_A_PLACE),
    CheckConstraint("(status = 'open') = (clock_out_at IS NULL)", name="open"),
    CheckConstraint("auto_clock_out_reason IS NULL OR status = 'auto_closed'", name="auto_closed"),
    natural_key=("user_id", "clock_in_at"),
    order=None,
)
index(clock_records, "clock_in_at", "id")
index(clock_records, "user_id", "clock_in_at", "id")
index(clock_records, "clock_in_at", "id", name="clock_records_open_idx", postgresql_where=text("status = 'open'"))
index_by_parent(clock_records, "project_id", "clock_in_at", "id")
index(clock_records, "user_id", "updated_at", "clock_in_at", name="clock_records_changes_idx")
index_earlier_places(clock_records)
index_unfinished(clock_records, "clock_in_at", "clock_out_at IS NULL")

# A break may belong to a clock record. `ended_at` is null while it lasts.
break_times = tenant_table(
    "break_times",
    "A break of a person, with or without a clock record. Rows of one person do not overlap.",
    person_column("Whose break it is.", "records", is_named=False),
    event_time("started_at", "Start."),
    event_time("ended_at", "End, exclusive; null while the break lasts.", nullable=True),
    foreign_key("clock_record_id", "clock_records.id", "The attendance that it interrupts."),
    flag_column(
        "is_paid",
        "Whether the break is paid.\n"
        "A paid break counts in paid_break_seconds; an unpaid one is subtracted from worked_seconds. Time in "
        "a paid and an unpaid break is unpaid.",
    ),
    *earlier_places("started_at"),
    *interval_checks(),
    natural_key=("user_id", "started_at"),
    order=None,
    is_polled=False,
)
index_by_person(break_times)
index_changes(break_times)
index_all_changes(break_times, "started_at", "earlier_from", "earlier_until")
index_earlier_places(break_times)
index_unfinished(break_times, "started_at", "ended_at IS NULL")
index(break_times, "clock_record_id", postgresql_where=text("clock_record_id IS NOT NULL"))

# A request to add, edit (from the original interval to this one) or delete time.
manual_requests = tenant_table(
    "manual_requests",
    "A request to add, edit or delete time by hand. Time counts only through the timesheet of an approved one.",
    person_column("Id of the person whose time it is.", "records", is_named=True),
    foreign_key("project_id", "projects.id", "Id of the project."),
    foreign_key("task_id", "tasks.id", "Id of the task."),
    event_time("started_at", "Start; not clipped to the date range.\nIts local day is the date of the row."),
    event_time("ended_at", "End, exclusive."),
    enum_column("action", ManualTimeAction.added, "Effect: time is added, edited or deleted."),
    event_time("original_started_at", "Start before the edit or deletion; null for added time.", nullable=True),
    event_time("original_ended_at", "End before the edit or deletion; null for added time.", nullable=True),
    foreign_key("original_project_id", "projects.id", "Id of the project before the edit or deletion."),
    flag_column("is_billable", "Whether the time is billable."),
    erased(text_column("reason", "Reason of the request."), "user_id", "requested_by_user_id"),
    erased(text_column("note", "Note on the work."), "user_id", "requested_by_user_id"),
    enum_column(
        "status",
        ManualTimeStatus.pending,
        "Status of the request.\nReports are not final while a request of their days is pending.",
    ),
    mention_column(
        "requested_by_user_id", "Id of the user who made the request.\nThe person, or a manager.", nullable=False
    ),
    event_time("requested_at", "Time of the request."),
    *review_columns("approved or rejected the request; null until the decision"),
    foreign_key("timesheet_id", "timesheets.id", "Id of the timesheet that the approved request created or changed."),
    *earlier_places("started_at", "original_started_at"),
    *interval_checks(),
    CheckConstraint("original_ended_at > original_started_at", name="original"),
    CheckConstraint(
        "(original_started_at IS NULL) = (original_ended_at IS NULL)"
        " AND (action <> 'edited' OR original_started_at IS NOT NULL)",
        name="edited",
    ),
    order=None,
)
index_by_person(manual_requests)
index_changes(manual_requests)
index_earlier_places(manual_requests)
index_unfinished(manual_requests, "started_at", f"status = '{ManualTimeStatus.pending}'")
index(manual_requests, "started_at", "id")
index(manual_requests, "status", "started_at", "id")
for parent in "project_id", "task_id", "timesheet_id", "reviewed_by_user_id":
    index_by_parent(manual_requests, parent, "started_at", "id")
