"""The owner lists organizations: every row of `organizations` is visible to it, also without an organization set."""

from db.migrations.security import list_all

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    list_all("organizations")
