"""The cache of responses to `tools/list`: a second response is equal to the first, and to what the SDK would send."""

import json
from collections.abc import Mapping
from typing import Any

import httpx2 as httpx
import pytest
from starlette.types import Receive, Scope, Send

from rest_facade.access.authentication import Caller
from rest_facade.composition import Service
from rest_facade.mcp import listing_cache
from rest_facade.mcp.listing_cache import MAX_MESSAGE, ListingCache
from rest_facade.mcp.transports import http_app
from rest_facade.v1 import ENDPOINTS
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}
LEGACY: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
MODERN = LEGACY | {"params": {"_meta": META}}
MODERN_HEADERS = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/list"}


class CountedApp:
    """The SDK's application, and the number of messages that reached it."""

    def __init__(self, service: Service) -> None:
        self.messages = 0
        self.app = http_app(service.public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.messages += 1
        await self.app(scope, receive, send)


class Client:
    """Posts messages of one key to a cache in front of the SDK."""

    def __init__(self, service: Service, rows: Rows, *scopes: str) -> None:
        self.sdk = CountedApp(service)
        self.cache = ListingCache(self.sdk)
        self.service = service
        own = rows.organization()
        self.key = rows.mcp_key(own, *scopes) if scopes else rows.partner_key(own)

    async def post(self, body: Mapping[str, Any] | bytes, headers: Mapping[str, str] | None = None) -> httpx.Response:
        caller = await self.service.public.keys.caller(self.key)
        assert isinstance(caller, Caller)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self.cache.respond(caller, scope, receive, send)

        default = {
            "X-SERVICE-API-KEY": self.key,
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
            content = body if isinstance(body, bytes) else json.dumps(body)
            return await http.post("/mcp", content=content, headers={**default, **(headers or {})})


@pytest.fixture
def partner(service: Service, rows: Rows) -> Client:
    return Client(service, rows)


@pytest.mark.parametrize(("body", "headers"), [(LEGACY, {}), (MODERN, MODERN_HEADERS)], ids=["legacy", "modern"])
async def test_second_list_is_equal_and_does_not_reach_the_sdk(
    partner: Client, body: dict[str, Any], headers: dict[str, str]
) -> None:
    first = await partner.post(body, headers)
    for id_ in (1, 7, "seven", 0, -1, 'a"b'):
        again = await partner.post(body | {"id": id_}, headers)
        assert again.status_code == first.status_code == 200
        assert again.json() == first.json() | {"id": id_}
        assert dict(again.headers) | {"content-length": ""} == dict(first.headers) | {"content-length": ""}
    assert partner.sdk.messages == 1
    names = [tool["name"] for tool in first.json()["result"]["tools"]]
    assert names[: len(ENDPOINTS)] == [each.operation for each in ENDPOINTS]


async def test_scopes_have_their_own_lists(service: Service, rows: Rows, partner: Client) -> None:
    await partner.post(LEGACY)
    scoped = Client(service, rows, "teams:read")
    scoped.cache = partner.cache
    for _ in range(2):
        names = [tool["name"] for tool in (await scoped.post(LEGACY)).json()["result"]["tools"]]
        assert names == ["listTeams", "listTeamMembers", "describeResult"]
    assert partner.sdk.messages == 2


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}),
        ({"jsonrpc": "2.0", "method": "tools/list"}, {}),
        (LEGACY | {"id": None}, {}),
        (LEGACY | {"id": True}, {}),
        (LEGACY | {"id": 1.5}, {}),
        (LEGACY | {"jsonrpc": "1.0"}, {}),
        (LEGACY | {"params": [1]}, {}),
        (LEGACY | {"params": {"cursor": 5}}, {}),
        (LEGACY, {"Accept": "text/plain"}),
        (LEGACY, {"Content-Type": "text/plain"}),
        (LEGACY, {"MCP-Protocol-Version": "1999-01-01"}),
        (MODERN, {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call"}),
        (b"no message", {}),
        (b"[]", {}),
        (b"", {}),
    ],
)
async def test_other_messages_reach_the_sdk_unchanged(
    partner: Client, body: dict[str, Any] | bytes, headers: dict[str, str]
) -> None:
    await partner.post(LEGACY)  # an entry that must not answer them
    first, second = [await partner.post(body, headers) for _ in range(2)]
    assert partner.sdk.messages == 3
    assert (first.status_code, first.content) == (second.status_code, second.content)


async def test_too_large_message_is_413(partner: Client) -> None:
    for body in (LEGACY | {"params": {"_meta": {"x": "x" * MAX_MESSAGE}}}, b" " * (MAX_MESSAGE + 1)):
        assert (await partner.post(body)).status_code == 413


async def test_cache_is_bounded(partner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing_cache, "MAX_ENTRIES", 3)
    partner.cache = ListingCache(partner.sdk)
    for number in range(5):
        await partner.post(LEGACY | {"params": {"_meta": {"n": number}}})
    assert len(partner.cache._results) == 3
