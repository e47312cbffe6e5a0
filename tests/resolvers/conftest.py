"""A database over the shared one, and the round trips of the service."""

from collections.abc import AsyncIterator, Sequence

import pytest

from db.reading.database import Database
from db.reading.transaction import BoundStatement
from rest_facade.composition import Service
from tests.helpers.round_trips import recorded_round_trips


@pytest.fixture(scope="module")
async def database(owner_url: str, anyio_backend: str) -> AsyncIterator[Database]:
    database = Database(owner_url)
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def round_trips(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[BoundStatement]]:
    """The statements of each round trip of the service from now on."""
    return recorded_round_trips(service.database, monkeypatch)
