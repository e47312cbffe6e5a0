"""Tables of activity: application and URL usage, screenshots, suspicious activity.

Usage is stored per slot of 15 minutes of UTC. In every time zone a local day begins at such a slot, so a slot belongs
to exactly one local day. Writers ensure that a slot overlaps its timesheet, and that both are of the same person.
"""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, Integer, PrimaryKeyConstraint, Table, Text, UniqueConstraint
from sqlalchemy.schema import SchemaItem

from db.tables.columns import (
    DELETED,
    DescribedEnum,
    count_column,
    enum_column,
    erased,
    erased_if_unshared,
    erased_object,
    event_time,
    flag_column,
    foreign_key,
    immovable,
    index,
    index_by_parent,
    json_object_column,
    kept,
    mention_column,
    number_column,
    person_column,
    review_columns,
    tenant_table,
    text_column,
)
from db.tables.remembered import index_report_changes, report_changed_at
from db.tables.value_checks import json_path_check

_SECONDS = ("keyboard_seconds", "mouse_seconds", "active_seconds", "tracked_seconds")
NOT_EVIDENCE = (
    '$ ? (exists(@.app_names[*] ? (@.type() != "string")) || exists(@.screenshot_ids[*] ? (@.type() != "string"'
    ' || !(@ like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")))'
    + "".join(f' || @.{key}.type() != "array" && @.{key}.type() != "null"' for key in ("app_names", "screenshot_ids"))
    + "".join(f' || @.{key}.type() != "number" && @.{key}.type() != "null"' for key in _SECONDS)
    + ")"
)
"""The jsonpath of evidence with a name, an id or a number of seconds of another form."""


class Productivity(DescribedEnum):
    """Productivity rating of an application or website by the organization."""

    productive = "productive", "Rated productive."
    neutral = "neutral", "Rated neither productive nor unproductive."
    unproductive = "unproductive", "Rated unproductive."
    unrated = "unrated", "Without a rating."


class ScreenshotStatus(DescribedEnum):
    """Status of a screenshot; only `available` ones can be downloaded."""

    available = "available", "The image can be downloaded."
    deleted = "deleted", "A person deleted the image."
    expired = "expired", "The image was dropped after the days of retention."
    processing = "processing", "The image is being uploaded or processed."


class SuspicionType(DescribedEnum):
    """Type of a suspicious activity."""

    mouse_jiggler = "mouse_jiggler", "Mouse movements that a device or program makes."
    auto_clicker = "auto_clicker", "Mouse clicks that a program makes."
    key_repeat = "key_repeat", "One key held down or repeated by a program."
    constant_activity = "constant_activity", "Input without the pauses that people make."
    single_input_only = "single_input_only", "Input from the mouse alone or from the keyboard alone for a long time."
    no_input_while_tracking = "no_input_while_tracking", "No input while a timer ran."
    suspicious_app = "suspicious_app", "An application that simulates activity."
    remote_or_virtual_machine = "remote_or_virtual_machine", "Work on a remote or virtual machine."
    clock_tampering = "clock_tampering", "The clock of the device was changed."
    duplicate_screenshot = "duplicate_screenshot", "Equal screenshots at different times."
    location_mismatch = "location_mismatch", "A location that does not fit the place of work."
    other = "other", "Any other suspicious activity."


class SuspicionSeverity(DescribedEnum):
    """Severity of a suspicious activity."""

    low = "low", "Low severity."
    medium = "medium", "Medium severity."
    high = "high", "High severity."


class SuspicionStatus(DescribedEnum):
    """Review status of a suspicious activity."""

    open = "open", "Not reviewed yet."
    confirmed = "confirmed", "The reviewer confirmed the suspicion."
    dismissed = "dismissed", "The reviewer dismissed the suspicion."


def percent_column(name: str, comment: str) -> list[SchemaItem]:
    """A nullable integer from 0 to 100."""
    return [Column(name, Integer, comment=comment), CheckConstraint(f"{name} BETWEEN 0 AND 100", name=name)]


_UNRATED = "category IS NULL AND productivity = 'unrated'"


