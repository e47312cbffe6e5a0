"""Activity: application and URL usage, screenshots, suspicious activity."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "apps",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("productivity", sa.Text(), server_default="unrated", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "productivity IN ('productive', 'neutral', 'unproductive', 'unrated')",
            name=op.f("apps_productivity_check"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("apps_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("apps_pkey")),
        sa.UniqueConstraint("organization_id", "name", name=op.f("apps_organization_id_name_key")),
    )
    op.create_index(
        op.f("apps_organization_id_updated_at_id_idx"),
        "apps",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "domains",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("productivity", sa.Text(), server_default="unrated", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "productivity IN ('productive', 'neutral', 'unproductive', 'unrated')",
            name=op.f("domains_productivity_check"),
        ),
        sa.CheckConstraint("name = lower(name)", name=op.f("domains_name_check")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("domains_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("domains_pkey")),
        sa.UniqueConstraint("organization_id", "name", name=op.f("domains_organization_id_name_key")),
    )
    op.create_index(
        op.f("domains_organization_id_updated_at_id_idx"),
        "domains",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "url_pages",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("domain_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("url ~ '^[a-z][a-z0-9+.-]*://[^/?#@]+(/[^?#]*)?$'", name=op.f("url_pages_url_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "domain_id"],
            ["domains.organization_id", "domains.id"],
            name=op.f("url_pages_organization_id_domain_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("url_pages_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("url_pages_pkey")),
    )
    op.create_index(
        op.f("url_pages_organization_id_updated_at_id_idx"),
        "url_pages",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "app_usages",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("slot_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("app_id", sa.Uuid(), nullable=False),
        sa.Column("timesheet_id", sa.Uuid(), nullable=False),
        sa.Column("duration_seconds", sa.Integer(), nullable=False),
        sa.Column("active_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("sessions_count", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("first_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("last_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "active_seconds BETWEEN 0 AND duration_seconds", name=op.f("app_usages_active_seconds_check")
        ),
        sa.CheckConstraint("duration_seconds BETWEEN 0 AND 900", name=op.f("app_usages_duration_seconds_check")),
        sa.CheckConstraint("first_at <= last_at", name=op.f("app_usages_first_at_check")),
        sa.CheckConstraint("mod(extract(epoch from slot_at), 900) = 0", name=op.f("app_usages_slot_at_check")),
        sa.CheckConstraint("sessions_count >= 0", name=op.f("app_usages_sessions_count_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "app_id"],
            ["apps.organization_id", "apps.id"],
            name=op.f("app_usages_organization_id_app_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("app_usages_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("app_usages_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("app_usages_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint(
            "organization_id",
            "user_id",
            "slot_at",
            "app_id",
            "timesheet_id",
            name=op.f("app_usages_pkey"),
            postgresql_include=[
                "duration_seconds",
                "active_seconds",
                "sessions_count",
                "first_at",
                "last_at",
                "updated_at",
                "deleted_at",
            ],
        ),
    )
    op.create_table(
        "screenshots",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("timesheet_id", sa.Uuid(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("captured_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("screen_index", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("status", sa.Text(), server_default="processing", nullable=False),
        sa.Column("object_key", sa.Text(), nullable=True),
        sa.Column("thumbnail_key", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), server_default="image/jpeg", nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("is_blurred", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("activity_percent", sa.Integer(), nullable=True),
        sa.Column("app_name", sa.Text(), nullable=True),
        sa.Column("deleted_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status <> 'available' OR object_key IS NOT NULL", name=op.f("screenshots_object_key_check")
        ),
        sa.CheckConstraint(
            "status IN ('available', 'deleted', 'expired', 'processing')",
            name=op.f("screenshots_status_check"),
        ),
        sa.CheckConstraint("activity_percent BETWEEN 0 AND 100", name=op.f("screenshots_activity_percent_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "deleted_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("screenshots_organization_id_deleted_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("screenshots_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("screenshots_organization_id_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("screenshots_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("screenshots_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("screenshots_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("screenshots_pkey")),
    )
    op.create_index(
        op.f("screenshots_organization_id_updated_at_id_idx"),
        "screenshots",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("screenshots_organization_id_user_id_captured_at_screen_index_id_idx"),
        "screenshots",
        ["organization_id", "user_id", "captured_at", "screen_index", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "suspicious_activity_logs",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("confidence_percent", sa.Integer(), nullable=True),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("timesheet_id", sa.Uuid(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column(
            "evidence",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("reviewed_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("reviewed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("review_note", sa.Text(), nullable=True),
        sa.Column("deducted_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "severity IN ('low', 'medium', 'high')", name=op.f("suspicious_activity_logs_severity_check")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'confirmed', 'dismissed')", name=op.f("suspicious_activity_logs_status_check")
        ),
        sa.CheckConstraint(
            "type IN ('mouse_jiggler', 'auto_clicker', 'key_repeat', 'constant_activity', 'single_input_only', 'no_input_while_tracking', 'suspicious_app', 'remote_or_virtual_machine', 'clock_tampering', 'duplicate_screenshot', 'location_mismatch', 'other')",
            name=op.f("suspicious_activity_logs_type_check"),
        ),
        sa.CheckConstraint(
            "confidence_percent BETWEEN 0 AND 100",
            name=op.f("suspicious_activity_logs_confidence_percent_check"),
        ),
        sa.CheckConstraint("deducted_seconds >= 0", name=op.f("suspicious_activity_logs_deducted_seconds_check")),
        sa.CheckConstraint("started_at <= ended_at", name=op.f("suspicious_activity_logs_started_at_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("suspicious_activity_logs_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "reviewed_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("suspicious_activity_logs_organization_id_reviewed_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("suspicious_activity_logs_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("suspicious_activity_logs_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("suspicious_activity_logs_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("suspicious_activity_logs_pkey")),
    )
    op.create_index(
        op.f("suspicious_activity_logs_organization_id_created_at_id_idx"),
        "suspicious_activity_logs",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("suspicious_activity_logs_organization_id_started_at_id_idx"),
        "suspicious_activity_logs",
        ["organization_id", "started_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("suspicious_activity_logs_organization_id_updated_at_id_idx"),
        "suspicious_activity_logs",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("suspicious_activity_logs_organization_id_user_id_created_at_id_idx"),
        "suspicious_activity_logs",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "url_usages",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("slot_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("domain_id", sa.Uuid(), nullable=False),
        sa.Column("page_id", sa.Uuid(), nullable=False),
        sa.Column("timesheet_id", sa.Uuid(), nullable=False),
        sa.Column("duration_seconds", sa.Integer(), nullable=False),
        sa.Column("active_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("visits_count", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("first_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("last_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "active_seconds BETWEEN 0 AND duration_seconds", name=op.f("url_usages_active_seconds_check")
        ),
        sa.CheckConstraint("duration_seconds BETWEEN 0 AND 900", name=op.f("url_usages_duration_seconds_check")),
        sa.CheckConstraint("first_at <= last_at", name=op.f("url_usages_first_at_check")),
        sa.CheckConstraint("mod(extract(epoch from slot_at), 900) = 0", name=op.f("url_usages_slot_at_check")),
        sa.CheckConstraint("visits_count >= 0", name=op.f("url_usages_visits_count_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "domain_id"],
            ["domains.organization_id", "domains.id"],
            name=op.f("url_usages_organization_id_domain_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "page_id"],
            ["url_pages.organization_id", "url_pages.id"],
            name=op.f("url_usages_organization_id_page_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("url_usages_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("url_usages_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("url_usages_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint(
            "organization_id",
            "user_id",
            "slot_at",
            "domain_id",
            "page_id",
            "timesheet_id",
            name=op.f("url_usages_pkey"),
            postgresql_include=[
                "duration_seconds",
                "active_seconds",
                "visits_count",
                "first_at",
                "last_at",
                "updated_at",
                "deleted_at",
            ],
        ),
    )
    for table in (
        "apps",
        "app_usages",
        "domains",
        "url_pages",
        "url_usages",
        "screenshots",
        "suspicious_activity_logs",
    ):
        protect(table)
