"""App and URL usage: one or two apps in each activity slot, and pages for the browser."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.random_source import RandomSource
from db.sample.demo.scenarios.software import APPS, APPS_BY_DEPARTMENT, DEFAULT_APPS, PAGES, RARE_APPS, SITES, Software
from db.sample.demo.timesheets.activity_slots import QUARTER


class UsageCatalog:
    """The rows of the apps, domains and pages of an organization."""

    def __init__(self, random: RandomSource, *, has_sites: bool) -> None:
        self.random = random
        self.apps = [self._catalog_row(app) for app in APPS]
        self.domains = [self._catalog_row(site) for site in SITES] if has_sites else []
        domain_ids = {row["name"]: row["id"] for row in self.domains}
        self.pages = [
            {
                "id": random.uuid7(random.start),
                "domain_id": domain_ids[page.domain],
                "url": f"https://{page.domain}{page.path}",
                "title": page.title,
                **self._stamps(),
            }
            for page in PAGES
            if has_sites
        ]
        self.app_ids: dict[str, UUID] = {row["name"]: row["id"] for row in self.apps}
        self.app_names: dict[UUID, str] = {row["id"]: row["name"] for row in self.apps}

    def _catalog_row(self, software: Software) -> Row:
        return {
            "id": self.random.uuid7(self.random.start),
            "name": software.name,
            "category": software.category,
            "productivity": software.productivity.value,
            **self._stamps(),
        }

    def _stamps(self) -> Row:
        return {"created_at": self.random.start, "updated_at": self.random.start, "deleted_at": None}

    def app_pool(self, department: str | None) -> list[UUID]:
        """The apps that a department uses, each as often as it is likely to be drawn."""
        return [
            self.app_ids[name] for name in (*APPS_BY_DEPARTMENT.get(department or "", DEFAULT_APPS) * 6, *RARE_APPS)
        ]


def app_usages(random: RandomSource, slot: Row, row: Row, app_ids: Sequence[UUID]) -> Iterator[Row]:
    """The usage of one or two apps in the part of a slot that its timesheet covers."""
    low, high = max(slot["slot_at"], row["started_at"]), min(slot["slot_at"] + QUARTER, row["tracked_until"])
    captured = slot["input_seconds"]
    first, second = random.choice(app_ids), random.choice(app_ids)
    if first == second or captured < 300 or not random.one_in(3):
        yield _usage(slot, first, low, captured, high) | {"sessions_count": random.randint(1, 3)}
        return
    share = int(captured * random.uniform(0.55, 0.9))
    yield _usage(slot, first, low, share, high) | {"sessions_count": random.randint(1, 4)}
    begin = high - timedelta(seconds=captured - share)
    yield _usage(slot, second, begin, captured - share, high) | {"sessions_count": 1}


def url_usages(random: RandomSource, app_usage: Row, pages: Sequence[Row]) -> Iterator[Row]:
    """The usage of one or two pages, visited in the time that the browser was used."""
    visited_pages = random.sample(pages, random.choice([1, 1, 2]))
    for page in visited_pages:
        duration = app_usage["duration_seconds"] // len(visited_pages)
        yield {
            "user_id": app_usage["user_id"],
            "slot_at": app_usage["slot_at"],
            "domain_id": page["domain_id"],
            "page_id": page["id"],
            "timesheet_id": app_usage["timesheet_id"],
            "duration_seconds": duration,
            "active_seconds": min(duration, app_usage["active_seconds"] // len(visited_pages)),
            "visits_count": random.randint(1, 5),
            "first_at": app_usage["first_at"],
            "last_at": app_usage["last_at"],
            "created_at": app_usage["created_at"],
            "updated_at": app_usage["updated_at"],
            "deleted_at": app_usage["deleted_at"],
        }


def _usage(slot: Row, app_id: UUID, first: datetime, duration: int, last: datetime) -> Row:
    return {
        "user_id": slot["user_id"],
        "slot_at": slot["slot_at"],
        "app_id": app_id,
        "timesheet_id": slot["timesheet_id"],
        "duration_seconds": duration,
        "active_seconds": duration * slot["active_seconds"] // slot["input_seconds"],
        "first_at": first,
        "last_at": last,
        "created_at": slot["created_at"],
        "updated_at": slot["updated_at"],
        "deleted_at": slot["deleted_at"],
    }
