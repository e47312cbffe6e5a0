"""`/mcp` on the internal listener: MCP over streamable HTTP, with the API key in the same header as for /v1."""

import asyncio

from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_facade.mcp.caller import authenticated_caller
from rest_facade.mcp.extra import ExtraMissing, require_extra
from rest_facade.mcp.refusals import rpc_error
from rest_facade.rest.app import RestApp
from rest_facade.rest.errors import Refused
from rest_facade.rest.request import Request

PATH = "/mcp"


class McpEndpoint:
    """Authenticates each HTTP request before the SDK reads its body. Loads the SDK at the first one."""

    def __init__(self, public: RestApp) -> None:
        self._public = public
        self._sdk_app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request.from_scope(scope, self._public.settings.trusted_proxies)
        try:
            await authenticated_caller(self._public, request)
            if self._sdk_app is None:
                # The import takes most of a second, and would block the event loop.
                self._sdk_app = await asyncio.to_thread(_load_sdk_app, self._public)
            app = self._sdk_app
        except Refused as refused:
            headers = {**refused.error.headers, "Cache-Control": "no-store", "X-Request-ID": request.id}
            body = rpc_error(refused.error, request.id)
            app = Response(body, refused.error.status, headers, "application/json")
        except ExtraMissing as missing:
            app = Response(f"{missing}\n", 501, media_type="text/plain")
        await app(scope, receive, send)


def mcp_route(public: RestApp) -> Route:
    """The route. It has no streams and no sessions, so GET and DELETE are 405."""
    return Route(PATH, McpEndpoint(public), methods=["POST"])


def _load_sdk_app(public: RestApp) -> ASGIApp:
    require_extra()
    from rest_facade.mcp.transports import http_app  # noqa: PLC0415 - the SDK is an extra

    return http_app(public)
