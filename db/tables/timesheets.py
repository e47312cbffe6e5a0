"""Tables of time: timesheets, idle times, activity slots, breaks, manual time requests, clock records.

An interval is half-open, in whole seconds, and at most MAX_INTERVAL long; writers split longer ones. So the intervals
that overlap a range start in it, or within MAX_INTERVAL before it, and an index by person and start finds them. Writers
ensure that the intervals of one person in one table do not overlap.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, Table, Text, Uuid, text
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP
from sqlalchemy.schema import SchemaItem

from db.tables.columns import enum_column, event_time, tenant_table

MAX_INTERVAL = timedelta(hours=24)


class TimesheetKind(StrEnum):
    automatic = "automatic"
    manual = "manual"


class TimeSource(StrEnum):
    desktop = "desktop"
    web = "web"
    mobile = "mobile"
    kiosk = "kiosk"
    api = "api"
    admin = "admin"
    system = "system"


class IdleAction(StrEnum):
    kept = "kept"
    discarded = "discarded"
    reassigned = "reassigned"
    pending = "pending"


class ManualTimeAction(StrEnum):
    added = "added"
    edited = "edited"
    deleted = "deleted"


class ManualTimeStatus(StrEnum):
    pending = "pending"
    approved = "approved"
    rejected = "rejected"
    cancelled = "cancelled"


class ClockStatus(StrEnum):
    open = "open"
    closed = "closed"
    auto_closed = "auto_closed"


class AutoClockOutReason(StrEnum):
    shift_ended = "shift_ended"
    daily_limit = "daily_limit"
    inactivity = "inactivity"
    midnight = "midnight"
    geofence_exit = "geofence_exit"
    system = "system"


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
        Column("input_seconds", Integer, nullable=False, server_default=text("0")),
        Column("active_seconds", Integer, nullable=False, server_default=text("0")),
        Column("keyboard_seconds", Integer, nullable=False, server_default=text("0")),
        Column("mouse_seconds", Integer, nullable=False, server_default=text("0")),
        CheckConstraint("active_seconds BETWEEN 0 AND input_seconds", name="active_seconds"),
        CheckConstraint("keyboard_seconds BETWEEN 0 AND input_seconds", name="keyboard_seconds"),
        CheckConstraint("mouse_seconds BETWEEN 0 AND input_seconds", name="mouse_seconds"),
    ]


def index_by_person(table: Table, **options: Any) -> None:
    """Index that finds a person's intervals of a range. It includes soft-deleted rows, which polling returns."""
    columns = (table.c.organization_id, table.c.user_id, table.c.started_at, table.c.id)
    Index(None, *columns, **options)


def index_changes(table: Table, **options: Any) -> None:
    """Index that finds a person's changes since a time, for reports that are polled."""
    Index(None, table.c.organization_id, table.c.user_id, table.c.updated_at, table.c.started_at, **options)


timesheets = tenant_table(
    "timesheets",
    Column("user_id", Uuid, nullable=False),
    Column("project_id", Uuid),
    Column("task_id", Uuid),
    event_time("started_at"),
    # Null while it runs; its time then counts until `tracked_until`, the last heartbeat.
    event_time("ended_at", nullable=True),
    event_time("tracked_until"),
    enum_column("kind", TimesheetKind, default=TimesheetKind.automatic),
    enum_column("source", TimeSource, default=TimeSource.desktop),
    Column("is_billable", Boolean, nullable=False, server_default=text("false")),
    Column("is_locked", Boolean, nullable=False, server_default=text("false")),
    # The sums of its slots; slots are needed to divide them into days.
    *counter_columns(),
    *interval_checks(reached="tracked_until"),
    CheckConstraint("tracked_until >= started_at", name="tracked_until"),
    references={"user_id": "members.user_id", "project_id": "projects.id", "task_id": "tasks.id"},
    order=None,
    is_polled=False,
)
index_by_person(
    timesheets,
    postgresql_include=[
        *("ended_at", "tracked_until", "project_id", "task_id", "kind", "is_billable"),
        *("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds", "updated_at", "deleted_at"),
    ],
)
# Without the included columns PostgreSQL prefers the index above, and reads all timesheets of a person.
index_changes(timesheets, postgresql_include=["ended_at", "tracked_until"])

# An idle time lies inside its timesheet.
idle_times = tenant_table(
    "idle_times",
    Column("timesheet_id", Uuid, nullable=False),
    Column("user_id", Uuid, nullable=False),
    event_time("started_at"),
    event_time("ended_at"),
    enum_column("action", IdleAction, default=IdleAction.pending),
    Column("reassigned_project_id", Uuid),
    Column("reassigned_task_id", Uuid),
    Column("reason", Text),
    *interval_checks(),
    CheckConstraint(
        "action = 'reassigned' OR (reassigned_project_id IS NULL AND reassigned_task_id IS NULL)", name="reassigned"
    ),
    references={
        "timesheet_id": "timesheets.id",
        "user_id": "members.user_id",
        "reassigned_project_id": "projects.id",
        "reassigned_task_id": "tasks.id",
    },
    order=None,
    is_polled=False,
)
index_by_person(idle_times)
index_changes(idle_times)

