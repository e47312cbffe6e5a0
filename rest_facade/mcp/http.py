"""`/mcp` on the internal listener: MCP over streamable HTTP, with the API key in the same header as for /v1."""

import asyncio
from collections.abc import Mapping

from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_facade.access.authentication import Caller
from rest_facade.access.quota import rate_limit_headers, refuse_exceeded
from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE
from rest_facade.mcp.caller import authenticated_caller
from rest_facade.mcp.extra import ExtraMissing, require_extra
from rest_facade.mcp.refusals import rpc_error
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request

MCP_PATH = "/mcp"


class McpEndpoint:
    """Authenticates and counts each HTTP request before its body is read. Loads the SDK at the first one.

    `limit` is the quota of a key: messages per window, of whatever kind. A call of a tool counts as a request of /v1,
    too.
    """

    def __init__(self, public: RestApp, counter: RateCounter, limit: int) -> None:
        self._public = public
        self._counter = counter
        self._limit = limit
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request.from_scope(scope, self._public.settings.trusted_proxies)
        rate_limits: Mapping[str, str] = {}
        try:
            caller = await authenticated_caller(self._public, request)
            count = await self._consume_quota(caller)
            rate_limits = rate_limit_headers(count)
            refuse_exceeded(count)
            if self._app is None:
                # The import takes most of a second, and would block the event loop.
                self._app = await asyncio.to_thread(_load_sdk_app, self._public)
        except Refused as refused:
            await _refusal(refused.error, request.id, rate_limits)(scope, receive, send)
        except ExtraMissing as missing:
            await Response(f"{missing}\n", 501, media_type="text/plain")(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _consume_quota(self, caller: Caller) -> Count:
        """Count one message of the key. Raises Refused (503) if it can't be counted."""
        try:
            return await self._counter.consume(caller.public_id, self._limit)
        except CountingFailed as error:
            raise Refused(SERVICE_UNAVAILABLE) from error


def mcp_route(endpoint: McpEndpoint) -> Route:
    """The route. It has no streams and no sessions, so GET and DELETE are 405."""
    return Route(MCP_PATH, endpoint, methods=["POST"])


def _refusal(error: Error, request_id: str, rate_limits: Mapping[str, str]) -> Response:
    headers = {**error.headers, **rate_limits, "Cache-Control": "no-store", "X-Request-ID": request_id}
    return Response(rpc_error(error, request_id), error.status, headers, "application/json")


def _load_sdk_app(public: RestApp) -> ASGIApp:
    require_extra()
    from rest_facade.mcp.transports import http_app  # noqa: PLC0415 - the SDK is an extra

    return http_app(public)
