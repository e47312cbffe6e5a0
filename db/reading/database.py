"""Database: the one way to read on the path of a request, as read-only transactions of one organization.

The statements of a read share a connection, a transaction and a round trip. The first statement of the transaction
sets the organization, which the row-level security policies compare with each row (the second check of tenancy; the
first is `db.reading.statement`).
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from enum import StrEnum
from math import inf
from time import perf_counter
from types import TracebackType
from typing import Any
from uuid import UUID

from psycopg import OperationalError
from psycopg.errors import ObjectNotInPrerequisiteState, QueryCanceled

from db.reading.connection import Row
from db.reading.data_as_of import DATA_AS_OF, DATA_AS_OF_ON_PRIMARY, UNKNOWN
from db.reading.fair_queue import Ticket
from db.reading.hosts.distribution import DistributedReads
from db.reading.hosts.host import Host
from db.reading.hosts.monitor import MonitoredHosts
from db.reading.pool import ConnectionPool, PoolTimeout
from db.reading.query_stats import QueryStats, request_stats
from db.reading.statement import Statement
from db.reading.transaction import (
    SET_ORGANIZATION_ID,
    SET_ORGANIZATION_OF_KEY,
    SET_PUBLIC_ID,
    BoundStatement,
    StatementTimeout,
    Transaction,
    is_statement_timeout,
    transaction_start,
)
from db.tables.columns import ORGANIZATION_ID
from db.tables.keys import PUBLIC_ID

PING_SECONDS = 0.9
"""Seconds after which a ping tries another host, where there is one. /ready waits for two such pings."""

RECOVERY_CONFLICT = "40001"
"""SQLSTATE of a read that a standby cancelled, because it had to apply a change of rows that the read could see.

PostgreSQL has no other cause for it in a read-only transaction of the isolation level that is used.
"""

CHEAP_RESERVE = 0.5
"""Part of the connections that reports leave to reads that take milliseconds."""

READ_DEADLINE_GRACE = 0.1
"""Seconds between a request's deadline and the end of its reads, so that the request times out first, once."""

_read_deadline: ContextVar[tuple[float | None, asyncio.Task[Any] | None]] = ContextVar(
    "read_deadline", default=(None, None)
)
"""The end of the reads (the event loop's clock), and the task that ends at the request's deadline by itself."""


def has_time_left() -> bool:
    """Whether the reads are of a request (`request_deadline`), and its deadline has not passed."""
    ends_at, _ = _read_deadline.get()
    return ends_at is not None and asyncio.get_running_loop().time() < ends_at - READ_DEADLINE_GRACE


