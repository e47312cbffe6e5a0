"""Fixtures: a connection of the owner, and an organization. Folders and modules may have others of these names."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.admin.engine import connect
from tests.factories.rows import Rows


@pytest.fixture
def owner(owner_url: str) -> Iterator[Connection]:
    """A connection of the owner. What a test does not commit is rolled back."""
    with connect(owner_url).connect() as connection:
        yield connection


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()
