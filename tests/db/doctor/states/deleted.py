"""States of the checks for live rows that belong to deleted rows."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from tests.db.doctor.states.tenant import HOUR, THEN, A, B, State, Tenant

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


PARENTS: dict[str, Make] = {
    "projects": project,
    "tasks": task,
    "teams": team,
    "members": member,
    "timesheets": timesheet,
}
"""Makes the row that others belong to."""

CHILDREN: dict[str, Make] = {
    # By child and parent: makes the row `A` that belongs to the given one.
    "team-members-of-deleted-teams": lambda t, own: t.rows.team_member(t.id, own, t.user, id=A),
    "team-members-of-deleted-members": lambda t, own: t.rows.team_member(t.id, team(t), own, id=A),
    "project-members-of-deleted-projects": lambda t, own: t.rows.project_member(t.id, own, t.user, id=A),
    "project-members-of-deleted-members": lambda t, own: t.rows.project_member(t.id, project(t), own, id=A),
    "tasks-of-deleted-projects": lambda t, own: t.rows.task(t.id, own, id=A),
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


def example(name: str) -> str:
    is_slot = isinstance(CHILDREN[name], partial)
    return f"{B} 2026-01-05T09:00Z" if is_slot else str(A)


STATES = {
    name: State(partial(belonging, name, True), (example(name),), partial(belonging, name, False)) for name in CHILDREN
}
