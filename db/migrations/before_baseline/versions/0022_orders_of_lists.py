"""Indexes by which lists of small tables are sorted: text by code points, null after every value."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

BY_CODE_POINT = '({} COLLATE "C")'
DATE = "(CASE WHEN ({0} IS NULL) THEN '9999-12-31' ELSE {0} END)"
TIME = "(CASE WHEN ({0} IS NULL) THEN '9999-12-31Z' ELSE {0} END)"

ORDERS = {
    ("members", "user_id"): {"full_name": BY_CODE_POINT, "joined_at": TIME},
    ("teams", "id"): {"name": BY_CODE_POINT},
    ("clients", "id"): {"name": BY_CODE_POINT},
    ("projects", "id"): {"name": BY_CODE_POINT, "due_date": DATE},
    ("tasks", "id"): {"due_date": DATE},
    ("invoices", "id"): {"due_date": DATE},
    ("leave_applications", "id"): {"start_date": "{}"},
}


def upgrade() -> None:
    for (table, key), columns in ORDERS.items():
        for column, expression in columns.items():
            op.create_index(
                f"{table}_by_{column}_idx",
                table,
                ["organization_id", sa.literal_column(expression.format(column)), key],
                unique=False,
                postgresql_where=sa.text("deleted_at IS NULL"),
            )
