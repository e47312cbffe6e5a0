"""Statements on one connection: in one transaction and one round trip, without what psycopg's cursors do besides.

libpq is told everything at once: each statement's values, and one Sync behind the last. What stands before a Sync is
one transaction (PostgreSQL, 54.2.4): it is committed there, or nothing of it happened, so that neither BEGIN nor
COMMIT are sent. psycopg writes the values and reads the rows.
"""

import asyncio
import re
from collections import Counter, namedtuple
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import count
from secrets import token_hex
from time import perf_counter
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection, Error, OperationalError, ProgrammingError
from psycopg.abc import Buffer
from psycopg.adapt import Loader, PyFormat, Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

Row = Any
"""A named tuple: one attribute a column."""

BoundSql = tuple[str, Mapping[str, Any]]
"""A text with `%(name)s` placeholders, and the values of all its names."""

EncodedValues = tuple[Sequence[Buffer | None], Sequence[int]]
"""Values as they are sent, and the numbers of their types, 0 for what the server finds out."""

MOST_PREPARED = 300
"""Statements that one connection keeps prepared. What comes later is sent as text: the usual ones came first."""

_PLACEHOLDER = re.compile(r"%%|%\((\w+)\)s")


class ParsedSql:
    """A text as the server takes it: `$1` for the first name, and so on. `row` makes a row, once one was seen."""

    def __init__(self, sql: str) -> None:
        self.names: dict[str, int] = {}
        self.sql = _PLACEHOLDER.sub(self._place, sql).encode()
        self.row: Callable[[Sequence[Any]], Row] | None = None

    def _place(self, match: re.Match[str]) -> str:
        name = match[1]
        return "%" if name is None else f"${self.names.setdefault(name, len(self.names) + 1)}"

    def dumped(self, given: Mapping[str, Any], transformer: Any) -> EncodedValues:
        """The values in their order, and their types. Raises psycopg.ProgrammingError for one that is missing."""
        try:
            values = [_flat(given[name]) for name in self.names]
        except KeyError as error:
            raise ProgrammingError(f"No value for {error} in {self.sql!r}") from None
        data = transformer.dump_sequence(values, [PyFormat.TEXT] * len(values))
        # What psycopg takes for the type of a number depends on its size. The text casts it, so it needs none.
        return data, [
            0 if type(value) in (int, list) else type_ for value, type_ in zip(values, transformer.types, strict=True)
        ]

    def rows(self, result: PGresult, transformer: Any) -> list[Row]:
        """The rows of a result."""
        if self.row is None:
            names = [(result.fname(at) or b"").decode() for at in range(result.nfields)]
            # What `_make` does, without a frame of Python for each row.
            self.row = partial(tuple.__new__, namedtuple("Row", names, rename=True))  # noqa: PYI024
        transformer.set_pgresult(result)
        rows: list[Row] = transformer.load_rows(0, result.ntuples, self.row)
        return rows


def _flat(value: Any) -> Any:
    """A list of ids as text: psycopg would look through each of them for what must be quoted."""
    if type(value) is list and value and type(value[0]) is UUID:
        return "{" + ",".join([each.hex for each in value]) + "}"
    return value


class MomentLoader(Loader):
    """An instant. The connection speaks UTC, so that what it says is ISO 8601 but for the T."""

    @staticmethod
    def load(data: Buffer) -> datetime:
        return datetime.fromisoformat(str(data, "ascii"))


parse_sql = lru_cache(4096)(ParsedSql)


