"""Connection that runs several statements in one transaction and one round trip (libpq's pipeline mode).

All statements are sent with one Sync behind the last. PostgreSQL runs what precedes a Sync as one transaction
(PostgreSQL manual, Message Flow, Pipelining), so neither BEGIN nor COMMIT is sent, except where tables are distributed
(`db.reading.transaction`). psycopg converts parameters and rows; its cursors are not used, because they take more time
than the conversion. Results are in the binary format, which psycopg decodes in C.

Uses psycopg 3.3 below its documented interface: the libpq wrapper `AsyncConnection.pgconn`, `Transformer`
(`dump_sequence`, `set_pgresult`, `load_rows`) and `error_from_result`. `tests/db/reading/test_connection.py` fails when
they change.
"""

import asyncio
import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from cachetools import LRUCache
from psycopg import AsyncConnection, Error, OperationalError, ProgrammingError
from psycopg.abc import Buffer
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult

from db.reading.time_slices import in_time_slices

if TYPE_CHECKING:
    from db.reading.hosts.host import Host

Row = Any
"""A named tuple with one attribute per column."""

BoundSql = tuple[str, Mapping[str, Any]]
"""SQL with `%(name)s` placeholders, and the value of each name."""

Command = bytes
"""SQL that is sent as it is, is never prepared, and returns no rows, such as BEGIN."""

EncodedParameters = tuple[Sequence[Buffer | None], Sequence[int]]
"""Parameters in text format, and their type OIDs; 0 lets the server infer the type."""

MAX_PREPARED = 300
"""Statements that one connection prepares at most. The others are parsed by the server each time."""

MAX_KNOWN = 1_000
"""Statements whose uses one connection counts, and whose SQL the process keeps parsed; the least recently used goes."""

ROWS_PER_SLICE = 128
"""Rows that are decoded in one go: about a millisecond of a report. A page of a list has fewer."""

MAX_AGE_SECONDS = 3600.0
"""A connection older than this is replaced: after a failover, the service leaves the old server within an hour."""

_PLACEHOLDER = re.compile(r"%%|%\((\w+)\)s")


class ParsedSql:
    """SQL with `$1` in place of the first name and so on, and the class of its rows once a result was seen."""

    def __init__(self, sql: str) -> None:
        self.numbers: dict[str, int] = {}
        """The number of each parameter by name, in order."""
        self.sql = _PLACEHOLDER.sub(self._number, sql).encode()
        self._make_row: Callable[[Sequence[Any]], Row] | None = None

    def _number(self, match: re.Match[str]) -> str:
        name = match[1]
        return "%" if name is None else f"${self.numbers.setdefault(name, len(self.numbers) + 1)}"

    def encode(self, parameters: Mapping[str, Any], transformer: Any) -> EncodedParameters:
        """The parameters in the order of their numbers. Raises psycopg.ProgrammingError if one is missing."""
        try:
            values: list[Any] = []
            inferred: list[int] = []
            for index, name in enumerate(self.numbers):
                value = parameters[name]
                # psycopg chooses the type of an integer by its size; a prepared statement needs the same type each
                # time. The SQL casts integers, so the server can infer their type.
                if type(value) is int:
                    inferred.append(index)
                elif type(value) is list:
                    value = _array(value)
                    inferred.append(index)
                values.append(value)
        except KeyError as error:
            raise ProgrammingError(f"No value for {error} in {self.sql!r}") from None
        data = transformer.dump_sequence(values, [PyFormat.TEXT] * len(values))
        types = list(transformer.types)
        for index in inferred:
            types[index] = 0
        return data, types

    async def decode(self, result: PGresult, transformer: Any) -> list[Row]:
        """The rows of a result, decoded in time slices."""
        if self._make_row is None:
            names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
            # What `_make` does, without a Python frame per row.
            self._make_row = partial(tuple.__new__, namedtuple("Row", names, rename=True))  # noqa: PYI024
        transformer.set_pgresult(result)

        def load(part: Any) -> list[Row]:
            rows: list[Row] = transformer.load_rows(part.start, part.stop, self._make_row)
            return rows

        return await in_time_slices(load, range(result.ntuples), ROWS_PER_SLICE)


