"""Example values of parameters in the OpenAPI document of the demo: ids and days for which operations return rows."""

from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from db.admin.keys import set_organization

SIX_DAYS = timedelta(days=6)

USER_WITH_SCREENSHOT = """
SELECT user_id, captured_at FROM screenshots JOIN members USING (organization_id, user_id)
WHERE organization_id = :own AND members.status = 'active'
  AND user_id IN (SELECT user_id FROM hourly_payment_logs WHERE organization_id = :own)
ORDER BY captured_at DESC, id LIMIT 1
"""
"""The latest screenshot of an active member with hourly payments."""

ASSIGNED_TASK = """
SELECT task_id, tasks.project_id, client_id
FROM task_members m
JOIN tasks ON (tasks.organization_id, tasks.id) = (m.organization_id, task_id)
JOIN projects ON (projects.organization_id, projects.id) = (m.organization_id, tasks.project_id)
JOIN clients ON (clients.organization_id, clients.id) = (m.organization_id, client_id)
WHERE m.organization_id = :own AND clients.archived_at IS NULL
  AND coalesce(m.deleted_at, tasks.deleted_at, projects.deleted_at, clients.deleted_at) IS NULL
ORDER BY tasks.created_at, tasks.id LIMIT 1
"""
"""The oldest task with a member, in a project of an active client."""

TEAM_OR_INVOICE = """
SELECT {} FROM {} WHERE organization_id = :own AND deleted_at IS NULL ORDER BY created_at, id LIMIT 1
"""
TEAM_WITH_MEMBER = TEAM_OR_INVOICE.format("team_id", "team_members")
OLDEST_INVOICE = TEAM_OR_INVOICE.format("id AS invoice_id", "invoices")


def example_parameters(connection: Connection, organization_id: UUID, today: date) -> dict[str, str]:
    """Example values by parameter name; without those for which the organization has no rows.

    The range of days ends with the day of the latest screenshot, or `today` if there is none.
    """
    set_organization(connection, organization_id)
    values: dict[str, Any] = {"captured_at": datetime.combine(today, time())}
    for query in (USER_WITH_SCREENSHOT, ASSIGNED_TASK, TEAM_WITH_MEMBER, OLDEST_INVOICE):
        values |= connection.execute(text(query), {"own": organization_id}).mappings().first() or {}
    day = values.pop("captured_at").date()
    values |= {"date": day, "start_date": day - SIX_DAYS, "end_date": day}
    return {name: str(value) for name, value in values.items()}
