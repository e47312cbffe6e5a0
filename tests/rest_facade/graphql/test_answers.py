"""What teams ask of /graphql, how it is sent, and how it is answered."""

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest

from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE, JSON_MEDIA_TYPE, MAX_BODY
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import ABSENT, NAME, GraphQLClient, assert_refused, padded

pytestmark = pytest.mark.anyio

# What is asked.


async def test_a_team_asks_what_it_likes(ask: GraphQLClient, rows: Rows, organization: UUID) -> None:
    client = rows.client(organization, name="Globex")
    rows.project(organization, client_id=client, name="Apollo")
    response = await ask("{ organization { name } projects { count results { name client { name id } } } }")
    assert response.json() == {
        "data": {
            "organization": {"name": "Initech"},
            "projects": {
                "count": 1,
                "results": [{"name": "Apollo", "client": {"name": "Globex", "id": str(client)}}],
            },
        }
    }
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert len(response.headers["x-request-id"]) == 32


async def test_variables_and_the_name_of_an_operation_are_heeded(
    ask: GraphQLClient, rows: Rows, organization: UUID
) -> None:
    project = rows.project(organization, name="Apollo")
    several = """
        query one($id: UUID!) { project(id: $id) { ...f } }
        query many($limit: Int = 1) { projects(limit: $limit) { results { ...f } } }
        fragment f on Project { name }
    """
    one = await ask(several, name="one", id=str(project))
    assert one.json() == {"data": {"project": {"name": "Apollo"}}}
    many = await ask(several, name="many")
    assert many.json() == {"data": {"projects": {"results": [{"name": "Apollo"}]}}}
    assert_refused(await ask(several), 200, "VALIDATION_ERROR", "Expected one operation, found 2.")
    unknown = await ask(several, name="x")
    assert_refused(unknown, 200, "VALIDATION_ERROR", "Expected one operation called 'x', found 0.")


@pytest.mark.parametrize(
    "body",
    [
        {"query": NAME},
        {"query": NAME, "operationName": None, "variables": None, "extensions": None},
        {"query": NAME, "operationName": "", "variables": {}, "extensions": {"tracing": True}},
        {"query": NAME, "variables": {"unused": [[[1]]]}, "id": 7},
    ],
)
async def test_only_the_document_is_needed(body: Any, ask: GraphQLClient) -> None:
    response = await ask.send(body)
    assert response.json() == {"data": {"organization": {"name": "Initech"}}}


# How it is sent, and how it is answered.


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON_MEDIA_TYPE),
        ("*/*", JSON_MEDIA_TYPE),
        ("", JSON_MEDIA_TYPE),
        ("application/json", JSON_MEDIA_TYPE),
        ("text/plain", JSON_MEDIA_TYPE),
        ("application/json, multipart/mixed", JSON_MEDIA_TYPE),
        ("application/json, application/graphql-response+json;q=0.9", JSON_MEDIA_TYPE),
        ("application/graphql-response+json;q=0", JSON_MEDIA_TYPE),
        ("application/graphql-response+json;q=x", JSON_MEDIA_TYPE),
        ("application/graphql-response+json", GRAPHQL_MEDIA_TYPE),
        ("Application/GraphQL-Response+JSON; charset=utf-8", GRAPHQL_MEDIA_TYPE),
        ("application/graphql-response+json, application/json;q=0.9", GRAPHQL_MEDIA_TYPE),
        ("text/html, application/json, application/graphql-response+json", GRAPHQL_MEDIA_TYPE),
        ("*/*;q=0.1,application/graphql-response+json;q=0.5", GRAPHQL_MEDIA_TYPE),
    ],
)
async def test_the_media_type_decides_on_the_status_of_what_cannot_be_executed(
    accept: str | None, expected: str, ask: GraphQLClient
) -> None:
    status = 400 if expected == GRAPHQL_MEDIA_TYPE else 200
    documents = {
        "{": "Syntax Error: Expected Name, found <EOF>.",
        "{ x }": "Cannot query field 'x' on type 'Query'.",
        "query ($id: UUID!) { project(id: $id) { name } }": (
            "Variable '$id' has invalid value: Expected a value of non-null type 'UUID!' to be provided."
        ),
        "{ a b c d e f }": "The operation has 6 root fields; at most 5 are allowed.",
    }
    for document, message in documents.items():
        response = await ask(document, accept=accept)
        (error,) = response.json()["errors"]
        assert (response.status_code, error["message"]) == (status, message)
        assert set(response.json()) == {"errors"}
        assert response.headers["content-type"] == f"{expected}; charset=utf-8"
    for document in (NAME, f'{{ project(id: "{ABSENT}") {{ name }} }}'):
        response = await ask(document, accept=accept)
        assert response.status_code == 200
        assert "data" in response.json()
        assert response.headers["content-type"] == f"{expected}; charset=utf-8"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
