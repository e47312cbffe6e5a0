"""Fixtures: a connection of the owner, and an organization. Folders and modules may have others of these names."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.admin.engine import connect
from tests.factories.rows import Rows


@pytest.fixture(scope="session")
def owner_session(owner_url: str) -> Iterator[Connection]:
    with connect(owner_url).connect() as connection:
        yield connection


@pytest.fixture
def owner(owner_session: Connection) -> Iterator[Connection]:
    """A connection of the owner. What a test does not commit is rolled back.

    All tests have the same one: its server process knows the tables already, which a new one looks up.
    """
    yield owner_session
    owner_session.rollback()
    with owner_session.begin():
        for command in ("RESET ALL", "RESET ROLE", "DISCARD TEMP"):
            owner_session.exec_driver_sql(command)


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()
