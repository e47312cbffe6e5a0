"""Columns that remember where a row was before it moved, and when what reports show of it changed; indexes of both.

Reports with `updated_since` look for them. What moved before this migration is not remembered. Rows that are not final
yet get indexes of their own.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

# The tables of records that move, with the column of the start and the condition of rows that are not final.
MOVED = {
    "timesheets": ("started_at", "ended_at IS NULL"),
    "idle_times": ("started_at", "action = 'pending'"),
    "break_times": ("started_at", "ended_at IS NULL"),
    "clock_records": ("clock_in_at", "clock_out_at IS NULL"),
    "manual_requests": ("started_at", "status = 'pending'"),
}
SHOWN = ("clients", "projects", "tasks", "apps", "domains", "url_pages")


def index(table: str, columns: list[str], where: str | None = None, include: list[str] | None = None) -> None:
    columns = ["organization_id", *columns]
    condition = None if where is None else sa.text(where)
    name = op.f(f"{table}_{'_'.join(columns)}_idx")
    op.create_index(name, table, columns, unique=False, postgresql_where=condition, postgresql_include=include)


def upgrade() -> None:
    for table, (start, is_open) in MOVED.items():
        for column in ("earlier_from", "earlier_until"):
            op.add_column(table, sa.Column(column, TIMESTAMP(timezone=True, precision=0), nullable=True))
        op.add_column(table, sa.Column("earlier_user_ids", ARRAY(sa.Uuid()), nullable=True))
        index(table, ["user_id", "updated_at"], "earlier_from IS NOT NULL", ["earlier_from", "earlier_until"])
        index(table, ["updated_at"], "earlier_user_ids IS NOT NULL")
        op.create_index(
            f"{table}_unfinished_idx",
            table,
            ["organization_id", "user_id", start],
            unique=False,
            postgresql_where=sa.text(f"{is_open} AND deleted_at IS NULL"),
        )
    changes = ["user_id", "updated_at", "started_at"]
    op.drop_index(op.f(f"timesheets_organization_id_{'_'.join(changes)}_idx"), table_name="timesheets")
    index("timesheets", changes, include=["earlier_from", "earlier_until"])
    op.create_index(
        "clock_records_changes_idx", "clock_records", ["organization_id", "user_id", "updated_at", "clock_in_at"]
    )
    index("activity_slots", ["user_id", "updated_at", "slot_at"])
    for table in ("organizations", *SHOWN):
        op.add_column(table, sa.Column("report_changed_at", sa.DateTime(timezone=True), nullable=True))
    for table in SHOWN:
        index(table, ["report_changed_at"], "report_changed_at IS NOT NULL")
    for column in ("earlier_joined_at", "earlier_removed_at"):
        op.add_column("members", sa.Column(column, TIMESTAMP(timezone=True, precision=0), nullable=True))
