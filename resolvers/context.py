"""What the resolvers of one request share: its organization, its way to the database, its loaders."""

from collections.abc import Hashable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from db.reading.connection import Row
from db.reading.database import Database, Reader
from db.reading.statement import Statement
from resolvers.relations.loader import Batch, Loader
from resolvers.signed_urls import UrlSigner


def clock() -> datetime:
    """What time it is. Tests replace it."""
    return datetime.now(UTC)


class Context:
    """Made anew for each request, so that nothing that was loaded for one is ever seen by another.

    Without `pictures`, screenshots have no addresses.
    """

    def __init__(self, database: Database, organization_id: UUID, pictures: UrlSigner | None = None) -> None:
        self.organization_id = organization_id
        self.url_signer = pictures
        # One moment a request: a filter and a field that both depend on the day agree at midnight.
        self.now = clock()
        self.columns: Mapping[Hashable, frozenset[str]] = {}
        """Of whose rows only these columns are asked for; of all others, every one."""
        self._reader = Reader(database, organization_id)
        self._loaders: dict[Hashable, Loader] = {}

    async def read(self, statement: Statement, values: Mapping[str, Any]) -> list[Row]:
        """The rows of a statement, restricted to the organization of the request."""
        return await self._reader.read(statement, values)

    async def load(self, name: Hashable, keys: Iterable[Any], batch: Batch) -> Mapping[Any, Any]:
        """The values of `keys`, among others, from the loader called `name`, which reads by `batch`."""
        loader = self._loaders.get(name)
        if loader is None:
            loader = self._loaders[name] = Loader(batch)
        return await loader.load(keys)