def _array(values: list[Any]) -> Any:
    """A list of UUIDs as the text of an array: psycopg would check each of them for characters to quote."""
    if values and type(values[0]) is UUID:
        return "{" + ",".join([each.hex for each in values]) + "}"
    return values


parse_sql = lru_cache(MAX_KNOWN)(ParsedSql)


class Connection(AsyncConnection[Row]):
    """A connection that sends several statements at once, and prepares those that it sends often."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._transformer = Transformer(self)
        # Without a connection, moments are in UTC: the time zone of the session may be another one outside of a
        # transaction.
        self._decoder = Transformer(self.adapters)
        self._use_counts: LRUCache[ParsedSql, int] = LRUCache(MAX_KNOWN)
        self._statement_names: dict[ParsedSql, bytes] = {}
        """The names of the statements that the server has prepared."""
        # Random, because a pooler may lend this client a session in which another client prepared statements.
        self._new_names = map(f"orgdata_{token_hex(8)}_{{}}".format, count())
        self.opened_at = self.last_answer_at = perf_counter()
        """When the server last answered everything that was sent."""
        self.host: Host | None = None
        """The server; None where the connection was not opened for a pool."""
        self.max_age = MAX_AGE_SECONDS
        """Seconds after `opened_at` at which the pool replaces it."""
        self.is_distributed = False
        """Whether the tables were distributed when it was opened (`db.reading.distribution.detection`)."""
        self.start_value: bytes | None = None
        """The value that the last transaction's start returned; None for a start that returns none."""

    @property
    def is_primary(self) -> bool:
        """Whether the server is a primary. False where that is not known: a pooler does not report it."""
        # The server reports each change of this parameter, so that a promoted standby is a primary at once.
        return self.pgconn.parameter_status(b"in_hot_standby") == b"off"

    async def read(
        self, queries: Sequence[BoundSql | Command], *, without: int = 0, commit: bool = False
    ) -> list[list[Row]]:
        """The rows of each query after the first `without` that are no commands: see `start_value` for these.

        `commit`: the first command is BEGIN. The COMMIT goes behind a Sync of its own, so that it also ends a block
        that an error aborted. Raises psycopg.Error; closes the connection unless all results arrived.
        """
        try:
            return await self._read(queries, without, commit)
        except (FeatureNotSupported, InvalidSqlStatementName) as error:
            if not self._statement_names:
                raise
            if isinstance(error, InvalidSqlStatementName):
                # A pooler moved this client to a session without its prepared statements: stop preparing.
                self.prepare_threshold = None
        # FeatureNotSupported is "cached plan must not change result type": a migration changed a column. The
        # transaction failed as a whole, so it can run again. The server keeps the old statements until it disconnects.
        self._statement_names.clear()
        return await self._read(queries, without, commit)

    async def _read(self, queries: Sequence[BoundSql | Command], without: int, commit: bool) -> list[list[Row]]:
        transformer = self._transformer
        encoded: list[tuple[ParsedSql, EncodedParameters] | Command] = []
        # Before the first is sent: a missing value must not end the connection.
        for query in queries:
            if isinstance(query, bytes):
                encoded.append(query)
            else:
                statement = parse_sql(query[0])
                encoded.append((statement, statement.encode(query[1], transformer)))
        prepared: list[bool] = []
        pgconn = self.pgconn
        try:
            pgconn.enter_pipeline_mode()
            for each in encoded:
                if isinstance(each, bytes):
                    pgconn.send_query_params(each, None)
                    prepared.append(False)
                else:
                    prepared.append(self._send(pgconn, *each))
            pgconn.pipeline_sync()
            if commit:
                pgconn.send_query_params(b"COMMIT", None)
                pgconn.pipeline_sync()
            results = await _receive(pgconn)
            if commit:
                await _receive(pgconn)
            pgconn.exit_pipeline_mode()
        except BaseException:
            # The results still to come must not reach the next read. The server notices the closed connection within
            # a second and cancels the statement (client_connection_check_interval).
            pgconn.finish()
            raise
        self.last_answer_at = perf_counter()
        if True in prepared:
            self._forget_unprepared(encoded, prepared, results)
        row_results: list[PGresult] = []
        for result in results:
            status = result.status
            if status == ExecStatus.FATAL_ERROR:
                raise error_from_result(result, self.info.encoding)
            if status == ExecStatus.TUPLES_OK:
                row_results.append(result)
        self.start_value = row_results[0].get_value(0, 0) if without and row_results[0].nfields else None
        rows: list[list[Row]] = []
        statements = [each[0] for each in encoded if not isinstance(each, bytes)]
        for statement, result in list(zip(statements, row_results, strict=True))[without:]:
            rows.append(await statement.decode(result, self._decoder))
        return rows

    def _send(self, pgconn: PGconn, statement: ParsedSql, encoded: EncodedParameters) -> bool:
        """Send one statement. True if a PREPARE went before it, which has a result of its own."""
        values, types = encoded
        name = self._statement_names.get(statement)
        if name is not None:
            pgconn.send_query_prepared(name, values, result_format=Format.BINARY)
            return False
        uses = self._use_counts[statement] = self._use_counts.get(statement, 0) + 1
        threshold = self.prepare_threshold
        if threshold is None or uses <= threshold or len(self._statement_names) >= MAX_PREPARED:
            pgconn.send_query_params(statement.sql, values, types, result_format=Format.BINARY)
            return False
        name = next(self._new_names).encode()
        pgconn.send_prepare(name, statement.sql, types)
        pgconn.send_query_prepared(name, values, result_format=Format.BINARY)
        self._statement_names[statement] = name
        return True

    def _forget_unprepared(
        self,
        sent: Sequence[tuple[ParsedSql, EncodedParameters] | Command],
        prepares: Sequence[bool],
        results: Sequence[PGresult],
    ) -> None:
        """Forget statements whose PREPARE failed: the server skips everything that follows an error."""
        remaining = iter(results)
        for each, prepared in zip(sent, prepares, strict=True):
            if prepared and next(remaining).status != ExecStatus.COMMAND_OK:
                del self._statement_names[each[0]]  # type: ignore[arg-type]  # no command is prepared
            next(remaining)


