"""Reader: batches the reads of one request. Reads of the same turn of the event loop share one transaction."""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from db.reading.connection import Row
from db.reading.database import BoundStatement, Database
from db.reading.statement import Statement


class Reader:
    """Reads for one organization. Made for each request, so that requests do not wait for each other's reads.

    `is_heavy`: see `Database.read`.
    """

    def __init__(self, database: Database, organization_id: UUID, *, is_heavy: bool = False) -> None:
        self._database = database
        self._organization_id = organization_id
        self._is_heavy = is_heavy
        self._pending: list[tuple[BoundStatement, asyncio.Future[list[Row]]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, statement: Statement, values: Mapping[str, Any]) -> list[Row]:
        """The rows of `statement`. Raises what `Database.read` raises for the batch."""
        loop = asyncio.get_running_loop()
        rows: asyncio.Future[list[Row]] = loop.create_future()
        if not self._pending:
            loop.call_soon(self._send)
        self._pending.append(((statement, values), rows))
        return await rows

    def _send(self) -> None:
        batch, self._pending = self._pending, []
        task = asyncio.get_running_loop().create_task(self._fetch(batch))
        # The event loop keeps only weak references to tasks.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch(self, batch: list[tuple[BoundStatement, asyncio.Future[list[Row]]]]) -> None:
        try:
            statements = [statement for statement, _ in batch]
            results = await self._database.read(self._organization_id, statements, is_heavy=self._is_heavy)
        except Exception as error:  # noqa: BLE001 - every read of the batch raises it
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        else:
            for (_, future), rows in zip(batch, results, strict=True):
                if not future.done():
                    future.set_result(rows)
