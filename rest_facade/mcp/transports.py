"""MCP servers in the service's process: over stateless HTTP, and over standard input and output."""

from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_facade.mcp.in_process import InProcessCalls, Peer
from rest_facade.mcp.server import RequestContext, mcp_server
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request

MAX_MESSAGE = 64 * 1024
"""Bytes of a message at most. A list of 100 ids takes about 4,000."""

STDIO_ADDRESS = "stdio"
"""The address, for the throttle, of the client that started this process."""


def http_app(public: RestApp) -> ASGIApp:
    """An ASGI application for stateless HTTP: each POST is independent, so any worker can answer it."""

    def peer(context: RequestContext) -> Peer:
        assert context.request is not None
        request = Request.from_scope(context.request.scope, public.settings.trusted_proxies)
        return Peer(request.address, request.key)

    server = mcp_server(InProcessCalls(public, peer))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # One manager for each message: nothing has to be opened and closed with the listener. Host and Origin need no
        # check against DNS rebinding: the web page of an attacker has no API key.
        manager = StreamableHTTPSessionManager(
            server, stateless=True, json_response=True, max_request_body_size=MAX_MESSAGE
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return app


def stdio_mcp_server(public: RestApp, key: str) -> Server[Any]:
    """The server for the one client that started this process."""
    return mcp_server(InProcessCalls(public, lambda _: Peer(STDIO_ADDRESS, key)))
