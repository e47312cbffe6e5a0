"""States of the checks for overlaps."""

from datetime import timedelta

from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MINUTE, MONDAY, THEN, A, B, C, State, Tenant, state


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
    "overlapping-idle-times": state(idle_times, 9 * MINUTE, 10 * MINUTE, B),
    "overlapping-breaks": state(breaks, 14 * MINUTE, 15 * MINUTE, B),
    "overlapping-clock-records": state(clock_records, True, False, B),
    "overlapping-payment-settings": state(payment_settings, 6 * DAY, 7 * DAY, B),
}
