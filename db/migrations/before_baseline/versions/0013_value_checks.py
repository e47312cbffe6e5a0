"""Values that readers cannot answer with are refused: infinite times, negative counts, NaN, JSON without its keys.

Corrected are: missing or malformed features (enabled) and retentions (their defaults), the times of joining of members
who are not invited. Other rows that break a rule stop the migration.
"""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from db.migrations.existing_rows import Rule, require
from db.migrations.security import all_organizations

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

TIMES = {
    "activity_slots": "slot_at created_at updated_at deleted_at",
    "app_usages": "slot_at first_at last_at created_at updated_at deleted_at",
    "apps": "created_at updated_at deleted_at",
    "break_times": "started_at ended_at created_at updated_at deleted_at",
    "clients": "archived_at created_at updated_at deleted_at",
    "clock_records": "clock_in_at clock_out_at scheduled_start_at scheduled_end_at created_at updated_at deleted_at",
    "domains": "created_at updated_at deleted_at",
    "hourly_payment_lines": "created_at updated_at deleted_at",
    "hourly_payment_logs": "paid_at created_at updated_at deleted_at",
    "idle_times": "started_at ended_at created_at updated_at deleted_at",
    "invoice_lines": "created_at updated_at deleted_at",
    "invoice_taxes": "created_at updated_at deleted_at",
    "invoices": "sent_at viewed_at paid_at voided_at created_at updated_at deleted_at",
    "leave_application_days": "created_at updated_at deleted_at",
    "leave_applications": "started_at ended_at applied_at reviewed_at cancelled_at created_at updated_at deleted_at",
    "leave_assignments": "created_at updated_at deleted_at",
    "leave_balances": "created_at updated_at deleted_at",
    "leave_periods": "created_at updated_at deleted_at",
    "leave_policies": "created_at updated_at deleted_at",
    "leave_types": "created_at updated_at deleted_at",
    "manual_requests": "started_at ended_at original_started_at original_ended_at"
    " requested_at reviewed_at created_at updated_at deleted_at",
    "members": "first_joined_at joined_at removed_at last_tracked_at created_at updated_at deleted_at",
    "one_time_payment_logs": "paid_at created_at updated_at deleted_at",
    "organizations": "created_at updated_at deleted_at",
    "payables": "approved_at created_at updated_at deleted_at",
    "payment_settings": "created_at updated_at deleted_at",
    "project_members": "joined_at removed_at created_at updated_at deleted_at",
    "projects": "completed_at archived_at created_at updated_at deleted_at",
    "screenshots": "captured_at created_at updated_at deleted_at",
    "suspicious_activity_logs": "started_at ended_at reviewed_at created_at updated_at deleted_at",
    "task_members": "assigned_at created_at updated_at deleted_at",
    "tasks": "completed_at created_at updated_at deleted_at",
    "team_members": "joined_at created_at updated_at deleted_at",
    "teams": "created_at updated_at deleted_at",
    "timesheets": "started_at ended_at tracked_until created_at updated_at deleted_at",
    "url_pages": "created_at updated_at deleted_at",
    "url_usages": "slot_at first_at last_at created_at updated_at deleted_at",
}

DATES = {
    "hourly_payment_lines": "date",
    "hourly_payment_logs": "period_start period_end",
    "invoices": "issue_date due_date period_start period_end",
    "leave_application_days": "date",
    "leave_applications": "start_date end_date",
    "leave_assignments": "effective_from effective_to",
    "leave_balances": "as_of",
    "leave_periods": "start_date end_date",
    "members": "hired_on left_on",
    "one_time_payment_logs": "payment_date period_start period_end",
    "payables": "period_start period_end due_date",
    "payment_settings": "period_anchor_date effective_from effective_to",
    "projects": "start_date due_date",
    "tasks": "start_date due_date",
}

