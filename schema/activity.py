"""GraphQL types and queries of activity: application and URL usage, screenshots, suspicious activity."""

from datetime import date, datetime
from uuid import UUID

from db.tables.activity import Productivity, ScreenshotStatus, SuspicionSeverity, SuspicionStatus, SuspicionType
from resolvers import activity, people, screenshots, timesheets, work
from resolvers.lists.local_day import date_of
from resolvers.reports.report_members import member_of_row
from resolvers.screenshots import screenshots_by_id
from schema.fields import Node, Page, audit_times, by_id, field, listed, object_type, refers_to
from schema.people import Member, person_who
from schema.scalars import Day, Seconds
from schema.timesheets import Timesheet
from schema.totals import totals
from schema.work import Project, Task


@object_type("Usage of an application by a person on one day.")
class AppUsage:
    app_name: str = field("Name of the application.")
    category: str | None = field("Category of the application.")
    productivity: Productivity = field("Productivity rating by the organization.")
    duration_seconds: Seconds = field("Time in the foreground.")
    active_seconds: Seconds = field("Part of duration_seconds with keyboard or mouse input.")
    sessions_count: int = field("Number of times it came to the foreground.")
    first_used_at: datetime = field("First use on this day.")
    last_used_at: datetime = field("Last use on this day.")


@object_type("Applications used by a person on one day.")
class AppDay:
    date: Day = field("Local day, in the time zone of the report.")
    total_seconds: Seconds = field("Time in all applications.")
    apps: list[AppUsage] = field("Applications, longest used first.")


@object_type("Applications used by a person in the date range.")
class AppReport:
    user: Member = field("The person.", member_of_row)
    start_date: date = field("First day of the date range.")
    end_date: date = field("Last day of the date range, inclusive.")
    timezone: str = field("IANA time zone of the days.")
    total_seconds: Seconds = field("Time in all applications.")
    productive_seconds: Seconds = field("Part of total_seconds in productive applications.")
    neutral_seconds: Seconds = field("Part of total_seconds in neutral applications.")
    unproductive_seconds: Seconds = field("Part of total_seconds in unproductive applications.")
    unrated_seconds: Seconds = field("Part of total_seconds in applications without a rating.")
    is_final: bool = field(
        "Whether nothing of the member is open in the range. False while a timer, a break or a clock record of the "
        "range is open, and while idle time or manual time in it is pending."
    )
    updated_at: datetime | None = field("Time of the last change of anything that this row shows.")
    days: list[AppDay] = field("Days with usage, ascending.")


@object_type("Usage of one page of a website by a person on one day.")
class PageUsage:
    url: str = field("URL: scheme, host and path, without query and fragment.")
    title: str | None = field("Title of the page.")
    duration_seconds: Seconds = field("Time in the foreground.")
    visits_count: int = field("Number of visits.")


@object_type("Usage of a website by a person on one day.")
class SiteUsage:
    domain: str = field("Registrable domain, lower-case, in punycode.")
    category: str | None = field("Category of the website.")
    productivity: Productivity = field("Productivity rating by the organization.")
    duration_seconds: Seconds = field("Time in the foreground.")
    active_seconds: Seconds = field("Part of duration_seconds with keyboard or mouse input.")
    visits_count: int = field("Number of visits.")
    first_visited_at: datetime = field("First visit on this day.")
    last_visited_at: datetime = field("Last visit on this day.")
    pages: list[PageUsage] | None = field(
        "Pages of the website, longest used first, at most 200; null unless requested."
    )
    pages_truncated: bool | None = field("Whether there are more than 200 pages; null unless pages were requested.")


@object_type("Websites used by a person on one day.")
class UrlDay:
    date: Day = field("Local day, in the time zone of the report.")
    total_seconds: Seconds = field("Time on all websites.")
    sites: list[SiteUsage] = field("Websites, longest used first.")


@object_type("Websites used by a person in the date range.")
class UrlReport:
    user: Member = field("The person.", member_of_row)
    start_date: date = field("First day of the date range.")
    end_date: date = field("Last day of the date range, inclusive.")
    timezone: str = field("IANA time zone of the days.")
    total_seconds: Seconds = field("Time on all websites.")
    productive_seconds: Seconds = field("Part of total_seconds on productive websites.")
    neutral_seconds: Seconds = field("Part of total_seconds on neutral websites.")
    unproductive_seconds: Seconds = field("Part of total_seconds on unproductive websites.")
    unrated_seconds: Seconds = field("Part of total_seconds on websites without a rating.")
    is_final: bool = field(
        "Whether nothing of the member is open in the range. False while a timer, a break or a clock record of the "
        "range is open, and while idle time or manual time in it is pending."
    )
    updated_at: datetime | None = field("Time of the last change of anything that this row shows.")
    days: list[UrlDay] = field("Days with usage, ascending.")


