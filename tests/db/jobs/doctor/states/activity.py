"""States of the checks for what contradicts its timesheet or clock record."""

from datetime import datetime, timedelta
from functools import partial
from uuid import uuid4

from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MINUTE, THEN, A, B, C, State, Tenant, state

QUARTER = 15 * MINUTE


def slots_beside(tenant: Tenant, kind: str) -> None:
    sheet = tenant.timesheet(A, THEN + MINUTE, THEN + HOUR)
    make = getattr(tenant, kind)
    make(sheet, THEN - QUARTER)
    make(sheet, THEN + HOUR)
    make(sheet, THEN + QUARTER, user_id=tenant.member())


def slots_at_both_ends(tenant: Tenant, kind: str) -> None:
    sheet = tenant.timesheet(A, THEN + MINUTE, THEN + HOUR)
    make = getattr(tenant, kind)
    make(sheet, THEN)
    make(sheet, THEN + HOUR - QUARTER)
    make(sheet, THEN + HOUR, deleted_at=THEN)
    make(tenant.timesheet(B, THEN + DAY, None, tracked_until=THEN + DAY), THEN + DAY + HOUR)


def slots(kind: str) -> State:
    examples = (f"{A} 2026-01-05T08:45Z", f"{A} 2026-01-05T09:15Z", f"{A} 2026-01-05T10:00Z")
    return State(partial(slots_beside, kind=kind), examples, partial(slots_at_both_ends, kind=kind))


def screenshots(tenant: Tenant, times: list[datetime]) -> None:
    sheet = tenant.timesheet(A)
    for id_, at in zip((A, B), times, strict=True):
        tenant.screenshot(id_, at, timesheet_id=sheet)
    tenant.screenshot(C, THEN - DAY)


def idle_times(tenant: Tenant, outwards: timedelta) -> None:
    sheet = tenant.timesheet(A)
    tenant.idle_time(A, sheet, THEN - outwards)
    tenant.idle_time(B, sheet, THEN + HOUR - 10 * MINUTE + outwards)


def breaks(tenant: Tenant, outwards: timedelta) -> None:
    record = tenant.clock_record(A, THEN, THEN + HOUR)
    tenant.break_time(A, THEN - outwards, THEN + MINUTE, clock_record_id=record)
    tenant.break_time(B, THEN + HOUR - MINUTE, THEN + HOUR + outwards, clock_record_id=record)
    tenant.break_time(C, THEN + DAY, None)


def reassigned(tenant: Tenant, deleted_at: datetime | None) -> None:
    """Two idle times, and a timesheet for each: that of the second may be deleted."""
    project, sheet = tenant.rows.project(tenant.id), tenant.timesheet(A)
    for id_, at, other in ((A, THEN, None), (B, THEN + HOUR / 2, deleted_at)):
        target = {"action": "reassigned", "reassigned_project_id": project}
        tenant.idle_time(id_, sheet, at, **target)
        tenant.timesheet(uuid4(), at, at + 10 * MINUTE, project_id=project, deleted_at=other)


def input_of(tenant: Tenant, seconds: int) -> None:
    tenant.timesheet(A, THEN, THEN + HOUR, input_seconds=seconds)
    tenant.timesheet(B, THEN + HOUR, None, tracked_until=THEN + 2 * HOUR, input_seconds=seconds)


def counters(tenant: Tenant, active: int) -> None:
    sheet = tenant.timesheet(A, input_seconds=1000, active_seconds=active, keyboard_seconds=300, mouse_seconds=200)
    tenant.activity_slot(sheet, THEN, input_seconds=900, active_seconds=400, keyboard_seconds=300, mouse_seconds=100)
    tenant.activity_slot(sheet, THEN + QUARTER, input_seconds=100, active_seconds=100, mouse_seconds=100)
    tenant.activity_slot(sheet, THEN + 2 * QUARTER, input_seconds=900, deleted_at=THEN)
    tenant.timesheet(B, THEN + HOUR, THEN + 2 * HOUR)
    tenant.timesheet(C, THEN + 2 * HOUR, None, tracked_until=THEN + 3 * HOUR, input_seconds=60)


STATES = {
    "activity-slots-outside-timesheet": slots("activity_slot"),
    "app-usages-outside-timesheet": slots("app_usage"),
    "url-usages-outside-timesheet": slots("url_usage"),
    "screenshots-outside-timesheet": state(
        screenshots, [THEN - MINUTE, THEN + HOUR + MINUTE], [THEN, THEN + HOUR], A, B
    ),
    "idle-times-outside-timesheet": state(idle_times, MINUTE, 0 * MINUTE, A, B),
    "reassigned-idle-times-without-timesheet": state(reassigned, THEN, None, B),
    "breaks-outside-clock-record": state(breaks, MINUTE, 0 * MINUTE, A, B),
    "input-longer-than-timesheet": state(input_of, 3601, 3600, A, B),
    "counters-unlike-slots": state(counters, 501, 500, A),
}
