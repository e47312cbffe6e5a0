"""`orgdata mcp`: serve the MCP tools over standard input and output, for a client that starts this process.

`orgdata mcp --url` has the same tools over a service elsewhere. Installed alone, it has the libraries of
`requirements-mcp-client.txt` only, so the server is imported inside functions, and so is the SDK, an extra.
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import AbstractAsyncContextManager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

import orjson
import typer

from rest_facade.mcp.calls import RestCalls
from rest_facade.mcp.messages import Fault, fault_of
from rest_facade.mcp.options import OptionError, ToolOptions, require_extra, tool_options

if TYPE_CHECKING:
    from rest_facade.settings import Settings

KEY_VARIABLE = "ORGDATA_MCP_KEY"
"""The environment variable of the key. A file `.env` is not read: the customer's directory is not the service's."""

SERVICE_URL = re.compile(r"https://[^/\s?#@]+(/[^\s?#]*)?|http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?/?")

END_SECONDS = 30.0
"""Time for requests that are not answered when standard input ends; a request itself takes at most ten seconds."""

ADDRESS = "stdio"
"""The address, for the throttle, of the client that started this process."""


def serve_mcp(
    url: Annotated[
        str | None, typer.Option(help="https address of a running service; without it, the database is read directly.")
    ] = None,
    tools: Annotated[
        str,
        typer.Option(help="Only tools of these areas, such as people,time. The others: work, activity, money, leaves."),
    ] = "",
    structured: Annotated[
        bool, typer.Option("--structured", help="Results as structured content, too; tools get an output schema.")
    ] = False,
) -> None:
    """Serve the MCP tools over standard input and output, with the key of ORGDATA_MCP_KEY."""
    options = tool_options(tools, "true" if structured else "")
    if url is not None:
        serve_remote(url, options)
        return
    from rest_facade.settings import load

    serve_database(load(), options)


def serve_database(settings: "Settings", options: ToolOptions) -> None:
    """Serve over the database of the settings until standard input ends. Raises OperatorError."""
    from rest_facade.composition import build_service
    from rest_facade.mcp.in_process import InProcessCalls
    from rest_facade.settings import require_settings

    key = require_settings(settings, "mcp_key").get_secret_value()
    url = require_settings(settings, "database_url").get_secret_value()
    require_settings(settings, "signing_keys")
    require_extra()
    base_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    service = build_service(settings, url=url, base_url=base_url)
    _run(service.running(), InProcessCalls(service.public, ADDRESS, key), options)


def serve_remote(url: str, options: ToolOptions) -> None:
    """Serve over the service at `url` until standard input ends. Raises OptionError and ExtraMissing."""
    if not SERVICE_URL.fullmatch(url):
        raise OptionError("--url should be an https address, such as https://api.example.com.")
    key = os.environ.get(KEY_VARIABLE, "")
    if not key.isascii() or not key.strip():
        raise OptionError(f"{KEY_VARIABLE} should be the API key.")
    require_extra()
    from rest_facade.mcp.remote import RemoteCalls, http_client

    http = http_client(url.rstrip("/"), key.strip())
    _run(http, RemoteCalls(http), options)


class _PendingRequests:
    """The stream of responses, which knows the requests that were read and have none yet.

    The SDK cancels them when standard input ends, but a program may pipe its calls and then close the pipe.
    """

    def __init__(self) -> None:
        self._unanswered: list[str | int] = []
        self._changed = asyncio.Event()
        self.output: Any = None
        """The SDK's stream, once it is open: before the first line is read."""

    async def lines(self, file: AsyncIterable[str]) -> AsyncIterator[str]:
        """The lines of a file, which ends when all requests in it have responses or are cancelled, or after a time.

        Lines that are no messages are answered here.
        """
        async for line in file:
            message = line.removeprefix("\ufeff").strip()
            if not message:
                continue
            if (fault := fault_of(message.encode())) is not None:
                await self.refuse(fault)
                continue
            content = orjson.loads(message)
            if {"method", "id"} <= content.keys():
                self._unanswered.append(content["id"])
            elif content.get("method") == "notifications/cancelled":
                self._end((content.get("params") or {}).get("requestId"))
            yield message
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                while self._unanswered:
                    self._changed.clear()
                    await self._changed.wait()

    async def refuse(self, fault: Fault) -> None:
        """Answer a line that is no message."""
        from mcp.shared.message import SessionMessage
        from mcp_types import ErrorData, JSONRPCError

        error = ErrorData(code=fault.code, message=fault.message)
        await self.output.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=fault.id, error=error)))

    async def send(self, item: Any) -> None:
        await self.output.send(item)
        if not hasattr(item.message, "method"):
            self._end(item.message.id)

    def _end(self, request_id: object) -> None:
        """Wait no longer for a request, which has its response, or gets none because it was cancelled."""
        with suppress(ValueError):
            self._unanswered.remove(cast("Any", request_id))
        self._changed.set()

    async def __aenter__(self) -> Self:
        return self

    async def aclose(self, *_: object) -> None:
        await self.output.aclose()

    __aexit__ = aclose


def _run(opened: AbstractAsyncContextManager[object], calls: RestCalls, options: ToolOptions) -> None:
    """Serve until standard input ends, while the service or the HTTP client of the calls is open."""
    import anyio
    from mcp.server.stdio import stdio_server

    from rest_facade.mcp.server import mcp_server

    server, pending = mcp_server(calls, options), _PendingRequests()
    lines = anyio.wrap_file(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))

    async def run() -> None:
        async with opened, stdio_server(cast("anyio.AsyncFile[str]", pending.lines(lines))) as (reading, writing):
            pending.output = writing
            await server.run(reading, pending, server.create_initialization_options())

    # SIGINT ends the process at once: the thread that reads standard input can't be interrupted otherwise.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(run())
