"""Time: tracked intervals, idle time, activity, attendance, breaks, manual time."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clock_records",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("clock_in_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("clock_out_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("clock_in_source", sa.Text(), server_default="web", nullable=False),
        sa.Column("clock_out_source", sa.Text(), nullable=True),
        sa.Column("auto_clock_out_reason", sa.Text(), nullable=True),
        sa.Column("clock_in_note", sa.Text(), nullable=True),
        sa.Column("clock_out_note", sa.Text(), nullable=True),
        sa.Column("clock_in_location", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("clock_out_location", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("scheduled_start_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("scheduled_end_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("is_edited", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("edited_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(status = 'open') = (clock_out_at IS NULL)", name=op.f("clock_records_open_check")),
        sa.CheckConstraint(
            "auto_clock_out_reason IN ('shift_ended', 'daily_limit', 'inactivity', 'midnight', 'geofence_exit', 'system')",
            name=op.f("clock_records_auto_clock_out_reason_check"),
        ),
        sa.CheckConstraint(
            "auto_clock_out_reason IS NULL OR status = 'auto_closed'", name=op.f("clock_records_auto_closed_check")
        ),
        sa.CheckConstraint(
            "clock_in_source IN ('desktop', 'web', 'mobile', 'kiosk', 'api', 'admin', 'system')",
            name=op.f("clock_records_clock_in_source_check"),
        ),
        sa.CheckConstraint(
            "clock_out_source IN ('desktop', 'web', 'mobile', 'kiosk', 'api', 'admin', 'system')",
            name=op.f("clock_records_clock_out_source_check"),
        ),
        sa.CheckConstraint("status IN ('open', 'closed', 'auto_closed')", name=op.f("clock_records_status_check")),
        sa.CheckConstraint("clock_out_at > clock_in_at", name=op.f("clock_records_interval_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "edited_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("clock_records_organization_id_edited_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("clock_records_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("clock_records_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("clock_records_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("clock_records_pkey")),
    )
    op.create_index(
        op.f("clock_records_organization_id_clock_in_at_id_idx"),
        "clock_records",
        ["organization_id", "clock_in_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("clock_records_organization_id_updated_at_id_idx"),
        "clock_records",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("clock_records_organization_id_user_id_clock_in_at_id_idx"),
        "clock_records",
        ["organization_id", "user_id", "clock_in_at", "id"],
        unique=False,
    )
    op.create_table(
        "break_times",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("clock_record_id", sa.Uuid(), nullable=True),
        sa.Column("is_paid", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("ended_at - started_at <= interval '24 hours'", name=op.f("break_times_longest_check")),
        sa.CheckConstraint("ended_at > started_at", name=op.f("break_times_interval_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "clock_record_id"],
            ["clock_records.organization_id", "clock_records.id"],
            name=op.f("break_times_organization_id_clock_record_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("break_times_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("break_times_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("break_times_pkey")),
    )
    op.create_index(
        op.f("break_times_organization_id_clock_record_id_idx"),
        "break_times",
        ["organization_id", "clock_record_id"],
        unique=False,
        postgresql_where=sa.text("clock_record_id IS NOT NULL"),
    )
    op.create_index(
        op.f("break_times_organization_id_updated_at_id_idx"),
        "break_times",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("break_times_organization_id_user_id_started_at_id_idx"),
        "break_times",
        ["organization_id", "user_id", "started_at", "id"],
        unique=False,
    )
    op.create_table(
        "timesheets",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("tracked_until", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("kind", sa.Text(), server_default="automatic", nullable=False),
        sa.Column("source", sa.Text(), server_default="desktop", nullable=False),
        sa.Column("is_billable", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_locked", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("input_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("active_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("keyboard_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("mouse_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "coalesce(ended_at, tracked_until) - started_at <= interval '24 hours'",
            name=op.f("timesheets_longest_check"),
        ),
        sa.CheckConstraint("kind IN ('automatic', 'manual')", name=op.f("timesheets_kind_check")),
        sa.CheckConstraint(
            "source IN ('desktop', 'web', 'mobile', 'kiosk', 'api', 'admin', 'system')",
            name=op.f("timesheets_source_check"),
        ),
        sa.CheckConstraint("active_seconds BETWEEN 0 AND input_seconds", name=op.f("timesheets_active_seconds_check")),
        sa.CheckConstraint("ended_at > started_at", name=op.f("timesheets_interval_check")),
        sa.CheckConstraint(
            "keyboard_seconds BETWEEN 0 AND input_seconds", name=op.f("timesheets_keyboard_seconds_check")
        ),
        sa.CheckConstraint("mouse_seconds BETWEEN 0 AND input_seconds", name=op.f("timesheets_mouse_seconds_check")),
        sa.CheckConstraint("tracked_until >= started_at", name=op.f("timesheets_tracked_until_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("timesheets_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("timesheets_organization_id_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("timesheets_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("timesheets_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("timesheets_pkey")),
    )
    op.create_index(
        op.f("timesheets_organization_id_updated_at_id_idx"),
        "timesheets",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("timesheets_organization_id_user_id_started_at_id_idx"),
        "timesheets",
        ["organization_id", "user_id", "started_at", "id"],
        unique=False,
        postgresql_include=[
            "ended_at",
            "tracked_until",
            "project_id",
            "task_id",
            "kind",
            "is_billable",
            "input_seconds",
            "active_seconds",
            "keyboard_seconds",
            "mouse_seconds",
            "updated_at",
            "deleted_at",
        ],
    )
    op.create_table(
        "activity_slots",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("slot_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("timesheet_id", sa.Uuid(), nullable=False),
        sa.Column("input_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("active_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("keyboard_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("mouse_seconds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "active_seconds BETWEEN 0 AND input_seconds", name=op.f("activity_slots_active_seconds_check")
        ),
        sa.CheckConstraint("extract(epoch FROM slot_at) % 900 = 0", name=op.f("activity_slots_slot_at_check")),
        sa.CheckConstraint("input_seconds <= 900", name=op.f("activity_slots_input_seconds_check")),
        sa.CheckConstraint(
            "keyboard_seconds BETWEEN 0 AND input_seconds", name=op.f("activity_slots_keyboard_seconds_check")
        ),
        sa.CheckConstraint(
            "mouse_seconds BETWEEN 0 AND input_seconds", name=op.f("activity_slots_mouse_seconds_check")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("activity_slots_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("activity_slots_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("activity_slots_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint(
            "organization_id", "user_id", "slot_at", "timesheet_id", name=op.f("activity_slots_pkey")
        ),
    )
    op.create_table(
        "idle_times",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("timesheet_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("action", sa.Text(), server_default="pending", nullable=False),
        sa.Column("reassigned_project_id", sa.Uuid(), nullable=True),
        sa.Column("reassigned_task_id", sa.Uuid(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "action = 'reassigned' OR (reassigned_project_id IS NULL AND reassigned_task_id IS NULL)",
            name=op.f("idle_times_reassigned_check"),
        ),
        sa.CheckConstraint(
            "action IN ('kept', 'discarded', 'reassigned', 'pending')", name=op.f("idle_times_action_check")
        ),
        sa.CheckConstraint("ended_at - started_at <= interval '24 hours'", name=op.f("idle_times_longest_check")),
        sa.CheckConstraint("ended_at > started_at", name=op.f("idle_times_interval_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "reassigned_project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("idle_times_organization_id_reassigned_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "reassigned_task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("idle_times_organization_id_reassigned_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("idle_times_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("idle_times_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("idle_times_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("idle_times_pkey")),
    )
    op.create_index(
        op.f("idle_times_organization_id_timesheet_id_started_at_id_idx"),
        "idle_times",
        ["organization_id", "timesheet_id", "started_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("idle_times_organization_id_updated_at_id_idx"),
        "idle_times",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("idle_times_organization_id_user_id_started_at_id_idx"),
        "idle_times",
        ["organization_id", "user_id", "started_at", "id"],
        unique=False,
    )
    op.create_table(
        "manual_requests",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("action", sa.Text(), server_default="added", nullable=False),
        sa.Column("original_started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("original_ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("original_project_id", sa.Uuid(), nullable=True),
        sa.Column("is_billable", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("requested_by_user_id", sa.Uuid(), nullable=False),
        sa.Column("requested_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("reviewed_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("reviewed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("review_note", sa.Text(), nullable=True),
        sa.Column("timesheet_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(original_started_at IS NULL) = (original_ended_at IS NULL) AND (action <> 'edited' OR original_started_at IS NOT NULL)",
            name=op.f("manual_requests_edited_check"),
        ),
        sa.CheckConstraint("action IN ('added', 'edited', 'deleted')", name=op.f("manual_requests_action_check")),
        sa.CheckConstraint("ended_at - started_at <= interval '24 hours'", name=op.f("manual_requests_longest_check")),
        sa.CheckConstraint(
            "status IN ('pending', 'approved', 'rejected', 'cancelled')", name=op.f("manual_requests_status_check")
        ),
        sa.CheckConstraint("ended_at > started_at", name=op.f("manual_requests_interval_check")),
        sa.CheckConstraint("original_ended_at > original_started_at", name=op.f("manual_requests_original_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "original_project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("manual_requests_organization_id_original_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("manual_requests_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "requested_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("manual_requests_organization_id_requested_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "reviewed_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("manual_requests_organization_id_reviewed_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("manual_requests_organization_id_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "timesheet_id"],
            ["timesheets.organization_id", "timesheets.id"],
            name=op.f("manual_requests_organization_id_timesheet_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("manual_requests_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("manual_requests_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("manual_requests_pkey")),
    )
    op.create_index(
        op.f("manual_requests_organization_id_started_at_id_idx"),
        "manual_requests",
        ["organization_id", "started_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("manual_requests_organization_id_status_started_at_id_idx"),
        "manual_requests",
        ["organization_id", "status", "started_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("manual_requests_organization_id_updated_at_id_idx"),
        "manual_requests",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("manual_requests_organization_id_user_id_started_at_id_idx"),
        "manual_requests",
        ["organization_id", "user_id", "started_at", "id"],
        unique=False,
    )
    for table in ("timesheets", "idle_times", "activity_slots", "clock_records", "break_times", "manual_requests"):
        protect(table)
