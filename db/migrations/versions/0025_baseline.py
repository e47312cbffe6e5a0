"""The baseline: everything that a database needs, from one frozen SQL file."""

from pathlib import Path

from alembic import op

revision = "0025"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    commands = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # As one message without parameters, in which a percent sign is no placeholder.
    op.get_bind().exec_driver_sql(commands, execution_options={"no_parameters": True})