class request_deadline:  # noqa: N801 - a context manager, written as a class: every request enters one
    """Like `asyncio.timeout_at`, also for reads that other tasks make in this context: those raise TimeoutError."""

    __slots__ = ("_deadline", "_timeout", "_token")

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._timeout = asyncio.timeout_at(deadline)

    async def __aenter__(self) -> asyncio.Timeout:
        self._token = _read_deadline.set((self._deadline + READ_DEADLINE_GRACE, asyncio.current_task()))
        return await self._timeout.__aenter__()

    async def __aexit__(
        self, type_: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _read_deadline.reset(self._token)
        await self._timeout.__aexit__(type_, error, trace)


class RepeatCause(StrEnum):
    """Why a read was run a second time."""

    lost_connection = "lost_connection"
    recovery_conflict = "recovery_conflict"
    tables_distributed = "tables_distributed"


class Database:
    """Reads through a connection pool, in read-only transactions of the service's role, in UTC.

    `source`: a database address, or its hosts, which several pools may share. `size`: connections at most.
    `pool_timeout`: seconds that a read waits for a connection. `statement_timeout`: seconds that a statement may run.
    `prepare_threshold`: uses after which a statement is prepared on the server; None for never, which PgBouncer before
    1.22 requires. `tenant_share`: part of the connections that reads of one organization may use while others wait.
    """

    def __init__(
        self,
        source: str | MonitoredHosts,
        *,
        size: int = 8,
        pool_timeout: float = 2.0,
        statement_timeout: float = 5.0,
        prepare_threshold: int | None = 0,
        tenant_share: float = 0.5,
    ) -> None:
        self.query_stats = QueryStats()
        self._statement_timeout = statement_timeout
        self.repeated = dict.fromkeys(RepeatCause, 0)
        """How many reads were run a second time, by cause."""
        self._connecting: asyncio.Task[None] | None = None
        self._is_distributed: bool | None = None
        """Whether the tables of the last transaction were distributed; None before the first."""
        self._distributed = DistributedReads()
        self.hosts = source if isinstance(source, MonitoredHosts) else MonitoredHosts(source)
        self.heavy_limit = max(1, size - max(1, round(size * CHEAP_RESERVE)))
        """How many heavy reads run at a time."""
        self.pool = ConnectionPool(
            self.hosts,
            size=size,
            timeout=pool_timeout,
            prepare_threshold=prepare_threshold,
            tenant_limit=max(1, round(size * tenant_share)),
            heavy_limit=self.heavy_limit,
        )

    async def open(self) -> None:
        """Start to connect in the background: the service may start before the database."""
        self.hosts.open()
        self._connecting = asyncio.create_task(self._connect())

    async def close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            self.hosts.close()
        self.pool.close()

    async def _connect(self) -> None:
        with suppress(PoolTimeout):
            async with self.pool.connection():
                pass

    async def read_rows(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> list[list[Row]]:
        """The rows of each statement, in order. A parameter named `organization_id` is overwritten.

        `is_heavy`: the read of a report, which may take long, and leaves CHEAP_RESERVE of the connections to others.

        Raises psycopg.Error (StatementTimeout after `statement_timeout`), PoolTimeout (PoolBusy if other reads had the
        connections), or TimeoutError at the `request_deadline`.
        """
        # As text: psycopg writes a UUID in Python.
        own = {ORGANIZATION_ID.key: str(organization_id)}
        bound = [(statement, {**statement.constants, **values, **own}) for statement, values in statements]
        # A number as tenant: a UUID is slow to hash.
        ticket = Ticket(organization_id.int, is_heavy)
        return await self._run(Transaction(SET_ORGANIZATION_ID, own, bound, ticket, is_dated=True))

    async def read_key(
        self, public_id: str, statements: Sequence[Statement], values: Mapping[str, Any] | None = None
    ) -> list[list[Row]]:
        """The rows of each statement, where row-level security shows one key, and the rows of its organization.

        Of the organization it shows nothing on distributed tables. Raises what `read_rows` raises, and ValueError
        unless `public_id` is ASCII letters and digits.
        """
        if not (public_id.isascii() and public_id.isalnum()):
            raise ValueError(f"{public_id!r} is not the public id of a key.")
        key = {PUBLIC_ID.key: public_id}
        bound = [(statement, {**statement.constants, **(values or {}), **key}) for statement in statements]
        return await self._run(Transaction(SET_PUBLIC_ID, key, bound, then=[SET_ORGANIZATION_OF_KEY]))

    async def is_distributed(self) -> bool:
        """Whether the tables of the last transaction were distributed. Raises PoolTimeout before the first one."""
        if self._is_distributed is None:
            async with self.pool.connection() as connection:
                self._is_distributed = connection.host.is_distributed
        return self._is_distributed

    def connections_by_host(self) -> Mapping[Host, int]:
        """The number of connections to each host that are open or being opened."""
        by_host = self.pool.by_host()
        return {host: by_host[host] for host in self.hosts.all}

    async def ping(self) -> None:
        """Run the first statement of a transaction, on another host if the first does not answer in PING_SECONDS.

        Raises what `read_rows` raises. Cancelling it returns at once; the server notices the closed connection within
        a second.
        """
        transaction = Transaction("1", {})
        failed: set[Host] = set()
        try:
            async with asyncio.timeout(PING_SECONDS if self.hosts.are_several else None):
                await self._transaction(transaction, failed)
        except (OperationalError, TimeoutError):
            await self._transaction(transaction, failed)

    async def _run(self, transaction: Transaction) -> list[list[Row]]:
        """Run a transaction; run it once more, if possible on another host, for the causes of RepeatCause.

        A read can be repeated, since it changes nothing.
        """
        deadline, task_with_timeout = _read_deadline.get()
        is_timed = deadline is None or asyncio.current_task() is task_with_timeout
        failed: set[Host] = set()
        cause: RepeatCause | None = None
        while True:
            try:
                if is_timed:
                    return await self._transaction(transaction, failed)
                async with asyncio.timeout_at(deadline):
                    return await self._transaction(transaction, failed)
            except OperationalError as error:
                if cause is not None or (cause := _repeat_cause(error)) is None:
                    raise
                self.repeated[cause] += 1

    async def _transaction(self, transaction: Transaction, failed: set[Host]) -> list[list[Row]]:
        """One attempt at a transaction. Of several hosts it avoids `failed`, and adds its own to them if it fails."""
        expression, settings, statements, ticket, then, is_dated = transaction
        are_several = self.hosts.are_several
        costly: Sequence[Host] = ()
        if self._is_distributed and are_several:
            costly = self._distributed.hosts_without(ticket.tenant, self.hosts.all)
        connection = await self.pool.acquire(ticket, failed, costly)
        host, limit, moment = connection.host, self._statement_timeout, None
        self._is_distributed = host.is_distributed
        started_at = host.reads[connection] = perf_counter()
        try:
            is_primary = connection.is_primary
            column = (DATA_AS_OF_ON_PRIMARY if is_primary else DATA_AS_OF) if is_dated else "NULL"
            if host.is_distributed:
                (start,), *rows = await self._distributed.read(connection, transaction, column, limit)
            else:
                queries = [(transaction_start(expression, limit, column), settings)]
                queries += [(sql, settings) for sql in then]
                queries += [(statement.sql, values) for statement, values in statements]
                (start,), *rows = await connection.exchange(queries, must_drain=True)
                del rows[: len(then)]
            if is_dated:
                moment = start[0] or UNKNOWN
        except (OperationalError, asyncio.CancelledError) as error:
            seconds = perf_counter() - started_at
            if are_several:
                failed.add(host)
            # The other connections to the host are as broken as this one: no other attempt uses them.
            if isinstance(error, asyncio.CancelledError):
                if seconds > limit:
                    # No answer for longer than a statement may run: the server or the network hangs.
                    host.suspect(started_at)
                if not has_time_left():
                    # Not a client that left: a server that is late for the request is not waited for.
                    connection.finish()
            elif connection.closed or isinstance(error, ObjectNotInPrerequisiteState):
                host.suspect(perf_counter())
            if isinstance(error, QueryCanceled) and is_statement_timeout(error, seconds, limit):
                raise StatementTimeout(str(error), limit) from error
            raise
        finally:
            del host.reads[connection]
            seconds = perf_counter() - started_at
            self.query_stats.add(len(statements), seconds)
            if (stats := request_stats.get()) is not None:
                stats.add(len(statements), seconds, moment)
            self.pool.release(connection)
        # Several hosts are asked by the monitor.
        if moment is not None and not are_several:
            lag = 0.0 if is_primary else (datetime.now(UTC) - moment).total_seconds()
            host.lag_seconds = inf if moment == UNKNOWN else max(0.0, lag)
        return rows


def _repeat_cause(error: OperationalError) -> RepeatCause | None:
    """Why the read may succeed if it runs again; None if it would fail again, as at the statement timeout (57014)."""
    if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
        return RepeatCause.lost_connection
    if isinstance(error, ObjectNotInPrerequisiteState):
        # A node does not know the organization: the tables were distributed after the connection was opened.
        return RepeatCause.tables_distributed
    return RepeatCause.recovery_conflict if error.sqlstate == RECOVERY_CONFLICT else None
