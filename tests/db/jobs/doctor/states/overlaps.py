"""States of the checks for overlaps."""

from datetime import timedelta

from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MINUTE, MONDAY, THEN, A, B, C, State, Tenant


def same_time_twice(tenant: Tenant) -> None:
    tenant.timesheet(A, THEN, THEN + 3 * HOUR)
    tenant.timesheet(B, THEN + HOUR, THEN + 2 * HOUR)
    tenant.timesheet(C, THEN + 2 * HOUR, THEN + 4 * HOUR)


def one_after_another(tenant: Tenant) -> None:
    tenant.timesheet(A, THEN, THEN + HOUR)
    tenant.timesheet(B, THEN + HOUR, None, tracked_until=THEN + 2 * HOUR)
    tenant.timesheet(C, THEN, THEN + HOUR, user_id=tenant.member())
    tenant.rows.timesheet(tenant.id, tenant.user, started_at=THEN, deleted_at=THEN)


def idle_times(tenant: Tenant, second: timedelta) -> None:
    sheet = tenant.timesheet(A)
    tenant.idle_time(A, sheet, THEN)
    tenant.idle_time(B, sheet, THEN + second)


def breaks(tenant: Tenant, second: timedelta) -> None:
    tenant.break_time(A, THEN, THEN + 15 * MINUTE)
    tenant.break_time(B, THEN + second, None)


def clock_records(tenant: Tenant, first_is_open: bool) -> None:
    tenant.clock_record(A, THEN, None if first_is_open else THEN + 8 * HOUR)
    tenant.clock_record(B, THEN + 8 * HOUR, THEN + 9 * HOUR)


def payment_settings(tenant: Tenant, second: timedelta) -> None:
    tenant.rows.payment_setting(tenant.id, tenant.user, id=A, effective_from=MONDAY, effective_to=MONDAY + 6 * DAY)
    tenant.rows.payment_setting(tenant.id, tenant.user, id=B, effective_from=MONDAY + second)


STATES = {
    "overlapping-timesheets": State(same_time_twice, (str(B), str(C)), one_after_another),
    "overlapping-idle-times": State(
        lambda tenant: idle_times(tenant, 9 * MINUTE), (str(B),), lambda tenant: idle_times(tenant, 10 * MINUTE)
    ),
    "overlapping-breaks": State(
        lambda tenant: breaks(tenant, 14 * MINUTE), (str(B),), lambda tenant: breaks(tenant, 15 * MINUTE)
    ),
    "overlapping-clock-records": State(
        lambda tenant: clock_records(tenant, True), (str(B),), lambda tenant: clock_records(tenant, False)
    ),
    "overlapping-payment-settings": State(
        lambda tenant: payment_settings(tenant, 6 * DAY), (str(B),), lambda tenant: payment_settings(tenant, 7 * DAY)
    ),
}
