"""`orgdata mcp --url`: a service elsewhere that answers, does not answer, or is no such service.

Covers `rest_facade/mcp/remote.py`.
"""

import asyncio
from pathlib import Path

from tests.rest_facade.mcp.clients import call_refused, connect_remote

KEY = "orgd_mcp_00000000_"


async def test_unknown_key_is_refused_as_by_the_service(public_listener: str, tmp_path: Path) -> None:
    async with connect_remote(public_listener, KEY, log=tmp_path / "log") as client:
        assert await call_refused(client, "listTeams") == {"code": "INVALID_API_KEY", "message": "Invalid API key."}


async def test_long_argument_is_refused_as_by_the_service(public_listener: str, tmp_path: Path) -> None:
    async with connect_remote(public_listener, KEY, log=tmp_path / "log") as client:
        error = await call_refused(client, "listTeams", search="x" * 70_000)
    assert error["message"] == "The request line or the headers are too large."


async def test_unreachable_service_is_503(tmp_path: Path) -> None:
    async with connect_remote("http://127.0.0.1:1", KEY, log=tmp_path / "log") as client:
        assert await call_refused(client, "listTeams") == {
            "code": "SERVICE_UNAVAILABLE",
            "message": "The service could not be reached.",
            "retry_after_seconds": 5,
        }


async def test_address_of_another_program_is_told(tmp_path: Path) -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(other, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, connect_remote(f"http://127.0.0.1:{port}", KEY, log=tmp_path / "log") as client:
        error = await call_refused(client, "listTeams")
    assert error["message"] == "The address answers, but not as this service."
