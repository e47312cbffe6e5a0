"""`/mcp` of the public listener, in a process of its own: off by default, and with the bodies of HTTP clients."""

from pathlib import Path

import httpx2 as httpx
import pytest

from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.rest_facade.mcp.clients import call, connect_http

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


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
