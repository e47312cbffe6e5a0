"""The organization of a transaction, which row-level security compares with each row."""

from uuid import UUID

from sqlalchemy import Connection


def use_organization(connection: Connection, organization_id: UUID) -> None:
    """Set the transaction's organization, which need not exist yet.

    Where tables are distributed, SET LOCAL goes to the other nodes of the cluster as well, and `set_config()` does not.
    """
    connection.exec_driver_sql("SELECT set_config('citus.propagate_set_commands', 'local', true)")
    connection.exec_driver_sql(f"SET LOCAL app.organization_id = '{UUID(str(organization_id))}'")
