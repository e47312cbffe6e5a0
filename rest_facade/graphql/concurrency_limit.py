"""Taking turns: some run, some more wait, and whoever comes then is told to come again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rest_facade.rest.errors import SERVICE_UNAVAILABLE, Refused


class ConcurrencyLimit:
    """At most `running` at a time, while at most `waiting` wait; first come, first served."""

    def __init__(self, *, running: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(running)
        self._room = waiting

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Wait for a turn, and have it. Raises Refused (503) where too many wait already."""
        if self._free.locked() and self._room == 0:
            raise Refused(SERVICE_UNAVAILABLE)
        self._room -= 1
        try:
            await self._free.acquire()
        finally:
            self._room += 1
        try:
            yield
        finally:
            self._free.release()
