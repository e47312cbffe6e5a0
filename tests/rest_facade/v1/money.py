"""An organization with invoices and pay, and requests for its lists, for the tests of money."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import httpx2 as httpx
import pytest

from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows

PAY = ("payment_settings", "hourly_payment_logs", "one_time_payment_logs", "payables")
STAMPS = {"created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:00:00Z", "deleted_at": None}


class Acme(NamedTuple):
    """An organization with a client, a project with a task, and two people."""

    id: UUID
    key: str
    customer: UUID
    project: UUID
    task: UUID
    ada: UUID
    bob: UUID


@pytest.fixture
def acme(rows: Rows) -> Acme:
    own = rows.organization()
    rows.quota(own, 1000)
    customer = rows.client(own, name="Globex")
    project = rows.project(own, client_id=customer)
    return Acme(
        own, rows.partner_key(own), customer, project, rows.task(own, project), rows.member(own), rows.member(own)
    )


@pytest.fixture
async def http(acme: Acme, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(acme.key) as http:
        yield http


def is_now(monkeypatch: pytest.MonkeyPatch, *moment: int) -> None:
    """Let it be that time in UTC."""
    monkeypatch.setattr("resolvers.context.clock", lambda: datetime(*moment, tzinfo=UTC))  # type: ignore[arg-type, misc]


async def seen(http: httpx.AsyncClient, path: str, key: str = "number", **query: Any) -> list[Any]:
    """One value of each row of a list, in its order."""
    response = await http.get(path, params=query)
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["count"] == len(body["results"])
    return [item[key] for item in body["results"]]


async def filtered(http: httpx.AsyncClient, path: str, key: str, expected: dict[str, str]) -> None:
    """Each query, as it stands in the URL, finds those rows."""
    for query, names in expected.items():
        response = await http.get(f"{path}?{query}")
        assert response.status_code == 200, (query, response.text)
        assert [item[key] for item in response.json()["results"]] == names.split(), query


async def refused(http: httpx.AsyncClient, path: str, expected: dict[str, tuple[str, Any]]) -> None:
    """Each query, as it stands in the URL, is 400 with that message and those details."""
    for query, (message, details) in expected.items():
        response = await http.get(f"{path}?{query}")
        assert_error(response, 400, "VALIDATION_ERROR", message)
        assert response.json()["error"].get("details") == details, query


def of(user_id: UUID, pay: str) -> str:
    return f"/v1/members/{user_id}/{pay}/"
