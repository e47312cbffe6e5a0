"""States of the checks for what runs for too long."""

from datetime import UTC, datetime, timedelta

from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MINUTE, THEN, A, B, C, Tenant, state


def now() -> datetime:
    """The time of the call: the server's clock goes on between the collection of the tests and their run."""
    return datetime.now(UTC).replace(microsecond=0)


def timer(tenant: Tenant, silent: timedelta) -> None:
    tenant.timesheet(A, now() - 20 * HOUR, None, tracked_until=now() - silent)


def two_timers(tenant: Tenant, first_ended: bool) -> None:
    tenant.user = tenant.member(user_id=A)
    tenant.timesheet(A, THEN, THEN + HOUR if first_ended else None)
    tenant.timesheet(B, THEN + HOUR, None)
    tenant.timesheet(C, THEN, None, user_id=tenant.member())


def reaching(tenant: Tenant, ahead: timedelta) -> None:
    tenant.timesheet(A, now() - HOUR, now() + ahead)
    tenant.timesheet(B, now() - 2 * HOUR, None, tracked_until=now() + ahead)


def open_record(tenant: Tenant, since: timedelta) -> None:
    tenant.clock_record(A, now() - since, None)
    tenant.clock_record(B, now() - 9 * DAY, now() - 8 * DAY)


def open_break(tenant: Tenant, since: timedelta) -> None:
    tenant.break_time(A, now() - since, None)
    tenant.break_time(B, now() - 9 * DAY, now() - 9 * DAY + HOUR)


STATES = {
    "stale-timers": state(timer, HOUR + MINUTE, HOUR - 5 * MINUTE, A),
    "several-timers": state(two_timers, False, True, A),
    "time-in-the-future": state(reaching, HOUR, MINUTE, A, B),
    "open-clock-records": state(open_record, DAY + MINUTE, DAY - HOUR, A),
    "open-breaks": state(open_break, DAY + MINUTE, DAY - HOUR, A),
}
