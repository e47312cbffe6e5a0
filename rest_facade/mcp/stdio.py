"""MCP over standard input and output."""

from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from rest_facade.mcp.remote import RemoteCalls
from rest_facade.mcp.server import mcp_server


async def serve_stdio(server: Server[Any]) -> None:
    """Serve until standard input ends."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def serve_remote_stdio(url: str, key: str) -> None:
    """Serve the tools of the service at `url` until standard input ends."""
    async with RemoteCalls(url, key) as calls:
        await serve_stdio(mcp_server(calls))
