"""Reference tables of time zones, currencies and countries; times of statements; errors without an organization.

Time zones in other letters ("europe/berlin") and currencies and countries in small letters are corrected. Other names
that the pinned lists lack stop the migration.
"""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from db.admin.reference_lists import add_reference_rows
from db.migrations.existing_rows import Rule, require
from db.migrations.security import OWN, all_organizations

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = """
    activity_slots app_usages apps break_times clients clock_records domains hourly_payment_lines hourly_payment_logs
    idle_times invoice_lines invoice_taxes invoices leave_application_days leave_applications leave_assignments
    leave_balances leave_periods leave_policies leave_types manual_requests members one_time_payment_logs organizations
    payables payment_settings project_members projects screenshots suspicious_activity_logs task_members tasks
    team_members teams timesheets url_pages url_usages
""".split()

PAYMENT_LOGS = ["hourly_payment_logs", "one_time_payment_logs"]

# The column that refers to a reference table, that table and its key, the tables that have the column, and what is
# compared to correct a value.
REFERENCES = [
    ("timezone", "time_zones", "name", "organizations members clients leave_applications", "lower"),
    (
        "currency",
        "currencies",
        "code",
        "organizations clients projects project_members invoices payment_settings payables " + " ".join(PAYMENT_LOGS),
        "upper",
    ),
    ("country", "countries", "code", "organizations", "upper"),
]

WITH_CURRENCY_CHECK = ["invoices", "payment_settings", "payables", *PAYMENT_LOGS]


def upgrade() -> None:
    for _, target, key, _, _ in REFERENCES:
        op.create_table(
            target,
            sa.Column(key, sa.Text(), nullable=False),
            sa.PrimaryKeyConstraint(key, name=op.f(f"{target}_pkey")),
        )
    add_reference_rows(op.get_bind())
    with all_organizations(sorted({table for _, table, _, _ in references()})):
        for column, table, target, key in references():
            fold = {name: fold for name, _, _, _, fold in REFERENCES}[column]
            op.execute(
                f"UPDATE {table} SET {column} = target.{key}, updated_at = statement_timestamp() FROM {target} target"
                f" WHERE {fold}(trim({column})) = {fold}(target.{key}) AND {column} <> target.{key}"
                f" AND NOT EXISTS (SELECT FROM {target} same WHERE same.{key} = {table}.{column})"
            )
        require(
            Rule(
                table,
                column,
                f"NOT EXISTS (SELECT FROM {target} WHERE {key} = {column}) AND {column} IS NOT NULL",
                f"{column} is in the table {target}",
            )
            for column, table, target, key in references()
        )
        for column, table, target, key in references():
            op.create_foreign_key(op.f(f"{table}_{column}_fkey"), table, target, [column], [key])
    for table in WITH_CURRENCY_CHECK:
        op.drop_constraint(op.f(f"{table}_currency_check"), table)
    for table in [*TABLES, "api_keys"]:
        op.alter_column(table, "created_at", server_default=sa.text("statement_timestamp()"))
    for table in TABLES:
        op.alter_column(table, "updated_at", server_default=sa.text("statement_timestamp()"))
    op.alter_column("team_members", "joined_at", server_default=sa.text("statement_timestamp()"))
    for table in [*TABLES, "quota_overrides"]:
        op.execute(f"ALTER POLICY tenant ON {table} USING ({OWN})")


def references() -> Iterator[tuple[str, str, str, str]]:
    """Each column with its table, and the table and key that it refers to."""
    for column, target, key, tables, _ in REFERENCES:
        for table in tables.split():
            yield column, table, target, key