class Connection(AsyncConnection[Row]):
    """A connection that runs several statements at once, and knows which of them its server has prepared."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.adapters.register_loader("timestamptz", MomentLoader)
        self._transformer = Transformer(self)
        self._uses: Counter[ParsedSql] = Counter()
        self._named: dict[ParsedSql, bytes] = {}
        # Behind a pooler the session may be one in which another client prepared: its names must not be ours.
        self._names = map(f"orgdata_{token_hex(8)}_{{}}".format, count())
        self.opened_at = self.heard_at = perf_counter()
        """When the server answered last: all that it was asked."""

    async def read(self, queries: Sequence[BoundSql]) -> list[list[Row]]:
        """The rows of each query. Raises psycopg.Error; if the answer didn't come whole, the connection is closed."""
        try:
            return await self._read(queries)
        except (FeatureNotSupported, InvalidSqlStatementName) as error:
            if not self._named:
                raise
            if isinstance(error, InvalidSqlStatementName):
                # A pooler that changes sessions and does not know what was prepared in them: prepare no more.
                self.prepare_threshold = None
        # Otherwise "cached plan must not change result type": a migration changed a column. Nothing was read by then,
        # and what is prepared anew has the type of today. What was prepared before is left to the server.
        self._named.clear()
        return await self._read(queries)

    async def _read(self, queries: Sequence[BoundSql]) -> list[list[Row]]:
        transformer = self._transformer
        texts = [parse_sql(sql) for sql, _ in queries]
        dumped = [text.dumped(given, transformer) for text, (_, given) in zip(texts, queries, strict=True)]
        pgconn = self.pgconn
        try:
            pgconn.enter_pipeline_mode()
            expected = [self._send(pgconn, text, values) for text, values in zip(texts, dumped, strict=True)]
            pgconn.pipeline_sync()
            results = await _results(pgconn)
            pgconn.exit_pipeline_mode()
        except BaseException:
            # What is still on its way must not be read by whoever comes next. The server notices that nobody
            # listens, and gives up (client_connection_check_interval).
            pgconn.finish()
            raise
        self.heard_at = perf_counter()
        self._note(texts, expected, results)
        failed = next((result for result in results if result.status == ExecStatus.FATAL_ERROR), None)
        if failed is not None:
            raise error_from_result(failed, self.info.encoding)
        found = [result for result in results if result.status == ExecStatus.TUPLES_OK]
        return [text.rows(result, transformer) for text, result in zip(texts, found, strict=True)]

    def _send(self, pgconn: PGconn, text: ParsedSql, dumped: EncodedValues) -> bool:
        """Send one statement; whether it is prepared with it, which is one result more."""
        values, types = dumped
        name = self._named.get(text)
        if name is not None:
            pgconn.send_query_prepared(name, values)
            return False
        self._uses[text] += 1
        threshold = self.prepare_threshold
        if threshold is None or self._uses[text] <= threshold or len(self._named) >= MOST_PREPARED:
            pgconn.send_query_params(text.sql, values, types)
            return False
        name = next(self._names).encode()
        pgconn.send_prepare(name, text.sql, types)
        pgconn.send_query_prepared(name, values)
        self._named[text] = name
        return True

    def _note(self, texts: Sequence[ParsedSql], were_prepared: Sequence[bool], results: Sequence[PGresult]) -> None:
        """Forget what could not be prepared: after an error, nothing of what follows it was done."""
        following = iter(results)
        for text, was_prepared in zip(texts, were_prepared, strict=True):
            if was_prepared and next(following).status != ExecStatus.COMMAND_OK:
                del self._named[text]
            next(following)


async def _results(pgconn: PGconn) -> list[PGresult]:
    """Send what waits to be sent, and collect what is answered, up to the Sync."""
    loop = asyncio.get_running_loop()
    results: list[PGresult] = []
    while pgconn.flush():
        await _ready(loop, pgconn, writing=True)
        pgconn.consume_input()
    while True:
        while pgconn.is_busy():
            await _ready(loop, pgconn)
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            if pgconn.status == ConnStatus.BAD:
                raise _lost(pgconn, results)
        elif result.status == ExecStatus.PIPELINE_SYNC:
            return results
        else:
            results.append(result)


def _lost(pgconn: PGconn, results: Sequence[PGresult]) -> Error:
    """Why a connection broke: what the server said last, if it said something."""
    if results and results[-1].status == ExecStatus.FATAL_ERROR:
        return error_from_result(results[-1])
    return OperationalError(pgconn.get_error_message())


async def _ready(loop: asyncio.AbstractEventLoop, pgconn: PGconn, *, writing: bool = False) -> None:
    """Wait until the server has sent something, or takes something."""
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
