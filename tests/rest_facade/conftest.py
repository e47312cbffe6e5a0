"""An organization with a key and a client, other services, and the log."""

import io
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from uuid import UUID

import httpx2 as httpx
import pytest
import structlog

from rest_facade.composition import Service
from rest_facade.settings import Settings
from rest_facade.telemetry import logging as log
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import varied

Vary = Callable[..., AbstractAsyncContextManager[Service]]


@pytest.fixture
def vary(settings: Settings, owner_url: str) -> Vary:
    """`vary(quota_limit=5)`: a service with changed settings, over the shared database unless `url` is another."""
    return partial(varied, settings, url=owner_url)


@pytest.fixture
async def fresh(vary: Vary) -> AsyncIterator[Service]:
    """A service of this test alone."""
    async with vary() as service:
        yield service


def redirected(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Let the loggers of both listeners write into a stream for the time of a test."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        log.configure()
    # A logger keeps the stream of its first line.
    for listener in ("rest", "graphql"):
        monkeypatch.setattr(f"rest_facade.{listener}.app.log", structlog.get_logger())
    yield stream
    log.configure()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """The log, as a file."""
    yield from redirected(io.StringIO(), monkeypatch)


@pytest.fixture
def organization(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture
def key(rows: Rows, organization: UUID) -> str:
    return rows.partner_key(organization)


@pytest.fixture
def http(client: Connect, key: str) -> httpx.AsyncClient:
    """An HTTP client of the public listener with the key."""
    return client(key)