def rated_name_table(name: str, comment: str, name_comment: str, *checks: SchemaItem, used_in: str) -> Table:
    """A table of names, unique in an organization, with the category and productivity that it assigns to them.

    `used_in`: the `table.column` that references its rows.
    """
    table = tenant_table(
        name,
        comment,
        erased_if_unshared(
            text_column("name", name_comment, nullable=False, is_name=True),
            "'erased-' || id || '.invalid'",
            used_in=used_in,
            where=_UNRATED,
        ),
        text_column("category", "Free text, such as Design or News."),
        enum_column("productivity", Productivity.unrated, "How reports count the use of it."),
        report_changed_at("name", "category", "productivity"),
        UniqueConstraint("organization_id", "name"),
        *checks,
        order=None,
        is_polled=False,
    )
    index_report_changes(table)
    return table


def usage_table(name: str, comment: str, *things: Column[Any], times: Column[Any]) -> Table:
    """Usage of `things` (columns of the key) by a person in a slot of a timesheet; `times` is the column of uses.

    The index of the primary key includes all columns that reports read, so that they need not read the table. Two more
    are for polling: whether a person's usage in a range of slots changed, and who used the thing of a new name in one.
    The latter has the rows of a thing and a slot in one entry, so that it takes a thirtieth of the primary key.
    """
    key = ("organization_id", "user_id", "slot_at", *(thing.name for thing in things), "timesheet_id")
    measures = ("duration_seconds", "active_seconds", times.name, "first_at", "last_at", "updated_at", "deleted_at")
    table = tenant_table(
        name,
        comment,
        person_column("The person of the timesheet.", "parts", is_named=False, primary_key=True),
        event_time("slot_at", "Start of the quarter of an hour, in UTC.", primary_key=True),
        *things,
        foreign_key("timesheet_id", "timesheets.id", "The timesheet, which overlaps the slot.", primary_key=True),
        number_column("duration_seconds", "Seconds in which it was in front, at most 900.", nullable=False),
        count_column("active_seconds", "Those of them with input."),
        times,
        event_time("first_at", "First use in the slot."),
        event_time("last_at", "Last use in the slot."),
        PrimaryKeyConstraint(*key, postgresql_include=measures),
        CheckConstraint("mod(extract(epoch from slot_at), 900) = 0", name="slot_at"),
        CheckConstraint("duration_seconds BETWEEN 0 AND 900", name="duration_seconds"),
        CheckConstraint("active_seconds BETWEEN 0 AND duration_seconds", name="active_seconds"),
        CheckConstraint(f"{times.name} >= 0", name=times.name),
        CheckConstraint("first_at <= last_at", name="first_at"),
        key=(),
    )
    index(table, "user_id", "updated_at", "slot_at")
    index(table, things[0].name, "slot_at")
    return table


apps = rated_name_table(
    "apps",
    "An application that people use, with its rating. Usage of one name is one row of a report.",
    "Name after normalisation, unique in the organization.",
    used_in="app_usages.app_id",
)

app_usages = usage_table(
    "app_usages",
    "Use of an application by a person in a quarter of an hour of a timesheet.",
    foreign_key("app_id", "apps.id", "The application.", primary_key=True),
    times=count_column("sessions_count", "How often it came to the front.", default=1),
)

domains = rated_name_table(
    "domains",
    "A site that people visit, with its rating. Visits of one domain are one row of a report.",
    "Registrable host in lower case and punycode, unique in the organization.",
    CheckConstraint("name = lower(name)", name="name"),
    used_in="url_usages.domain_id",
)

url_pages = tenant_table(
    "url_pages",
    "A page of a site. It holds no user, query or fragment, because these can be secrets.",
    foreign_key("domain_id", "domains.id", "The site.", nullable=False),
    erased_if_unshared(
        text_column("url", "Scheme, host and path.", nullable=False),
        "'https://erased.invalid/'",
        used_in="url_usages.page_id",
    ),
    erased_if_unshared(text_column("title", "Title of the page."), "NULL", used_in="url_usages.page_id"),
    report_changed_at("url", "title"),
    # No user, query or fragment: they can hold secrets.
    CheckConstraint("url ~ '^[a-z][a-z0-9+.-]*://[^/?#@]+(/[^?#]*)?$'", name="url"),
    natural_key=("domain_id", "url"),
    order=None,
    is_polled=False,
)
index_report_changes(url_pages)

