"""Pool of connections to one database: at most `size` of them, each used by one read at a time.

`acquire` returns the idle connection that was released last, or opens one. It is the only place where a read waits:
for a connection (`db.reading.fair_queue`), or for a server that does not accept connections. `release` never waits, so
a cancelled read cannot lose a connection.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import AsyncIterator, Collection, Container
from contextlib import asynccontextmanager
from time import perf_counter

from psycopg import OperationalError
from psycopg.pq import ConnStatus

from db.reading.connection import Connection
from db.reading.fair_queue import ANY_TENANT, FairQueue, Ticket
from db.reading.hosts.connector import connect_to
from db.reading.hosts.host import Host
from db.reading.hosts.hosts import Hosts

log = logging.getLogger(__name__)

MAX_IDLE_SECONDS = 600.0
"""A connection unused for longer than this is closed: a firewall in between may have dropped it."""

RECONNECT_SECONDS = 0.1
"""Pause between two attempts to connect."""

CONNECT_SECONDS = 2.0
"""Seconds that an attempt to connect to one host may take at most."""

SPREAD_SECONDS = 300.0
"""Age in seconds at which a connection is replaced where there are several hosts: connections then spread again over
the hosts within this time after one of them has returned."""

JITTER = 0.2
"""Part of SPREAD_SECONDS by which ages differ, so that connections opened together are not replaced together."""


class PoolTimeout(Exception):
    """No connection within the timeout: all were in use, or none could be opened."""


class PoolBusy(PoolTimeout):
    """Other reads had all connections that the read could use, and none of them ended for `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class ConnectionPool:
    """At most `size` connections, spread evenly over the good hosts, and shared fairly between tenants.

    See `FairQueue` for `tenant_limit` and `heavy_limit`, and `Database` for `prepare_threshold`. `acquire` fails after
    `timeout` seconds in which no read ended well, or in which no connection could be opened.
    """

    def __init__(
        self,
        hosts: Hosts,
        *,
        size: int,
        timeout: float,
        tenant_limit: int | None = None,
        heavy_limit: int | None = None,
        prepare_threshold: int | None = None,
    ) -> None:
        self.size = size
        self.timeouts_total = 0
        self._hosts = hosts
        self._timeout = timeout
        self._prepare_threshold = prepare_threshold
        self.queue = FairQueue(size, share=tenant_limit or size, heavy=heavy_limit or size, timeout=timeout)
        self._tickets: dict[Connection, Ticket] = {}
        # A stack: the connection released last is used first, so that surplus connections become idle and are closed.
        self.idle: list[Connection] = []
        """Connections that are open and not in use."""
        self._opening: Counter[Host] = Counter()
        """The attempts under way to connect to each host."""
        self._closed = False

    def by_host(self) -> Counter[Host]:
        """The number of connections to each host that are open or being opened."""
        return Counter(each.host for each in (*self.idle, *self._tickets) if not each.closed) + self._opening

    async def acquire(
        self, ticket: Ticket = ANY_TENANT, avoid: Collection[Host] = (), costly: Collection[Host] = ()
    ) -> Connection:
        """A healthy connection; the caller must `release` it. Raises PoolTimeout: PoolBusy in the queue.

        `avoid` are hosts where a read failed: new connections to them are opened only when no other host answers.
        `costly` are hosts without the rows: idle connections to them are used when the pool has no room for a new one.
        """
        arrived_at = asyncio.get_running_loop().time()
        try:
            await self.queue.acquire(ticket)
        except TimeoutError as error:
            self.timeouts_total += 1
            raise PoolBusy(str(error), self._timeout) from None
        try:
            deadline = max(arrived_at, self.queue.progress_at) + self._timeout
            connection = self._pop_idle(avoid, costly) or await self._open(deadline, [*avoid, *costly])
        except BaseException:
            self.queue.release(ticket, is_progress=False)
            raise
        self._tickets[connection] = ticket
        return connection

    def release(self, connection: Connection) -> None:
        """Return a connection to the pool, or close it if it is not healthy or the pool is closed.

        One that a cancelled read has left is drained first, and keeps its place until then.
        """
        if connection.is_left:
            connection.draining = asyncio.create_task(connection.drain())
            connection.draining.add_done_callback(lambda _: self.release(connection))
            return
        is_healthy = self._is_healthy(connection)
        if is_healthy and not self._closed:
            self.idle.append(connection)
        else:
            connection.finish()
        # The bottom of the stack has been idle longest.
        if self.idle and self.idle[0] is not connection and not self._is_healthy(self.idle[0]):
            self.idle.pop(0).finish()
        self.queue.release(self._tickets.pop(connection), is_progress=is_healthy)

    @asynccontextmanager
    async def connection(self, ticket: Ticket = ANY_TENANT) -> AsyncIterator[Connection]:
        """`acquire` on entry, `release` on exit. Raises PoolTimeout."""
        connection = await self.acquire(ticket)
        try:
            yield connection
        finally:
            self.release(connection)

    def close(self) -> None:
        """Close idle connections now and the others when they are released; `acquire` then raises PoolTimeout."""
        self._closed = True
        while self.idle:
            self.idle.pop().finish()

    def _is_healthy(self, connection: Connection) -> bool:
        """Judge by what is known, without a test query: a hung server would not answer that either."""
        now, host = perf_counter(), connection.host
        return (
            connection.pgconn.status != ConnStatus.BAD
            and connection.last_answer_at >= host.suspect_before
            and not host.retires_connections
            and now - connection.last_answer_at <= MAX_IDLE_SECONDS
            and now <= connection.expires_at
        )

    def _pop_idle(self, avoid: Container[Host], costly: Container[Host]) -> Connection | None:
        for index in range(len(self.idle) - 1, -1, -1):
            connection = self.idle[index]
            if not self._is_healthy(connection):
                self.idle.pop(index).finish()
            elif connection.host not in avoid and connection.host not in costly:
                return self.idle.pop(index)
        if self.idle and self.queue.in_use + len(self.idle) > self.size:
            for connection in self.idle:
                if connection.host not in avoid:
                    self.idle.remove(connection)
                    return connection
            # The idle connections go to hosts to avoid. One of them makes room for the connection to be opened.
            self.idle.pop(0).finish()
        return None

    async def _open(self, deadline: float, avoid: Container[Host]) -> Connection:
        """Open a connection, trying again until the deadline."""
        loop = asyncio.get_running_loop()
        while not self._closed:
            try:
                connection = await self._connect(deadline, avoid)
            except (OperationalError, TimeoutError) as error:
                reason = str(error) or "no answer"
                log.warning("error connecting: %s", reason)
                if loop.time() + RECONNECT_SECONDS >= deadline:
                    self.timeouts_total += 1
                    raise PoolTimeout(f"No connection could be opened within {self._timeout} s: {reason}") from error
                await asyncio.sleep(RECONNECT_SECONDS)
            else:
                connection.prepare_threshold = self._prepare_threshold
                if self._hosts.are_several:
                    age = SPREAD_SECONDS * (1 - JITTER * random.random())  # noqa: S311 - no secret
                    connection.expires_at = perf_counter() + age
                return connection
        raise PoolTimeout("The pool is closed.")

    async def _connect(self, deadline: float, avoid: Container[Host]) -> Connection:
        """A connection to the best host that answers before `deadline` (the event loop's clock).

        The hosts that are left share the time that is left. Raises OperationalError, which names each host, and
        TimeoutError if the names of hosts are not resolved in time.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout_at(deadline):
            order = await self._hosts.in_order(self.by_host(), avoid)
        reasons: list[str] = []
        second_choices: list[Connection] = []
        try:
            for number, host in enumerate(order):
                if second_choices and not self._hosts.may_be_first_choice(host):
                    continue
                seconds = min((deadline - loop.time()) / (len(order) - number), CONNECT_SECONDS)
                self._opening[host] += 1
                try:
                    connection = await connect_to(host, self._hosts.parameters(host), seconds)
                except (OperationalError, TimeoutError) as error:
                    reasons.append(f"{host.label}: {error}")
                    continue
                finally:
                    self._opening[host] -= 1
                if (refusal := self._hosts.refusal(host)) is not None:
                    connection.finish()
                    reasons.append(f"{host.label}: {refusal}")
                elif self._hosts.is_second_choice(host):
                    second_choices.append(connection)
                else:
                    return connection
            if second_choices:
                return second_choices.pop()
        finally:
            for connection in second_choices:
                connection.finish()
        raise OperationalError("; ".join(reasons))
