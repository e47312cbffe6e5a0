"""The organization of a transaction, which row-level security compares with each row."""

from uuid import UUID

from sqlalchemy import Connection

from db.reading.transaction import PROPAGATED_SETTINGS


def use_organization(connection: Connection, organization_id: UUID) -> None:
    """Set the transaction's organization, which need not exist yet.

    Where tables are distributed, SET LOCAL goes to the other nodes of the cluster as well, and `set_config()` does not.
    """
    connection.exec_driver_sql("SELECT set_config('citus.propagate_set_commands', 'local', true)")
    connection.exec_driver_sql(f"SET LOCAL app.organization_id = '{UUID(str(organization_id))}'")


def set_on_all_nodes(connection: Connection) -> None:
    """Set, after `use_organization`, what the texts and the speed of reads depend on, on the other nodes as well."""
    for name, value in PROPAGATED_SETTINGS.items():
        connection.exec_driver_sql(f"SET LOCAL {name} = {value}")
