"""Database: the one way to read on the path of a request, as read-only transactions of one organization.

The statements of a read share a connection, a transaction and a round trip. The first statement of the transaction
sets the organization, which the row-level security policies compare with each row (the second check of tenancy; the
first is `db.reading.statement`).
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import OperationalError
from psycopg.rows import namedtuple_row

from db.reading.connection import BoundSql, Connection, Row
from db.reading.fair_queue import ANY_TENANT, Ticket
from db.reading.pool import ConnectionPool, PoolTimeout
from db.reading.query_stats import QueryStats, request_stats
from db.reading.statement import Statement
from db.reading.transaction import (
    NO_ORGANIZATION,
    SET_ORGANIZATION,
    SET_ORGANIZATION_OF_KEY,
    SET_PUBLIC_ID,
    transaction_start,
)
from db.tables.columns import ORGANIZATION
from db.tables.keys import PUBLIC_ID

BoundStatement = tuple[Statement, Mapping[str, Any]]
"""A statement and the values of its parameters, without those that `Database` adds."""

CONNECT_SECONDS = 2
"""Timeout of one attempt to connect; libpq's minimum."""

CHEAP_RESERVE = 0.5
"""Part of the connections that reports leave to reads that take milliseconds."""

READ_DEADLINE_GRACE = 0.1
"""Seconds between a request's deadline and the end of its reads, so that the request times out first, once."""

_read_deadline: ContextVar[float | None] = ContextVar("read_deadline", default=None)


class read_deadline:  # noqa: N801 - a context manager, written as a class: every request enters one
    """Cancel reads made in this context shortly after `deadline` (the event loop's clock) with TimeoutError.

    The context variable also reaches tasks that are started in here.
    """

    __slots__ = ("_deadline", "_token")

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def __enter__(self) -> None:
        self._token = _read_deadline.set(self._deadline + READ_DEADLINE_GRACE)

    def __exit__(self, *_: object) -> None:
        _read_deadline.reset(self._token)


class PoolStats(NamedTuple):
    """Numbers of connections: open, at most, in use; calls waiting for one; waits that timed out since the start."""

    size: int
    max_size: int
    in_use: int
    waiting: int
    timeouts: int


class Database:
    """Reads through a connection pool, in read-only transactions of the service's role, in UTC.

    `size`: connections at most. `pool_timeout`: seconds that a read waits for a connection. `statement_timeout`:
    seconds that a statement may run. `prepare_threshold`: uses after which a statement is prepared on the server;
    None for never, which PgBouncer before 1.22 requires. `tenant_share`: part of the connections that reads of one
    organization may use while others wait.
    """

    def __init__(
        self,
        url: str,
        *,
        size: int = 8,
        pool_timeout: float = 2.0,
        statement_timeout: float = 5.0,
        prepare_threshold: int | None = 5,
        tenant_share: float = 0.5,
    ) -> None:
        self._organization_start = transaction_start(SET_ORGANIZATION, statement_timeout)
        self._key_start = transaction_start(SET_PUBLIC_ID, statement_timeout)
        self._ping_start = transaction_start("1", statement_timeout)
        self.query_stats = QueryStats()
        self._statement_timeout = statement_timeout
        self._connecting: asyncio.Task[None] | None = None
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
            timeout=pool_timeout,
            tenant_limit=max(1, round(size * tenant_share)),
            heavy_limit=max(1, size - max(1, round(size * CHEAP_RESERVE))),
        )

    async def open(self) -> None:
        """Start to connect in the background: the service may start before the database."""
        self._connecting = asyncio.create_task(self._connect())

    async def close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
        self._pool.close()

    async def _connect(self) -> None:
        with suppress(PoolTimeout):
            async with self._pool.connection():
                pass

    async def read(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> list[list[Row]]:
        """The rows of each statement, in order. A parameter named `organization_id` is overwritten.

        `is_heavy`: the read of a report, which may take long, and leaves CHEAP_RESERVE of the connections to others.

        Raises psycopg.Error, PoolTimeout, or TimeoutError at the `read_deadline`.
        """
        start = (self._organization_start, {"organization_id": str(organization_id)})
        bound = [
            (statement, {**statement.constants, **values, ORGANIZATION.key: organization_id})
            for statement, values in statements
        ]
        # A number as tenant: a UUID is slow to hash.
        return await self._run([start], bound, Ticket(organization_id.int, is_heavy))

    async def read_key(self, public_id: str, statements: Sequence[Statement]) -> list[list[Row]]:
        """The rows of each statement, where row-level security shows one key, and the rows of its organization.

        The organization is found in the same transaction. Raises what `read` raises, and ValueError unless `public_id`
        is ASCII letters and digits.
        """
        if not (public_id.isascii() and public_id.isalnum()):
            raise ValueError(f"{public_id!r} is not the public id of a key.")
        values = {PUBLIC_ID.key: public_id}
        start = (self._key_start, values)
        organization = (SET_ORGANIZATION_OF_KEY, {**values, "no_organization": NO_ORGANIZATION})
        return await self._run([start, organization], [(each, {**each.constants, **values}) for each in statements])

    def pool_stats(self) -> PoolStats:
        """The present state of the pool."""
        pool = self._pool
        return PoolStats(pool.in_use + pool.idle, pool.size, pool.in_use, pool.waiting, pool.timeouts_total)

    async def ping(self) -> None:
        """Run the first statement of a transaction. Raises what `read` raises.

        Cancelling it returns at once; the server notices the closed connection within a second.
        """
        await self._run([(self._ping_start, {})], [])

    async def _run(
        self, start: Sequence[BoundSql], statements: Sequence[BoundStatement], ticket: Ticket = ANY_TENANT
    ) -> list[list[Row]]:
        """Run a transaction; run it again if the connection was lost, since a read can be repeated.

        `start` are the statements whose rows nothing needs.
        """
        async with asyncio.timeout_at(_read_deadline.get()):
            try:
                return await self._transaction(start, statements, ticket)
            except OperationalError as error:
                # No SQLSTATE, class 08 or 57P: the connection was lost. Others, such as the statement timeout (57014),
                # would happen again.
                if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P")):
                    raise
                return await self._transaction(start, statements, ticket)

    async def _transaction(
        self, start: Sequence[BoundSql], statements: Sequence[BoundStatement], ticket: Ticket
    ) -> list[list[Row]]:
        queries = [*start, *[(statement.sql, values) for statement, values in statements]]
        connection = await self._pool.acquire(ticket)
        try:
            started_at = perf_counter()
            try:
                rows = await connection.read(queries, without=len(start))
            except OperationalError:
                if connection.closed:
                    # What closed this connection may have closed all: the second attempt must not use one of them.
                    self._pool.suspect(perf_counter())
                raise
            except asyncio.CancelledError:
                # No answer for longer than a statement may run: the server or the network hangs.
                if perf_counter() - started_at > self._statement_timeout:
                    self._pool.suspect(started_at)
                raise
            finally:
                self._count(len(statements), perf_counter() - started_at)
            return rows
        finally:
            self._pool.release(connection)

    def _count(self, statements: int, seconds: float) -> None:
        self.query_stats.add(statements, seconds)
        if (stats := request_stats.get()) is not None:
            stats.add(statements, seconds)
