"""Indexes by which parents list the rows that refer to them.

A large database can have them before the migration, made by CREATE INDEX CONCURRENTLY under the same names: then the
migration holds no writer up.
"""

from alembic import op
from sqlalchemy import text

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

LISTS = {
    "members": (["manager_user_id"], ["created_at", "user_id"]),
    "tasks": (["created_by_user_id"], ["created_at", "id"]),
    "timesheets": (["project_id", "task_id"], ["started_at"]),
    "manual_requests": (["project_id", "task_id", "timesheet_id", "reviewed_by_user_id"], ["started_at", "id"]),
    "clock_records": (["project_id"], ["clock_in_at", "id"]),
    "suspicious_activity_logs": (["timesheet_id", "project_id", "reviewed_by_user_id"], ["created_at", "id"]),
    "invoices": (["created_by_user_id"], ["created_at", "id"]),
    "invoice_lines": (["task_id", "user_id"], ["invoice_id"]),
    "payables": (["source_id"], ["created_at", "id"]),
    "hourly_payment_logs": (["payable_id"], ["created_at", "id"]),
    "one_time_payment_logs": (["project_id"], ["created_at", "id"]),
    "leave_assignments": (["leave_policy_id", "leave_period_id"], ["created_at", "id"]),
    "leave_balances": (["leave_policy_id"], ["created_at", "id"]),
    "leave_applications": (
        ["leave_type_id", "leave_policy_id", "leave_period_id", "reviewed_by_user_id"],
        ["created_at", "id"],
    ),
}
"""The columns of parents of each table, and the order of its list."""

REQUIRED = {
    ("leave_assignments", "leave_policy_id"),
    ("leave_balances", "leave_policy_id"),
    ("leave_applications", "leave_type_id"),
}
"""Columns that are never null."""


def upgrade() -> None:
    for table, (parents, order) in LISTS.items():
        for parent in parents:
            op.create_index(
                f"{table}_{parent}_idx",
                table,
                ["organization_id", parent, *order],
                if_not_exists=True,
                postgresql_where=None if (table, parent) in REQUIRED else text(f"{parent} IS NOT NULL"),
            )