async def test_it_is_asked_with_post_only(method: str, ask: GraphQLClient) -> None:
    response = await ask.request(method, params={"query": NAME})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    if method != "HEAD":
        assert_refused(response, 405, "METHOD_NOT_ALLOWED", "Method not allowed.")


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "text/plain",
        "text/plain; application/json",
        "application/jsonp",
        "application/graphql",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ],
)
async def test_no_other_media_type_is_read(given: str | None, ask: GraphQLClient) -> None:
    headers = {} if given is None else {"content-type": given}
    response = await ask.request(content=json.dumps({"query": NAME}), headers=headers)
    assert_refused(response, 415, "VALIDATION_ERROR", "Content-Type must be application/json.")


@pytest.mark.parametrize("given", ["application/json", "Application/JSON", "application/json; charset=utf-8"])
async def test_json_is_read_whatever_its_parameters(given: str, ask: GraphQLClient) -> None:
    response = await ask.request(content=json.dumps({"query": NAME}), headers={"content-type": given})
    assert response.json() == {"data": {"organization": {"name": "Initech"}}}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "The body is not valid JSON."),
        (b"{", "The body is not valid JSON."),
        (b"query { organization { name } }", "The body is not valid JSON."),
        (b'{"query": "\xff"}', "The body is not valid JSON."),
        (b'{"query": "{ x }", "variables": {"n": NaN}}', "The body is not valid JSON."),
        (
            b'{"query": "{ x }", "variables": {"n": ' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
            "The body is not valid JSON.",
        ),
        (b"null", "The body must be a JSON object."),
        (b'[{"query": "{ x }"}, {"query": "{ x }"}]', "The body must be a JSON object."),
        (b'"{ x }"', "The body must be a JSON object."),
        (b"{}", "query must be a GraphQL document."),
        (b'{"query": null}', "query must be a GraphQL document."),
        (b'{"query": " "}', "query must be a GraphQL document."),
        (b'{"query": ["{ x }"]}', "query must be a GraphQL document."),
        (b'{"extensions": {"persistedQuery": {}}}', "query must be a GraphQL document."),
        (b'{"query": "{ x }", "operationName": 1}', "operationName must be a string."),
        (b'{"query": "{ x }", "variables": []}', "variables must be a JSON object."),
        (b'{"query": "{ x }", "variables": "{}"}', "variables must be a JSON object."),
        (b'{"query": "{ x }", "extensions": []}', "extensions must be a JSON object."),
        (b'{"query": "{ x }", "variables": {"s": "\\u0000"}}', "The body must not name the character NUL."),
        (b'{"query": "{ x(s: \\"\\\\u0000\\") }"}', "The body must not name the character NUL."),
        (b'{"query": "{ x(s: \\"\\\\u{00}\\") }"}', "The body must not name the character NUL."),
    ],
)
@pytest.mark.parametrize("accept", [JSON_MEDIA_TYPE, GRAPHQL_MEDIA_TYPE])
async def test_what_is_no_question_is_400(body: bytes, message: str, accept: str, ask: GraphQLClient) -> None:
    response = await ask.request(content=body, headers={"content-type": JSON_MEDIA_TYPE, "accept": accept})
    assert_refused(response, 400, "VALIDATION_ERROR", message)
    assert response.headers["content-type"] == f"{accept}; charset=utf-8"


async def test_a_body_of_64_kib_is_read_and_not_a_byte_more(ask: GraphQLClient) -> None:
    async def sent(size: int, *, announced: bool) -> httpx.Response:
        async def pieces() -> AsyncIterator[bytes]:
            for at in range(0, size, 1000):
                yield padded(size)[at : at + 1000]

        content = padded(size) if announced else pieces()
        return await ask.request(content=content, headers={"content-type": JSON_MEDIA_TYPE})

    for announced in (True, False):
        assert (await sent(MAX_BODY, announced=announced)).json() == {"data": {"organization": {"name": "Initech"}}}
        response = await sent(MAX_BODY + 1, announced=announced)
        assert_refused(response, 413, "VALIDATION_ERROR", "The body exceeds 65536 bytes.")
        assert response.headers["connection"] == "close"
