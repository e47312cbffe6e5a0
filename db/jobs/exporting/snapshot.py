"""The snapshot of an export: one transaction of the service's role, which sees the rows of one organization."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Engine, text

from db.admin.keys import set_organization
from db.admin.migrate import require_head
from db.admin.tenant import set_on_all_nodes
from db.jobs.distribution.image import is_distributed
from db.reading.transaction import SET_ORGANIZATION_ID, transaction_start

# A change is visible when its transaction has ended, with an earlier `updated_at`. So the changes of transactions that
# write now are left to the next export. The server shows those of this role; to a superuser, all.
# A replica shows neither those of its primary nor what it has not replayed: nothing is settled there.
SETTLED = """
SELECT least(clock_timestamp(), min(xact_start), CASE WHEN pg_is_in_recovery() THEN timestamptz '1900-01-01Z' END)
FROM {activity}
WHERE datname = current_database() AND backend_xid IS NOT NULL
"""


@dataclass(frozen=True)
class Snapshot:
    connection: Connection
    organization_id: UUID
    schema_version: str
    at: datetime
    settled_at: datetime
    """Every change before this time is in the snapshot."""


@contextmanager
def snapshot_of(engine: Engine, organization_id: UUID) -> Iterator[Snapshot]:
    """The database now. Raises OperatorError, also for an unknown organization."""
    with engine.connect() as connection:
        # Where tables are distributed, rows are written by transactions of all nodes.
        activity = "citus_stat_activity" if is_distributed(connection) else "pg_stat_activity"
        settled_at = connection.execute(text(SETTLED.format(activity=activity))).scalar_one()
        version = require_head(connection)
        connection.rollback()
        connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        set_organization(connection, organization_id)
        settings = transaction_start(SET_ORGANIZATION_ID, statement_timeout=0)
        connection.exec_driver_sql(settings, {"organization_id": str(organization_id)})
        set_on_all_nodes(connection)
        at = connection.execute(text("SELECT transaction_timestamp()")).scalar_one()
        yield Snapshot(connection, organization_id, version, at, settled_at)
