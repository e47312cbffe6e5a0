"""Clients of the official SDK, over both transports, and calls of tools."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import orjson
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from tests.processes import orgdata_command

SIGNING_KEYS = "a signing key of the tests"

TIMEOUT = 60.0
"""Seconds after which a test fails."""


@asynccontextmanager
async def connect_stdio(url: str, key: str, *options: str, log: Path) -> AsyncIterator[Client]:
    """A client of `orgdata mcp`, which runs as its child process."""
    named = {"DATABASE_URL": url, "MCP_KEY": key, "SIGNING_KEYS": SIGNING_KEYS}
    async with _connect_command([*options], log, **named) as client:
        yield client


@asynccontextmanager
async def connect_remote(address: str, key: str, *, log: Path, command: Sequence[str] = ()) -> AsyncIterator[Client]:
    """A client of `orgdata mcp --url`, which knows the address of a public listener and a key."""
    async with _connect_command(["--url", address], log, command, MCP_KEY=key) as client:
        yield client


@asynccontextmanager
async def _connect_command(
    options: list[str], log: Path, command: Sequence[str] = (), **settings: str
) -> AsyncIterator[Client]:
    words = command or orgdata_command()
    server = StdioServerParameters(
        command=words[0],
        args=[*words[1:], "mcp", *options],
        env={"PATH": os.environ["PATH"], **{f"ORGDATA_{name}": value for name, value in settings.items()}},
        cwd=log.parent,
    )
    with log.open("w") as errors:
        async with Client(stdio_client(server, errors), read_timeout_seconds=TIMEOUT) as client:
            yield client


@asynccontextmanager
async def connect_http(address: str, key: str, mode: str = "auto", query: str = "") -> AsyncIterator[Client]:
    """A client of `/mcp` on the listener at `address`."""
    headers = {"X-SERVICE-API-KEY": key}
    async with (
        # Without TLS; to read the certificates takes longer than most calls.
        httpx.AsyncClient(headers=headers, timeout=TIMEOUT, verify=False) as http,
        Client(
            streamable_http_client(f"{address}/mcp{query}", http_client=http), mode=mode, read_timeout_seconds=TIMEOUT
        ) as client,
    ):
        yield client


async def call(client: Client, tool: str, /, **arguments: Any) -> Any:
    """The content of a tool's result, which is the text, once."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return content(result)


async def call_refused(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The error that a tool returns, without its request id."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    body = content(result)
    assert set(body) == {"error"}
    error: dict[str, Any] = body["error"]
    assert result.meta is not None
    assert error.pop("request_id") == result.meta["orgdata/X-Request-ID"]
    return error


def content(result: CallToolResult) -> Any:
    """What the text of a result has."""
    (text,) = result.content
    assert isinstance(text, TextContent)
    assert result.structured_content is None
    return orjson.loads(text.text)
