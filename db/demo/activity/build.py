"""The area of activity: which applications and sites were used, screenshots, and what looked suspicious."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from db.demo.activity.screenshots import screenshots
from db.demo.activity.suspicious_activity import suspicious_activity_logs
from db.demo.activity.usage import Dictionary, app_usages, url_usages
from db.demo.area import Area, Row
from db.demo.chance import Chance
from db.demo.outline import Outline
from db.demo.people.build import People
from db.demo.scenarios.software import BROWSER
from db.demo.timesheets.build import Timesheets
from db.demo.work.build import Work


@dataclass(frozen=True)
class Activity(Area):
    apps: list[Row]
    app_usages: list[Row]
    domains: list[Row]
    url_pages: list[Row]
    url_usages: list[Row]
    screenshots: list[Row]
    suspicious_activity_logs: list[Row]


def activity(outline: Outline, crew: People, done: Work, tracked: Timesheets, now: datetime) -> Activity:
    """What was seen while people tracked time. Where there is no slot, nothing was seen."""
    chance = Chance(f"{outline.name}: activity", now.date())
    known = Dictionary(chance, has_sites=outline.features["url_tracking"])
    persons = {row["user_id"]: row for row in crew.members}
    timesheets = {row["id"]: row for row in tracked.timesheets}
    daily = {person["user_id"]: known.daily(person["department"]) for person in crew.members}
    used_apps: list[Row] = []
    used_pages: list[Row] = []
    names: dict[tuple[UUID, datetime], str] = {}
    for slot in tracked.activity_slots:
        for used in app_usages(chance, slot, timesheets[slot["timesheet_id"]], daily[slot["user_id"]]):
            used_apps.append(used)
            name = known.app_names[used["app_id"]]
            names.setdefault((slot["timesheet_id"], slot["slot_at"]), name)
            if name == BROWSER and known.pages:
                used_pages += url_usages(chance, used, known.pages)
    slots = {(row["timesheet_id"], row["slot_at"]): row for row in tracked.activity_slots}
    seen = [row for row in tracked.timesheets if row["input_seconds"] and row["deleted_at"] is None]
    watched = {project["id"] for project in done.projects if project["screenshots_enabled"]}
    shots = screenshots(chance, persons, [row for row in seen if row["project_id"] in watched], slots, names, now)
    logs = list(suspicious_activity_logs(chance, persons, seen, shots, now))
    return Activity(known.apps, used_apps, known.domains, known.pages, used_pages, shots, logs)
