"""`/mcp` on the internal listener: streamable HTTP, with the key in the same header as that of /v1."""

import asyncio

from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_facade.mcp.caller import caller_of
from rest_facade.mcp.extra import ExtraMissing, require_extra
from rest_facade.mcp.refusals import rpc_error
from rest_facade.rest.app import RestApp
from rest_facade.rest.errors import Refused
from rest_facade.rest.request import Request

PATH = "/mcp"


class McpEndpoint:
    """Lets in who has a key, before anything of a message is read."""

    def __init__(self, public: RestApp) -> None:
        self._public = public
        self._messages: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request.of(scope, self._public.settings.trusted_proxies)
        try:
            await caller_of(self._public, request)
            if self._messages is None:
                # The SDK takes most of a second to import. Not in the event loop, where everybody would wait for it.
                self._messages = await asyncio.to_thread(_messages, self._public)
            answer = self._messages
        except Refused as refused:
            headers = {**refused.error.headers, "Cache-Control": "no-store", "X-Request-ID": request.id}
            body = rpc_error(refused.error, request.id)
            answer = Response(body, refused.error.status, headers, "application/json")
        except ExtraMissing as missing:
            answer = Response(f"{missing}\n", 501, media_type="text/plain")
        await answer(scope, receive, send)


def route(public: RestApp) -> Route:
    """The route. Nothing is streamed and no session kept, so that GET and DELETE are answered 405."""
    return Route(PATH, McpEndpoint(public), methods=["POST"])


def _messages(public: RestApp) -> ASGIApp:
    require_extra()
    from rest_facade.mcp.transports import over_http  # noqa: PLC0415 - the SDK is an extra

    return over_http(public)
