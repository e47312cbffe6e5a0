"""Row-level security, the second check of tenancy: the policies that migrations create."""

from alembic import op

# current_setting() is '' and not null once a transaction that set it has ended, and ''::uuid is an error.
OWN = "organization_id = nullif(current_setting('app.organization_id', true), '')::uuid"


def protect(table: str, condition: str = OWN) -> None:
    """Enable row-level security on `table`, for its owner too: only rows that meet `condition` are visible."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON {table} USING ({condition})")


def administer(table: str) -> None:
    """Let the owner, and no other role, see all rows of a table that operators administer."""
    op.execute(f"CREATE POLICY owner ON {table} TO CURRENT_USER USING (true)")


def list_all(table: str) -> None:
    """Let the owner, and no other role, read all rows of a table. It changes only those of its transaction."""
    op.execute(f"CREATE POLICY owner ON {table} FOR SELECT TO CURRENT_USER USING (true)")
