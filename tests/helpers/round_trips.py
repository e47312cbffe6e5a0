"""Records what a database is asked."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from db.reading.database import Database
from db.reading.transaction import BoundStatement


def recorded_round_trips(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[BoundStatement]]:
    """The statements of each round trip from now on."""
    round_trips: list[Sequence[BoundStatement]] = []
    read = database.read_rows

    async def recording_read(organization_id: UUID, statements: Sequence[BoundStatement], **options: Any) -> Any:
        round_trips.append(statements)
        return await read(organization_id, statements, **options)

    monkeypatch.setattr(database, "read_rows", recording_read)
    return round_trips
