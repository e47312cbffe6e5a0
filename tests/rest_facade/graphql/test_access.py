"""Access to /graphql: internal tokens, and the organizations that they may read."""

import asyncio
import json
from collections.abc import Callable
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from graphql import get_introspection_query

from db.admin.key_format import checksum
from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.graphql.app import GraphQLApp
from tests.conftest import BASE_URL, Connect
from tests.errors import CHALLENGE, NO_API_KEY, assert_error
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import freeze
from tests.rest_facade.graphql.client import NAME, GraphQLClient, assert_refused, token

# Tokens.


def with_checksum(body: str) -> str:
    return body + checksum(body)


@pytest.mark.parametrize(
    "change",
    [
        *(lambda key: None, lambda key: "", lambda key: key[:-1], lambda key: key.swapcase()),
        lambda key: f"Bearer {key}",
        lambda key: with_checksum(key[:-7] + ("a" if key[-7] != "a" else "b")),
        lambda key: with_checksum(key[:-6].replace("orgd_int_", "orgd_live_")),
        lambda key: with_checksum(key[:-6].replace("orgd_int_", "orgd_mcp_")),
        lambda key: with_checksum("orgd_int_" + "unknown0" + key[17:-6]),
    ],
)
async def test_wrong_token_is_401(change: Callable[[str], str | None], graphql_client: GraphQLClient, key: str) -> None:
    changed = change(key)
    del graphql_client.headers["X-SERVICE-API-KEY"]
    if changed is not None:
        graphql_client.headers["X-SERVICE-API-KEY"] = changed
    for query in (NAME, get_introspection_query(), "{"):
        message = NO_API_KEY if changed is None else "Invalid API key."
        response = await graphql_client(query)
        assert_refused(response, 401, "INVALID_API_KEY", message)
        assert response.headers["www-authenticate"] == CHALLENGE


async def test_api_key_is_not_a_token(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    for key in (rows.partner_key(organization), rows.mcp_key(organization, "organization:read")):
        graphql_client.headers["X-SERVICE-API-KEY"] = key
        assert_refused(await graphql_client(NAME), 401, "INVALID_API_KEY", "Invalid API key.")


async def test_token_is_not_an_api_key(client: Connect, key: str) -> None:
    async with client(key) as http:
        assert_error(await http.get("/v1/organization/"), 401, "INVALID_API_KEY")


async def test_public_listener_has_no_graphql(client: Connect, key: str, organization: UUID) -> None:
    async with client(key) as http:
        response = await http.post("/graphql", json={"query": NAME}, headers={"X-Organization-Id": str(organization)})
    assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")


async def send_headers(graphql_client: GraphQLClient, keys: list[str], organizations: list[UUID]) -> httpx.Response:
    """The response to a call with these headers, also if one is there twice."""
    headers = [(b"x-service-api-key", key.encode()) for key in keys]
    headers += [(b"x-organization-id", str(each).encode()) for each in organizations]
    transport = httpx.ASGITransport(graphql_client.service.internal)
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
        content = json.dumps({"query": NAME})
        return await http.post("/graphql", content=content, headers=[*headers, (b"content-type", b"application/json")])


async def test_token_sent_twice_is_401(graphql_client: GraphQLClient, key: str) -> None:
    response = await send_headers(graphql_client, [key, key], [])
    assert_refused(response, 401, "INVALID_API_KEY", NO_API_KEY)


async def test_failed_tokens_block_graphql_only(
    graphql_client: GraphQLClient,
    client: Connect,
    rows: Rows,
    organization: UUID,
    graphql: GraphQLApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = freeze(monkeypatch)
    monkeypatch.setattr(graphql, "throttle", Throttle(MemoryWindow(clock)))
    good = graphql_client.headers["X-SERVICE-API-KEY"]
    graphql_client.headers["X-SERVICE-API-KEY"] = "wrong"
    for _ in range(10):
        assert_refused(await graphql_client(NAME), 401, "INVALID_API_KEY", "Invalid API key.")
    graphql_client.headers["X-SERVICE-API-KEY"] = good
    response = await graphql_client(NAME)
    assert_refused(response, 429, "AUTH_FAILURE_THROTTLE", "Too many failed authentications.")
    assert response.headers["retry-after"] == "60"
    async with client(rows.partner_key(organization), graphql_client.address) as http:
        assert (await http.get("/v1/organization/")).status_code == 200


# Organizations.


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


async def test_unknown_organization_is_404(graphql_client: GraphQLClient) -> None:
    graphql_client.headers["X-Organization-Id"] = str(uuid4())
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


async def test_organizations_are_isolated(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    other = rows.organization(name="Globex")
    shared = uuid4()
    for own, tag in ((organization, "A"), (other, "B")):
        rows.client(own, id=shared, name=f"{tag}-client")
        rows.project(own, id=shared, client_id=shared, name=f"{tag}-project")
        rows.member(own, user_id=shared, full_name=f"{tag}-member")
    foreign = rows.project(other, name="B-secret")
    document = """query ($id: UUID!) {
        projects { count results { name client { name } } } members { results { full_name } }
        client(id: $id) { name projects { results { name } } }
    }"""
    for own, tag, number in ((organization, "A", 1), (other, "B", 2)):
        graphql_client.headers["X-Organization-Id"] = str(own)
        answers = await asyncio.gather(*(graphql_client(document, id=str(shared)) for _ in range(4)))
        for answer in answers:
            assert answer.json()["data"]["projects"]["count"] == number
            assert f"{tag}-member" in answer.text
            assert f"{'B' if tag == 'A' else 'A'}-" not in answer.text
    graphql_client.headers["X-Organization-Id"] = str(organization)
    absent, unseen = [
        await graphql_client("query ($id: UUID!) { project(id: $id) { name } }", id=str(i)) for i in (uuid4(), foreign)
    ]
    for answer in (absent, unseen):
        (error,) = answer.json()["errors"]
        assert (error["message"], error["extensions"]["code"]) == ("Project not found.", "RESOURCE_NOT_FOUND")
