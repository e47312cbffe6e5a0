"""The connections to one database: each is used by one read at a time, and there are no more than agreed.

Giving back waits for nothing, so that no read that is given up can lose a connection on its way. Whoever finds none
that is free opens one, and goes on trying for as long as it may wait: an outage ends for the service when it ends.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import perf_counter

from psycopg import OperationalError
from psycopg_pool import PoolTimeout

from db.pipeline import Connection

log = logging.getLogger(__name__)

LONGEST_LIFE = 3600.0
"""Seconds after which a connection is replaced, so that a server that was replaced is left by and by."""

LONGEST_REST = 600.0
"""Seconds after which a connection that nobody needed is closed."""

RECONNECT_SECONDS = 0.1
"""Seconds between a try to connect that failed and the next."""


class Connections:
    """At most `size` connections, for each of which a read waits `wait` seconds at most."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], *, size: int, wait: float) -> None:
        self.size = size
        self.waits_in_vain = 0
        self.used = 0
        self._connect = connect
        self._wait = wait
        # The last that was given back is taken first, so that those too many have their rest.
        self._idle: list[Connection] = []
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._doubted = 0.0
        self._closed = False

    @property
    def idle(self) -> int:
        """How many are open, and in nobody's use."""
        return len(self._idle)

    @property
    def waiting(self) -> int:
        """How many reads wait for a connection that another one uses."""
        return sum(not turn.done() for turn in self._waiting)

    async def take(self) -> Connection:
        """A connection of which nothing bad is known, to be given back. Raises PoolTimeout."""
        until = asyncio.get_running_loop().time() + self._wait
        if self.used < self.size:
            self.used += 1
        else:
            await self._turn(until)
        try:
            return self._rested() or await self._opened(until)
        except BaseException:
            self._leave()
            raise

    def give(self, connection: Connection) -> None:
        """Let others use it; what is closed, or old enough, is replaced when it is needed."""
        now = perf_counter()
        if self._closed or now - connection.opened_at > LONGEST_LIFE:
            connection.pgconn.finish()
        elif not connection.closed:
            self._idle.append(connection)
        if self._idle and now - self._idle[0].heard_at > LONGEST_REST:
            self._idle.pop(0).pgconn.finish()
        self._leave()

    def doubt(self, moment: float) -> None:
        """A connection in use since then was lost: what was not heard from since may have ended in the same way."""
        self._doubted = max(self._doubted, moment)

    def close(self) -> None:
        """Close what nobody uses, and what is in use when it is given back."""
        self._closed = True
        while self._idle:
            self._idle.pop().pgconn.finish()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for as long as it is needed."""
        connection = await self.take()
        try:
            yield connection
        finally:
            self.give(connection)

    async def _turn(self, until: float) -> None:
        """Wait for the place of another read, which then is the caller's."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        timer = loop.call_at(until, self._give_up, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                # It was this read's turn, but the read is given up.
                self._leave()
            raise
        finally:
            timer.cancel()

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if not turn.done():
            self.waits_in_vain += 1
            turn.set_exception(PoolTimeout(f"No connection was free for {self._wait} s."))

    def _leave(self) -> None:
        """Leave the place to whoever waits longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.used -= 1

    def _rested(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.heard_at >= self._doubted and not connection.closed:
                return connection
            # Nothing is asked of it: what hangs would not answer that either.
            connection.pgconn.finish()
        return None

    async def _opened(self, until: float) -> Connection:
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout_at(until):
                    return await self._connect()
            except (OperationalError, TimeoutError) as error:
                log.warning("error connecting: %s", error)
                if loop.time() + RECONNECT_SECONDS >= until:
                    self.waits_in_vain += 1
                    raise PoolTimeout(f"No connection could be opened within {self._wait} s: {error}") from error
            await asyncio.sleep(RECONNECT_SECONDS)
