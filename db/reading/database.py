"""The one way to the database on the path of a request: statements, run in the transaction of one organization.

All statements of a call travel together: one connection, one transaction, one round trip (a psycopg pipeline).
The transaction carries the organization, and row-level security, the second lock of tenancy, reads it there.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import OperationalError
from psycopg.rows import namedtuple_row

from db.reading.connection import BoundSql, Connection, Row
from db.reading.pool import ConnectionPool, PoolTimeout
from db.reading.query_stats import QueryStats, request_stats
from db.reading.statement import Statement
from db.reading.transaction import SET_ORGANIZATION, SET_PUBLIC_ID, transaction_start
from db.tables.columns import ORGANIZATION

BoundStatement = tuple[Statement, Mapping[str, Any]]

ORGANIZATION_PARAMETER = ORGANIZATION.key

CONNECT_SECONDS = 2
"""Seconds after which a try to connect is given up; libpq takes no fewer."""

READ_DEADLINE_GRACE = 0.1
"""Seconds after a request's deadline when what it reads is given up: whoever asked has been told by then, once."""

_until: ContextVar[float | None] = ContextVar("_until", default=None)


@contextmanager
def read_deadline(deadline: float) -> Iterator[None]:
    """Give up what is read in here soon after a moment of the event loop's clock; the server stops working on it.

    This holds for tasks that are started in here, too: many requests wait for what tasks of theirs read.
    """
    token = _until.set(deadline + READ_DEADLINE_GRACE)
    try:
        yield
    finally:
        _until.reset(token)


class PoolStats(NamedTuple):
    """Connections: how many are open, may be at most, are in use; who waits for one, who waited in vain until now."""

    size: int
    most: int
    in_use: int
    waiting: int
    timeouts: int


class Database:
    """A pool of connections, whose transactions are the service's: its role, reading only, in UTC.

    `size` is the number of connections at most; `wait` how many seconds a request waits for one;
    `statement_timeout` how many seconds a statement may take; `prepare_threshold` after how many uses a statement
    is prepared by the server (None: never, for PgBouncer before 1.22).
    """

    def __init__(
        self,
        url: str,
        *,
        size: int = 8,
        wait: float = 2.0,
        statement_timeout: float = 5.0,
        prepare_threshold: int | None = 5,
    ) -> None:
        self._acting = transaction_start(SET_ORGANIZATION, statement_timeout)
        self._looking = transaction_start(SET_PUBLIC_ID, statement_timeout)
        self._pinging = transaction_start("1", statement_timeout)
        self.query_stats = QueryStats()
        self._statement_timeout = statement_timeout
        self._opening: asyncio.Task[None] | None = None
        self._pool = ConnectionPool(
            partial(
                Connection.connect,
                url,
                autocommit=True,
                prepare_threshold=prepare_threshold,
                row_factory=namedtuple_row,
                application_name="orgdata",
                connect_timeout=CONNECT_SECONDS,
            ),
            size=size,
            wait=wait,
        )

    async def open(self) -> None:
        """Start connecting in the background; the database may come later than the service."""
        self._opening = asyncio.create_task(self._open())

    async def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        self._pool.close()

    async def _open(self) -> None:
        with suppress(PoolTimeout):
            async with self._pool.connection():
                pass

    async def read(self, organization_id: UUID, calls: Sequence[BoundStatement]) -> list[list[Row]]:
        """The rows of each call, in the order of the calls. The values of a call can't name an organization.

        Raises psycopg.Error or NoConnection; TimeoutError at the moment of `reading_until`.
        """
        acting = (self._acting, {"organization_id": str(UUID(int=organization_id.int))})
        own = [
            (statement, {**statement.constants, **values, ORGANIZATION_PARAMETER: organization_id})
            for statement, values in calls
        ]
        return await self._run(acting, own)

    async def read_key(self, public_id: str, statement: Statement) -> list[Row]:
        """The rows of `statement` about one key: keys are found before an organization is known.

        Raises what `read` raises.
        """
        if not (public_id.isascii() and public_id.isalnum()):
            raise ValueError(f"{public_id!r} is not the public id of a key.")
        calls = [(statement, {**statement.constants, "public_id": public_id})]
        return (await self._run((self._looking, {"public_id": public_id}), calls))[0]

    def pool(self) -> PoolStats:
        """How the connections are used at this moment."""
        pool = self._pool
        return PoolStats(pool.used + pool.idle, pool.size, pool.used, pool.waiting, pool.timeouts_total)

    async def ping(self) -> None:
        """Raise unless the database answers, and lets its transactions begin.

        Whoever gives up waiting does not wait for the database to hear of it.
        """
        await self._run((self._pinging, {}), [])

    async def _run(self, start: BoundSql, statements: Sequence[BoundStatement]) -> list[list[Row]]:
        async with asyncio.timeout_at(_until.get()):
            try:
                return await self._transaction(start, statements)
            except OperationalError as error:
                # A connection that died costs the client nothing: a read can be tried once more.
                # A statement that ran too long would only run too long again.
                if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P")):
                    raise
                return await self._transaction(start, statements)

    async def _transaction(self, start: BoundSql, statements: Sequence[BoundStatement]) -> list[list[Row]]:
        async with self._pool.connection() as connection:
            started = perf_counter()
            try:
                _, *found = await connection.read(
                    [start, *[(statement.sql, values) for statement, values in statements]]
                )
            except OperationalError:
                if connection.closed:
                    # What ended it may have ended all of them: the second try shall not meet another.
                    self._pool.suspect(perf_counter())
                raise
            except asyncio.CancelledError:
                # The server was silent for longer than it may work on a statement: it hangs, or the network does.
                if perf_counter() - started > self._statement_timeout:
                    self._pool.suspect(started)
                raise
            finally:
                self._note(len(statements), perf_counter() - started)
            return found

    def _note(self, statements: int, seconds: float) -> None:
        self.query_stats.add(statements, seconds)
        if (tally := request_stats.get()) is not None:
            tally.add(statements, seconds)
