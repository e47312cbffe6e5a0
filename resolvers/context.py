"""The request context that resolvers share: the organization, reads of the database, loaders."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any
from uuid import UUID

from aiodataloader import DataLoader

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.pool import PoolBusy
from db.reading.reader import Reader
from db.reading.statement import Statement
from db.reading.transaction import StatementTimeout
from resolvers.errors import DatabaseBusy, StatementTooSlow
from resolvers.selected import Selected
from resolvers.signed_urls import UrlSigner

SelectedBySource = Mapping[Hashable, Selected]
"""What a document needs of each source of rows (a listing, a relation). A missing source: all columns."""

BatchFunction = Callable[[Sequence[Any]], Awaitable[Mapping[Any, Any]]]
"""Reads the values of keys. A key without a value may be missing in the result."""

LARGEST_BATCH = 500
"""The most keys of one statement."""


def clock() -> datetime:
    """The current time. Tests replace it."""
    return datetime.now(UTC)


class Loader:
    """Values by key, each read once, in batches of aiodataloader.

    A key whose batch failed is read again when it is requested again.

    One load of the `DataLoader` is all new keys of one call, since a future for each key would cost more than the
    batching. So the cache of values and the keys in flight are kept here, and the `DataLoader` caches nothing.
    """

    def __init__(self, read: BatchFunction) -> None:
        self._read = read
        self._values: dict[Any, Any] = {}
        self._in_flight: dict[asyncio.Future[None], Mapping[Any, None]] = {}
        self._data_loader = DataLoader[Iterable[Any], None](self._read_batch, cache=False)
        self._batches: list[asyncio.Task[Any] | None] = []
        """The tasks, which the `DataLoader` made, of all batches."""
        self._is_closed = False

    async def load(self, keys: Iterable[Any]) -> Mapping[Any, Any]:
        """All values known so far, those of `keys` among them (None: no value). Raises what `read` raises."""
        missing = dict.fromkeys(keys)
        if self._values:
            missing = {key: None for key in missing if key not in self._values}
        pending = []
        for future, loading in self._in_flight.items():
            if not loading.keys().isdisjoint(missing):
                pending.append(future)
                missing = {key: None for key in missing if key not in loading}
        if missing:
            future = self._data_loader.load(missing)
            self._in_flight[future] = missing
            future.add_done_callback(self._landed)
            pending.append(future)
        for future in pending:
            # Others may wait for the same future: the cancellation of this task must not cancel it.
            await asyncio.shield(future)
        return self._values

    def close(self) -> None:
        """Cancel the batches in flight, and forget all values. The request has ended.

        Without this, they stay in memory until the garbage collector finds the cycle with the `DataLoader`.
        """
        self._is_closed = True
        for batch in filter(None, self._batches):
            batch.cancel()
        self._values = {}
        del self._data_loader

    async def _read_batch(self, loads: list[Iterable[Any]]) -> list[None]:
        if self._is_closed:
            raise asyncio.CancelledError
        self._batches.append(asyncio.current_task())
        keys = [key for load in loads for key in load]
        if len(keys) <= LARGEST_BATCH:
            parts = [await self._read(keys)]
        else:
            starts = range(0, len(keys), LARGEST_BATCH)
            parts = await asyncio.gather(*(self._read(keys[start : start + LARGEST_BATCH]) for start in starts))
        values: dict[Any, Any] = dict.fromkeys(keys)
        for part in parts:
            values |= part
        self._values |= values
        return [None] * len(loads)

    def _landed(self, future: asyncio.Future[None]) -> None:
        del self._in_flight[future]
        # Retrieved here too, since every task that waited may be cancelled.
        future.exception()


class Context:
    """One request: made for each, so that no request sees rows that were loaded for another.

    Without `url_signer`, screenshots have no URLs. `has_one_source`: the document reads one field only: what that reads
    alone is read at once, for itself. `is_heavy`: it reads as much as a report (see `Database.read_rows`).
    """

    def __init__(
        self,
        database: Database,
        organization_id: UUID,
        url_signer: UrlSigner | None = None,
        selected: SelectedBySource = MappingProxyType({}),
        *,
        has_one_source: bool = False,
        is_heavy: bool = False,
    ) -> None:
        self.organization_id = organization_id
        self.url_signer = url_signer
        self.selected = selected
        self.has_one_source = has_one_source
        # One moment a request: a filter and a field that both depend on the day agree at midnight.
        self.now = clock()
        self._database = database
        self._is_heavy = is_heavy
        self._loaders: dict[Hashable, Loader] = {}

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self._database, self.organization_id, is_heavy=self._is_heavy)

    async def fetch(self, statement: Statement, values: Mapping[str, Any], *, is_alone: bool = False) -> list[Row]:
        """The rows of a statement, restricted to the organization of the request.

        `is_alone`: no other read of the request could share the round trip. Raises StatementTooSlow, DatabaseBusy, and
        what `Database.read_rows` raises.
        """
        try:
            if is_alone:
                (rows,) = await self._database.read_rows(
                    self.organization_id, [(statement, values)], is_heavy=self._is_heavy
                )
            else:
                rows = await self._reader.fetch_together(statement, values)
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
        """Let go of all rows that were read: to collect those of a large document would stop all for 0.3 s."""
        for loader in self._loaders.values():
            loader.close()
        self._loaders.clear()
