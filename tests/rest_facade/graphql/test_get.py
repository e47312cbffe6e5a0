"""GET /graphql: the parameters of the URL, GraphQL over HTTP."""

import json
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

from tests.errors import NO_API_KEY
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import NAME, NAMED, GraphQLClient, assert_refused


async def get(client: GraphQLClient, *, accept: str | None = None, **parameters: str) -> Any:
    headers = {"accept": accept} if accept is not None else {}
    return await client.request("GET", params=parameters, headers=headers)


async def test_query_in_the_url_is_executed(graphql_client: GraphQLClient) -> None:
    response = await get(graphql_client, query=NAME)
    assert (response.status_code, response.json()) == (200, NAMED)
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert "ratelimit-remaining" in response.headers


async def test_name_variables_and_extensions(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    project = rows.project(organization, name="Apollo & Ärger")
    several = "query a($id: UUID!) { project(id: $id) { name } } query b { organization { name } }"
    response = await get(
        graphql_client,
        query=several,
        operationName="a",
        variables=json.dumps({"id": str(project)}),
        extensions='{"cost": true}',
    )
    assert response.json()["data"] == {"project": {"name": "Apollo & Ärger"}}
    assert response.json()["extensions"]["cost"]["estimate"]["depth"] == 2
    assert (await get(graphql_client, query=several, operationName="b")).json() == NAMED
    # An empty value is none, and null is no value.
    for none in ("", "null"):
        empty = await get(graphql_client, query=NAME, operationName="", variables=none, extensions=none, documentId="")
        assert empty.json() == NAMED


async def test_malformed_parameters_are_400(graphql_client: GraphQLClient) -> None:
    for query_string, message in [
        *((text, "query must be a GraphQL document.") for text in ("", "query=", "query=%20", "operationName=a")),
        ("query={x}&query={x}", "query must not be sent twice."),
        ("query={x}&operationName=&operationName=", "operationName must not be sent twice."),
        ("query={x}&variables={}&variables={}", "variables must not be sent twice."),
        ("query={x}&variables=null&variables={}", "variables must not be sent twice."),
        *((f"query={{x}}&variables={text}", "variables is not valid JSON.") for text in ("{", "[" * 2_000)),
        ("query={x}&variables=[]", "variables must be a JSON object."),
        ('query={x}&variables="{}"', "variables must be a JSON object."),
        ("query={x}&extensions={'cost':true}", "extensions is not valid JSON."),
        ("query={x}&extensions=1", "extensions must be a JSON object."),
        ('query={x}&extensions={"cost":1}', "extensions.cost must be true or false."),
        ("query=%ff", "The parameters of the URL must be UTF-8, percent-encoded."),
        ("query={x}&operationName=%00", "The URL must not name the character NUL."),
        ('query={x}&variables={"s":"\\u0000"}', "The URL must not name the character NUL."),
        ('query={x(s:"\\u{0}")}', "The URL must not name the character NUL."),
        ("documentId=sha256:1", "documentId must be sha256: and 64 hexadecimal digits in lower case."),
    ]:
        url = "/graphql?" + quote(query_string, safe="=&%")
        assert_refused(await graphql_client.request("GET", url), 400, "VALIDATION_ERROR", message)


async def test_call_in_the_url_needs_a_token_in_the_header(graphql_client: GraphQLClient, key: str) -> None:
    del graphql_client.headers["X-SERVICE-API-KEY"]
    parameters = urlencode({"query": NAME, "X-SERVICE-API-KEY": key})
    assert_refused(await graphql_client.request("GET", f"/graphql?{parameters}"), 401, "INVALID_API_KEY", NO_API_KEY)
