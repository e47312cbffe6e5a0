"""Row-level security, the second check of tenancy: the policies that migrations create."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from alembic import op

# current_setting() is '' and not null once a transaction that set it has ended, and ''::uuid is an error. Without an
# organization the function raises an error that says so (db.admin.functions); with one it is not called.
OWN = (
    "organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid, organization_not_set())"
)


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


@contextmanager
def all_organizations(tables: Iterable[str]) -> Iterator[None]:
    """Show the owner the rows of all organizations, to check and to correct them within a migration.

    A new foreign key is checked by a query, too: with row-level security forced it would check no row.
    """
    for table in tables:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    yield
    for table in tables:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
