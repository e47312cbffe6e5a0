"""REST calls of MCP tools: the requests that a tool makes, in the service's process or over HTTP.

`rest_facade.mcp.in_process` and `rest_facade.mcp.remote` implement the protocol.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import orjson

from rest_facade.mcp.refusals import envelope


class RestAnswer(NamedTuple):
    """The response to a GET request. Headers are found in any case."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def is_error(self) -> bool:
        return self.status != 200

    def data(self) -> Any:
        """The data of a successful response. Raises ErrorAnswer for an error."""
        if self.is_error:
            raise ErrorAnswer(self)
        return orjson.loads(self.body)

    def error(self) -> dict[str, Any]:
        """The error envelope of a refusal."""
        return envelope(self.body, self.headers)


class ErrorAnswer(Exception):
    """A request that a tool made was refused; the tool's result is that refusal."""

    def __init__(self, answer: RestAnswer) -> None:
        super().__init__(f"{answer.status}")
        self.answer = answer


class Call(Protocol):
    """The requests of one call of a tool."""

    async def get(self, path: str, query: str) -> RestAnswer:
        """The response to a request. In the service's process only the first of a call counts for the quota."""


class RestCalls(Protocol):
    """Who makes the requests of tools. `context` is the SDK's, for one message."""

    async def scopes(self, context: Any) -> frozenset[str] | None:
        """The scopes of the client's key; None for all. Raises Refused for a key that is not valid."""

    def call(self, context: Any) -> Call:
        """The requests of one call of a tool."""
