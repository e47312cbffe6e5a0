"""The activity area: app and URL usage, screenshots, and suspicious activity."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from db.sample.demo.activity.app_usage import UsageCatalog, app_usages, url_usages
from db.sample.demo.activity.screenshots import screenshots
from db.sample.demo.activity.suspicious_activity import suspicious_activity_logs
from db.sample.demo.area import Area, Row
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import RandomSource
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.scenarios.software import BROWSER
from db.sample.demo.timesheets.build import TimesheetRows
from db.sample.demo.work.build import WorkRows


@dataclass(frozen=True)
class ActivityRows(Area):
    apps: list[Row]
    app_usages: list[Row]
    domains: list[Row]
    url_pages: list[Row]
    url_usages: list[Row]
    screenshots: list[Row]
    suspicious_activity_logs: list[Row]


def build_activity(
    scenario: Scenario, people: PeopleRows, work: WorkRows, timesheets: TimesheetRows, now: datetime
) -> ActivityRows:
    """The activity during timesheets. A timesheet without activity slots has none."""
    random = RandomSource(f"{scenario.name}: activity", now.date())
    catalog = UsageCatalog(random, has_sites=scenario.features["url_tracking"])
    member_by_id = {row["user_id"]: row for row in people.members}
    timesheet_by_id = {row["id"]: row for row in timesheets.timesheets}
    app_pools = {person["user_id"]: catalog.app_pool(person["department"]) for person in people.members}
    app_usage_rows: list[Row] = []
    url_usage_rows: list[Row] = []
    app_names: dict[tuple[UUID, datetime], str] = {}
    for slot in timesheets.activity_slots:
        for app_usage in app_usages(random, slot, timesheet_by_id[slot["timesheet_id"]], app_pools[slot["user_id"]]):
            app_usage_rows.append(app_usage)
            app_name = catalog.app_names[app_usage["app_id"]]
            app_names.setdefault((slot["timesheet_id"], slot["slot_at"]), app_name)
            if app_name == BROWSER and catalog.pages:
                url_usage_rows += url_usages(random, app_usage, catalog.pages)
    slots = {(row["timesheet_id"], row["slot_at"]): row for row in timesheets.activity_slots}
    observed = [row for row in timesheets.timesheets if row["input_seconds"] and row["deleted_at"] is None]
    captured_project_ids = {project["id"] for project in work.projects if project["screenshots_enabled"]}
    screenshot_rows = screenshots(
        random,
        member_by_id,
        [row for row in observed if row["project_id"] in captured_project_ids],
        slots,
        app_names,
        now,
    )
    logs = list(suspicious_activity_logs(random, member_by_id, observed, screenshot_rows, now))
    return ActivityRows(
        catalog.apps, app_usage_rows, catalog.domains, catalog.pages, url_usage_rows, screenshot_rows, logs
    )
