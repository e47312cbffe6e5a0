"""The MCP endpoint with a limit of its own, and requests that no SDK sends."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2 as httpx

from rest_facade.access.rate_counter import MemoryStorage, RateCounter, Storage
from rest_facade.composition import Service
from rest_facade.mcp.http import McpEndpoint

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


async def post(address: str, key: str | None, method: str = "POST", **given: Any) -> httpx.Response:
    headers = {"Accept": "application/json, text/event-stream"} | ({} if key is None else {"X-SERVICE-API-KEY": key})
    async with httpx.AsyncClient(headers=headers) as http:
        return await http.request(method, f"{address}/mcp", **given)


def endpoint(
    service: Service, limit: int = 120, storage: Storage | None = None, clock: Callable[[], float] = time.time
) -> McpEndpoint:
    counter = RateCounter(storage or MemoryStorage(), prefix="mcp", window=60, clock=clock)
    return McpEndpoint(service.public, counter, limit)


@asynccontextmanager
async def direct(app: McpEndpoint, address: str, key: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the endpoint alone."""
    headers = {"X-SERVICE-API-KEY": key, "Accept": "application/json, text/event-stream"}
    transport = httpx.ASGITransport(app, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as http:
        yield http
