"""What can be asked about activity: usage of applications and sites, screenshots, what looked suspicious."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.activity import Productivity, ScreenshotStatus, SuspicionSeverity, SuspicionStatus, SuspicionType
from resolvers import activity, people, screenshots
from resolvers.reports import app_usage as usage
from schema.page import Page, field
from schema.people import User
from schema.scalars import Seconds

# A class whose field is called date can't name its type so.
Day = date

strawberry.enum(Productivity, description="What the organization thinks of an application or a site.")
strawberry.enum(ScreenshotStatus, description="Whether a screenshot can be fetched; only available ones can.")
strawberry.enum(SuspicionSeverity, description="How bad a suspicion is.")
strawberry.enum(SuspicionStatus, description="Where the review of a suspicion stands.")
strawberry.enum(SuspicionType, description="What was noticed.")


@strawberry.type(description="How long a person used an application on one day.")
class AppUsage:
    app_name: str = field("Its name.")
    category: str | None = field("What kind of application it is.")
    productivity: Productivity = field("What the organization thinks of it.")
    duration_seconds: Seconds = field("Time in which it was in front.")
    active_seconds: Seconds = field("Of that, seconds with any input.")
    sessions_count: int = field("How often it came to the front.")
    first_used_at: datetime = field("When it was first used that day.")
    last_used_at: datetime = field("When it was last used that day.")


@strawberry.type(description="Applications that a person used on one day.")
class AppDay:
    date: Day = field("The local day.")
    total_seconds: Seconds = field("Time in all of them.")
    apps: list[AppUsage] = field("The applications, the longest used first.", usage.things_of)


@strawberry.type(description="Applications that a person used in a period.")
class AppReport:
    user: User = field("The person.")
    start_date: date = field("First day of the period.")
    end_date: date = field("Last day of the period, inclusive.")
    timezone: str = field("Time zone of the days.")
    total_seconds: Seconds = field("Time in all applications.")
    productive_seconds: Seconds = field("Of that, time in productive ones.")
    neutral_seconds: Seconds = field("Of that, time in neutral ones.")
    unproductive_seconds: Seconds = field("Of that, time in unproductive ones.")
    updated_at: datetime | None = field("When the latest of its records changed.")
    days: list[AppDay] = field("The days on which anything was used.")


@strawberry.type(description="How long a person looked at one page of a site on one day.")
class PageUsage:
    url: str = field("Scheme, host and path; no query and no fragment.")
    title: str | None = field("Its title.")
    duration_seconds: Seconds = field("Time in which it was in front.")
    visits_count: int = field("How often it was opened.")


@strawberry.type(description="How long a person used a site on one day.")
class SiteUsage:
    domain: str = field("Its registrable host, lower-case, in punycode.")
    category: str | None = field("What kind of site it is.")
    productivity: Productivity = field("What the organization thinks of it.")
    duration_seconds: Seconds = field("Time in which it was in front.")
    active_seconds: Seconds = field("Of that, seconds with any input.")
    visits_count: int = field("How often a page of it was opened.")
    first_visited_at: datetime = field("When it was first used that day.")
    last_visited_at: datetime = field("When it was last used that day.")
    pages: list[PageUsage] | None = field("Its pages, the longest used first, at most 200; null unless with_pages.")
    pages_truncated: bool | None = field("Whether there are more pages than that; null unless with_pages.")


@strawberry.type(description="Sites that a person used on one day.")
class UrlDay:
    date: Day = field("The local day.")
    total_seconds: Seconds = field("Time on all of them.")
    sites: list[SiteUsage] = field("The sites, the longest used first.", usage.things_of)


@strawberry.type(description="Sites that a person used in a period.")
class UrlReport:
    user: User = field("The person.")
    start_date: date = field("First day of the period.")
    end_date: date = field("Last day of the period, inclusive.")
    timezone: str = field("Time zone of the days.")
    total_seconds: Seconds = field("Time on all sites.")
    productive_seconds: Seconds = field("Of that, time on productive ones.")
    neutral_seconds: Seconds = field("Of that, time on neutral ones.")
    unproductive_seconds: Seconds = field("Of that, time on unproductive ones.")
    updated_at: datetime | None = field("When the latest of its records changed.")
    days: list[UrlDay] = field("The days on which anything was used.")


@strawberry.type(description="What was on a screen at one moment. Titles of windows are not kept.")
class Screenshot:
    id: UUID = field("Its id.")
    user_id: UUID = field("Whose screen it was.")
    timesheet_id: UUID | None = field("The tracked interval in which it was taken.")
    project_id: UUID | None = field("The project that was worked on.")
    task_id: UUID | None = field("The task that was worked on.")
    captured_at: datetime = field("When it was taken.")
    date: Day = field("The local day on which it was taken.")
    image_url: str | None = field("Where to fetch it; null unless available.", screenshots.url_of("object_key"))
    thumbnail_url: str | None = field(
        "Where to fetch it small; null unless available.", screenshots.url_of("thumbnail_key")
    )
    urls_expire_at: datetime | None = field("Until when these are good; null without any.", screenshots.urls_expire_at)
    content_type: str = field("Media type of the image.")
    width: int | None = field("Pixels.")
    height: int | None = field("Pixels.")
    size_bytes: int | None = field("Size of the image.")
    screen_index: int = field("Which screen, from 0 on.")
    is_blurred: bool = field("Whether it was made unreadable.")
    activity_percent: int | None = field("Share of seconds with input around it.")
    app_name: str | None = field("The application in front.")
    status: ScreenshotStatus = field("Whether it can be fetched.")
    deleted_by_user_id: UUID | None = field("Who deleted the image.")
    created_at: datetime = field("When the row was created.")


@strawberry.type(description="What a suspicion was concluded from.")
class Evidence:
    keyboard_seconds: Seconds | None = field("Seconds with input from a keyboard.")
    mouse_seconds: Seconds | None = field("Seconds with input from a mouse.")
    active_seconds: Seconds | None = field("Seconds with any input.")
    tracked_seconds: Seconds | None = field("Tracked seconds.")
    app_names: list[str] = field("Applications that were involved.")
    screenshot_ids: list[UUID] = field("Screenshots that show it.")


@strawberry.type(description="Activity of a person that looked suspicious.")
class SuspiciousActivityLog:
    id: UUID = field("Its id.")
    user: User = field("The person.", people.user_of)
    type: SuspicionType = field("What was noticed.")
    severity: SuspicionSeverity = field("How bad it is.")
    confidence_percent: int | None = field("How sure it is.")
    started_at: datetime = field("When it began.")
    ended_at: datetime = field("When it ended.")
    duration_seconds: Seconds = field("How long it lasted.")
    date: Day = field("The local day on which it began.")
    timesheet_id: UUID | None = field("The tracked interval in which it happened.")
    project_id: UUID | None = field("The project that was worked on.")
    evidence: Evidence = field("What it was concluded from.", activity.evidence_of)
    status: SuspicionStatus = field("Where the review stands.")
    reviewed_by_user_id: UUID | None = field("Who reviewed it.")
    reviewed_at: datetime | None = field("When it was reviewed.")
    review_note: str | None = field("What the reviewer said.")
    deducted_seconds: Seconds = field("Time that was taken off because of it.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")


@strawberry.type
class ActivityQuery:
    app_reports: Page[AppReport] = field("Applications that members used.", activity.list_app_reports)
    url_reports: Page[UrlReport] = field("Sites that members used.", activity.list_url_reports)
    screenshots: list[Screenshot] = field(
        "Screenshots of one person and day, 2,000 at most.", screenshots.list_screenshots
    )
    suspicious_activity_logs: Page[SuspiciousActivityLog] = field(
        "Activity that looked suspicious.", activity.list_suspicious_activity_logs
    )
