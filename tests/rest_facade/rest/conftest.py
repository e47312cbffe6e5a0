"""Fixtures of the tests of the public listener: over a socket (`public`), and in this process (`http`)."""

from collections.abc import Iterator

import httpx2 as httpx
import pytest

from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.composition import build_service
from rest_facade.settings import Settings
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.rest.listener import BASE_URL, DAY, Listener, listening


@pytest.fixture(scope="module")
def listener(owner_url: str, settings: Settings) -> Iterator[Listener]:
    daily = settings.model_copy(update={"quota_window": DAY})
    with listening(build_service(daily, url=owner_url, base_url=BASE_URL)) as listener:
        yield listener


@pytest.fixture
def public(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> Listener:
    """The listener, with a throttle that has counted no failures."""
    monkeypatch.setattr(listener.service.public, "throttle", Throttle(MemoryWindow()))
    return listener


@pytest.fixture(scope="module")
def three_clients_key(rows: Rows) -> str:
    """A key of an organization with three clients and a large quota."""
    own = rows.organization()
    rows.quota(own, 100_000)
    for _ in range(3):
        rows.client(own)
    return rows.partner_key(own)


@pytest.fixture
def http(three_clients_key: str, client: Connect) -> httpx.AsyncClient:
    """An HTTP client with the key of an organization with three clients."""
    return client(three_clients_key)
