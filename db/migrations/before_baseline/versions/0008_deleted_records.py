"""Indexes of clock records and manual time by start, now with deleted rows: reports on deletions use a range, too."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

INDEXES = {"clock_records": "clock_in_at", "manual_requests": "started_at"}


def upgrade() -> None:
    for table, start in INDEXES.items():
        name = op.f(f"{table}_organization_id_{start}_id_idx")
        op.drop_index(name, table_name=table)
        op.create_index(name, table, ["organization_id", start, "id"], unique=False)
