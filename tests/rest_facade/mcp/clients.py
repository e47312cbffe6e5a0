"""Clients of the official SDK, over both transports, and calls of tools."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

SIGNING_KEYS = "a signing key of the tests"

TIMEOUT = 60.0
"""Seconds after which a test fails."""


@asynccontextmanager
async def connect_stdio(url: str, key: str, *, log: Path, mode: str = "auto", **settings: str) -> AsyncIterator[Client]:
    """A client of `orgdata mcp`, which runs as its child process."""
    named = {"DATABASE_URL": url, "MCP_KEY": key, "SIGNING_KEYS": SIGNING_KEYS, **settings}
    async with _connect_command([], log, mode, **named) as client:
        yield client


@asynccontextmanager
async def connect_remote(address: str, key: str, *, log: Path) -> AsyncIterator[Client]:
    """A client of `orgdata mcp --url`, which knows the address of a public listener and a key."""
    async with _connect_command(["--url", address], log, "auto", MCP_KEY=key) as client:
        yield client


@asynccontextmanager
async def _connect_command(options: list[str], log: Path, mode: str, **settings: str) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "rest_facade", "mcp", *options],
        env={"PATH": os.environ["PATH"], **{f"ORGDATA_{name}": value for name, value in settings.items()}},
        cwd=log.parent,
    )
    with log.open("w") as errors:
        async with Client(stdio_client(command, errors), mode=mode, read_timeout_seconds=TIMEOUT) as client:
            yield client


@asynccontextmanager
async def connect_http(address: str, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of `/mcp` on the listener at `address`."""
    headers = {"X-SERVICE-API-KEY": key}
    async with (
        httpx.AsyncClient(headers=headers, timeout=TIMEOUT) as http,
        Client(
            streamable_http_client(f"{address}/mcp", http_client=http), mode=mode, read_timeout_seconds=TIMEOUT
        ) as client,
    ):
        yield client


async def call(client: Client, tool: str, /, **arguments: Any) -> Any:
    """The structured content of a tool's result. Its text is short."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return _content(result)


async def call_refused(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The error that a tool returns, without its request id."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    body = _content(result)
    assert set(body) == {"error"}
    error: dict[str, Any] = body["error"]
    assert result.meta is not None
    assert error.pop("request_id") == result.meta["orgdata/X-Request-ID"]
    return error


def _content(result: CallToolResult) -> Any:
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert len(content.text) < 300
    return result.structured_content
