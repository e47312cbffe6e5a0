"""Indexes of payment settings and screenshots by the time of their change, for filters of members by such changes."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TABLES = ("payment_settings", "screenshots")
COLUMNS = ["organization_id", "updated_at", "id"]


def upgrade() -> None:
    for table in TABLES:
        op.create_index(op.f(f"{table}_{'_'.join(COLUMNS)}_idx"), table, COLUMNS, unique=False)