# A slot is 15 minutes of UTC. In every time zone it lies in one local day, since days begin at a quarter of an hour.
activity_slots = tenant_table(
    "activity_slots",
    Column("user_id", Uuid, primary_key=True),
    Column("slot_at", TIMESTAMP(timezone=True, precision=0), primary_key=True),
    Column("timesheet_id", Uuid, primary_key=True),
    *counter_columns(),
    CheckConstraint("input_seconds <= 900", name="input_seconds"),
    CheckConstraint("extract(epoch FROM slot_at) % 900 = 0", name="slot_at"),
    key=(),
    references={"user_id": "members.user_id", "timesheet_id": "timesheets.id"},
)

clock_records = tenant_table(
    "clock_records",
    Column("user_id", Uuid, nullable=False),
    event_time("clock_in_at"),
    event_time("clock_out_at", nullable=True),
    enum_column("status", ClockStatus, default=ClockStatus.open),
    enum_column("clock_in_source", TimeSource, default=TimeSource.web),
    enum_column("clock_out_source", TimeSource, nullable=True),
    enum_column("auto_clock_out_reason", AutoClockOutReason, nullable=True),
    Column("clock_in_note", Text),
    Column("clock_out_note", Text),
    Column("clock_in_location", JSONB),
    Column("clock_out_location", JSONB),
    event_time("scheduled_start_at", nullable=True),
    event_time("scheduled_end_at", nullable=True),
    Column("is_edited", Boolean, nullable=False, server_default=text("false")),
    Column("edited_by_user_id", Uuid),
    Column("project_id", Uuid),
    CheckConstraint("clock_out_at > clock_in_at", name="interval"),
    CheckConstraint("(status = 'open') = (clock_out_at IS NULL)", name="open"),
    CheckConstraint("auto_clock_out_reason IS NULL OR status = 'auto_closed'", name="auto_closed"),
    references={"user_id": "members.user_id", "edited_by_user_id": "members.user_id", "project_id": "projects.id"},
    order=None,
)
Index(None, clock_records.c.organization_id, clock_records.c.clock_in_at, clock_records.c.id)
Index(None, clock_records.c.organization_id, clock_records.c.user_id, clock_records.c.clock_in_at, clock_records.c.id)

# A break may belong to a clock record. `ended_at` is null while it lasts.
break_times = tenant_table(
    "break_times",
    Column("user_id", Uuid, nullable=False),
    event_time("started_at"),
    event_time("ended_at", nullable=True),
    Column("clock_record_id", Uuid),
    Column("is_paid", Boolean, nullable=False, server_default=text("false")),
    *interval_checks(),
    references={"user_id": "members.user_id", "clock_record_id": "clock_records.id"},
    order=None,
    is_polled=False,
)
index_by_person(break_times)
index_changes(break_times)
Index(
    None,
    break_times.c.organization_id,
    break_times.c.clock_record_id,
    postgresql_where=text("clock_record_id IS NOT NULL"),
)

# A request to add, edit (from the original interval to this one) or delete time.
manual_requests = tenant_table(
    "manual_requests",
    Column("user_id", Uuid, nullable=False),
    Column("project_id", Uuid),
    Column("task_id", Uuid),
    event_time("started_at"),
    event_time("ended_at"),
    enum_column("action", ManualTimeAction, default=ManualTimeAction.added),
    event_time("original_started_at", nullable=True),
    event_time("original_ended_at", nullable=True),
    Column("original_project_id", Uuid),
    Column("is_billable", Boolean, nullable=False, server_default=text("false")),
    Column("reason", Text),
    Column("note", Text),
    enum_column("status", ManualTimeStatus, default=ManualTimeStatus.pending),
    Column("requested_by_user_id", Uuid, nullable=False),
    event_time("requested_at"),
    Column("reviewed_by_user_id", Uuid),
    event_time("reviewed_at", nullable=True),
    Column("review_note", Text),
    Column("timesheet_id", Uuid),
    *interval_checks(),
    CheckConstraint("original_ended_at > original_started_at", name="original"),
    CheckConstraint(
        "(original_started_at IS NULL) = (original_ended_at IS NULL)"
        " AND (action <> 'edited' OR original_started_at IS NOT NULL)",
        name="edited",
    ),
    references={
        "user_id": "members.user_id",
        "project_id": "projects.id",
        "task_id": "tasks.id",
        "original_project_id": "projects.id",
        "requested_by_user_id": "members.user_id",
        "reviewed_by_user_id": "members.user_id",
        "timesheet_id": "timesheets.id",
    },
    order=None,
)
index_by_person(manual_requests)
index_changes(manual_requests)
Index(None, manual_requests.c.organization_id, manual_requests.c.started_at, manual_requests.c.id)
Index(
    None,
    manual_requests.c.organization_id,
    manual_requests.c.status,
    manual_requests.c.started_at,
    manual_requests.c.id,
)
