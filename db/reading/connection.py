"""Connection that runs several statements in one transaction and one round trip (libpq's pipeline mode).

All statements are sent with one Sync behind the last. PostgreSQL runs what precedes a Sync as one transaction
(PostgreSQL manual, Message Flow, Pipelining), so neither BEGIN nor COMMIT is sent, except where tables are distributed
(`db.reading.transaction`). psycopg converts parameters and rows; its cursors are not used, because they take more time
than the conversion. Results are in the binary format, which psycopg decodes in C.

Uses internals of psycopg 3.3: the libpq wrapper `AsyncConnection.pgconn`, `Transformer` (`dump_sequence`,
`set_pgresult`, `load_rows`) and `error_from_result`. `tests/db/reading/test_connection.py` fails when they change.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection, Error, OperationalError
from psycopg.adapt import Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGresult

from db.reading.parsed_sql import ParsedSql, parse_sql

if TYPE_CHECKING:
    from db.reading.hosts.host import Host

Row = Any
"""A named tuple with one attribute per column."""

BoundSql = tuple[str, Mapping[str, Any]]
"""SQL with `%(name)s` placeholders, and the value of each name."""

Command = bytes
"""SQL that is sent as it is, is never prepared, and returns no rows, such as BEGIN."""

Sent = tuple[ParsedSql | None, bool, Callable[[], object] | None]
"""What was sent to the server, which returns a result for each: the statement whose rows the result has, whether an
earlier read prepared it, and what corrects the names of prepared statements if the server skips it after an error."""

MAX_PREPARED = 150
"""Statements that are prepared on one connection at most; the least recently used is dropped. The server takes some
0.3 MB for each."""

DRAIN_SECONDS = 0.05
"""Seconds that a cancelled read may go on: most are answered before another connection would be open."""

CANCEL_SECONDS = 1.0
"""Seconds that a server has to take the request to cancel a read, and again to end it."""

MAX_AGE_SECONDS = 3600.0
"""A connection older than this is replaced: after a failover, the service leaves the old server within an hour."""


class Connection(AsyncConnection[Row]):
    """A connection that sends several statements at once, and prepares those that it sends often."""

    host: "Host"
    """The server. Set when the connection was opened."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._transformer = Transformer(self)
        # Without a connection, moments are in UTC: the time zone of the session may be another one outside of a
        # transaction.
        self._decoder = Transformer(self.adapters)
        # Weak: otherwise each connection would keep other statements, which the process has dropped.
        self._use_counts: WeakKeyDictionary[ParsedSql, int] = WeakKeyDictionary()
        self._statement_names: dict[ParsedSql, bytes] = {}
        """The names of the statements that the server has prepared."""
        # Random, because a pooler may lend this client a session in which another client prepared statements.
        self._new_names = map(f"orgdata_{token_hex(8)}_{{}}".format, count())
        self.last_answer_at = perf_counter()
        """When the server last answered everything that was sent."""
        self.expires_at = self.last_answer_at + MAX_AGE_SECONDS
        """When the pool replaces it."""
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop that watches the socket, from the first read until the connection is closed."""
        self._socket = -1
        self._arrival: asyncio.Future[None] | None = None
        """Done when the read in flight can go on."""
        self._failure: Error | None = None
        self._syncs = 0
        """The Syncs of the last read that are not answered."""
        self.is_left = False
        """Whether a read was cancelled, and left the connection to be drained."""
        self.draining: asyncio.Task[None] | None = None
        """What drains it, after a read that was cancelled."""

    @property
    def is_primary(self) -> bool:
        """Whether the server is a primary. False where that is not known: a pooler does not report it."""
        # The server reports each change of this parameter, so that a promoted standby is a primary at once.
        return self.pgconn.parameter_status(b"in_hot_standby") == b"off"

    async def drain(self) -> None:
        """Take what is left of a cancelled read. If that takes long, the server cancels it, and the connection closes.

        If the connection were only closed, the server would go on for a second, beside the reads of the next one.
        """
        self.is_left = False
        try:
            try:
                async with asyncio.timeout(DRAIN_SECONDS):
                    results = await self._receive()
                if all(result.status in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK) for result in results):
                    self.pgconn.exit_pipeline_mode()
                    self.last_answer_at = perf_counter()
                    return
            except TimeoutError:
                await self.cancel_safe(timeout=CANCEL_SECONDS)
                async with asyncio.timeout(CANCEL_SECONDS):
                    await self._receive()
            self.finish()
        except BaseException as failure:
            self.finish()
            if not isinstance(failure, Error | TimeoutError):
                raise

    async def exchange(self, queries: Sequence[BoundSql | Command], *, must_drain: bool = False) -> list[list[Row]]:
        """The rows of each query that is no command. Raises psycopg.Error; closes the connection unless all arrived.

        If the first is a command, that is BEGIN. The COMMIT goes behind a Sync of its own, so that it also ends a block
        that an error aborted. With `must_drain`, a cancelled read leaves the connection open: it must be drained.
        """
        is_block = isinstance(queries[0], bytes)
        encoded: list[tuple[ParsedSql | None, Any, Sequence[int]]] = []
        # Before the first is sent: a missing value must not end the connection.
        for query in queries:
            if isinstance(query, bytes):
                encoded.append((None, query, ()))
            else:
                statement = parse_sql(query[0])
                encoded.append((statement, *statement.encode(query[1], self._transformer)))
        sent: list[Sent] = []
        pgconn = self.pgconn
        try:
            # Fails if the connection broke since the last read: the event loop may have told of that then.
            pgconn.consume_input()
            pgconn.enter_pipeline_mode()
            for each, values, types in encoded:
                if each is None:
                    pgconn.send_query_params(values, None)
                    sent.append((None, False, None))
                else:
                    self._send(each, values, types, sent)
            pgconn.pipeline_sync()
            if is_block:
                pgconn.send_query_params(b"COMMIT", None)
                pgconn.pipeline_sync()
            self._syncs = 1 + is_block
            results = await self._receive()
            pgconn.exit_pipeline_mode()
        except BaseException as failure:
            # The results still to come must not reach the next read. The server notices the closed connection within
            # a second and cancels the statement (client_connection_check_interval).
            self.is_left = must_drain and isinstance(failure, asyncio.CancelledError)
            if not self.is_left:
                self.finish()
            raise
        self.last_answer_at = perf_counter()
        found: list[tuple[ParsedSql, PGresult]] = []
        error: Error | None = None
        for (of, _, undo), result in zip(sent, results, strict=False):
            if result.status == ExecStatus.TUPLES_OK and of is not None:
                found.append((of, result))
            elif result.status != ExecStatus.COMMAND_OK:
                error = error or error_from_result(result, self.info.encoding)
                if undo is not None:
                    undo()
        if error is not None:
            if self._is_stale(error, sent):
                return await self.exchange(queries, must_drain=must_drain)
            raise error
        return [await statement.decode(result, self._decoder) for statement, result in found]

    async def _receive(self) -> list[PGresult]:
        """Flush the send buffer, and collect the results up to the last Sync, without those of the Syncs.

        Raises psycopg.Error if the connection breaks.
        """
        pgconn, loop = self.pgconn, asyncio.get_running_loop()
        results: list[PGresult] = []
        if self._loop is not loop:
            self._stop_watching()
            self._loop, self._socket = loop, pgconn.socket
            # Once for all reads: to start and to stop watching costs six calls of the kernel.
            loop.add_reader(self._socket, self._on_readable)
        while pgconn.flush():
            # More than the socket takes. Results count, too: the server may have to send them before it reads on.
            self._arrival = loop.create_future()
            loop.add_writer(self._socket, self._go_on)
            try:
                await self._arrival
            finally:
                if self._loop is not None:
                    loop.remove_writer(self._socket)
            if self._failure is not None:
                raise self._failure
        waited = False
        while self._syncs:
            if waited and pgconn.is_busy():
                # Fails if the connection broke behind a result: the event loop may have told of that then.
                pgconn.consume_input()
            while pgconn.is_busy():
                self._arrival = loop.create_future()
                await self._arrival
                waited = True
                if self._failure is not None:
                    raise self._failure
            result = pgconn.get_result()
            if result is None:
                if pgconn.status == ConnStatus.BAD:
                    # The server's last error, if it sent one, says why.
                    if results and results[-1].status == ExecStatus.FATAL_ERROR:
                        raise error_from_result(results[-1])
                    raise OperationalError(pgconn.get_error_message())
            elif result.status == ExecStatus.PIPELINE_SYNC:
                self._syncs -= 1
            else:
                results.append(result)
        return results

    def _on_readable(self) -> None:
        """Take what the server sent, and let the read go on when a result is complete, not for each part of it."""
        pgconn = self.pgconn
        try:
            pgconn.consume_input()
            if pgconn.is_busy():
                # uvloop tells of a broken connection once, and only the read behind its last data fails.
                pgconn.consume_input()
            is_partial = pgconn.is_busy() and pgconn.status != ConnStatus.BAD
        except Error as error:
            self._failure, is_partial = error, False
        if self._failure is not None or pgconn.status == ConnStatus.BAD:
            # libpq has closed the socket: before a task runs, its number may be that of another connection.
            self._stop_watching()
        if not is_partial:
            self._go_on()

    def _go_on(self) -> None:
        """Wake the read in flight, if there is one: a server also sends notices, and says why it ends a connection."""
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def abort(self, error: Error) -> None:
        """Let the read fail that waits for the server, if there is one. It closes the connection."""
        if self._arrival is not None and not self._arrival.done():
            self._failure = error
            self._go_on()

    def _stop_watching(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
        self._loop = None

    async def wait(self, *arguments: Any, **keywords: Any) -> Any:
        """What psycopg's own statements wait in: it watches the socket by itself."""
        self._stop_watching()
        return await super().wait(*arguments, **keywords)

    def finish(self) -> None:
        """Close the connection at once. The server ends what it does for it within a second."""
        self._stop_watching()
        self.is_left = False
        self.pgconn.finish()

    def _send(self, statement: ParsedSql, values: Any, types: Sequence[int], sent: list[Sent]) -> None:
        """Send one statement, and before it the PREPARE and the Close that it needs."""
        pgconn, names = self.pgconn, self._statement_names
        name = names.pop(statement, None)
        is_known = name is not None
        if name is None:
            uses = self._use_counts[statement] = self._use_counts.get(statement, 0) + 1
            if self.prepare_threshold is None or uses <= self.prepare_threshold:
                pgconn.send_query_params(statement.sql, values, types, result_format=Format.BINARY)
                sent.append((statement, False, None))
                return
            if len(names) >= MAX_PREPARED:
                oldest = next(iter(names))
                dropped = names.pop(oldest)
                pgconn.send_close_prepared(dropped)
                sent.append((None, False, partial(names.__setitem__, oldest, dropped)))
            name = next(self._new_names).encode()
            pgconn.send_prepare(name, statement.sql, types)
            sent.append((None, False, partial(names.pop, statement, None)))
        # The last of the names is that of the statement used last.
        names[statement] = name
        pgconn.send_query_prepared(name, values, result_format=Format.BINARY)
        sent.append((statement, is_known, None))

    def _is_stale(self, error: Error, sent: Sequence[Sent]) -> bool:
        """Whether the read failed for a statement that was prepared before it, so that it can run again."""
        if not any(is_known for _, is_known, _ in sent):
            return False
        if isinstance(error, InvalidSqlStatementName):
            # A pooler moved this client to a session without its prepared statements: stop preparing.
            self.prepare_threshold = None
        elif not isinstance(error, FeatureNotSupported):
            return False
        # FeatureNotSupported is "cached plan must not change result type": a migration changed a column. The
        # transaction failed as a whole. The server keeps the old statements until it disconnects.
        self._statement_names.clear()
        return True
