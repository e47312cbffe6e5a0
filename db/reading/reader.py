"""The reads of one request: those of one turn of the event loop travel together."""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from db.reading.connection import Row
from db.reading.database import BoundStatement, Database
from db.reading.statement import Statement


class Reader:
    """The reads of one request. Those asked for in the same turn of the event loop travel together."""

    def __init__(self, database: Database, organization_id: UUID) -> None:
        self._database = database
        self._organization_id = organization_id
        self._waiting: list[tuple[BoundStatement, asyncio.Future[list[Row]]]] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def read(self, statement: Statement, values: Mapping[str, Any]) -> list[Row]:
        """The rows of `statement`. Raises what `Database.read` raises."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[Row]] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._send)
        self._waiting.append(((statement, values), answer))
        return await answer

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        task = asyncio.get_running_loop().create_task(self._fetch(waiting))
        # The loop keeps only weak references to tasks.
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _fetch(self, waiting: list[tuple[BoundStatement, asyncio.Future[list[Row]]]]) -> None:
        try:
            answers = await self._database.read(self._organization_id, [call for call, _ in waiting])
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear it
            for _, answer in waiting:
                if not answer.done():
                    answer.set_exception(error)
        else:
            for (_, answer), rows in zip(waiting, answers, strict=True):
                if not answer.done():
                    answer.set_result(rows)
