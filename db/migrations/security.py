"""Row-level security, the second check of tenancy, in revisions after the baseline."""

from alembic import op

# current_setting() is '' and not null once a transaction that set it has ended, and ''::uuid is an error. Without an
# organization the function raises an error that says so (db/admin/functions.sql); with one it is not called.
OWN = (
    "organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())"
)


def protect(table: str) -> None:
    """Enable row-level security on `table`, for its owner too: only rows of one organization are visible."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON {table} USING ({OWN})")
