"""Deletion of an organization: nothing of it is left, and nothing of others changes."""

from collections.abc import Iterator
from functools import partial
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Connection, Row, text

from db.admin.engine import connect
from db.admin.keys import AccessError, Grant, create_key
from db.admin.organizations import set_status
from db.errors import OperatorError
from db.jobs.retention.delete_organization import DELETED_TABLES, delete_organization
from db.jobs.retention.stored_objects import StoredObject
from db.sample.embedded.server import Server
from db.tables.people import OrganizationStatus
from db.values.purpose import Purpose
from tests.factories.rows import Rows
from tests.factories.world import SIZE
from tests.helpers.databases import superuser_of
from tests.world import build

MENTIONS = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
"""


@pytest.fixture
def connection(own_url: str) -> Iterator[Connection]:
    with connect(own_url).connect() as connection:
        yield connection


def suspend(connection: Connection, own: UUID) -> None:
    with connection.begin():
        set_status(connection, own, OrganizationStatus.suspended)


def stored(connection: psycopg.Connection) -> dict[str, list[str]]:
    """The rows of every table of the catalogue, as text."""
    texts = sql.SQL("SELECT t::text FROM {} t ORDER BY 1")
    return {
        table: [row for (row,) in connection.execute(texts.format(sql.Identifier(table)))]
        for (table,) in connection.execute(MENTIONS)
    }


def test_all_own_rows_go_and_others_stay(server: Server, own_url: str, database: Rows, connection: Connection) -> None:
    other = build(database, "B").organization_id
    with connection.begin():
        expires = text("SELECT now() + interval '1 day'")
        token = Grant(Purpose.internal, organization_ids=[other], expires_at=connection.scalar(expires), label="team")
        create_key(connection, token)
    with superuser_of(server, own_url) as superuser:
        before = stored(superuser)
    own = build(database, "A").organization_id
    database.member(own, manager_user_id=database.member(own))
    with connection.begin():
        named = "UPDATE api_keys SET organization_ids = organization_ids || :own WHERE purpose = 'internal'"
        connection.execute(text(named), {"own": own})
    suspend(connection, own)
    listed: list[StoredObject] = []
    counts = delete_organization(connection, own, "A-organization", list_objects=listed.extend, batch_rows=3)
    assert set(counts) == {table.name for table in DELETED_TABLES} - {"quota_overrides", "erasures"}
    assert counts["screenshots"] == SIZE
    assert {each.column for each in listed if each.table == "screenshots"} == {"object_key"}
    with superuser_of(server, own_url) as superuser:
        after = stored(superuser)
    assert [row for table in after.values() for row in table if str(own) in row] == []
    assert after == before


def test_other_name_and_active_organization_are_refused(database: Rows, connection: Connection) -> None:
    own = database.organization(name="Acme")
    delete = partial(delete_organization, connection, own, list_objects=list, batch_rows=5)
    with pytest.raises(OperatorError, match="has another name"):
        delete("Acme ")
    with pytest.raises(OperatorError, match="is not suspended"):
        delete("Acme")
    suspend(connection, own)
    assert delete("Acme") == {"organizations": 1}
    with pytest.raises(AccessError, match="There is no organization"):
        delete("Acme")


def test_interrupted_deletion_is_repeated(database: Rows, connection: Connection) -> None:
    own = build(database, "A").organization_id
    suspend(connection, own)

    def interrupt(count: int) -> None:
        if count:
            raise KeyboardInterrupt

    delete = partial(delete_organization, connection, own, "A-organization", list_objects=list, batch_rows=2)
    counts: dict[str, int] = {}
    with pytest.raises(KeyboardInterrupt):
        delete(progress=interrupt, counts=counts)
    assert sum(counts.values()) == 2, "the rows of the first batch"
    assert delete()["organizations"] == 1


def test_rows_that_reference_deleted_ones_are_found_by_index(database: Rows, connection: Connection) -> None:
    own = build(database, "A").organization_id
    suspend(connection, own)
    before = scans(connection)
    delete_organization(connection, own, "A-organization", list_objects=list, batch_rows=2)
    after = scans(connection)
    assert (after.seq_scan, after.vacuum_count) == (before.seq_scan, before.vacuum_count + 1)


def scans(connection: Connection) -> Row[tuple[int, int]]:
    """How often all usage was read, and how often the entries of deleted rows were removed from its indexes."""
    with connection.begin():
        connection.execute(text("SELECT pg_stat_force_next_flush()"))
    with connection.begin():
        statement = "SELECT seq_scan, vacuum_count FROM pg_stat_user_tables WHERE relname = 'app_usages'"
        return connection.execute(text(statement)).one()
