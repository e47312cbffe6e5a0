"""Calls of MCP tools: the requests of /v1 that a tool makes, in the service's process or over HTTP."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode

import orjson

from rest_facade.errors.envelope import Error, new_request_id
from rest_facade.errors.refusals import REQUIRED_SCOPE_HEADER


class RestAnswer(NamedTuple):
    """The response to a GET request. Headers are found in any case."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class CallRefused(Exception):
    """A request was refused, or the arguments make no request. `content` is the error envelope."""

    def __init__(self, content: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(content["error"]["message"])
        self.content = content
        self.headers = headers


def call_refusal(answer: RestAnswer) -> CallRefused:
    """What a refused request raises. Its envelope is complete without headers: models see none."""
    content = orjson.loads(answer.body)
    if REQUIRED_SCOPE_HEADER in answer.headers:
        content["error"]["required_scope"] = answer.headers[REQUIRED_SCOPE_HEADER]
    if "Retry-After" in answer.headers:
        content["error"]["retry_after_seconds"] = int(answer.headers["Retry-After"])
    return CallRefused(content, answer.headers)


def refused_call(error: Error, request_id: str | None = None) -> CallRefused:
    """What a call raises that this process refuses, as if a request had been refused."""
    request_id = request_id or new_request_id()
    return call_refusal(RestAnswer(error.status, error.body(request_id), {"X-Request-ID": request_id, **error.headers}))


def query_of(parameters: Mapping[str, Any]) -> str:
    """The query with these parameters. Half a surrogate pair, which JSON can hold, becomes a question mark."""
    return urlencode(parameters, errors="replace")


class Call:
    """The requests of one call of a tool. `send` gets the path and the query of each."""

    def __init__(self, send: Callable[[str, str], Awaitable[RestAnswer]]) -> None:
        self._send = send
        self._made = 0
        self.headers: Mapping[str, str] = {}
        """Those of the first response: what it had, all have."""
        self.has_rows: bool | None = None
        """Whether a response had a row. Those of reports, which have no id, count if they have days or timesheets."""

    async def get(self, path: str, query: str) -> Any:
        """The data of a response. Raises CallRefused."""
        answer = await self._send(path, query)
        self._made += 1
        self.headers = self.headers or answer.headers
        if answer.status != 200:
            refused = call_refusal(answer)
            if answer.status == 429 and self._made > int(answer.headers.get("RateLimit-Limit", self._made)):
                refused.content["error"]["message"] += " This call alone makes more requests: ask for fewer days."
            raise refused
        data = orjson.loads(answer.body)
        rows = data if isinstance(data, list) else data.get("results", [data])
        parts = ["id" in row or row.get("days", row.get("timesheets")) for row in rows]
        self.has_rows = bool(self.has_rows) or any(part != [] for part in parts)
        return data


class RestCalls(Protocol):
    """Who makes the requests of tools, for one client."""

    async def scopes(self) -> frozenset[str] | None:
        """The scopes of the client's key; None for all. Raises Refused or CallRefused for a key that is not valid."""

    def call(self) -> Call:
        """The requests of one call of a tool."""
