"""Open clock records get an index: they are listed also if they began long before the range."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "clock_records_open_idx",
        "clock_records",
        ["organization_id", "clock_in_at", "id"],
        unique=False,
        postgresql_where="status = 'open'",
    )
