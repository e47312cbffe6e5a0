"""Leave: types, policies, periods, assignments, balances, applications."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "leave_periods",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=False),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('upcoming', 'open', 'closed')", name=op.f("leave_periods_status_check")),
        sa.CheckConstraint("start_date <= end_date", name=op.f("leave_periods_dates_check")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("leave_periods_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_periods_pkey")),
    )
    op.create_index(
        op.f("leave_periods_organization_id_created_at_id_idx"),
        "leave_periods",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_periods_organization_id_updated_at_id_idx"),
        "leave_periods",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "leave_types",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("color", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), server_default="day", nullable=False),
        sa.Column("is_paid", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("requires_approval", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("requires_attachment", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("allows_half_day", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "category IN ('vacation', 'sick', 'parental', 'unpaid', 'holiday', 'compensatory', 'other')",
            name=op.f("leave_types_category_check"),
        ),
        sa.CheckConstraint("unit IN ('day', 'hour')", name=op.f("leave_types_unit_check")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("leave_types_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_types_pkey")),
    )
    op.create_index(
        op.f("leave_types_organization_id_created_at_id_idx"),
        "leave_types",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_types_organization_id_updated_at_id_idx"),
        "leave_types",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "leave_policies",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("leave_type_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("entitlement", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("accrual_type", sa.Text(), server_default="upfront", nullable=False),
        sa.Column("accrual_amount", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("accrual_cap", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("carry_over_max", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("carry_over_expires_on_month_day", sa.Text(), nullable=True),
        sa.Column("allows_negative_balance", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("max_negative", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("waiting_period_days", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("prorate_on_hire", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("min_notice_days", sa.Integer(), nullable=True),
        sa.Column("max_consecutive", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("day_length_seconds", sa.Integer(), server_default=sa.text("28800"), nullable=False),
        sa.Column("auto_assign_new_members", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "accrual_type IN ('none', 'upfront', 'monthly', 'biweekly', 'hours_worked', 'anniversary')",
            name=op.f("leave_policies_accrual_type_check"),
        ),
        sa.CheckConstraint(
            "carry_over_expires_on_month_day ~ '^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'",
            name=op.f("leave_policies_carry_over_expires_check"),
        ),
        sa.CheckConstraint("day_length_seconds > 0", name=op.f("leave_policies_day_length_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_type_id"],
            ["leave_types.organization_id", "leave_types.id"],
            name=op.f("leave_policies_organization_id_leave_type_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("leave_policies_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_policies_pkey")),
    )
    op.create_index(
        op.f("leave_policies_organization_id_created_at_id_idx"),
        "leave_policies",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_policies_organization_id_leave_type_id_created_at_id_idx"),
        "leave_policies",
        ["organization_id", "leave_type_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("leave_policies_organization_id_updated_at_id_idx"),
        "leave_policies",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "leave_applications",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("leave_type_id", sa.Uuid(), nullable=False),
        sa.Column("leave_policy_id", sa.Uuid(), nullable=True),
        sa.Column("leave_period_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=False),
        sa.Column("start_day_part", sa.Text(), server_default="full", nullable=False),
        sa.Column("end_day_part", sa.Text(), server_default="full", nullable=False),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("duration_seconds", sa.Integer(), nullable=False),
        sa.Column("is_paid", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("applied_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=False),
        sa.Column("reviewed_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("reviewed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("review_note", sa.Text(), nullable=True),
        sa.Column("cancelled_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("has_attachment", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "end_day_part IN ('full', 'first_half', 'second_half')", name=op.f("leave_applications_end_day_part_check")
        ),
        sa.CheckConstraint(
            "start_day_part IN ('full', 'first_half', 'second_half')",
            name=op.f("leave_applications_start_day_part_check"),
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'approved', 'rejected', 'cancelled', 'withdrawn')",
            name=op.f("leave_applications_status_check"),
        ),
        sa.CheckConstraint(
            "(started_at IS NULL) = (ended_at IS NULL) AND started_at < ended_at",
            name=op.f("leave_applications_hours_check"),
        ),
        sa.CheckConstraint(
            "amount >= 0 AND duration_seconds >= 0", name=op.f("leave_applications_no_negative_parts_check")
        ),
        sa.CheckConstraint("start_date <= end_date", name=op.f("leave_applications_dates_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_period_id"],
            ["leave_periods.organization_id", "leave_periods.id"],
            name=op.f("leave_applications_organization_id_leave_period_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_policy_id"],
            ["leave_policies.organization_id", "leave_policies.id"],
            name=op.f("leave_applications_organization_id_leave_policy_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_type_id"],
            ["leave_types.organization_id", "leave_types.id"],
            name=op.f("leave_applications_organization_id_leave_type_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "reviewed_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("leave_applications_organization_id_reviewed_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("leave_applications_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("leave_applications_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_applications_pkey")),
    )
    op.create_index(
        op.f("leave_applications_organization_id_created_at_id_idx"),
        "leave_applications",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_applications_organization_id_start_date_end_date_idx"),
        "leave_applications",
        ["organization_id", "start_date", "end_date"],
        unique=False,
    )
    op.create_index(
        op.f("leave_applications_organization_id_status_created_at_id_idx"),
        "leave_applications",
        ["organization_id", "status", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("leave_applications_organization_id_updated_at_id_idx"),
        "leave_applications",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("leave_applications_organization_id_user_id_created_at_id_idx"),
        "leave_applications",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "leave_assignments",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("leave_policy_id", sa.Uuid(), nullable=False),
        sa.Column("leave_period_id", sa.Uuid(), nullable=True),
        sa.Column("entitlement", sa.Numeric(precision=9, scale=2), nullable=True),
        sa.Column("effective_from", sa.Date(), nullable=False),
        sa.Column("effective_to", sa.Date(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("assigned_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("effective_from <= effective_to", name=op.f("leave_assignments_dates_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "assigned_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("leave_assignments_organization_id_assigned_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_period_id"],
            ["leave_periods.organization_id", "leave_periods.id"],
            name=op.f("leave_assignments_organization_id_leave_period_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_policy_id"],
            ["leave_policies.organization_id", "leave_policies.id"],
            name=op.f("leave_assignments_organization_id_leave_policy_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("leave_assignments_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("leave_assignments_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_assignments_pkey")),
    )
    op.create_index(
        op.f("leave_assignments_organization_id_created_at_id_idx"),
        "leave_assignments",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_assignments_organization_id_updated_at_id_idx"),
        "leave_assignments",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("leave_assignments_organization_id_user_id_created_at_id_idx"),
        "leave_assignments",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "leave_balances",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("leave_policy_id", sa.Uuid(), nullable=False),
        sa.Column("leave_period_id", sa.Uuid(), nullable=False),
        sa.Column("entitled", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("accrued", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("carried_over", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("adjusted", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("used", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("pending", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("expired", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "least(entitled, accrued, carried_over, used, pending, expired) >= 0",
            name=op.f("leave_balances_no_negative_parts_check"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_period_id"],
            ["leave_periods.organization_id", "leave_periods.id"],
            name=op.f("leave_balances_organization_id_leave_period_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_policy_id"],
            ["leave_policies.organization_id", "leave_policies.id"],
            name=op.f("leave_balances_organization_id_leave_policy_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("leave_balances_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("leave_balances_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_balances_pkey")),
    )
    op.create_index(
        "leave_balances_live_key",
        "leave_balances",
        ["organization_id", "user_id", "leave_policy_id", "leave_period_id"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_balances_organization_id_created_at_id_idx"),
        "leave_balances",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_balances_organization_id_leave_period_id_created_at_id_idx"),
        "leave_balances",
        ["organization_id", "leave_period_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("leave_balances_organization_id_updated_at_id_idx"),
        "leave_balances",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("leave_balances_organization_id_user_id_created_at_id_idx"),
        "leave_balances",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "leave_application_days",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("leave_application_id", sa.Uuid(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=9, scale=2), server_default=sa.text("0"), nullable=False),
        sa.Column("duration_seconds", sa.Integer(), nullable=False),
        sa.Column("is_holiday", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "amount >= 0 AND duration_seconds >= 0", name=op.f("leave_application_days_no_negative_parts_check")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "leave_application_id"],
            ["leave_applications.organization_id", "leave_applications.id"],
            name=op.f("leave_application_days_organization_id_leave_application_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("leave_application_days_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("leave_application_days_pkey")),
    )
    op.create_index(
        "leave_application_days_live_key",
        "leave_application_days",
        ["organization_id", "leave_application_id", "date"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("leave_application_days_organization_id_updated_at_id_idx"),
        "leave_application_days",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    for table in (
        "leave_periods",
        "leave_types",
        "leave_policies",
        "leave_applications",
        "leave_assignments",
        "leave_balances",
        "leave_application_days",
    ):
        protect(table)
