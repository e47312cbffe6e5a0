"""The request context that resolvers share: the organization, reads of the database, loaders."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any
from uuid import UUID

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.pool import PoolBusy
from db.reading.reader import Reader
from db.reading.statement import Statement
from db.reading.transaction import StatementTimeout
from resolvers.errors import DatabaseBusy, StatementTooSlow
from resolvers.relations.loader import BatchFunction, Loader
from resolvers.relations.selected import Selected
from resolvers.signed_urls import UrlSigner

SelectedBySource = Mapping[Hashable, Selected]
"""What a document needs of each source of rows (a listing, a relation). A missing source: all columns."""


def clock() -> datetime:
    """The current time. Tests replace it."""
    return datetime.now(UTC)


class Context:
    """One request: made for each, so that no request sees rows that were loaded for another.

    Without `url_signer`, screenshots have no URLs. `is_heavy`: the request is a report (see `Database.read`).
    """

    def __init__(
        self,
        database: Database,
        organization_id: UUID,
        url_signer: UrlSigner | None = None,
        selected: SelectedBySource = MappingProxyType({}),
        *,
        is_heavy: bool = False,
    ) -> None:
        self.organization_id = organization_id
        self.url_signer = url_signer
        self.selected = selected
        self.has_one_source = False
        """Whether the document reads one field only: what that reads alone is read at once, for itself."""
        # One moment a request: a filter and a field that both depend on the day agree at midnight.
        self.now = clock()
        self._database = database
        self._is_heavy = is_heavy
        self._loaders: dict[Hashable, Loader] = {}

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self._database, self.organization_id)

    async def read(
        self, statement: Statement, values: Mapping[str, Any], *, is_heavy: bool = False, is_alone: bool = False
    ) -> list[Row]:
        """The rows of a statement, restricted to the organization of the request.

        `is_heavy`: the statement is that of a report, also in a request that is none. `is_alone`: no other read of the
        request could share the round trip. Raises StatementTooSlow, DatabaseBusy, and what `Reader.read` raises.
        """
        is_heavy = is_heavy or self._is_heavy
        try:
            if is_alone:
                (rows,) = await self._database.read(self.organization_id, [(statement, values)], is_heavy=is_heavy)
            else:
                rows = await self._reader.read(statement, values, is_heavy=is_heavy)
        except StatementTimeout as error:
            raise StatementTooSlow(error.seconds) from error
        except PoolBusy as error:
            raise DatabaseBusy(error.seconds) from error
        return rows

    async def load(self, name: Hashable, keys: Iterable[Any], read: BatchFunction) -> Mapping[Any, Any]:
        """The values of `keys`, among others, from the loader called `name`; the first call says how it reads."""
        loader = self._loaders.get(name)
        if loader is None:
            loader = self._loaders[name] = Loader(read)
        return await loader.load(keys)

    def close(self) -> None:
        """Let go of all rows that were read. The garbage collector would need a third of a second for those of large
        documents, and nothing else would run meanwhile.
        """
        for loader in self._loaders.values():
            loader.close()
        self._loaders.clear()


NewContext = Callable[[SelectedBySource], Context]
"""Makes the context of one request, once it is known what its document needs."""
