"""`orgdata mcp`: the MCP server over standard input and output, for a client that starts this process.

`orgdata mcp --url` has the same tools over a service elsewhere. Installed alone, it has the libraries of
`requirements-mcp-client.txt` only, so the server is imported inside functions, and so is the SDK, an extra.
"""

import asyncio
import os
import re
import signal
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from rest_facade.mcp.calls import RestCalls
from rest_facade.mcp.options import OptionError, ToolOptions, require_extra

if TYPE_CHECKING:
    from rest_facade.settings import Settings

KEY_VARIABLE = "ORGDATA_MCP_KEY"
"""The environment variable of the key. A file `.env` is not read: the customer's directory is not the service's."""

SERVICE_URL = re.compile(r"https://[^/\s?#@]+(/[^\s?#]*)?|http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?/?")

ADDRESS = "stdio"
"""The address, for the throttle, of the client that started this process."""


def serve_database(settings: "Settings", options: ToolOptions) -> None:
    """Serve over the database of the settings until standard input ends. Raises ExtraMissing and SettingsError."""
    from rest_facade.composition import build_service  # noqa: PLC0415 - the server
    from rest_facade.mcp.in_process import InProcessCalls  # noqa: PLC0415 - the server
    from rest_facade.settings import require_settings  # noqa: PLC0415 - the server

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
    from rest_facade.mcp.remote import RemoteCalls, http_client  # noqa: PLC0415 - the SDK's HTTP client

    http = http_client(url.rstrip("/"), key.strip())
    _run(http, RemoteCalls(http), options)


def _run(opened: AbstractAsyncContextManager[object], calls: RestCalls, options: ToolOptions) -> None:
    """Serve until standard input ends, while the service or the HTTP client of the calls is open."""
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - the SDK is an extra

    from rest_facade.mcp.server import mcp_server  # noqa: PLC0415 - the SDK is an extra

    server = mcp_server(calls, options)

    async def run() -> None:
        async with opened, stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    # SIGINT ends the process at once: the thread that reads standard input can't be interrupted otherwise.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(run())
