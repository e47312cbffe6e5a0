"""States of the checks for caps. In the tests, the cap of timesheets is 5, of logs 10, of screenshots 15."""

from uuid import UUID

from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MINUTE, THEN, A, Tenant, state

CAPS = {"timesheets_cap": 5, "logs_cap": 10, "screenshots_cap": 15}


def number(n: int) -> UUID:
    return UUID(int=n)


def timesheets(tenant: Tenant, last: int) -> None:
    """Four timesheets: the first three on three days, the fourth after `last` days."""
    tenant.user = tenant.member(user_id=A)
    for n, day in enumerate((0, 1, 2, last)):
        tenant.timesheet(number(n), THEN + day * DAY, THEN + day * DAY + HOUR)
    tenant.rows.timesheet(tenant.id, tenant.user, started_at=THEN + DAY, deleted_at=THEN)
    for n in range(4, 7):
        tenant.timesheet(number(n), user_id=tenant.member())


def usages(tenant: Tenant, apps: int) -> None:
    tenant.user = tenant.member(user_id=A)
    sheet = tenant.timesheet(A)
    for n in range(apps):
        tenant.app_usage(sheet, THEN + n * HOUR)
    tenant.url_usage(sheet, THEN)


def screenshots(tenant: Tenant, count: int) -> None:
    tenant.user = tenant.member(user_id=A)
    for n in range(count):
        tenant.screenshot(number(n), THEN + n * MINUTE)
    tenant.screenshot(number(count), THEN + DAY)


STATES = {
    "timesheets-near-cap": state(timesheets, 31, 32, f"{A} 4"),
    "usage-logs-near-cap": state(usages, 8, 7, f"{A} 8"),
    "screenshots-near-cap": state(screenshots, 12, 11, f"{A} 12"),
}
