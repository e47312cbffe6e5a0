"""Steps 4 to 6: the request quota, what consumes it, and responses when the store of counts fails."""

import asyncio
from unittest.mock import AsyncMock
from uuid import UUID

import httpx2 as httpx
import pytest
from psycopg import OperationalError

from rest_facade.access.quota import Quota
from rest_facade.access.rate_counter import MemoryStorage, RateCounter
from rest_facade.composition import Service
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.access.clock import END, UNREACHABLE, Clock, freeze
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.locks import locked

ABSENT = "0198c5a4-0000-7000-8000-000000000000"


@pytest.fixture(autouse=True)
def clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of a quota of this test alone, 30 seconds before the end of a window."""
    clock = freeze(monkeypatch)
    counter = RateCounter(MemoryStorage(), prefix="quota", window=60, clock=clock)
    monkeypatch.setattr(service.public, "quota", Quota(counter, 30))
    return clock


def rate_limits(response: httpx.Response) -> dict[str, str]:
    """The RateLimit headers of a response, by their names without `ratelimit-`."""
    names = [name for name in response.headers if name.startswith("ratelimit-")]
    return {name.removeprefix("ratelimit-"): response.headers[name] for name in names}


async def spend(http: httpx.AsyncClient, times: int, path: str = "/v1/clients/") -> None:
    for _ in range(times):
        assert (await http.get(path)).status_code == 200


def assert_exceeded(response: httpx.Response, seconds: int = 30, limit: int = 30, reset: int = END) -> None:
    assert_error(response, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded.")
    assert response.json()["error"]["retry_after_seconds"] == seconds
    assert response.headers["retry-after"] == str(seconds)
    assert rate_limits(response) == {"limit": str(limit), "remaining": "0", "reset": str(reset)}


async def test_31st_request_is_429(http: httpx.AsyncClient) -> None:
    for remaining in range(29, -1, -1):
        response = await http.get("/v1/clients/")
        assert response.status_code == 200
        assert rate_limits(response) == {"limit": "30", "remaining": str(remaining), "reset": str(END)}
    assert_exceeded(await http.get("/v1/clients/"))
    assert_exceeded(await http.get("/v1/clients/"))


async def test_keys_of_an_organization_share_quota(client: Connect, rows: Rows, organization: UUID, key: str) -> None:
    keys = [key, rows.partner_key(organization), rows.mcp_key(organization, "clients:read")]
    for number in range(30):
        assert rate_limits(await client(keys[number % 3]).get("/v1/clients/"))["remaining"] == str(29 - number)
    for each in keys:
        assert_exceeded(await client(each).get("/v1/clients/"))


async def test_each_group_has_its_own_bucket(http: httpx.AsyncClient) -> None:
    for path, left in [("clients/", "29"), (f"clients/{ABSENT}/projects/", "28"), ("teams/", "29")]:
        assert rate_limits(await http.get(f"/v1/{path}"))["remaining"] == left


async def test_500_is_counted(http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await spend(http, 1)
    monkeypatch.setattr(service.database, "read_rows", AsyncMock(side_effect=OperationalError("lost")))
    failed = await http.get("/v1/clients/")
    assert_error(failed, 500, "INTERNAL_ERROR")
    assert rate_limits(failed)["remaining"] == "28"


@pytest.mark.parametrize(
    ("overrides", "clients", "teams"),
    [
        ({}, "30", "30"),
        ({"clients": 100}, "100", "30"),
        ({"clients": 5}, "5", "30"),
        ({"": 100}, "100", "100"),
        ({"": 100, "clients": 5}, "5", "100"),
        ({"": 5, "clients": 100}, "100", "5"),
        ({"no_such_group": 5}, "30", "30"),
    ],
)
async def test_override_applies_to_its_group_or_all(
    overrides: dict[str, int], clients: str, teams: str, http: httpx.AsyncClient, rows: Rows, organization: UUID
) -> None:
    for group, limit in overrides.items():
        rows.quota(organization, limit, group)
    assert rate_limits(await http.get("/v1/clients/"))["limit"] == clients
    assert rate_limits(await http.get("/v1/teams/"))["limit"] == teams


async def test_limit_and_window_come_from_settings(
    vary: Vary, client: Connect, key: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with vary(quota_limit=2, quota_window=10) as service, client(key, of=service) as http:
        monkeypatch.setattr(service.public.quota._counter, "_clock", clock)
        await spend(http, 2)
        refused = await http.get("/v1/clients/")
    assert_error(refused, 429, "RATE_LIMIT_EXCEEDED")
    assert rate_limits(refused)["limit"] == "2"
    # Within ten seconds: the window of the organization may have begun before.
    assert 1 <= int(refused.headers["retry-after"]) <= 10


async def test_failed_store_is_503_until_it_recovers(
    http: httpx.AsyncClient, rows: Rows, organization: UUID, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.client(organization, name="Initech")
    with monkeypatch.context() as down:
        down.setattr(service.public, "quota", Quota(RateCounter(UNREACHABLE, prefix="quota", window=60), 30))
        # More than the failed keys that would block an address.
        for path in ("/v1/clients/", "/v1/clients/?limit=0", f"/v1/clients/{ABSENT}/") * 4:
            response = await http.get(path)
            assert_error(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
            assert response.headers["retry-after"] == "5"
            assert rate_limits(response) == {}
            assert "Initech" not in response.text
    assert rate_limits(await http.get("/v1/clients/"))["remaining"] == "29"


async def test_requests_above_the_concurrency_are_429(
    client: Connect, rows: Rows, organization: UUID, key: str, vary: Vary, owner_url: str
) -> None:
    async with vary(concurrency=2) as service:
        http, neighbour = client(key, of=service), client(rows.partner_key(rows.organization()), of=service)
        with locked(owner_url, "clients"):
            asked = [asyncio.create_task(http.get("/v1/clients/")) for _ in range(2)]
            await becomes(lambda: service.public.in_progress == {str(organization): 2})
            response = await http.get("/v1/clients/")
            assert_error(response, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded.")
            assert response.json()["error"]["retry_after_seconds"] == 1
            assert response.headers["retry-after"] == "1"
            # It counted, and the headers say what is left of the quota.
            assert rate_limits(response)["remaining"] == "27"
            assert (await neighbour.get("/v1/members/")).status_code == 200
        assert [response.status_code for response in await asyncio.gather(*asked)] == [200, 200]
        assert (await http.get("/v1/clients/")).status_code == 200
        assert service.public.in_progress == {}