async def _receive(pgconn: PGconn) -> list[PGresult]:
    """Flush the send buffer, and collect the results up to the Sync. Raises psycopg.Error if the connection breaks."""
    loop = asyncio.get_running_loop()
    results: list[PGresult] = []
    while pgconn.flush():
        await _wait_ready(loop, pgconn, writing=True)
        pgconn.consume_input()
    while True:
        while pgconn.is_busy():
            await _wait_ready(loop, pgconn)
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            if pgconn.status == ConnStatus.BAD:
                raise _connection_error(pgconn, results)
        elif result.status == ExecStatus.PIPELINE_SYNC:
            return results
        else:
            results.append(result)


def _connection_error(pgconn: PGconn, results: Sequence[PGresult]) -> Error:
    """Why the connection broke: the server's last error if it sent one, else libpq's."""
    if results and results[-1].status == ExecStatus.FATAL_ERROR:
        return error_from_result(results[-1])
    return OperationalError(pgconn.get_error_message())


async def _wait_ready(loop: asyncio.AbstractEventLoop, pgconn: PGconn, *, writing: bool = False) -> None:
    """Wait until the socket can be read or, with `writing`, written."""
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    socket = pgconn.socket
    loop.add_reader(socket, wake)
    if writing:
        loop.add_writer(socket, wake)
    try:
        await ready
    finally:
        loop.remove_reader(socket)
        if writing:
            loop.remove_writer(socket)
