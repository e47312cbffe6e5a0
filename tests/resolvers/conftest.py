"""A database over the shared one, and the round trips of the service."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import pytest

from db.reading.database import Database
from db.reading.transaction import BoundStatement
from rest_facade.composition import Service


@pytest.fixture(scope="module")
async def database(owner_url: str, anyio_backend: str) -> AsyncIterator[Database]:
    database = Database(owner_url)
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def round_trips(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[BoundStatement]]:
    """The statements of each round trip of the service from now on."""
    round_trips: list[Sequence[BoundStatement]] = []
    read = service.database.read_rows

    async def recording_read(organization_id: UUID, statements: Sequence[BoundStatement], **options: Any) -> Any:
        round_trips.append(statements)
        return await read(organization_id, statements, **options)

    monkeypatch.setattr(service.database, "read_rows", recording_read)
    return round_trips
