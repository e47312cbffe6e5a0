"""The organization, its members, its teams."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "organizations",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("week_start_day", sa.Text(), server_default="monday", nullable=False),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), server_default="active", nullable=False),
        sa.Column("features", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("data_retention_days", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('active', 'suspended')", name=op.f("organizations_status_check")),
        sa.CheckConstraint(
            "week_start_day IN ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')",
            name=op.f("organizations_week_start_day_check"),
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("organizations_pkey")),
    )
    op.create_table(
        "members",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("membership_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("first_name", sa.Text(), nullable=True),
        sa.Column("last_name", sa.Text(), nullable=True),
        sa.Column("avatar_url", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), server_default="member", nullable=False),
        sa.Column("status", sa.Text(), server_default="active", nullable=False),
        sa.Column("is_tracking_enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("employee_number", sa.Text(), nullable=True),
        sa.Column("job_title", sa.Text(), nullable=True),
        sa.Column("department", sa.Text(), nullable=True),
        sa.Column("employment_type", sa.Text(), nullable=True),
        sa.Column("manager_user_id", sa.Uuid(), nullable=True),
        sa.Column("hired_on", sa.Date(), nullable=True),
        sa.Column("left_on", sa.Date(), nullable=True),
        sa.Column("first_joined_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("joined_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("removed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("last_tracked_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("weekly_limit_seconds", sa.Integer(), nullable=True),
        sa.Column("expected_weekly_seconds", sa.Integer(), nullable=True),
        sa.Column(
            "custom_fields",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(status = 'removed') = (removed_at IS NOT NULL)", name=op.f("members_removed_check")),
        sa.CheckConstraint(
            "employment_type IN ('employee', 'contractor', 'intern', 'other')",
            name=op.f("members_employment_type_check"),
        ),
        sa.CheckConstraint(
            "role IN ('owner', 'admin', 'manager', 'member', 'viewer')", name=op.f("members_role_check")
        ),
        sa.CheckConstraint(
            "status IN ('active', 'invited', 'suspended', 'removed')", name=op.f("members_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "manager_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("members_organization_id_manager_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("members_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "user_id", name=op.f("members_pkey")),
        sa.UniqueConstraint("organization_id", "membership_id", name=op.f("members_organization_id_membership_id_key")),
    )
    op.create_index(
        "members_email_idx", "members", ["organization_id", sa.literal_column("lower(email)")], unique=False
    )
    op.create_index(
        "members_full_name_idx",
        "members",
        ["organization_id", sa.literal_column("lower(full_name)").label("full_name")],
        unique=False,
        postgresql_ops={"full_name": "text_pattern_ops"},
    )
    op.create_index(
        op.f("members_organization_id_created_at_user_id_idx"),
        "members",
        ["organization_id", "created_at", "user_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("members_organization_id_status_created_at_user_id_idx"),
        "members",
        ["organization_id", "status", "created_at", "user_id"],
        unique=False,
    )
    op.create_index(
        op.f("members_organization_id_updated_at_user_id_idx"),
        "members",
        ["organization_id", "updated_at", "user_id"],
        unique=False,
    )
    op.create_index(
        "members_scope_idx",
        "members",
        ["organization_id", "first_joined_at", "removed_at"],
        unique=False,
        postgresql_include=["created_at", "user_id"],
    )
    op.create_table(
        "teams",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("teams_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("teams_pkey")),
    )
    op.create_index(
        op.f("teams_organization_id_created_at_id_idx"),
        "teams",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("teams_organization_id_updated_at_id_idx"),
        "teams",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "team_members",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), server_default="member", nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('lead', 'member')", name=op.f("team_members_role_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "team_id"],
            ["teams.organization_id", "teams.id"],
            name=op.f("team_members_organization_id_team_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("team_members_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("team_members_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("team_members_pkey")),
    )
    op.create_index(
        "team_members_live_key",
        "team_members",
        ["organization_id", "team_id", "user_id"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("team_members_organization_id_created_at_id_idx"),
        "team_members",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("team_members_organization_id_team_id_joined_at_id_idx"),
        "team_members",
        ["organization_id", "team_id", "joined_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("team_members_organization_id_updated_at_id_idx"),
        "team_members",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("team_members_organization_id_user_id_team_id_idx"),
        "team_members",
        ["organization_id", "user_id", "team_id"],
        unique=False,
    )
    for table in ("organizations", "members", "teams", "team_members"):
        protect(table)
