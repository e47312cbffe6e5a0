"""Indexes by which payables and payments are listed for the whole organization, and sorted."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

DATE = "(CASE WHEN ({0} IS NULL) THEN '9999-12-31' ELSE {0} END)"

ORDERS = {
    "payables": {"period_start": "{}", "due_date": DATE},
    "hourly_payment_logs": {"period_start": "{}"},
    "one_time_payment_logs": {"payment_date": "{}"},
}


def upgrade() -> None:
    for table in "payables", "hourly_payment_logs", "one_time_payment_logs":
        op.create_index(
            op.f(f"{table}_organization_id_created_at_id_idx"),
            table,
            ["organization_id", "created_at", "id"],
            unique=False,
            if_not_exists=True,
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        for column, expression in ORDERS[table].items():
            op.create_index(
                f"{table}_by_{column}_idx",
                table,
                ["organization_id", sa.literal_column(expression.format(column)), "id"],
                unique=False,
                if_not_exists=True,
                postgresql_where=sa.text("deleted_at IS NULL"),
            )
