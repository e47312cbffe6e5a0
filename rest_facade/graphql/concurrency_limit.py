"""Concurrency limit with a bounded queue; overflow is answered 503."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE


class ConcurrencyLimit:
    """At most `running` holders at a time, and at most `waiting` in the queue, first in, first out."""

    def __init__(self, *, running: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(running)
        self._queue_places = waiting
        self.held = 0
        """Slots that are held."""

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[None]:
        """Hold a slot, after waiting for it if none is free. Raises Refused (503) if the queue is full."""
        if self._slots.locked() and self._queue_places == 0:
            raise Refused(SERVICE_UNAVAILABLE)
        self._queue_places -= 1
        try:
            await self._slots.acquire()
        finally:
            self._queue_places += 1
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1
            self._slots.release()
