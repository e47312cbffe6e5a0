"""Readers find the deleted rows to which others belong by an index of their own."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

KEYS = {
    "members": "user_id",
    "teams": "id",
    "projects": "id",
    "tasks": "id",
    "leave_types": "id",
    "leave_policies": "id",
    "leave_periods": "id",
}


def upgrade() -> None:
    for table, key in KEYS.items():
        columns = ["organization_id", key]
        op.create_index(f"{table}_deleted_idx", table, columns, postgresql_where="deleted_at IS NOT NULL")
