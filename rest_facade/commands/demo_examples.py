"""Ids and days with which the operations answer something in the demo organization: the examples of its document."""

from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, exists, select

from db.admin.keys import set_organization
from db.tables.activity import screenshots
from db.tables.money import invoices
from db.tables.payroll import hourly_payment_logs
from db.tables.people import members, team_members
from db.tables.work import clients, projects, task_members, tasks

WEEK = timedelta(days=6)


def examples(connection: Connection, organization_id: UUID, today: date) -> dict[str, str]:
    """Values by the names of parameters; fewer where the organization has no such rows.

    The days end with that of the latest screenshot, `today` where there is none.
    """
    set_organization(connection, organization_id)
    found: dict[str, Any] = {"captured_at": datetime.combine(today, time())}
    for statement in (_shown, _worked, _team, _bill):
        row = connection.execute(statement(organization_id)).mappings().first()
        found |= row or {}
    day = found.pop("captured_at").date()
    found |= {"date": day, "start_date": day - WEEK, "end_date": day}
    return {name: str(value) for name, value in found.items()}


def _shown(organization_id: UUID) -> Select[Any]:
    """The person of the latest screenshot, who is still there and paid by the hour, and its moment."""
    paid = hourly_payment_logs.c
    log = (paid.organization_id == screenshots.c.organization_id, paid.user_id == screenshots.c.user_id)
    person = (members.c.organization_id == screenshots.c.organization_id, members.c.user_id == screenshots.c.user_id)
    return (
        select(screenshots.c.user_id, screenshots.c.captured_at)
        .join(members, person[0] & person[1])
        .where(screenshots.c.organization_id == organization_id, members.c.status == "active", exists().where(*log))
        .order_by(screenshots.c.captured_at.desc(), screenshots.c.id)
        .limit(1)
    )


def _worked(organization_id: UUID) -> Select[Any]:
    """The oldest task that somebody is on, of a project for an active client."""
    task = (tasks.c.organization_id == task_members.c.organization_id, tasks.c.id == task_members.c.task_id)
    project = (projects.c.organization_id == tasks.c.organization_id, projects.c.id == tasks.c.project_id)
    client = (clients.c.organization_id == projects.c.organization_id, clients.c.id == projects.c.client_id)
    deleted = [table.c.deleted_at.is_(None) for table in (task_members, tasks, projects, clients)]
    return (
        select(task_members.c.task_id, tasks.c.project_id, projects.c.client_id)
        .join(tasks, task[0] & task[1])
        .join(projects, project[0] & project[1])
        .join(clients, client[0] & client[1])
        .where(task_members.c.organization_id == organization_id, clients.c.archived_at.is_(None), *deleted)
        .order_by(tasks.c.created_at, tasks.c.id)
        .limit(1)
    )


def _team(organization_id: UUID) -> Select[Any]:
    return (
        select(team_members.c.team_id)
        .where(team_members.c.organization_id == organization_id, team_members.c.deleted_at.is_(None))
        .order_by(team_members.c.created_at, team_members.c.id)
        .limit(1)
    )


def _bill(organization_id: UUID) -> Select[Any]:
    return (
        select(invoices.c.id.label("invoice_id"))
        .where(invoices.c.organization_id == organization_id, invoices.c.deleted_at.is_(None))
        .order_by(invoices.c.created_at, invoices.c.id)
        .limit(1)
    )
