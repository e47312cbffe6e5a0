"""Keys and quota overrides."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from db.migrations.security import administer, protect

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("organization_ids", postgresql.ARRAY(sa.Uuid()), nullable=True),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=True),
        sa.Column("label", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(purpose = 'internal') = (organization_id IS NULL)", name=op.f("api_keys_organization_check")
        ),
        sa.CheckConstraint("(purpose = 'mcp') = (scopes IS NOT NULL)", name=op.f("api_keys_scopes_check")),
        sa.CheckConstraint(
            "purpose <> 'internal' OR expires_at IS NOT NULL", name=op.f("api_keys_internal_expires_check")
        ),
        sa.CheckConstraint("purpose IN ('partner', 'mcp', 'internal')", name=op.f("api_keys_purpose_check")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.organization_id"], name=op.f("api_keys_organization_id_fkey")
        ),
        sa.PrimaryKeyConstraint("public_id", name=op.f("api_keys_pkey")),
    )
    op.create_table(
        "quota_overrides",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("resource_group", sa.Text(), nullable=False),
        sa.Column("request_limit", sa.Integer(), nullable=False),
        sa.CheckConstraint("request_limit > 0", name=op.f("quota_overrides_request_limit_check")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.organization_id"],
            name=op.f("quota_overrides_organization_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "resource_group", name=op.f("quota_overrides_pkey")),
    )
    protect("quota_overrides")
    protect("api_keys", "public_id = current_setting('app.public_id', true)")
    administer("quota_overrides")
    administer("api_keys")
