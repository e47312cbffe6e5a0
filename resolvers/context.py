"""What the resolvers of one request share: its organization, its way to the database, its loaders."""

from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from aiodataloader import DataLoader

from db.database import Database, Reader, Row
from db.statements import Statement
from resolvers.pictures import Pictures

# Keys of one statement at most (cases: a batch of 500).
LARGEST_BATCH = 500


def clock() -> datetime:
    """What time it is. Tests replace it."""
    return datetime.now(UTC)


class Context:
    """Made anew for each request, so that nothing that was loaded for one is ever seen by another.

    Without `pictures`, screenshots have no addresses.
    """

    def __init__(self, database: Database, organization_id: UUID, pictures: Pictures | None = None) -> None:
        self.organization_id = organization_id
        self.pictures = pictures
        # One moment a request: a filter and a field that both depend on the day agree at midnight.
        self.now = clock()
        self._reader = Reader(database, organization_id)
        self._loaders: dict[Hashable, DataLoader[Any, Any]] = {}

    async def read(self, statement: Statement, values: Mapping[str, Any]) -> list[Row]:
        """The rows of a statement, restricted to the organization of the request."""
        return await self._reader.read(statement, values)

    def loader(self, name: Hashable, batch: Callable[[list[Any]], Any]) -> DataLoader[Any, Any]:
        """The loader called `name`, made at its first use. `batch` answers each key, in the order of the keys."""
        loader = self._loaders.get(name)
        if loader is None:
            loader = DataLoader(batch, max_batch_size=LARGEST_BATCH)
            self._loaders[name] = loader
        return loader
