"""`/mcp` of the public listener, and `orgdata mcp --url`: a service that answers, or does not, or is another program.

Covers `rest_facade/mcp/remote.py`.
"""

import asyncio
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.rest_facade.mcp.clients import call, call_refused, connect_http, connect_remote
from tests.rest_facade.mcp.endpoint import PING

KEY = "orgd_mcp_00000000_"


async def test_unknown_key_is_refused_as_by_the_service(public_listener: str, tmp_path: Path) -> None:
    async with connect_remote(public_listener, KEY, log=tmp_path / "log") as client:
        assert await call_refused(client, "listTeams") == {"code": "INVALID_API_KEY", "message": "Invalid API key."}


async def test_long_argument_is_refused_as_by_the_service(public_listener: str, tmp_path: Path) -> None:
    async with connect_remote(public_listener, KEY, log=tmp_path / "log") as client:
        error = await call_refused(client, "listTeams", search="x" * 70_000)
    assert error["message"] == "The request line or the headers are too large."


async def test_call_beyond_the_quota_is_told_to_ask_for_less(public_listener: str, rows: Rows, tmp_path: Path) -> None:
    own = rows.organization()
    rows.quota(own, 2)
    year = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
    async with connect_remote(public_listener, rows.mcp_key(own, "time:read"), log=tmp_path / "log") as client:
        error = await call_refused(client, "sumTrackedTime", **year)
    assert error["message"] == "Rate limit exceeded. This call alone makes more requests: ask for fewer days."


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


@pytest.mark.process
@pytest.mark.parametrize("is_on", [True, False])
async def test_setting_puts_tools_on_public_listener(is_on: bool, owner_url: str, rows: Rows, tmp_path: Path) -> None:
    own = rows.organization()
    rows.team(own, name="Design")
    key = rows.mcp_key(own, "teams:read")
    with serving(tmp_path, database_url=owner_url, public_mcp=str(is_on).lower()) as service:
        if is_on:
            async with connect_http(service.public, key) as client:
                assert (await call(client, "listTeams", fields="name"))["results"] == [{"name": "Design"}]
        async with httpx.AsyncClient(base_url=service.public, headers={"X-SERVICE-API-KEY": key}) as http:
            for method, path, status in (
                ("POST", "/mcp", 200 if is_on else 404),
                ("GET", "/mcp", 405 if is_on else 404),
            ):
                accepted = {"Accept": "application/json, text/event-stream"}
                answer = await http.request(method, path, json=PING, headers=accepted)
                assert answer.status_code == status
                assert answer.headers["content-type"] == "application/json"
            assert (await http.get("/v1/teams/")).status_code == 200
            assert (await http.post("/v1/teams/", json=PING)).status_code == 405
