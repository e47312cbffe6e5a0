"""How messages reach the server: over HTTP, one by one, or over standard input and output."""

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_facade.mcp.server import Context, Peer, server
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request
from rest_facade.v1 import ENDPOINTS

LARGEST_MESSAGE = 64 * 1024
"""Bytes: a hundred ids and more."""

HERE = "stdio"
"""The address of who started this process: its failures count together."""


def over_http(public: RestApp) -> ASGIApp:
    """An application that answers each POST on its own. No session is kept, so that any worker can answer."""

    def peer(context: Context) -> Peer:
        assert context.request is not None
        request = Request.of(context.request.scope, public.settings.trusted_proxies)
        return Peer(request.address, request.key)

    served = server(public, ENDPOINTS, peer)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # It lasts as long as one message, so that nothing must be opened with the listener and closed with it. Host
        # and Origin need no check: a page that was lured here has no key.
        manager = StreamableHTTPSessionManager(
            served, stateless=True, json_response=True, max_request_body_size=LARGEST_MESSAGE
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return app


async def over_stdio(public: RestApp, key: str) -> None:
    """Answer until standard input ends."""
    served = server(public, ENDPOINTS, lambda _: Peer(HERE, key))
    async with stdio_server() as (reading, writing):
        await served.run(reading, writing, served.create_initialization_options())
