"""A world that the tests of polling share: each edits it in a transaction that is rolled back."""

from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import Connection

from db.admin.engine import connect
from tests.factories.rows import Rows
from tests.polling.asking import OpenTransaction
from tests.polling.column_edits import Editor
from tests.polling.edited import Beginning, EditedClient
from tests.world import World, build


@pytest.fixture(scope="package")
def world(rows: Rows) -> World:
    return build(rows, "P")


@pytest.fixture(scope="package")
def connection(owner_url: str) -> Iterator[Connection]:
    with connect(owner_url).connect() as connection:
        yield connection


@pytest.fixture(scope="package")
def beginning(world: World) -> Beginning:
    return Beginning(world)


@pytest.fixture(scope="package")
def transaction(connection: Connection, world: World) -> OpenTransaction:
    return OpenTransaction(connection, world.organization_id)


@pytest.fixture
async def poller(
    connection: Connection, transaction: OpenTransaction, beginning: Beginning
) -> AsyncIterator[EditedClient]:
    """A client of the world, whose edits are rolled back."""
    client = EditedClient(transaction, Editor(connection, beginning.world), beginning)
    await beginning.begin(client)
    yield client
    connection.rollback()
