"""The connections to one database: each is used by one read at a time, and there are no more than agreed.

A read takes a connection, and gives it back. It gets the one that was used last, or opens one if none is fit, and
tries to for as long as it may wait: an outage ends for the service when it ends. Taking is the only place where a
read waits. Giving back waits for nothing, so that no read that is given up can lose a connection on its way.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import perf_counter

from psycopg import OperationalError

from db.reading.connection import Connection

log = logging.getLogger(__name__)

LONGEST_LIFE = 3600.0
"""Seconds after which a connection is replaced, so that a server that was replaced is left by and by."""

LONGEST_REST = 600.0
"""Seconds after which a connection that nobody needed is closed: what lies between may have forgotten it by then."""

RECONNECT_SECONDS = 0.1
"""Seconds between a try to connect that failed and the next."""


class PoolTimeout(Exception):
    """For as long as a read may wait, all connections were in use, or none could be opened."""


class ConnectionPool:
    """At most `size` connections, for each of which a read waits `wait` seconds at most, first come, first served."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], *, size: int, wait: float) -> None:
        self.size = size
        self.used = 0
        """How many are in use, or being opened."""
        self.waiting = 0
        """How many reads wait for one that another read uses."""
        self.timeouts_total = 0
        self._connect = connect
        self._wait = wait
        self._places = asyncio.Semaphore(size)
        # The last that was given back is taken first, so that those too many have their rest.
        self._idle: list[Connection] = []
        self._suspect_before = 0.0
        self._closed = False

    @property
    def idle(self) -> int:
        """How many are open, and in nobody's use."""
        return len(self._idle)

    async def take(self) -> Connection:
        """A connection of which nothing bad is known, to be given back. Raises NoConnection."""
        until = asyncio.get_running_loop().time() + self._wait
        await self._enter(until)
        try:
            return self._rested() or await self._opened(until)
        except BaseException:
            self._leave()
            raise

    def give(self, connection: Connection) -> None:
        """Let others use it, if it is still fit for that."""
        if self._fit(connection) and not self._closed:
            self._idle.append(connection)
        else:
            connection.pgconn.finish()
        # The first has rested longest.
        if self._idle and not self._fit(self._idle[0]):
            self._idle.pop(0).pgconn.finish()
        self._leave()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for as long as it is needed. Raises NoConnection."""
        connection = await self.take()
        try:
            yield connection
        finally:
            self.give(connection)

    def suspect(self, moment: float) -> None:
        """A connection was lost: those from which nothing was heard since then may have ended in the same way."""
        self._suspect_before = max(self._suspect_before, moment)

    def close(self) -> None:
        """Open no more; close what nobody uses now, and what is in use when it is given back."""
        self._closed = True
        while self._idle:
            self._idle.pop().pgconn.finish()

    async def _enter(self, until: float) -> None:
        """Become one of those who use a connection, when it is the caller's turn."""
        self.waiting += 1
        try:
            async with asyncio.timeout_at(until):
                await self._places.acquire()
        except TimeoutError:
            self.timeouts_total += 1
            raise PoolTimeout(f"No connection was free for {self._wait} s.") from None
        finally:
            self.waiting -= 1
        self.used += 1

    def _leave(self) -> None:
        self.used -= 1
        self._places.release()

    def _fit(self, connection: Connection) -> bool:
        """Whether nothing bad is known. Nothing is asked of the connection: what hangs would not answer that either."""
        now = perf_counter()
        return (
            not connection.closed
            and connection.heard_at >= self._suspect_before
            and now - connection.heard_at <= LONGEST_REST
            and now - connection.opened_at <= LONGEST_LIFE
        )

    def _rested(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if self._fit(connection):
                return connection
            connection.pgconn.finish()
        return None

    async def _opened(self, until: float) -> Connection:
        loop = asyncio.get_running_loop()
        while not self._closed:
            try:
                async with asyncio.timeout_at(until):
                    return await self._connect()
            except (OperationalError, TimeoutError) as error:
                why = str(error) or "no answer"
                log.warning("error connecting: %s", why)
                if loop.time() + RECONNECT_SECONDS >= until:
                    self.timeouts_total += 1
                    raise PoolTimeout(f"No connection could be opened within {self._wait} s: {why}") from error
            await asyncio.sleep(RECONNECT_SECONDS)
        raise PoolTimeout("The connections were closed.")