url_usages = usage_table(
    "url_usages",
    "Use of a page by a person in a quarter of an hour of a timesheet.",
    foreign_key("domain_id", "domains.id", "The site.", primary_key=True),
    foreign_key("page_id", "url_pages.id", "The page.", primary_key=True),
    times=count_column("visits_count", "How often it was opened.", default=1),
)

screenshots = tenant_table(
    "screenshots",
    "A screenshot of a person: where its images are stored, not the images themselves.",
    immovable(person_column("Id of the person.", "records", is_named=False)),
    foreign_key("timesheet_id", "timesheets.id", "Id of the timesheet in which it was taken."),
    foreign_key("project_id", "projects.id", "Id of the project.\nIt is that of the timesheet."),
    foreign_key("task_id", "tasks.id", "Id of the task.\nIt is that of the timesheet."),
    event_time("captured_at", "Time of the screenshot.\nIts local day decides in which list it is."),
    count_column("screen_index", "Index of the screen, from 0."),
    erased(
        enum_column(
            "status", ScreenshotStatus.processing, "Status of the screenshot.\nURLs are signed only for available ones."
        ),
        to=ScreenshotStatus.deleted.value,
    ),
    erased_object(text_column("object_key", "Key of the image in the object store; required if available.")),
    erased_object(text_column("thumbnail_key", "Key of the small image in the object store.")),
    kept(Column("content_type", Text, nullable=False, server_default="image/jpeg", comment="Media type of the image.")),
    number_column("width", "Width in pixels."),
    number_column("height", "Height in pixels."),
    number_column("size_bytes", "Size of the image in bytes.", kind=BigInteger),
    flag_column("is_blurred", "Whether the image is blurred."),
    *percent_column("activity_percent", "Percentage of seconds with input around the time of the screenshot."),
    erased(text_column("app_name", "Application that was in the foreground.", is_name=True)),
    mention_column("deleted_by_user_id", "Id of the user who deleted the image; null unless one did."),
    CheckConstraint("status <> 'available' OR object_key IS NOT NULL", name="object_key"),
    # GraphQL's Int.
    CheckConstraint("size_bytes < 2147483648", name="size_bytes"),
    order=("user_id", "captured_at", "screen_index", "id"),
)
# With the index of the list, which leaves deleted rows out, it finds a person's screenshots before a time.
index(screenshots, "user_id", "captured_at", name="screenshots_deleted_idx", postgresql_where=DELETED)

suspicious_activity_logs = tenant_table(
    "suspicious_activity_logs",
    "A suspicion that input of a person was not real, for a reviewer.",
    immovable(person_column("Id of the person.", "records", is_named=True)),
    enum_column("type", SuspicionType, "Type of the suspicious activity."),
    enum_column("severity", SuspicionSeverity, "Severity: low, medium or high."),
    *percent_column("confidence_percent", "Certainty of the detection, in percent."),
    event_time("started_at", "Start.\nIts local day is the date of the row."),
    event_time("ended_at", "End, exclusive.\nIt may be the start."),
    foreign_key("timesheet_id", "timesheets.id", "Id of the timesheet in which it happened."),
    foreign_key("project_id", "projects.id", "Id of the project.\nIt is that of the timesheet."),
    erased(
        json_object_column("evidence", "Object: what was measured, with lists such as app_names and screenshot_ids."),
        to="{}",
    ),
    enum_column("status", SuspicionStatus.open, "Status of the review."),
    *review_columns("reviewed it; null until the review"),
    count_column(
        "deducted_seconds", "Time that the reviewer took from the person because of it. Reports do not subtract it."
    ),
    json_path_check("evidence", "is_known", NOT_EVIDENCE),
    CheckConstraint("started_at <= ended_at", name="started_at"),
    CheckConstraint("deducted_seconds >= 0", name="deducted_seconds"),
    is_small=True,
)
for first in ("user_id", "created_at", "id"), ("started_at", "id"):
    index(suspicious_activity_logs, *first)
for parent in "timesheet_id", "project_id", "reviewed_by_user_id":
    index_by_parent(suspicious_activity_logs, parent, "created_at", "id")
