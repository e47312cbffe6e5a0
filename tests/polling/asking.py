"""How a client asks an endpoint: over HTTP, or inside a transaction, where reads see what the transaction wrote."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import httpx2 as httpx
import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult
from sqlalchemy import Connection

from db.reading.database import Database
from db.reading.parsed_sql import ParsedSql, parse_sql
from db.reading.statement import Statement
from db.reading.transaction import BoundStatement
from db.tables.columns import ORGANIZATION_ID
from rest_facade.rest.endpoint import Endpoint
from schema.execution.operation import Executor
from tests.helpers.endpoint_calls import items_of
from tests.sent import as_sent


class Page(NamedTuple):
    """The items of a page, and the parameters of the next one."""

    items: Sequence[dict[str, Any]]
    next: Mapping[str, str] | None


Ask = Callable[[Endpoint, Mapping[str, str], Mapping[str, str]], Awaitable[Page | None]]
"""Asks for a page with ids of the path and parameters; None if that is 404."""


def over_http(http: httpx.AsyncClient) -> Ask:
    """Raises httpx.HTTPError unless the status is 200 or 404."""

    async def ask(endpoint: Endpoint, ids: Mapping[str, str], params: Mapping[str, str]) -> Page | None:
        response = await http.get(endpoint.path.format_map(ids), params=params)
        if response.status_code == 404:
            return None
        body = response.raise_for_status().json()
        after, cursor = _positions(body)
        following = dict(parse_qsl(urlsplit(after).query)) if after else {"cursor": cursor} if cursor else None
        return Page(items_of(endpoint, body), following)

    return ask


def _positions(body: Any) -> tuple[Any, Any]:
    """What a body says of the next page."""
    return (body.get("next"), body.get("pagination", {}).get("next_cursor")) if isinstance(body, dict) else (None, None)


class OpenTransaction(Database):
    """Reads on the connection of an open transaction. `read_words`: those of the statements that it ran."""

    def __init__(self, connection: Connection, organization_id: UUID) -> None:
        super().__init__("postgresql://")
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        # psycopg drops all prepared statements with each ROLLBACK if it made any.
        driver.prepare_threshold = None
        self._connection = driver.pgconn
        # Statements are planned once: planning takes longer than reading a small world.
        self._checked(self._connection.exec_(b"SET jit = off; SET plan_cache_mode = force_generic_plan"))
        self._encoder, self._decoder = Transformer(driver), Transformer(driver.adapters)
        self._names: dict[ParsedSql, bytes] = {}
        self._organization_id = organization_id
        self._executor = Executor(self)
        self.read_words: set[str] = set()

    async def read_rows(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> list[list[Any]]:
        return [await self.rows(*bound) for bound in statements]

    async def rows(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        self.read_words |= words(statement.sql)
        parsed = parse_sql(statement.sql)
        own = {ORGANIZATION_ID.key: self._organization_id}
        encoded, types = parsed.encode({**statement.constants, **values, **own}, self._encoder)
        if parsed not in self._names:
            self._names[parsed] = b"read_%d" % len(self._names)
            self._checked(self._connection.prepare(self._names[parsed], parsed.sql, types))
        data: Any = encoded
        result = self._connection.exec_prepared(self._names[parsed], data, result_format=Format.BINARY)
        return await parsed.decode(self._checked(result), self._decoder)

    def _checked(self, result: PGresult) -> PGresult:
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise error_from_result(result)
        return result

    async def ask(self, endpoint: Endpoint, ids: Mapping[str, str], params: Mapping[str, str]) -> Page | None:
        """The page that the endpoint returns, before it is wrapped."""
        position = {name: params[name] for name in ("after", "cursor") if name in params}
        query = {name: [value] for name, value in params.items() if name not in position}
        variables = {**endpoint.variables(ids, query), **position}
        result = await self._executor.execute(endpoint.compiled, self._organization_id, variables)
        if any((error.extensions or {}).get("code") == "RESOURCE_NOT_FOUND" for error in result.errors or ()):
            return None
        assert result.errors is None
        data = as_sent(result.data)
        for name in endpoint.compiled.result_path:
            data = data[name]
        after, cursor = _positions(data)
        following = {**params, "after": after} if after else {**params, "cursor": cursor} if cursor else None
        return Page(items_of(endpoint, data), following)


@lru_cache(None)
def words(sql: str) -> frozenset[str]:
    """The words of a statement, the names of its tables among them."""
    return frozenset(re.findall(r"\w+", sql))
