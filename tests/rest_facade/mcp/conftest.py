"""The internal listener with `/mcp`, and clients over both transports."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import pytest
import uvicorn
from mcp import Client
from starlette.types import ASGIApp

from rest_facade.composition import Service
from rest_facade.server.sockets import address, bind_socket
from rest_facade.server.uvicorn_internals import UvicornServer
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.mcp.clients import TIMEOUT, connect_http, connect_remote, connect_stdio

McpConnect = Callable[[str], AbstractAsyncContextManager[Client]]


async def serving(app: ASGIApp, http: type[asyncio.Protocol] | Literal["auto"] = "auto") -> AsyncIterator[str]:
    """The address of a listener of the application."""
    quiet: Any = {"proxy_headers": False, "access_log": False, "log_config": None}
    config = uvicorn.Config(app, http=http, ws="none", lifespan="off", **quiet)
    socket, server = bind_socket("127.0.0.1", 0), UvicornServer(config)
    running = asyncio.create_task(server.serve(sockets=[socket]))
    await becomes(lambda: server.started, TIMEOUT)
    yield address(socket)
    server.should_exit = True
    await running


@pytest.fixture(scope="session")
async def listener(service: Service, anyio_backend: str) -> AsyncIterator[str]:
    """The address of the internal listener, over the shared database."""
    async for url in serving(service.internal):
        yield url


@pytest.fixture(scope="session")
async def public_listener(service: Service, anyio_backend: str) -> AsyncIterator[str]:
    """The address of the public listener, over the shared database."""
    async for url in serving(service.public):
        yield url


@pytest.fixture
def own(rows: Rows) -> UUID:
    """An organization with a large quota."""
    own = rows.organization()
    rows.quota(own, 1000)
    return own


@pytest.fixture(params=["stdio", "http", "remote"])
def connect_any(request: pytest.FixtureRequest, owner_url: str, tmp_path: Path) -> McpConnect:
    """`connect_any(key)`: a client with this key, over stdio, over HTTP, and over `orgdata mcp --url`."""
    if request.param == "stdio":
        return partial(connect_stdio, owner_url, log=tmp_path / "log")
    if request.param == "remote":
        return partial(connect_remote, request.getfixturevalue("public_listener"), log=tmp_path / "log")
    return partial(connect_http, request.getfixturevalue("listener"))
