"""Indexes that no statement read are dropped; intervals get one by person and change; members of reports are counted
without reading their rows.

Most intervals have no list that takes `updated_since`: the index by person and change replaces the one by change.
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

UNREAD = [
    ("apps", "organization_id_updated_at_id_idx"),
    ("domains", "organization_id_updated_at_id_idx"),
    ("url_pages", "organization_id_updated_at_id_idx"),
    ("screenshots", "organization_id_updated_at_id_idx"),
    ("payment_settings", "organization_id_updated_at_id_idx"),
    ("leave_application_days", "organization_id_updated_at_id_idx"),
    ("hourly_payment_lines", "organization_id_updated_at_id_idx"),
    ("invoice_lines", "organization_id_updated_at_id_idx"),
    ("invoice_taxes", "organization_id_updated_at_id_idx"),
    ("task_members", "organization_id_created_at_id_idx"),
    ("team_members", "organization_id_created_at_id_idx"),
    ("members", "email_idx"),
    ("members", "full_name_idx"),
]
INTERVALS = ("timesheets", "idle_times", "break_times", "manual_requests")
INCLUDED = {"timesheets": ["ended_at", "tracked_until"]}


def upgrade() -> None:
    for table, name in UNREAD:
        op.drop_index(op.f(f"{table}_{name}"), table_name=table)
    for table in INTERVALS:
        columns = ["organization_id", "user_id", "updated_at", "started_at"]
        name = op.f(f"{table}_{'_'.join(columns)}_idx")
        op.create_index(name, table, columns, unique=False, postgresql_include=INCLUDED.get(table))
        if table != "manual_requests":
            op.drop_index(op.f(f"{table}_organization_id_updated_at_id_idx"), table_name=table)
    op.drop_index("members_scope_idx", table_name="members")
    op.create_index(
        "members_scope_idx",
        "members",
        ["organization_id", "first_joined_at", "removed_at"],
        unique=False,
        postgresql_include=["created_at", "user_id"],
        postgresql_where="deleted_at IS NULL",
    )
