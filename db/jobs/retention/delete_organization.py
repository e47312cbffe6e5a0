"""Deletion of an organization: all its rows are deleted in batches, and what has references before what they point to.

Each batch is a transaction. The row of the organization is the last one: a run that ended early is repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Connection, Table, text
from sqlalchemy.exc import IntegrityError

from db.admin.keys import set_organization
from db.admin.organizations import read_organization
from db.errors import OperatorError
from db.jobs.retention.stored_objects import StoredObject, object_columns, stored_objects
from db.tables.areas import metadata
from db.tables.keys import api_keys
from db.tables.people import OrganizationStatus, organizations

DELETED_TABLES = [table for table in reversed(metadata.sorted_tables) if "organization_id" in table.columns]
"""All tables with rows of an organization, referring ones first: `organizations` is the last one."""


def delete_organization(
    connection: Connection,
    organization_id: UUID,
    name: str,
    *,
    list_objects: Callable[[Sequence[StoredObject]], object],
    batch_rows: int,
    progress: Callable[[int], object] = lambda _: None,
    counts: dict[str, int] | None = None,
) -> Mapping[str, int]:
    """Delete the rows of a suspended organization of this name, and return their numbers by table.

    `list_objects` gets the stored objects of a batch before that is committed. Internal tokens no longer name it.
    `counts` gets the numbers of a deletion that ends early, too.
    Raises AccessError for an unknown organization, and OperatorError.
    """
    with connection.begin():
        stored = read_organization(connection, organization_id)
    if stored["name"] != name:
        raise OperatorError(f"The organization {organization_id} has another name: give it with --name.")
    if stored["status"] != OrganizationStatus.suspended.value:
        raise OperatorError("The organization is not suspended: run orgdata organizations suspend first.")
    counts = {} if counts is None else counts
    try:
        with connection.begin():
            set_organization(connection, organization_id)
            for statement in _references():
                connection.execute(text(statement), {"organization": organization_id})
        for table in DELETED_TABLES:
            deleted = batch_rows
            while deleted == batch_rows:
                with connection.begin():
                    set_organization(connection, organization_id)
                    # Otherwise the check of a reference may scan the rows of all organizations, once for each row.
                    connection.execute(text("SET LOCAL enable_seqscan = off"))
                    values = {"organization": organization_id, "rows": batch_rows}
                    rows = connection.execute(text(_batch(table)), values).all()
                    objects = stored_objects(table, rows)
                    if objects:
                        list_objects(objects)
                deleted = len(rows)
                counts[table.name] = counts.get(table.name, 0) + deleted
                progress(deleted)
            if counts[table.name] > batch_rows:
                _vacuum(connection, table)
    except IntegrityError as error:
        raise OperatorError("Rows were written meanwhile: stop the writers, and run the command again.") from error
    return {table: count for table, count in counts.items() if count}


def _vacuum(connection: Connection, table: Table) -> None:
    """Remove the index entries of deleted rows: the check of a reference to another row reads them all until then."""
    with connection.engine.connect() as own:
        own.execution_options(isolation_level="AUTOCOMMIT")
        # TRUNCATE would lock out readers. INDEX_CLEANUP AUTO may skip the indexes.
        own.execute(text(f"VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) {table.name}"))


def _references() -> list[str]:
    """Statements by which tokens forget the organization, and rows those of their own table: batches have no order."""
    own = "organization_id = :organization"
    named_by = (
        "organization_ids = array_remove(organization_ids, :organization) WHERE :organization = ANY (organization_ids)"
    )
    forgotten = [
        f"UPDATE {table.name} SET {key.column_keys[-1]} = NULL WHERE {own} AND {key.column_keys[-1]} IS NOT NULL"
        for table in DELETED_TABLES
        for key in table.foreign_key_constraints
        if key.referred_table is table
    ]
    return [f"UPDATE {api_keys.name} SET {named_by}", *forgotten]


def _batch(table: Table) -> str:
    """Deletes `rows` rows, and returns their ids with the keys of their stored objects."""
    own = f"FROM {table.name} WHERE organization_id = :organization"
    returned = ", ".join([table.primary_key.columns.keys()[-1], *object_columns(table)])
    return f"DELETE {own} AND ctid = ANY (ARRAY(SELECT ctid {own} LIMIT :rows)) RETURNING {returned}"


assert DELETED_TABLES[-1] is organizations, "all others refer to it"
