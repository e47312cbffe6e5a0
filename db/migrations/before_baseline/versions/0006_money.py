"""Money: invoices with their lines and taxes, payment settings, payables, payments."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invoices",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.Text(), server_default="draft", nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("issue_date", sa.Date(), nullable=False),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("period_start", sa.Date(), nullable=True),
        sa.Column("period_end", sa.Date(), nullable=True),
        sa.Column("subtotal", sa.Numeric(precision=19, scale=4), server_default=sa.text("0"), nullable=False),
        sa.Column("discount_type", sa.Text(), server_default="none", nullable=False),
        sa.Column("discount_value", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("discount_amount", sa.Numeric(precision=19, scale=4), server_default=sa.text("0"), nullable=False),
        sa.Column("tax_amount", sa.Numeric(precision=19, scale=4), server_default=sa.text("0"), nullable=False),
        sa.Column("total", sa.Numeric(precision=19, scale=4), server_default=sa.text("0"), nullable=False),
        sa.Column("amount_paid", sa.Numeric(precision=19, scale=4), server_default=sa.text("0"), nullable=False),
        sa.Column("purchase_order", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("sent_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("viewed_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("paid_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("voided_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("created_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("public_url", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(discount_type = 'none') = (discount_value IS NULL)", name=op.f("invoices_discount_value_check")
        ),
        sa.CheckConstraint(
            "CASE discount_type WHEN 'none' THEN discount_amount = 0 WHEN 'amount' THEN discount_amount = discount_value ELSE discount_value BETWEEN 0 AND 100 END",
            name=op.f("invoices_discount_amount_check"),
        ),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("invoices_currency_check")),
        sa.CheckConstraint("discount_type IN ('none', 'percent', 'amount')", name=op.f("invoices_discount_type_check")),
        sa.CheckConstraint(
            "status IN ('draft', 'sent', 'viewed', 'partially_paid', 'paid', 'void')",
            name=op.f("invoices_status_check"),
        ),
        sa.CheckConstraint("period_end >= period_start", name=op.f("invoices_period_check")),
        sa.CheckConstraint("total = subtotal - discount_amount + tax_amount", name=op.f("invoices_total_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "client_id"],
            ["clients.organization_id", "clients.id"],
            name=op.f("invoices_organization_id_client_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "created_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("invoices_organization_id_created_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("invoices_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("invoices_pkey")),
        sa.UniqueConstraint("organization_id", "number", name=op.f("invoices_organization_id_number_key")),
    )
    op.create_index(
        op.f("invoices_organization_id_client_id_created_at_id_idx"),
        "invoices",
        ["organization_id", "client_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("invoices_organization_id_created_at_id_idx"),
        "invoices",
        ["organization_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("invoices_organization_id_issue_date_id_idx"),
        "invoices",
        ["organization_id", "issue_date", "id"],
        unique=False,
    )
    op.create_index(
        op.f("invoices_organization_id_status_created_at_id_idx"),
        "invoices",
        ["organization_id", "status", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("invoices_organization_id_updated_at_id_idx"),
        "invoices",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "payables",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("period_end", sa.Date(), nullable=False),
        sa.Column("tracked_seconds", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("payable_seconds", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("amount", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("amount_paid", sa.Numeric(precision=19, scale=4), server_default=sa.text("0"), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("is_final", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("approved_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("approved_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("source_id", sa.Uuid(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("payables_currency_check")),
        sa.CheckConstraint(
            "kind IN ('hourly', 'fixed', 'overtime', 'leave', 'one_time', 'adjustment')",
            name=op.f("payables_kind_check"),
        ),
        sa.CheckConstraint(
            "status IN ('open', 'approved', 'partially_paid', 'paid', 'void')",
            name=op.f("payables_status_check"),
        ),
        sa.CheckConstraint("period_end >= period_start", name=op.f("payables_period_check")),
        sa.CheckConstraint("tracked_seconds >= 0 AND payable_seconds >= 0", name=op.f("payables_seconds_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "approved_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("payables_organization_id_approved_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("payables_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("payables_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("payables_pkey")),
    )
    op.create_index(
        op.f("payables_organization_id_updated_at_id_idx"),
        "payables",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("payables_organization_id_user_id_created_at_id_idx"),
        "payables",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "payment_settings",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("pay_type", sa.Text(), nullable=False),
        sa.Column("pay_rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("bill_rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("pay_period", sa.Text(), nullable=False),
        sa.Column("period_anchor_date", sa.Date(), nullable=True),
        sa.Column("overtime_enabled", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("overtime_daily_threshold_seconds", sa.Integer(), nullable=True),
        sa.Column("overtime_weekly_threshold_seconds", sa.Integer(), nullable=True),
        sa.Column("overtime_multiplier", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("requires_approval", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("effective_from", sa.Date(), nullable=False),
        sa.Column("effective_to", sa.Date(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("payment_settings_currency_check")),
        sa.CheckConstraint(
            "pay_period IN ('weekly', 'biweekly', 'semimonthly', 'monthly')",
            name=op.f("payment_settings_pay_period_check"),
        ),
        sa.CheckConstraint("pay_type IN ('hourly', 'fixed', 'none')", name=op.f("payment_settings_pay_type_check")),
        sa.CheckConstraint(
            "payment_method IN ('bank_transfer', 'paypal', 'wise', 'payoneer', 'payroll', 'cash', 'other')",
            name=op.f("payment_settings_payment_method_check"),
        ),
        sa.CheckConstraint("effective_to >= effective_from", name=op.f("payment_settings_effective_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("payment_settings_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("payment_settings_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("payment_settings_pkey")),
    )
    op.create_index(
        op.f("payment_settings_organization_id_updated_at_id_idx"),
        "payment_settings",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("payment_settings_organization_id_user_id_effective_from_id_idx"),
        "payment_settings",
        ["organization_id", "user_id", "effective_from", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "hourly_payment_logs",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("period_end", sa.Date(), nullable=False),
        sa.Column("tracked_seconds", sa.BigInteger(), nullable=False),
        sa.Column("paid_seconds", sa.BigInteger(), nullable=False),
        sa.Column("overtime_seconds", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("hourly_rate", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("overtime_rate", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("amount", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("paid_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("paid_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("payable_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("hourly_payment_logs_currency_check")),
        sa.CheckConstraint(
            "payment_method IN ('bank_transfer', 'paypal', 'wise', 'payoneer', 'payroll', 'cash', 'other')",
            name=op.f("hourly_payment_logs_payment_method_check"),
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'processing', 'paid', 'failed', 'cancelled', 'refunded')",
            name=op.f("hourly_payment_logs_status_check"),
        ),
        sa.CheckConstraint("period_end >= period_start", name=op.f("hourly_payment_logs_period_check")),
        sa.CheckConstraint(
            "tracked_seconds >= 0 AND paid_seconds >= 0 AND overtime_seconds >= 0",
            name=op.f("hourly_payment_logs_seconds_check"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "paid_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("hourly_payment_logs_organization_id_paid_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "payable_id"],
            ["payables.organization_id", "payables.id"],
            name=op.f("hourly_payment_logs_organization_id_payable_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("hourly_payment_logs_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("hourly_payment_logs_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("hourly_payment_logs_pkey")),
    )
    op.create_index(
        op.f("hourly_payment_logs_organization_id_updated_at_id_idx"),
        "hourly_payment_logs",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("hourly_payment_logs_organization_id_user_id_created_at_id_idx"),
        "hourly_payment_logs",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "invoice_taxes",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("percent", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("amount", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id", "invoice_id"],
            ["invoices.organization_id", "invoices.id"],
            name=op.f("invoice_taxes_organization_id_invoice_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("invoice_taxes_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("invoice_taxes_pkey")),
    )
    op.create_index(
        op.f("invoice_taxes_organization_id_invoice_id_position_id_idx"),
        "invoice_taxes",
        ["organization_id", "invoice_id", "position", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("invoice_taxes_organization_id_updated_at_id_idx"),
        "invoice_taxes",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "one_time_payment_logs",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("payment_date", sa.Date(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=True),
        sa.Column("period_end", sa.Date(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("paid_at", postgresql.TIMESTAMP(timezone=True, precision=0), nullable=True),
        sa.Column("paid_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("is_taxable", sa.Boolean(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("one_time_payment_logs_currency_check")),
        sa.CheckConstraint(
            "payment_method IN ('bank_transfer', 'paypal', 'wise', 'payoneer', 'payroll', 'cash', 'other')",
            name=op.f("one_time_payment_logs_payment_method_check"),
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'processing', 'paid', 'failed', 'cancelled', 'refunded')",
            name=op.f("one_time_payment_logs_status_check"),
        ),
        sa.CheckConstraint("type <> 'deduction' OR amount <= 0", name=op.f("one_time_payment_logs_deduction_check")),
        sa.CheckConstraint(
            "type IN ('bonus', 'commission', 'reimbursement', 'advance', 'allowance', 'adjustment', 'deduction', 'fixed_salary', 'other')",
            name=op.f("one_time_payment_logs_type_check"),
        ),
        sa.CheckConstraint("period_end >= period_start", name=op.f("one_time_payment_logs_period_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "paid_by_user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("one_time_payment_logs_organization_id_paid_by_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("one_time_payment_logs_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("one_time_payment_logs_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("one_time_payment_logs_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("one_time_payment_logs_pkey")),
    )
    op.create_index(
        op.f("one_time_payment_logs_organization_id_updated_at_id_idx"),
        "one_time_payment_logs",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("one_time_payment_logs_organization_id_user_id_created_at_id_idx"),
        "one_time_payment_logs",
        ["organization_id", "user_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "hourly_payment_lines",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("log_id", sa.Uuid(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("paid_seconds", sa.BigInteger(), nullable=False),
        sa.Column("rate", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("amount", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("paid_seconds >= 0", name=op.f("hourly_payment_lines_seconds_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "log_id"],
            ["hourly_payment_logs.organization_id", "hourly_payment_logs.id"],
            name=op.f("hourly_payment_lines_organization_id_log_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("hourly_payment_lines_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("hourly_payment_lines_organization_id_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("hourly_payment_lines_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("hourly_payment_lines_pkey")),
    )
    op.create_index(
        op.f("hourly_payment_lines_organization_id_log_id_date_id_idx"),
        "hourly_payment_lines",
        ["organization_id", "log_id", "date", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("hourly_payment_lines_organization_id_updated_at_id_idx"),
        "hourly_payment_lines",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "invoice_lines",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("quantity", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("duration_seconds", sa.BigInteger(), nullable=True),
        sa.Column("unit_price", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("amount", sa.Numeric(precision=19, scale=4), nullable=False),
        sa.Column("is_taxed", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("tax_percent", sa.Numeric(precision=19, scale=4), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('time', 'fixed', 'expense', 'other')", name=op.f("invoice_lines_kind_check")),
        sa.CheckConstraint("unit IN ('hour', 'day', 'item')", name=op.f("invoice_lines_unit_check")),
        sa.CheckConstraint("duration_seconds >= 0", name=op.f("invoice_lines_duration_check")),
        sa.ForeignKeyConstraint(
            ["organization_id", "invoice_id"],
            ["invoices.organization_id", "invoices.id"],
            name=op.f("invoice_lines_organization_id_invoice_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "project_id"],
            ["projects.organization_id", "projects.id"],
            name=op.f("invoice_lines_organization_id_project_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "task_id"],
            ["tasks.organization_id", "tasks.id"],
            name=op.f("invoice_lines_organization_id_task_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["members.organization_id", "members.user_id"],
            name=op.f("invoice_lines_organization_id_user_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("invoice_lines_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "id", name=op.f("invoice_lines_pkey")),
    )
    op.create_index(
        op.f("invoice_lines_organization_id_invoice_id_position_id_idx"),
        "invoice_lines",
        ["organization_id", "invoice_id", "position", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("invoice_lines_organization_id_project_id_invoice_id_idx"),
        "invoice_lines",
        ["organization_id", "project_id", "invoice_id"],
        unique=False,
        postgresql_where=sa.text("project_id IS NOT NULL"),
    )
    op.create_index(
        op.f("invoice_lines_organization_id_updated_at_id_idx"),
        "invoice_lines",
        ["organization_id", "updated_at", "id"],
        unique=False,
    )
    for table in (
        "invoices",
        "invoice_lines",
        "invoice_taxes",
        "payment_settings",
        "payables",
        "hourly_payment_logs",
        "hourly_payment_lines",
        "one_time_payment_logs",
    ):
        protect(table)