INTEGERS = {
    "activity_slots": "input_seconds active_seconds keyboard_seconds mouse_seconds",
    "app_usages": "duration_seconds active_seconds sessions_count",
    "clients": "net_terms_days budget_seconds",
    "hourly_payment_lines": "paid_seconds",
    "hourly_payment_logs": "tracked_seconds paid_seconds overtime_seconds",
    "invoice_lines": "position duration_seconds",
    "invoice_taxes": "position",
    "leave_application_days": "duration_seconds",
    "leave_applications": "duration_seconds",
    "leave_policies": "waiting_period_days min_notice_days day_length_seconds",
    "members": "weekly_limit_seconds expected_weekly_seconds",
    "payables": "tracked_seconds payable_seconds",
    "payment_settings": "overtime_daily_threshold_seconds overtime_weekly_threshold_seconds",
    "project_members": "budget_seconds",
    "projects": "budget_seconds tracked_seconds_total",
    "screenshots": "screen_index width height size_bytes activity_percent",
    "suspicious_activity_logs": "confidence_percent deducted_seconds",
    "tasks": "number estimate_seconds",
    "timesheets": "input_seconds active_seconds keyboard_seconds mouse_seconds",
    "url_usages": "duration_seconds active_seconds visits_count",
}

DECIMALS = {
    "clients": "budget_amount",
    "hourly_payment_lines": "rate amount",
    "hourly_payment_logs": "hourly_rate overtime_rate amount",
    "invoice_lines": "quantity unit_price amount tax_percent",
    "invoice_taxes": "percent amount",
    "invoices": "subtotal discount_value discount_amount tax_amount total amount_paid",
    "leave_application_days": "amount",
    "leave_applications": "amount",
    "leave_assignments": "entitlement",
    "leave_balances": "entitled accrued carried_over adjusted used pending expired",
    "leave_policies": "entitlement accrual_amount accrual_cap carry_over_max max_negative max_consecutive",
    "one_time_payment_logs": "amount",
    "payables": "rate amount amount_paid",
    "payment_settings": "pay_rate bill_rate overtime_multiplier",
    "project_members": "pay_rate bill_rate",
    "projects": "bill_rate fixed_amount budget_amount",
}

FEATURES = ["screenshots", "app_tracking", "url_tracking", "clock_in_out", "invoicing", "payroll", "leave"]
RETENTION = ["screenshots", "app_usage", "url_usage"]

DEFAULTS = {
    "features": '{"screenshots": true, "app_tracking": true, "url_tracking": true, "clock_in_out": true, '
    '"invoicing": true, "payroll": true, "leave": true}',
    "data_retention_days": '{"screenshots": 180, "app_usage": 365, "url_usage": 365}',
}

DEGREES = '"^-?[0-9]+([.][0-9]+)?$"'
NOT_A_PLACE = (
    '$ ? (@.latitude.type() != "string" || @.longitude.type() != "string"'
    f" || !exists(@.latitude ? (@ like_regex {DEGREES})) || !exists(@.longitude ? (@ like_regex {DEGREES}))"
    ' || @.label.type() != "string" && @.label.type() != "null" || @.accuracy_meters.type() != "null"'
    " && !exists(@.accuracy_meters ? (@.floor() == @ && @ >= 0 && @ < 2147483648)))"
)
SECONDS = ["keyboard_seconds", "mouse_seconds", "active_seconds", "tracked_seconds"]
NOT_EVIDENCE = (
    '$ ? (exists(@.app_names[*] ? (@.type() != "string")) || exists(@.screenshot_ids[*] ? (@.type() != "string"'
    ' || !(@ like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")))'
    + "".join(f' || @.{key}.type() != "array" && @.{key}.type() != "null"' for key in ("app_names", "screenshot_ids"))
    + "".join(f' || @.{key}.type() != "number" && @.{key}.type() != "null"' for key in SECONDS)
    + ")"
)
JSON_PATHS = [
    ("members", "custom_fields", "are_strings", 'strict $.* ? (@.type() != "string")'),
    ("clients", "address", "are_strings", 'strict $.* ? (@.type() != "string" && @.type() != "null")'),
    ("clock_records", "clock_in_location", "is_place", NOT_A_PLACE),
    ("clock_records", "clock_out_location", "is_place", NOT_A_PLACE),
    ("suspicious_activity_logs", "evidence", "is_known", NOT_EVIDENCE),
]


