"""Indexes by which the changes of a whole organization are found, the usage of an application or a site, and who is in.

With `updated_since`, reports read the changed records and not those of each member. Lists of members need not read
those who left.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

CHANGED = {
    "timesheets": ["started_at", "earlier_from", "earlier_until"],
    "idle_times": ["started_at", "earlier_from", "earlier_until", "timesheet_id"],
    "break_times": ["started_at", "earlier_from", "earlier_until"],
    "activity_slots": ["slot_at", "timesheet_id"],
}
USED = {
    "app_usages": ["organization_id", "app_id", "slot_at"],
    "url_usages": ["organization_id", "domain_id", "slot_at"],
}


def upgrade() -> None:
    for table, included in CHANGED.items():
        columns = ["organization_id", "updated_at"]
        op.create_index(f"{table}_changed_idx", table, columns, unique=False, postgresql_include=["user_id", *included])
    for table, columns in USED.items():
        op.create_index(op.f(f"{table}_{'_'.join(columns)}_idx"), table, columns, unique=False)
    op.create_index(
        "members_present_idx",
        "members",
        ["organization_id", "created_at", "user_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL AND removed_at IS NULL"),
    )
