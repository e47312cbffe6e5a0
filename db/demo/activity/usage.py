"""Which applications were used in a slot, and which pages while one of them was the browser."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from db.demo.area import Row
from db.demo.chance import Chance
from db.demo.scenarios.software import APPS, DAILY, OTHERWISE, PAGES, RARELY, SITES, Software
from db.demo.timesheets.activity_slots import QUARTER


class Dictionary:
    """The applications, sites and pages of an organization, as rows."""

    def __init__(self, chance: Chance, *, has_sites: bool) -> None:
        self.chance = chance
        self.apps = [self._rated(app) for app in APPS]
        self.domains = [self._rated(site) for site in SITES] if has_sites else []
        domain_ids = {row["name"]: row["id"] for row in self.domains}
        self.pages = [
            {
                "id": chance.id(chance.start),
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

    def _rated(self, thing: Software) -> Row:
        return {
            "id": self.chance.id(self.chance.start),
            "name": thing.name,
            "category": thing.category,
            "productivity": thing.productivity.value,
            **self._stamps(),
        }

    def _stamps(self) -> Row:
        return {"created_at": self.chance.start, "updated_at": self.chance.start, "deleted_at": None}

    def daily(self, department: str | None) -> list[UUID]:
        """What a department uses, each as often as it is likely."""
        return [self.app_ids[name] for name in (*DAILY.get(department or "", OTHERWISE) * 6, *RARELY)]


def app_usages(chance: Chance, slot: Row, row: Row, daily: Sequence[UUID]) -> Iterator[Row]:
    """One or two applications in the part of a slot that its timesheet covers."""
    low, high = max(slot["slot_at"], row["started_at"]), min(slot["slot_at"] + QUARTER, row["tracked_until"])
    captured = slot["input_seconds"]
    first, second = chance.random.choice(daily), chance.random.choice(daily)
    if first == second or captured < 300 or not chance.one_in(3):
        yield _usage(slot, first, low, captured, high) | {"sessions_count": chance.random.randint(1, 3)}
        return
    share = int(captured * chance.random.uniform(0.55, 0.9))
    yield _usage(slot, first, low, share, high) | {"sessions_count": chance.random.randint(1, 4)}
    begin = high - timedelta(seconds=captured - share)
    yield _usage(slot, second, begin, captured - share, high) | {"sessions_count": 1}


def url_usages(chance: Chance, used: Row, pages: Sequence[Row]) -> Iterator[Row]:
    """One or two pages that were visited while the browser was used."""
    visited = chance.random.sample(pages, chance.random.choice([1, 1, 2]))
    for page in visited:
        duration = used["duration_seconds"] // len(visited)
        yield {
            "user_id": used["user_id"],
            "slot_at": used["slot_at"],
            "domain_id": page["domain_id"],
            "page_id": page["id"],
            "timesheet_id": used["timesheet_id"],
            "duration_seconds": duration,
            "active_seconds": min(duration, used["active_seconds"] // len(visited)),
            "visits_count": chance.random.randint(1, 5),
            "first_at": used["first_at"],
            "last_at": used["last_at"],
            "created_at": used["created_at"],
            "updated_at": used["updated_at"],
            "deleted_at": used["deleted_at"],
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