def checks() -> Iterator[tuple[str, str, str, str]]:
    """Table, shown column, name and condition of each constraint."""
    for table, columns in TIMES.items():
        times = columns.replace(" ", ", ")
        between = f"least({times}) >= '1900-01-01Z' AND greatest({times}) < '3000-01-01Z'"
        yield table, times, "years_1900_to_2999", between
    for table, columns in DATES.items():
        dates = columns.replace(" ", ", ")
        between = f"least({dates}) >= '1900-01-01' AND greatest({dates}) <= '9999-12-31'"
        yield table, dates, "years_1900_to_9999", between
    for table, columns in INTEGERS.items():
        integers = columns.replace(" ", ", ")
        yield table, integers, "zero_or_more", f"least({integers}) >= 0"
    for table, columns in DECIMALS.items():
        decimals = columns.replace(" ", ", ")
        yield table, decimals, "without_nan", f"greatest({decimals}) < 'NaN'"
    for table, array in (("clients", "invoice_emails"), ("tasks", "labels")):
        flat = f"CASE WHEN array_ndims({array}) > 1 THEN false ELSE array_position({array}, NULL) IS NULL END"
        yield table, array, f"{array}_without_null", flat
    for key in FEATURES:
        condition = f"(jsonb_typeof(features -> '{key}') = 'boolean') IS TRUE"
        yield "organizations", "features", f"features_{key}_is_boolean", condition
    for key in RETENTION:
        days = f"(data_retention_days -> '{key}')"
        condition = (
            f"CASE WHEN jsonb_typeof({days}) = 'number'"
            f" THEN {days}::numeric BETWEEN 0 AND 36500 AND {days}::numeric % 1 = 0 ELSE false END"
        )
        yield "organizations", "data_retention_days", f"data_retention_days_{key}_is_days", condition
    for table, column, name, wrong in JSON_PATHS:
        condition = f"jsonb_typeof({column}) = 'object' AND NOT jsonb_path_exists({column}, '{wrong}')"
        yield table, column, f"{column}_{name}", condition
    yield "members", "status", "joined_at", "status NOT IN ('active', 'suspended') OR joined_at IS NOT NULL"
    yield (
        "members",
        "first_joined_at",
        "first_joined_at",
        "joined_at IS NULL OR (first_joined_at <= joined_at) IS TRUE",
    )
    yield "clock_records", "scheduled_end_at", "scheduled", "scheduled_end_at > scheduled_start_at"
    yield "screenshots", "size_bytes", "size_bytes", "size_bytes < 2147483648"


def upgrade() -> None:
    with all_organizations(sorted(TIMES)):
        correct()
        require(
            Rule(table, columns, f"NOT ({condition})", f"the rule {name} holds")
            for table, columns, name, condition in checks()
        )
    for table, _, name, condition in checks():
        op.create_check_constraint(op.f(f"{table}_{name}_check"), table, condition)
    for column, default in DEFAULTS.items():
        op.alter_column("organizations", column, server_default=default, existing_type=JSONB())


def correct() -> None:
    """Complete what has an obvious value."""
    kept = {
        "features": "jsonb_typeof(value) = 'boolean'",
        "data_retention_days": "CASE WHEN jsonb_typeof(value) = 'number'"
        " THEN value::numeric BETWEEN 0 AND 36500 AND value::numeric % 1 = 0 ELSE false END",
    }
    for column, is_kept in kept.items():
        valid = " AND ".join(condition for _, shown, _, condition in checks() if shown == column)
        known = f"CASE jsonb_typeof({column}) WHEN 'object' THEN {column} ELSE '{{}}' END"
        op.execute(
            sa.text(
                f"UPDATE organizations SET {column} = CAST(:default AS jsonb) || coalesce((SELECT"
                f" jsonb_object_agg(key, value) FROM jsonb_each({known}) WHERE {is_kept}), '{{}}'),"
                f" updated_at = statement_timestamp() WHERE NOT ({valid})"
            ).bindparams(default=DEFAULTS[column])
        )
    op.execute(
        "UPDATE members SET joined_at = coalesce(first_joined_at, date_trunc('second', created_at)),"
        " updated_at = statement_timestamp() WHERE status IN ('active', 'suspended') AND joined_at IS NULL"
    )
    op.execute(
        "UPDATE members SET first_joined_at = least(first_joined_at, joined_at), updated_at = statement_timestamp()"
        " WHERE joined_at IS NOT NULL AND NOT (first_joined_at <= joined_at) IS TRUE"
    )
