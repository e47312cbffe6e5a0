"""REST calls in the service's process: for `/mcp`, and for `orgdata mcp` beside the database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers

from rest_facade.mcp.caller import authenticated_caller
from rest_facade.mcp.rest_calls import RestAnswer
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request
from rest_facade.rest.request_state import RequestState


@dataclass(frozen=True)
class Peer:
    """The client of an MCP connection: its address, for the throttle, and its key."""

    address: str
    key: str | None = field(repr=False)

    def request(self, path: str = "", query: str = "") -> Request:
        """A GET request of this client."""
        path_bytes, query_bytes = path.encode(), query.encode()
        return Request("GET", path_bytes, query_bytes, address=self.address, key=self.key, origin=None)


class InProcessCalls:
    """Requests that `public` answers. `peer` returns the client of a message."""

    def __init__(self, public: RestApp, peer: Callable[[Any], Peer]) -> None:
        self._public = public
        self._peer = peer

    async def scopes(self, context: Any) -> frozenset[str] | None:
        """The scopes of the client's key; None for all. Raises Refused for a key that is not valid."""
        caller = await authenticated_caller(self._public, self._peer(context).request())
        return caller.scopes

    def call(self, context: Any) -> "InProcessCall":
        """The requests of one call of a tool."""
        return InProcessCall(self._public, self._peer(context))


class InProcessCall:
    """The requests of one call of a tool. The first one counts for the quota."""

    def __init__(self, public: RestApp, peer: Peer) -> None:
        self._public = public
        self._peer = peer
        self._state: RequestState | None = None

    async def get(self, path: str, query: str) -> RestAnswer:
        """The response to a request."""
        state = RequestState() if self._state is None else RequestState(count=self._state.count)
        response = await self._public.respond(self._peer.request(path, query), state)
        self._state = state
        headers: Mapping[str, str] = Headers(raw=list(response.headers.items()))
        return RestAnswer(response.status, response.body, headers)
