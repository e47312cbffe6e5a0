"""`orgdata mcp`: the MCP server over standard input and output, for a client that starts this process."""

import asyncio
import signal

import uvloop

from rest_facade.composition import build_service
from rest_facade.mcp.extra import require_extra
from rest_facade.settings import Settings, require_settings


def serve(settings: Settings) -> None:
    """Serve until standard input ends. Raises ExtraMissing and SettingsError."""
    key = require_settings(settings, "mcp_key").get_secret_value()
    url = require_settings(settings, "database_url").get_secret_value()
    require_settings(settings, "signing_keys")
    require_extra()
    base_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    service = build_service(settings, url=url, base_url=base_url)
    # SIGINT ends the process at once: the thread that reads standard input can't be interrupted otherwise.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def run() -> None:
        from rest_facade.mcp.stdio import serve_stdio  # noqa: PLC0415 - the SDK is an extra
        from rest_facade.mcp.transports import stdio_mcp_server  # noqa: PLC0415 - the SDK is an extra

        await service.open()
        try:
            await serve_stdio(stdio_mcp_server(service.public, key))
        finally:
            await service.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
