"""Access to /graphql: internal tokens, and the organizations that they may read."""

import json
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest

from db.admin.key_format import checksum
from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.graphql.app import GraphQLApp
from tests.conftest import BASE_URL, Connect
from tests.errors import CHALLENGE, NO_API_KEY, assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import freeze
from tests.rest_facade.graphql.client import NAME, GraphQLClient, assert_refused, token


async def test_wrong_token_is_401(graphql_client: GraphQLClient, key: str, rows: Rows, organization: UUID) -> None:
    body = key[:-7] + ("a" if key[-7] != "a" else "b")
    api_keys = rows.partner_key(organization), rows.mcp_key(organization, "organization:read")
    for changed in (None, "", key[:-1], body + checksum(body), *api_keys):
        graphql_client.headers.pop("X-SERVICE-API-KEY", None)
        if changed is not None:
            graphql_client.headers["X-SERVICE-API-KEY"] = changed
        for query in (NAME, "{"):
            response = await graphql_client(query)
            assert_refused(response, 401, "INVALID_API_KEY", "Invalid API key." if changed else NO_API_KEY)
            assert response.headers["www-authenticate"] == CHALLENGE
        # From another address, before this one is blocked.
        graphql_client = GraphQLClient(graphql_client.service, graphql_client.headers)


async def test_token_is_not_an_api_key(client: Connect, key: str) -> None:
    assert_error(await client(key).get("/v1/organization/"), 401, "INVALID_API_KEY")


async def send_headers(graphql_client: GraphQLClient, keys: list[str], organizations: list[UUID]) -> httpx.Response:
    """The response to a call with these headers, also if one is there twice."""
    headers = [(b"x-service-api-key", key.encode()) for key in keys]
    headers += [(b"x-organization-id", str(each).encode()) for each in organizations]
    transport = httpx.ASGITransport(graphql_client.service.internal)
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
        content = json.dumps({"query": NAME})
        return await http.post("/graphql", content=content, headers=[*headers, (b"content-type", b"application/json")])


async def test_token_sent_twice_is_401(graphql_client: GraphQLClient, key: str) -> None:
    assert_refused(await send_headers(graphql_client, [key, key], []), 401, "INVALID_API_KEY", NO_API_KEY)


async def test_failed_tokens_block_graphql_only(
    graphql_client: GraphQLClient,
    client: Connect,
    rows: Rows,
    organization: UUID,
    graphql: GraphQLApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(graphql, "throttle", Throttle(MemoryWindow(freeze(monkeypatch))))
    good = graphql_client.headers["X-SERVICE-API-KEY"]
    graphql_client.headers["X-SERVICE-API-KEY"] = "wrong"
    for _ in range(10):
        assert_refused(await graphql_client(NAME), 401, "INVALID_API_KEY", "Invalid API key.")
    graphql_client.headers["X-SERVICE-API-KEY"] = good
    response = await graphql_client(NAME)
    assert_refused(response, 429, "AUTH_FAILURE_THROTTLE", "Too many failed authentications.")
    assert response.headers["retry-after"] == "60"
    http = client(rows.partner_key(organization), graphql_client.address)
    assert (await http.get("/v1/organization/")).status_code == 200


@pytest.mark.parametrize("given", [None, "", "x", "Initech", "{%s}", "%s,%s", "urn:uuid:%s"])
async def test_malformed_tenant_is_400(given: str | None, graphql_client: GraphQLClient, organization: UUID) -> None:
    del graphql_client.headers["X-Organization-Id"]
    if given is not None:
        graphql_client.headers["X-Organization-Id"] = given.replace("%s", str(organization))
    response = await graphql_client.send({"query": NAME})
    assert_refused(response, 400, "VALIDATION_ERROR", "X-Organization-Id must be the id of an organization.")


async def test_two_tenants_are_400(graphql_client: GraphQLClient, organization: UUID, rows: Rows, key: str) -> None:
    response = await send_headers(graphql_client, [key], [organization, rows.organization()])
    assert_refused(response, 400, "VALIDATION_ERROR", "X-Organization-Id must be the id of an organization.")


async def test_unknown_suspended_or_deleted_organization_is_404(graphql_client: GraphQLClient, rows: Rows) -> None:
    for id_ in (uuid4(), rows.organization(status="suspended"), rows.organization(deleted_at=THEN)):
        graphql_client.headers["X-Organization-Id"] = str(id_)
        assert_refused(await graphql_client(NAME), 404, "RESOURCE_NOT_FOUND", "Organization not found.")


async def test_organization_beyond_token_is_403(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    other, foreign = rows.organization(name="Globex"), rows.organization(name="Hooli")
    graphql_client.headers["X-SERVICE-API-KEY"] = token(rows, organization, other)
    for id_, name in {organization: "Initech", other: "Globex"}.items():
        graphql_client.headers["X-Organization-Id"] = str(id_)
        assert (await graphql_client(NAME)).json() == {"data": {"organization": {"name": name}}}
    # The response does not reveal whether the organization exists.
    for id_ in (foreign, uuid4()):
        graphql_client.headers["X-Organization-Id"] = str(id_)
        assert_refused(await graphql_client(NAME), 403, "SCOPE_DENIED", "The token is not for this organization.")
