"""`orgdata mcp --url`: the same tools over a service elsewhere, with nothing but its address and a key.

Installed alone it has the libraries of `requirements-mcp-client.txt` only, so it imports no part of the server.
"""

import asyncio
import os
import re
import signal

from db.admin.errors import OperatorError
from rest_facade.mcp.extra import require_extra

KEY_VARIABLE = "ORGDATA_MCP_KEY"
"""The environment variable of the key. A file `.env` is not read: the customer's directory is not the service's."""

SERVICE_URL = re.compile(r"https://[^/\s?#@]+(/[^\s?#]*)?|http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?/?")


class RemoteCommandError(OperatorError):
    """The address or the key is missing or malformed; the text says what it should be."""


def serve_remote(url: str) -> None:
    """Serve until standard input ends. Raises RemoteCommandError and ExtraMissing."""
    if not SERVICE_URL.fullmatch(url):
        raise RemoteCommandError("--url should be an https address, such as https://api.example.com.")
    key = os.environ.get(KEY_VARIABLE, "")
    if not key.isascii() or not key.strip():
        raise RemoteCommandError(f"{KEY_VARIABLE} should be the API key.")
    require_extra()
    from rest_facade.mcp.stdio import serve_remote_stdio  # noqa: PLC0415 - the SDK is an extra

    # SIGINT ends the process at once: the thread that reads standard input can't be interrupted otherwise.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(serve_remote_stdio(url.rstrip("/"), key.strip()))
