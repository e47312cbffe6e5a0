"""Responses of every operation, and every error, against the served OpenAPI document."""

from typing import Any
from unittest.mock import AsyncMock

import httpx2 as httpx
import pytest

from db.reading.database import Database
from rest_facade.composition import Service
from rest_facade.rest.envelopes import Offset
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL, Connect
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import url_of
from tests.rest_facade.openapi.strict import Validator
from tests.world import World, build

EXPANDED = {"listInvoices": "include=line_items", "listUrlReports": "detail=url&user_id={user_id}"}
MEMBERS = "/v1/members/"
UNKNOWN_PARAMETER = f"{MEMBERS}?stauts=active"


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    world = build(rows, "A")
    for group in {endpoint.group for endpoint in ENDPOINTS}:
        rows.quota(world.organization_id, 1000, group)
    return world


@pytest.fixture(scope="module")
async def validator(service: Service) -> Validator:
    """A validator of the served document."""
    transport = httpx.ASGITransport(service.internal)
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
        response = await http.get("/openapi.json")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    return Validator(response.json())


@pytest.fixture
def http(world: World, client: Connect) -> httpx.AsyncClient:
    return client(world.key)


def check(validator: Validator, path: str, response: httpx.Response, status: int) -> Any:
    assert response.status_code == status, response.text
    body = response.json()
    validator.check(path, status, body, response.headers)
    return body


async def test_data_matches_its_schema(world: World, http: httpx.AsyncClient, validator: Validator) -> None:
    for endpoint in ENDPOINTS:
        queries = ["include_deleted=true"]
        if isinstance(endpoint.envelope, Offset):
            queries.append("limit=1&page=2")
        if endpoint.operation in EXPANDED:
            queries.append(EXPANDED[endpoint.operation].format_map(world.ids))
        for query in queries:
            check(validator, endpoint.path, await http.get(url_of(endpoint, world, query)), 200)


async def test_refused_parameters_match_the_schema(world: World, http: httpx.AsyncClient, validator: Validator) -> None:
    for endpoint in ENDPOINTS:
        for name in endpoint.query_names[:1]:
            response = await http.get(url_of(endpoint, world, f"{name}=&{name}="))
            check(validator, endpoint.path, response, 400)
        for name in endpoint.ids:
            response = await http.get(endpoint.path.format_map({**world.ids, name: world.organization_id}))
            check(validator, endpoint.path, response, 404)


async def test_key_scope_method_errors_match(world: World, rows: Rows, client: Connect, validator: Validator) -> None:
    http = client()
    check(validator, MEMBERS, await http.get(MEMBERS), 401)
    check(validator, MEMBERS, await http.post(MEMBERS), 405)
    check(validator, MEMBERS, await http.get("/v1/nothing/"), 404)
    check(validator, MEMBERS, await client(rows.mcp_key(world.organization_id)).get(UNKNOWN_PARAMETER), 403)


async def test_429_matches_its_schema(rows: Rows, client: Connect, validator: Validator) -> None:
    organization_id = rows.organization()
    rows.quota(organization_id, 1)
    http = client(rows.mcp_key(organization_id, "members:read"))
    check(validator, MEMBERS, await http.get(MEMBERS), 200)
    assert "retry_after_seconds" in check(validator, MEMBERS, await http.get(MEMBERS), 429)["error"]
    http = client("no key")
    for _ in range(10):
        await http.get(MEMBERS)
    assert "retry_after_seconds" not in check(validator, MEMBERS, await http.get(MEMBERS), 429)["error"]


async def test_500_and_503_match_their_schemas(
    rows: Rows, client: Connect, service: Service, validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = client(rows.mcp_key(rows.organization(), "members:read"))
    check(validator, MEMBERS, await http.get(UNKNOWN_PARAMETER), 200)
    with monkeypatch.context() as patched:
        patched.setattr(Database, "read_rows", AsyncMock(side_effect=RuntimeError("broken")))
        check(validator, MEMBERS, await http.get(UNKNOWN_PARAMETER), 500)
    monkeypatch.setattr(service.public.quota, "consume", AsyncMock(return_value=None))
    check(validator, MEMBERS, await http.get(UNKNOWN_PARAMETER), 503)
