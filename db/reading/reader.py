"""Reader: batches the reads of one request. Reads of the same turn of the event loop share one transaction."""

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any
from uuid import UUID

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.statement import Statement
from db.reading.transaction import BoundStatement

JoinedReads = list[tuple[BoundStatement, asyncio.Future[list[Row] | None]]]
"""Reads that share the transaction of another one, and the futures of their rows.

A future without rows says that the other read was cancelled."""


class Reader:
    """Reads for one organization. Made for each request, so that requests do not wait for each other's reads.

    `is_heavy`: the request reads as much as a report (see `Database.read_rows`). Its reads run one after another.
    """

    def __init__(self, database: Database, organization_id: UUID, *, is_heavy: bool = False) -> None:
        self._database = database
        self._organization_id = organization_id
        self._is_heavy = is_heavy
        self._joined: JoinedReads | None = None
        """The reads that joined the first one of this turn; None while no read waits for the turn to end."""
        self._turn = asyncio.Lock() if is_heavy else nullcontext()
        """Held by the heavy read that runs. The next one waits here, and not in the queue of the pool, where it would
        fail after a while because of a read of its own request."""

    async def fetch_together(self, statement: Statement, values: Mapping[str, Any]) -> list[Row]:
        """The rows of `statement`. Raises what `Database.read_rows` raises for the batch."""
        if self._joined is None:
            return await self._read_batch((statement, values))
        future: asyncio.Future[list[Row] | None] = asyncio.get_running_loop().create_future()
        self._joined.append(((statement, values), future))
        rows = await future
        return await self.fetch_together(statement, values) if rows is None else rows

    async def _read_batch(self, first: BoundStatement) -> list[Row]:
        """Read `first` and all that join it. Its own task does that: most batches are one read."""
        joined: JoinedReads = []
        self._joined = joined
        try:
            try:
                await asyncio.sleep(0)
            finally:
                self._joined = None
            statements = [first, *(statement for statement, _ in joined)]
            async with self._turn:
                rows, *others = await self._database.read_rows(
                    self._organization_id, statements, is_heavy=self._is_heavy
                )
        except (Exception, asyncio.CancelledError) as error:
            for _, future in joined:
                if future.done():
                    continue
                if isinstance(error, asyncio.CancelledError):
                    future.set_result(None)
                else:
                    future.set_exception(error)
            raise
        for (_, future), found in zip(joined, others, strict=True):
            if not future.done():
                future.set_result(found)
        return rows
