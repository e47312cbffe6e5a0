"""Indexes of usage by person and change, for reports that are polled with `updated_since`."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COLUMNS = ["organization_id", "user_id", "updated_at", "slot_at"]


def upgrade() -> None:
    for table in ("app_usages", "url_usages"):
        op.create_index(op.f(f"{table}_organization_id_user_id_updated_at_slot_at_idx"), table, COLUMNS, unique=False)
