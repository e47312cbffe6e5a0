"""States of the checks for live rows that belong to deleted rows."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from tests.db.jobs.doctor.states.tenant import HOUR, THEN, A, B, State, Tenant

Make = Callable[..., Any]


def project(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.project(tenant.id, **columns)


def task(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.task(tenant.id, project(tenant), **columns)


def team(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.team(tenant.id, **columns)


def member(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.member(**columns)


def timesheet(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.timesheet(B, **columns)


def slot(kind: str, tenant: Tenant, sheet: UUID) -> None:
    getattr(tenant, kind)(sheet, THEN)


def client(tenant: Tenant) -> UUID:
    return tenant.rows.client(tenant.id)


def invoice(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.invoice(tenant.id, client(tenant), **columns)


def payment(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.hourly_payment_log(tenant.id, tenant.user, **columns)


def leave_type(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.leave_type(tenant.id, **columns)


def policy(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.leave_policy(tenant.id, leave_type(tenant), **columns)


def period(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.leave_period(tenant.id, **columns)


def application(tenant: Tenant, **columns: Any) -> UUID:
    return tenant.rows.leave_application(tenant.id, leave_type(tenant), tenant.user, **columns)


PARENTS: dict[str, Make] = {
    "projects": project,
    "tasks": task,
    "teams": team,
    "members": member,
    "timesheets": timesheet,
    "records": lambda tenant, **columns: tenant.clock_record(B, THEN, THEN + HOUR, **columns),
    "invoices": invoice,
    "logs": payment,
    "types": leave_type,
    "policies": policy,
    "periods": period,
    "applications": application,
}
"""Makes the row that others belong to, by the last word of its table."""

CHILDREN: dict[str, Make] = {
    # By child and parent: makes the row `A` that belongs to the given one.
    "team-members-of-deleted-teams": lambda t, own: t.rows.team_member(t.id, own, t.user, id=A),
    "team-members-of-deleted-members": lambda t, own: t.rows.team_member(t.id, team(t), own, id=A),
    "project-members-of-deleted-projects": lambda t, own: t.rows.project_member(t.id, own, t.user, id=A),
    "project-members-of-deleted-members": lambda t, own: t.rows.project_member(t.id, project(t), own, id=A),
    "tasks-of-deleted-projects": lambda t, own: t.rows.task(t.id, own, id=A),
    "project-members-of-deleted-teams": lambda t, own: t.rows.project_member(
        t.id, project(t), t.user, id=A, source="team", team_id=own
    ),
    "tasks-of-deleted-tasks": lambda t, own: t.rows.task(t.id, project(t), id=A, parent_task_id=own),
    "break-times-of-deleted-clock-records": lambda t, own: t.break_time(A, THEN, THEN + HOUR / 2, clock_record_id=own),
    "invoice-lines-of-deleted-invoices": lambda t, own: t.rows.invoice_line(t.id, own, id=A),
    "invoice-taxes-of-deleted-invoices": lambda t, own: t.rows.invoice_tax(t.id, own, id=A),
    "hourly-payment-lines-of-deleted-hourly-payment-logs": lambda t, own: t.rows.hourly_payment_line(t.id, own, id=A),
    "leave-policies-of-deleted-leave-types": lambda t, own: t.rows.leave_policy(t.id, own, id=A),
    "leave-assignments-of-deleted-leave-policies": lambda t, own: t.rows.leave_assignment(t.id, own, t.user, id=A),
    "leave-balances-of-deleted-leave-policies": lambda t, own: t.rows.leave_balance(t.id, own, period(t), t.user, id=A),
    "leave-balances-of-deleted-leave-periods": lambda t, own: t.rows.leave_balance(t.id, policy(t), own, t.user, id=A),
    "leave-application-days-of-deleted-leave-applications": lambda t, own: t.rows.leave_day(t.id, own, id=A),
    "task-members-of-deleted-tasks": lambda t, own: t.rows.task_member(t.id, own, t.user, id=A),
    "task-members-of-deleted-members": lambda t, own: t.rows.task_member(t.id, task(t), own, id=A),
    "idle-times-of-deleted-timesheets": lambda t, own: t.idle_time(A, own, THEN + HOUR / 2),
    "activity-slots-of-deleted-timesheets": partial(slot, "activity_slot"),
    "app-usages-of-deleted-timesheets": partial(slot, "app_usage"),
    "url-usages-of-deleted-timesheets": partial(slot, "url_usage"),
}


def belonging(name: str, is_deleted: bool, tenant: Tenant) -> None:
    parent = PARENTS[name.rpartition("-")[2]]
    CHILDREN[name](tenant, parent(tenant, deleted_at=THEN if is_deleted else None))


def untriggered(name: str, tenant: Tenant) -> None:
    """A row that is live below a deleted one, as where tables are distributed."""
    with tenant.rows.transaction(tenant.id):
        tenant.rows.connection.exec_driver_sql("SET LOCAL app.restores = 'on'")
        belonging(name, True, tenant)


def example(name: str) -> str:
    is_slot = isinstance(CHILDREN[name], partial)
    return f"{B} 2026-01-05T09:00Z" if is_slot else str(A)


STATES = {
    name: State(partial(untriggered, name), (example(name),), partial(belonging, name, False)) for name in CHILDREN
}
