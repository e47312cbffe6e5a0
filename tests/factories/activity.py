"""Factories of activity rows, one per table."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Table

from db.tables.activity import app_usages, apps, domains, screenshots, suspicious_activity_logs, url_pages, url_usages
from tests.factories.base import THEN, Factory
from tests.factories.world import SIZE, World, named


class Activity(Factory):
    def app(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(apps, organization_id, {"name": "Editor"} | columns)

    def app_usage(self, organization_id: UUID, app_id: UUID, timesheet_id: UUID, user_id: UUID, **columns: Any) -> None:
        """Ten minutes, five of them active, in the slot `slot_at`."""
        values = {"app_id": app_id, "timesheet_id": timesheet_id, "user_id": user_id}
        self._usage(app_usages, organization_id, values | columns)

    def domain(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(domains, organization_id, {"name": "example.com"} | columns)

    def url_page(self, organization_id: UUID, domain_id: UUID, **columns: Any) -> UUID:
        return self._row(url_pages, organization_id, {"domain_id": domain_id, "url": "https://example.com/"} | columns)

    def url_usage(
        self, organization_id: UUID, domain_id: UUID, page_id: UUID, timesheet_id: UUID, user_id: UUID, **columns: Any
    ) -> None:
        """Ten minutes, five of them active, in the slot `slot_at`."""
        values = {"domain_id": domain_id, "page_id": page_id, "timesheet_id": timesheet_id, "user_id": user_id}
        self._usage(url_usages, organization_id, values | columns)

    def screenshot(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"user_id": user_id, "captured_at": THEN, "status": "available", "object_key": "image.jpg"}
        return self._row(screenshots, organization_id, values | columns)

    def suspicious_activity_log(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        start: datetime = columns.setdefault("started_at", THEN)
        values = {"user_id": user_id, "type": "mouse_jiggler", "severity": "low"}
        values["ended_at"] = start + timedelta(minutes=10)
        return self._row(suspicious_activity_logs, organization_id, values | columns)

    def _usage(self, table: Table, organization_id: UUID, columns: dict[str, Any]) -> None:
        slot: datetime = columns.setdefault("slot_at", THEN)
        values = {"duration_seconds": 600, "active_seconds": 300, "first_at": slot}
        values["last_at"] = slot + timedelta(minutes=10)
        self._insert(table, organization_id, values | columns)


def fill(rows: Activity, world: World) -> None:
    """Insert into a world what the lists of activity return: a row per person, the first two at the same time."""
    own, tag, today = world.organization_id, world.tag, datetime.combine(datetime.now(UTC).date(), time(), UTC)
    for n in range(SIZE):
        user, sheet, start = named("user", n), named("timesheet", n), THEN + timedelta(days=max(0, n - 1))
        slot = {"slot_at": start, "created_at": start}
        app = rows.app(own, id=named("app", n), name=f"{tag}-app {n}", productivity="productive")
        rows.app_usage(own, app, sheet, user, **slot)
        domain = rows.domain(own, id=named("domain", n), name=f"{tag}-{n}.example".lower(), category=f"{tag}-category")
        page = rows.url_page(own, domain, id=named("page", n), url=f"https://example/{tag}-page", title=f"{tag}-title")
        rows.url_usage(own, domain, page, sheet, user, **slot)
        shot = {"captured_at": today + timedelta(minutes=max(0, n - 1)), "app_name": f"{tag}-app"}
        rows.screenshot(own, named("user"), id=named("screenshot", n), timesheet_id=named("timesheet"), **shot)
        evidence = {"app_names": [f"{tag}-app"], "screenshot_ids": [str(named("screenshot"))]}
        log = {"id": named("suspicious activity log", n), "timesheet_id": sheet, "review_note": f"{tag}-note"}
        rows.suspicious_activity_log(own, user, started_at=start, created_at=start, evidence=evidence, **log)
