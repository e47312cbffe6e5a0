"""`orgdata mcp`: the tools for an MCP client that starts this process, over standard input and output."""

import asyncio
import signal

import uvloop

from rest_facade.composition import build
from rest_facade.mcp.extra import require_extra
from rest_facade.settings import Settings, require


def serve(settings: Settings) -> None:
    """Answer until standard input ends. Raises ExtraMissing and SettingsError."""
    key = require(settings, "mcp_key").get_secret_value()
    url = require(settings, "database_url").get_secret_value()
    require(settings, "signing_keys")
    require_extra()
    base_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    service = build(settings, url=url, base_url=base_url)
    # Nothing is lost when it ends at once, and the thread that reads standard input could not be interrupted.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def answer() -> None:
        from rest_facade.mcp.transports import over_stdio  # noqa: PLC0415 - the SDK is an extra

        await service.database.open()
        try:
            await over_stdio(service.public, key)
        finally:
            await service.database.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(answer())
