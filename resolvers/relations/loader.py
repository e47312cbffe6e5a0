"""A loader: values by key, read together for all who ask in one turn of the event loop, and kept for one request."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

Batch = Callable[[Sequence[Any]], Awaitable[Mapping[Any, Any]]]
"""Reads the values of keys; what has no value may be left out."""

LARGEST_BATCH = 500
"""Keys of one statement at most."""


class Loader:
    """Reads each key once. What could not be read is tried again when it is asked for again."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._found: dict[Any, Any] = {}
        self._coming: dict[Any, asyncio.Future[None]] = {}
        self._waiting: list[Any] = []
        self._reading: set[asyncio.Task[None]] = set()

    async def load(self, keys: Iterable[Any]) -> Mapping[Any, Any]:
        """All that is known by now, and of these keys whatever there is. Raises what the batch raises."""
        missing = dict.fromkeys(keys)
        if self._found:
            missing = {key: None for key in missing if key not in self._found}
        known = {self._coming[key] for key in missing if key in self._coming} if self._coming else set()
        fresh = [key for key in missing if key not in self._coming] if known else list(missing)
        for coming in known | self._ask(fresh):
            await coming
        return self._found

    def _ask(self, keys: Sequence[Any]) -> set[asyncio.Future[None]]:
        """What brings the values of these keys, which nothing brings yet."""
        if not keys:
            return set()
        loop = asyncio.get_running_loop()
        if not self._waiting:
            self._next: asyncio.Future[None] = loop.create_future()
            loop.call_soon(self._send)
        self._waiting += keys
        self._coming |= dict.fromkeys(keys, self._next)
        return {self._next}

    def _send(self) -> None:
        keys, self._waiting = self._waiting, []
        task = asyncio.get_running_loop().create_task(self._read(keys, self._next))
        # The loop keeps only weak references to tasks.
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, keys: Sequence[Any], answer: asyncio.Future[None]) -> None:
        try:
            if len(keys) <= LARGEST_BATCH:
                self._found |= await self._batch(keys)
            else:
                parts = [keys[at : at + LARGEST_BATCH] for at in range(0, len(keys), LARGEST_BATCH)]
                for found in await asyncio.gather(*map(self._batch, parts)):
                    self._found |= found
            self._found = dict.fromkeys(keys) | self._found
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear it
            if not answer.done():
                answer.set_exception(error)
                answer.exception()  # heard, even if all who waited are gone
        else:
            if not answer.done():
                answer.set_result(None)
        finally:
            self._coming = {key: coming for key, coming in self._coming.items() if coming is not answer}
