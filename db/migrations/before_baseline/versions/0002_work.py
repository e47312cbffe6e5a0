"""Clients, projects, tasks, and their members."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clients",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("archived_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("contact_name", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("invoice_emails", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("address", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("tax_number", sa.Text(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("net_terms_days", sa.Integer(), nullable=True),
        sa.Column("budget_type", sa.Text(), server_default="none", nullable=False),
        sa.Column("budget_amount", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("budget_seconds", sa.BigInteger(), nullable=True),
        sa.Column("budget_recurrence", sa.Text(), server_default="none", nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(budget_type = 'amount') = (budget_amount IS NOT NULL)",
            name=op.f("clients_budget_of_money_check"),
        ),
        sa.CheckConstraint(
            "(budget_type = 'time') = (budget_seconds IS NOT NULL)", name=op.f("clients_budget_of_time_check")
        ),
        sa.CheckConstraint(
            "budget_recurrence IN ('none', 'weekly', 'monthly')", name=op.f("clients_budget_recurrence_check")
        ),
        sa.CheckConstraint("budget_type IN ('none', 'amount', 'time')", name=op.f("clients_budget_type_check")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("clients_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("clients_pkey")),
    )
    op.create_index(
        op.f("clients_organization_id_created_at_id_idx"),
        "clients",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("clients_organization_id_external_id_idx"),
        "clients",
        ["organization_id", "external_id"],
        unique=False,
    )
    op.create_index(
        op.f("clients_organization_id_updated_at_id_idx"),
        "clients",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "projects",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("client_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), server_default="active", nullable=False),
        sa.Column("is_billable", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("billing_type", sa.Text(), server_default="none", nullable=False),
        sa.Column("bill_rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("fixed_amount", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("budget_type", sa.Text(), server_default="none", nullable=False),
        sa.Column("budget_amount", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("budget_seconds", sa.BigInteger(), nullable=True),
        sa.Column("budget_recurrence", sa.Text(), server_default="none", nullable=False),
        sa.Column("tracked_seconds_total", sa.BigInteger(), nullable=True),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("completed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("archived_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("color", sa.Text(), nullable=True),
        sa.Column("screenshots_enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("activity_tracking_enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(budget_type = 'amount') = (budget_amount IS NOT NULL)",
            name=op.f("projects_budget_of_money_check"),
        ),
        sa.CheckConstraint(
            "(budget_type = 'time') = (budget_seconds IS NOT NULL)",
            name=op.f("projects_budget_of_time_check"),
        ),
        sa.CheckConstraint("billing_type IN ('none', 'hourly', 'fixed')", name=op.f("projects_billing_type_check")),
        sa.CheckConstraint(
            "budget_recurrence IN ('none', 'weekly', 'monthly')",
            name=op.f("projects_budget_recurrence_check"),
        ),
        sa.CheckConstraint("budget_type IN ('none', 'amount', 'time')", name=op.f("projects_budget_type_check")),
        sa.CheckConstraint(
            "status IN ('active', 'on_hold', 'completed', 'archived')", name=op.f("projects_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "client_id"],
            ["clients.organization_id", "clients.id"],
            name=op.f("projects_organization_id_client_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("projects_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("projects_pkey")),
    )
    op.create_index(
        op.f("projects_organization_id_client_id_created_at_id_idx"),
        "projects",
        ["organization_id", "client_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("projects_organization_id_created_at_id_idx"),
        "projects",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("projects_organization_id_external_id_idx"),
        "projects",
        ["organization_id", "external_id"],
        unique=False,
    )
    op.create_index(
        op.f("projects_organization_id_updated_at_id_idx"),
        "projects",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "project_members",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), server_default="member", nullable=False),
        sa.Column("source", sa.Text(), server_default="direct", nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("pay_rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("bill_rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("budget_seconds", sa.BigInteger(), nullable=True),
        sa.Column("joined_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("removed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(source = 'team') = (team_id IS NOT NULL)", name=op.f("project_members_source_team_check")),
        sa.CheckConstraint("role IN ('manager', 'member', 'viewer')", name=op.f("project_members_role_check")),
        sa.CheckConstraint("source IN ('direct', 'team')", name=op.f("project_members_source_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("project_members_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "team_id"],
            ["teams.organization_id", "teams.id"],
            name=op.f("project_members_organization_id_team_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("project_members_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("project_members_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("project_members_pkey")),
    )
    op.create_index(
        "project_members_live_key",
        "project_members",
        ["organization_id", "project_id", "user_id"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("project_members_organization_id_created_at_id_idx"),
        "project_members",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("project_members_organization_id_project_id_created_at_id_idx"),
        "project_members",
        ["organization_id", "project_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("project_members_organization_id_team_id_idx"),
        "project_members",
        ["organization_id", "team_id"],
        unique=False,
        postgresql_where=sa.text("team_id IS NOT NULL"),
    )
    op.create_index(
        op.f("project_members_organization_id_updated_at_id_idx"),
        "project_members",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("project_members_organization_id_user_id_project_id_idx"),
        "project_members",
        ["organization_id", "user_id", "project_id"],
        unique=False,
    )
    op.create_table(
        "tasks",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("parent_task_id", sa.Uuid(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("priority", sa.Text(), server_default="none", nullable=False),
        sa.Column("is_billable", sa.Boolean(), nullable=True),
        sa.Column("estimate_seconds", sa.BigInteger(), nullable=True),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("completed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("created_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("external_source", sa.Text(), nullable=True),
        sa.Column("labels", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "priority IN ('none', 'low', 'medium', 'high', 'urgent')", name=op.f("tasks_priority_check")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'in_progress', 'completed', 'archived')", name=op.f("tasks_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "created_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("tasks_organization_id_created_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "parent_task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("tasks_organization_id_parent_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("tasks_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("tasks_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("tasks_pkey")),
    )
    op.create_index(
        op.f("tasks_organization_id_created_at_id_idx"),
        "tasks",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("tasks_organization_id_external_id_idx"),
        "tasks",
        ["organization_id", "external_id"],
        unique=False,
    )
    op.create_index(
        op.f("tasks_organization_id_parent_task_id_idx"),
        "tasks",
        ["organization_id", "parent_task_id"],
        unique=False,
        postgresql_where=sa.text("parent_task_id IS NOT NULL"),
    )
    op.create_index(
        op.f("tasks_organization_id_project_id_created_at_id_idx"),
        "tasks",
        ["organization_id", "project_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("tasks_organization_id_updated_at_id_idx"),
        "tasks",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "task_members",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), server_default="assignee", nullable=False),
        sa.Column("assigned_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('assignee', 'watcher')", name=op.f("task_members_role_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("task_members_organization_id_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("task_members_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("task_members_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("task_members_pkey")),
    )
    op.create_index(
        "task_members_live_key",
        "task_members",
        ["organization_id", "task_id", "user_id"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("task_members_organization_id_created_at_id_idx"),
        "task_members",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("task_members_organization_id_task_id_created_at_id_idx"),
        "task_members",
        ["organization_id", "task_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("task_members_organization_id_updated_at_id_idx"),
        "task_members",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("task_members_organization_id_user_id_task_id_idx"),
        "task_members",
        ["organization_id", "user_id", "task_id"],
        unique=False,
    )
    for table in ("clients", "projects", "project_members", "tasks", "task_members"):
        protect(table)
