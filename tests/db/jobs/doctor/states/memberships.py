"""States of the checks for rows outside memberships."""

from datetime import timedelta
from functools import partial

from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MINUTE, THEN, A, B, C, State, Tenant, state

BEFORE, QUARTER = THEN - HOUR, 15 * MINUTE


def leaver(tenant: Tenant) -> None:
    """The member of the tenant left after one day."""
    tenant.user = tenant.member(status="removed", removed_at=THEN + DAY)


def never_joined(tenant: Tenant) -> None:
    # The database completes the times of others.
    tenant.member(user_id=A, status="removed", first_joined_at=None, joined_at=None)


def timesheets_outside(tenant: Tenant) -> None:
    leaver(tenant)
    tenant.timesheet(A, BEFORE, THEN)
    tenant.timesheet(B, THEN + DAY, THEN + DAY + HOUR)
    tenant.timesheet(C, user_id=tenant.member(status="invited"))


def timesheets_at_both_ends(tenant: Tenant) -> None:
    leaver(tenant)
    tenant.timesheet(A, BEFORE, THEN + MINUTE)
    tenant.timesheet(B, THEN + DAY - MINUTE, THEN + DAY + HOUR)
    tenant.rows.timesheet(tenant.id, tenant.user, started_at=BEFORE - HOUR, deleted_at=THEN)


def usages(tenant: Tenant, step: timedelta, kind: str) -> None:
    leaver(tenant)
    sheet = tenant.timesheet(A, BEFORE, THEN)
    for at in (THEN - QUARTER + step, THEN + DAY - step):
        getattr(tenant, kind)(sheet, at)


def clock_records(tenant: Tenant, step: timedelta) -> None:
    leaver(tenant)
    tenant.clock_record(A, BEFORE, THEN + step)
    tenant.clock_record(B, THEN + DAY - step, None)


def breaks(tenant: Tenant, step: timedelta) -> None:
    leaver(tenant)
    tenant.break_time(A, BEFORE, THEN + step)
    tenant.break_time(B, THEN + DAY - step, None)


def manual_requests(tenant: Tenant, step: timedelta) -> None:
    leaver(tenant)
    for id_, start in ((A, BEFORE + step), (B, THEN + DAY - step)):
        tenant.rows.manual_request(tenant.id, tenant.user, id=id_, started_at=start)


def screenshots(tenant: Tenant, step: timedelta) -> None:
    leaver(tenant)
    tenant.screenshot(A, THEN - MINUTE + step)
    tenant.screenshot(B, THEN + DAY - step)


def slots(kind: str) -> State:
    """Slots just outside, and those that reach inside."""
    examples = (f"{A} 2026-01-05T08:45Z", f"{A} 2026-01-06T09:00Z")
    return state(partial(usages, kind=kind), 0 * QUARTER, QUARTER, *examples)


STATES = {
    "members-who-never-joined": State(
        never_joined, (str(A),), lambda tenant: tenant.member(user_id=A, status="invited")
    ),
    "timesheets-outside-membership": State(timesheets_outside, (str(A), str(B), str(C)), timesheets_at_both_ends),
    "app-usages-outside-membership": slots("app_usage"),
    "url-usages-outside-membership": slots("url_usage"),
    "clock-records-outside-membership": state(clock_records, 0 * MINUTE, MINUTE, A, B),
    "break-times-outside-membership": state(breaks, 0 * MINUTE, MINUTE, A, B),
    "manual-requests-outside-membership": state(manual_requests, 0 * MINUTE, MINUTE, A, B),
    "screenshots-outside-membership": state(screenshots, 0 * MINUTE, MINUTE, A, B),
}
