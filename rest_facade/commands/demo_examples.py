"""Example values of parameters in the OpenAPI document of the demo: ids and days for which operations return rows."""

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

SIX_DAYS = timedelta(days=6)


def example_parameters(connection: Connection, organization_id: UUID, today: date) -> dict[str, str]:
    """Example values by parameter name; without those for which the organization has no rows.

    The range of days ends with the day of the latest screenshot, or `today` if there is none.
    """
    set_organization(connection, organization_id)
    values: dict[str, Any] = {"captured_at": datetime.combine(today, time())}
    for statement in (_user_with_screenshot, _assigned_task, _team, _invoice):
        row = connection.execute(statement(organization_id)).mappings().first()
        values |= row or {}
    day = values.pop("captured_at").date()
    values |= {"date": day, "start_date": day - SIX_DAYS, "end_date": day}
    return {name: str(value) for name, value in values.items()}


def _user_with_screenshot(organization_id: UUID) -> Select[Any]:
    """The latest screenshot of an active member with hourly payments: user and time."""
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


def _assigned_task(organization_id: UUID) -> Select[Any]:
    """The oldest task with a member, in a project of an active client."""
    task = (tasks.c.organization_id == task_members.c.organization_id, tasks.c.id == task_members.c.task_id)
    project = (projects.c.organization_id == tasks.c.organization_id, projects.c.id == tasks.c.project_id)
    client = (clients.c.organization_id == projects.c.organization_id, clients.c.id == projects.c.client_id)
    not_deleted = [table.c.deleted_at.is_(None) for table in (task_members, tasks, projects, clients)]
    return (
        select(task_members.c.task_id, tasks.c.project_id, projects.c.client_id)
        .join(tasks, task[0] & task[1])
        .join(projects, project[0] & project[1])
        .join(clients, client[0] & client[1])
        .where(task_members.c.organization_id == organization_id, clients.c.archived_at.is_(None), *not_deleted)
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


def _invoice(organization_id: UUID) -> Select[Any]:
    return (
        select(invoices.c.id.label("invoice_id"))
        .where(invoices.c.organization_id == organization_id, invoices.c.deleted_at.is_(None))
        .order_by(invoices.c.created_at, invoices.c.id)
        .limit(1)
    )
