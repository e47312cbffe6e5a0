"""Deleted screenshots are found by person and time, so that they are dropped with the others that are too old."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    columns = ["organization_id", "user_id", "captured_at"]
    op.create_index("screenshots_deleted_idx", "screenshots", columns, postgresql_where="deleted_at IS NOT NULL")
