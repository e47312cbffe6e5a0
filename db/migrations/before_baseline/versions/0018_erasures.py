"""The record of erasures: when a person's data was erased, and how many rows changed."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import protect

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "erasures",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("row_counts", postgresql.JSONB(), nullable=False),
        sa.Column("object_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("erasures_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("organization_id", "user_id", "erased_at", name=op.f("erasures_pkey")),
    )
    protect("erasures")
