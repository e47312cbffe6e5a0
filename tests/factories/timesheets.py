"""Factories of time rows, one per table."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from db.tables.timesheets import activity_slots, break_times, clock_records, idle_times, manual_requests, timesheets
from tests.factories.base import THEN, Factory
from tests.factories.world import SIZE, World, named

HOUR = timedelta(hours=1)


class Timesheets(Factory):
    def timesheet(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        """An hour that has ended; with `ended_at=None`, a running timesheet."""
        start: datetime = columns.setdefault("started_at", THEN)
        end = columns.setdefault("ended_at", start + HOUR)
        values = {"user_id": user_id, "tracked_until": end or start + HOUR}
        return self._row(timesheets, organization_id, values | columns)

    def idle_time(self, organization_id: UUID, timesheet_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        start: datetime = columns.setdefault("started_at", THEN)
        values = {"timesheet_id": timesheet_id, "user_id": user_id, "ended_at": start + timedelta(minutes=10)}
        return self._row(idle_times, organization_id, values | columns)

    def activity_slot(
        self, organization_id: UUID, timesheet_id: UUID, user_id: UUID, slot_at: datetime, **columns: Any
    ) -> None:
        values = {"timesheet_id": timesheet_id, "user_id": user_id, "slot_at": slot_at}
        self._insert(activity_slots, organization_id, values | columns)

    def break_time(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        start: datetime = columns.setdefault("started_at", THEN)
        values = {"user_id": user_id, "ended_at": start + timedelta(minutes=15)}
        return self._row(break_times, organization_id, values | columns)

    def manual_request(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        start: datetime = columns.setdefault("started_at", THEN)
        values: dict[str, Any] = {"user_id": user_id, "requested_by_user_id": user_id}
        values |= dict.fromkeys(("ended_at", "requested_at"), start + HOUR)
        return self._row(manual_requests, organization_id, values | columns)

    def clock_record(self, organization_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        """Eight hours that have ended; with `clock_out_at=None`, an open record."""
        start: datetime = columns.setdefault("clock_in_at", THEN)
        end = columns.setdefault("clock_out_at", start + 8 * HOUR)
        status = "open" if end is None else "closed"
        return self._row(clock_records, organization_id, {"user_id": user_id, "status": status} | columns)


def fill(rows: Timesheets, world: World) -> None:
    """Insert into a world what the lists of time return: a row per person and day, the first two at the same time."""
    own, work = world.organization_id, {"project_id": named("project"), "task_id": named("task")}
    for n in range(SIZE):
        user, start = named("user", n), THEN + timedelta(days=max(0, n - 1))
        times = {"started_at": start, "created_at": start}
        sheet = rows.timesheet(own, user, id=named("timesheet", n), **work, **times)
        reason = f"{world.tag}-reason {n}"
        rows.idle_time(own, sheet, user, id=named("idle time", n), action="kept", reason=reason, **times)
        rows.activity_slot(own, sheet, user, start, input_seconds=900, active_seconds=450)
        rows.manual_request(own, user, id=named("manual request", n), reason=reason, **work, **times)
        office = {"latitude": "52.52", "longitude": "13.40", "label": f"{world.tag}-office"}
        clock_in = {"clock_in_at": start, "clock_in_note": f"{world.tag}-note {n}", "clock_in_location": office}
        record = rows.clock_record(own, user, id=named("clock record", n), **clock_in, created_at=start)
        at = {"started_at": start + 4 * HOUR, "created_at": start}
        rows.break_time(own, user, id=named("break time", n), clock_record_id=record, **at)