@object_type("A screenshot. Window titles are not stored.", "screenshots")
class Screenshot(Node):
    user_id, user = person_who("user_id", is_required=True)
    timesheet_id, timesheet = refers_to(Timesheet, timesheets.timesheet_of)
    project_id, project = refers_to(Project, work.project_of, "Project of the time.")
    task_id, task = refers_to(Task, work.task_of, "Task of the time.")
    captured_at: datetime = field()
    date: Day = field("Local day on which it was taken.", date_of("captured_at"))
    image_url: str | None = field(
        "Signed URL of the image; null unless the status is `available`.", screenshots.url_of("object_key")
    )
    thumbnail_url: str | None = field(
        "Signed URL of the thumbnail; null unless the status is `available`.", screenshots.url_of("thumbnail_key")
    )
    urls_expire_at: datetime | None = field(
        "Expiry of the signed URLs; null if there are none.", screenshots.urls_expire_at
    )
    content_type: str = field()
    width: int | None = field()
    height: int | None = field()
    size_bytes: int | None = field()
    screen_index: int = field()
    is_blurred: bool = field()
    activity_percent: int | None = field()
    app_name: str | None = field()
    status: ScreenshotStatus = field()
    deleted_by_user_id, deleted_by = person_who("deleted_by_user_id")
    created_at: datetime = field()


@object_type("Evidence of a suspicious activity.")
class Evidence:
    keyboard_seconds: Seconds | None = field("Time with keyboard input.")
    mouse_seconds: Seconds | None = field("Time with mouse input.")
    active_seconds: Seconds | None = field("Time with any input.")
    tracked_seconds: Seconds | None = field("Tracked time.")
    app_names: list[str] = field("Names of the applications involved.")
    screenshot_ids: list[UUID] = field("Ids of screenshots that show it.")
    screenshots: list[Screenshot] = field(
        "Screenshots that show it, in the order of screenshot_ids; deleted ones are left out.",
        screenshots_by_id.of_ids("screenshot_ids"),
    )


@object_type("A suspicious activity of a person, detected automatically.", "suspicious_activity_logs")
class SuspiciousActivityLog(Node):
    user: Member = field(resolver=people.user_of)
    type: SuspicionType = field()
    severity: SuspicionSeverity = field()
    confidence_percent: int | None = field()
    started_at: datetime = field()
    ended_at: datetime = field()
    duration_seconds: Seconds = field("Time from the start to the end.")
    date: Day = field("Local day of the start.", date_of("started_at"))
    timesheet_id, timesheet = refers_to(Timesheet, timesheets.timesheet_of)
    project_id, project = refers_to(Project, work.project_of, "Project of the time.")
    evidence: Evidence = field("What was measured.", activity.evidence_of)
    status: SuspicionStatus = field()
    reviewed_by_user_id, reviewed_by = person_who("reviewed_by_user_id")
    reviewed_at: datetime | None = field()
    review_note: str | None = field()
    deducted_seconds: Seconds = field()
    created_at, updated_at, deleted_at = audit_times()


@object_type()
class ActivityQuery:
    app_reports: Page[AppReport] | None = field(
        "Application usage report: one row per member, with applications by day.", activity.APP_USAGE.of_organization
    )
    url_reports: Page[UrlReport] | None = field(
        "URL usage report: one row per member, with websites by day.", activity.URL_USAGE.of_organization
    )
    screenshots: list[Screenshot] | None = field(
        "Screenshots of one person on one local day, by time.", screenshots.list_screenshots
    )
    suspicious_activity_logs = listed("Suspicious activity logs", activity.SUSPICIOUS_ACTIVITY)
    suspicious_activity_totals = totals("suspicious activity logs", activity.SUSPICIOUS_ACTIVITY_TOTALS)
    app_totals = totals("the use of applications", activity.APP_USAGE_TOTALS)
    url_totals = totals("the use of sites", activity.URL_USAGE_TOTALS)
    screenshot, screenshots_by_id = by_id(Screenshot, screenshots_by_id)
    suspicious_activity_log, suspicious_activity_logs_by_id = by_id(SuspiciousActivityLog, activity.logs_by_id)
