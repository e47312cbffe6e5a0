"""What the tests of operators' commands share: the owner's connection, and an organization."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.admin.migrate import connect
from tests.factories.rows import Rows


@pytest.fixture
def owner(owner_url: str) -> Iterator[Connection]:
    """What operators work through. Rolled back, so that the next test finds the keys of none."""
    with connect(owner_url).connect() as connection:
        yield connection


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()
