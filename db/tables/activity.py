"""Tables of activity: application and URL usage, screenshots, suspicious activity.

Usage is stored per slot of 15 minutes of UTC. In every time zone a local day begins at such a slot, so a slot belongs
to exactly one local day. Writers ensure that a slot overlaps its timesheet, and that both are of the same person.
"""

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP
from sqlalchemy.schema import SchemaItem

from db.tables.columns import enum_column, event_time, tenant_table


class Productivity(StrEnum):
    productive = "productive"
    neutral = "neutral"
    unproductive = "unproductive"
    unrated = "unrated"


class ScreenshotStatus(StrEnum):
    available = "available"
    deleted = "deleted"
    expired = "expired"
    processing = "processing"


class SuspicionType(StrEnum):
    mouse_jiggler = "mouse_jiggler"
    auto_clicker = "auto_clicker"
    key_repeat = "key_repeat"
    constant_activity = "constant_activity"
    single_input_only = "single_input_only"
    no_input_while_tracking = "no_input_while_tracking"
    suspicious_app = "suspicious_app"
    remote_or_virtual_machine = "remote_or_virtual_machine"
    clock_tampering = "clock_tampering"
    duplicate_screenshot = "duplicate_screenshot"
    location_mismatch = "location_mismatch"
    other = "other"


class SuspicionSeverity(StrEnum):
    low = "low"
    medium = "medium"
    high = "high"


class SuspicionStatus(StrEnum):
    open = "open"
    confirmed = "confirmed"
    dismissed = "dismissed"


def percent_column(name: str) -> list[SchemaItem]:
    """A nullable integer from 0 to 100."""
    return [Column(name, Integer), CheckConstraint(f"{name} BETWEEN 0 AND 100", name=name)]


def rated_name_table(name: str, *checks: SchemaItem) -> Table:
    """A table of names, unique in an organization, with the category and productivity that it assigns to them."""
    return tenant_table(
        name,
        Column("name", Text, nullable=False),
        Column("category", Text),
        enum_column("productivity", Productivity, default=Productivity.unrated),
        UniqueConstraint("organization_id", "name"),
        *checks,
        order=None,
        is_polled=False,
    )


def usage_table(name: str, *things: str, times: str, references: dict[str, str]) -> Table:
    """Usage of `things` (id columns) by a person in a slot of a timesheet; `times` is the column that counts uses.

    The index of the primary key includes all columns that reports read, so that they need not read the table. The other
    index is for polling: whether a person's usage in a range of slots changed.
    """
    key = ("organization_id", "user_id", "slot_at", *things, "timesheet_id")
    measures = ("duration_seconds", "active_seconds", times, "first_at", "last_at", "updated_at", "deleted_at")
    table = tenant_table(
        name,
        Column("user_id", Uuid, primary_key=True),
        Column("slot_at", TIMESTAMP(timezone=True, precision=0), primary_key=True),
        *(Column(thing, Uuid, primary_key=True) for thing in (*things, "timesheet_id")),
        Column("duration_seconds", Integer, nullable=False),
        Column("active_seconds", Integer, nullable=False, server_default=text("0")),
        Column(times, Integer, nullable=False, server_default=text("1")),
        event_time("first_at"),
        event_time("last_at"),
        PrimaryKeyConstraint(*key, postgresql_include=measures),
        CheckConstraint("mod(extract(epoch from slot_at), 900) = 0", name="slot_at"),
        CheckConstraint("duration_seconds BETWEEN 0 AND 900", name="duration_seconds"),
        CheckConstraint("active_seconds BETWEEN 0 AND duration_seconds", name="active_seconds"),
        CheckConstraint(f"{times} >= 0", name=times),
        CheckConstraint("first_at <= last_at", name="first_at"),
        key=(),
        references={"user_id": "members.user_id", "timesheet_id": "timesheets.id", **references},
    )
    Index(None, *(table.c[column] for column in ("organization_id", "user_id", "updated_at", "slot_at")))
    return table


apps = rated_name_table("apps")

app_usages = usage_table("app_usages", "app_id", times="sessions_count", references={"app_id": "apps.id"})

# The registrable host, in punycode.
domains = rated_name_table("domains", CheckConstraint("name = lower(name)", name="name"))

url_pages = tenant_table(
    "url_pages",
    Column("domain_id", Uuid, nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text),
    # No user, query or fragment: they can hold secrets.
    CheckConstraint("url ~ '^[a-z][a-z0-9+.-]*://[^/?#@]+(/[^?#]*)?$'", name="url"),
    references={"domain_id": "domains.id"},
    order=None,
    is_polled=False,
)

url_usages = usage_table(
    "url_usages",
    "domain_id",
    "page_id",
    times="visits_count",
    references={"domain_id": "domains.id", "page_id": "url_pages.id"},
)

screenshots = tenant_table(
    "screenshots",
    Column("user_id", Uuid, nullable=False),
    Column("timesheet_id", Uuid),
    Column("project_id", Uuid),
    Column("task_id", Uuid),
    event_time("captured_at"),
    Column("screen_index", Integer, nullable=False, server_default=text("0")),
    enum_column("status", ScreenshotStatus, default=ScreenshotStatus.processing),
    # Keys of the images in the object store.
    Column("object_key", Text),
    Column("thumbnail_key", Text),
    Column("content_type", Text, nullable=False, server_default="image/jpeg"),
    Column("width", Integer),
    Column("height", Integer),
    Column("size_bytes", BigInteger),
    Column("is_blurred", Boolean, nullable=False, server_default=text("false")),
    *percent_column("activity_percent"),
    Column("app_name", Text),
    Column("deleted_by_user_id", Uuid),
    CheckConstraint("status <> 'available' OR object_key IS NOT NULL", name="object_key"),
    references={
        "user_id": "members.user_id",
        "timesheet_id": "timesheets.id",
        "project_id": "projects.id",
        "task_id": "tasks.id",
        "deleted_by_user_id": "members.user_id",
    },
    order=("user_id", "captured_at", "screen_index", "id"),
    is_polled=False,
)

suspicious_activity_logs = tenant_table(
    "suspicious_activity_logs",
    Column("user_id", Uuid, nullable=False),
    enum_column("type", SuspicionType),
    enum_column("severity", SuspicionSeverity),
    *percent_column("confidence_percent"),
    event_time("started_at"),
    event_time("ended_at"),
    Column("timesheet_id", Uuid),
    Column("project_id", Uuid),
    Column("evidence", JSONB, nullable=False, server_default=text("'{}'")),
    enum_column("status", SuspicionStatus, default=SuspicionStatus.open),
    Column("reviewed_by_user_id", Uuid),
    event_time("reviewed_at", nullable=True),
    Column("review_note", Text),
    Column("deducted_seconds", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("started_at <= ended_at", name="started_at"),
    CheckConstraint("deducted_seconds >= 0", name="deducted_seconds"),
    references={
        "user_id": "members.user_id",
        "timesheet_id": "timesheets.id",
        "project_id": "projects.id",
        "reviewed_by_user_id": "members.user_id",
    },
)
for first in ("user_id", "created_at", "id"), ("started_at", "id"):
    Index(None, suspicious_activity_logs.c.organization_id, *(suspicious_activity_logs.c[name] for name in first))
