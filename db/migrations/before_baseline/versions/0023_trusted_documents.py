"""Trusted documents: the GraphQL documents that a team asks for by id, and tokens that are limited to them."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "trusted_documents",
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("operation_name", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("statement_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("team <> ''", name=op.f("trusted_documents_team_check")),
        sa.CheckConstraint("document_id ~ '^sha256:[0-9a-f]{64}$'", name=op.f("trusted_documents_document_id_check")),
        sa.PrimaryKeyConstraint("team", "document_id", name=op.f("trusted_documents_pkey")),
    )
    op.add_column(
        "api_keys", sa.Column("trusted_documents_only", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_check_constraint(
        op.f("api_keys_trusted_documents_only_check"), "api_keys", "purpose = 'internal' OR NOT trusted_documents_only"
    )
