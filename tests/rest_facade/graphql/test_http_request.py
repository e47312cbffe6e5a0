"""GraphQL over HTTP: documents, media types, methods, bodies."""

import gzip
import json
from collections.abc import AsyncIterator
from uuid import UUID

import httpx2 as httpx
import pytest

from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE
from rest_facade.rest.json_body import JSON_MEDIA_TYPE, MAX_BODY
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import ABSENT, NAME, GraphQLClient, assert_refused, padded


async def test_document_is_executed(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    client = rows.client(organization, name="Globex")
    rows.project(organization, client_id=client, name="Apollo")
    response = await graphql_client("{ organization { name } projects { count results { name client { name id } } } }")
    assert response.json() == {
        "data": {
            "organization": {"name": "Initech"},
            "projects": {"count": 1, "results": [{"name": "Apollo", "client": {"name": "Globex", "id": str(client)}}]},
        }
    }
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert len(response.headers["x-request-id"]) == 32


async def test_only_query_is_required(graphql_client: GraphQLClient) -> None:
    for body in [
        {"query": NAME},
        {"query": NAME, "operationName": None, "variables": None, "extensions": None},
        {"query": NAME, "operationName": "", "variables": {}, "extensions": {"tracing": True}},
        {"query": NAME, "variables": {"unused": [[[1]]]}, "id": 7},
    ]:
        assert (await graphql_client.send(body)).json() == {"data": {"organization": {"name": "Initech"}}}


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        *((accept, JSON_MEDIA_TYPE) for accept in (None, "*/*", "", "application/json", "text/plain")),
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
async def test_status_of_error_is_by_accept(accept: str | None, expected: str, graphql_client: GraphQLClient) -> None:
    status = 400 if expected == GRAPHQL_MEDIA_TYPE else 200
    documents = {
        "{": "Syntax Error: Expected Name, found <EOF>.",
        "{ x }": "Cannot query field 'x' on type 'Query'.",
        "query ($id: UUID!) { project(id: $id) { name } }": (
            "Variable '$id' has invalid value: Expected a value of non-null type 'UUID!' to be provided."
        ),
        "{ a b c d e f g h i j k l m n o p }": "The operation has 16 root fields; at most 15 are allowed.",
    }
    for document, message in documents.items():
        response = await graphql_client(document, accept=accept)
        (error,) = response.json()["errors"]
        assert (response.status_code, error["message"]) == (status, message)
        assert set(response.json()) == {"errors"}
        assert response.headers["content-type"] == expected
    for document in (NAME, f'{{ project(id: "{ABSENT}") {{ name }} }}'):
        response = await graphql_client(document, accept=accept)
        assert response.status_code == 200
        assert "data" in response.json()
        assert response.headers["content-type"] == expected


async def test_other_method_is_405(graphql_client: GraphQLClient) -> None:
    for method in ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]:
        response = await graphql_client.request(method, params={"query": NAME})
        assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")
        if method != "HEAD":
            assert_refused(response, 405, "METHOD_NOT_ALLOWED", "Method not allowed: use GET or POST.")


async def test_other_path_is_404(graphql_client: GraphQLClient) -> None:
    for path in ("/graphql/", "/GraphQL", "/graphql/x"):
        assert (await graphql_client.request(path=path, json={"query": NAME})).status_code == 404


async def test_other_content_type_is_415(graphql_client: GraphQLClient) -> None:
    for content_type in [
        *(None, "", "text/plain", "text/plain; application/json", "application/jsonp", "application/graphql"),
        *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"),
    ]:
        headers = {} if content_type is None else {"content-type": content_type}
        response = await graphql_client.request(content=json.dumps({"query": NAME}), headers=headers)
        assert_refused(response, 415, "VALIDATION_ERROR", "Content-Type must be application/json.")


async def test_compressed_body_is_415(graphql_client: GraphQLClient) -> None:
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    response = await graphql_client.request(
        content=gzip.compress(json.dumps({"query": NAME}).encode()), headers=headers
    )
    assert_refused(response, 415, "VALIDATION_ERROR", "Content-Encoding is not supported: send the body uncompressed.")
    headers["content-encoding"] = "identity"
    response = await graphql_client.request(content=json.dumps({"query": NAME}), headers=headers)
    assert response.status_code == 200


async def test_body_of_json_may_have_parameters_and_a_mark(graphql_client: GraphQLClient) -> None:
    for content_type in ["application/json", "Application/JSON", "application/json; charset=utf-8"]:
        for mark in (b"", b"\xef\xbb\xbf"):
            body = mark + json.dumps({"query": NAME}).encode()
            response = await graphql_client.request(content=body, headers={"content-type": content_type})
            assert response.json() == {"data": {"organization": {"name": "Initech"}}}


NOT_JSON = (
    *(b"", b"{", b"query { organization { name } }", b'{"query": "\xff"}', b'{"query": "", "variables": {"n": NaN}}'),
    b'{"query": "{ x }", "variables": {"n": ' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
)
NO_QUERY = (
    *(b"{}", b'{"query": null}', b'{"query": " "}', b'{"query": ["{ x }"]}', b'{"query": "", "documentId": null}'),
    b'{"extensions": {"persistedQuery": null}}',
)


@pytest.mark.parametrize("accept", [JSON_MEDIA_TYPE, GRAPHQL_MEDIA_TYPE])
async def test_malformed_request_is_400(accept: str, graphql_client: GraphQLClient) -> None:
    for body, message in [
        *((body, "The body is not valid JSON in UTF-8.") for body in NOT_JSON),
        *((body, "The body must be a JSON object.") for body in (b"null", b'[{"query": "{ x }"}]', b'"{ x }"')),
        *((body, "query must be a GraphQL document.") for body in NO_QUERY),
        (b'{"query": "{ x }", "operationName": 1}', "operationName must be a string."),
        (b'{"query": "{ x }", "variables": []}', "variables must be a JSON object."),
        (b'{"query": "{ x }", "variables": "{}"}', "variables must be a JSON object."),
        (b'{"query": "{ x }", "extensions": []}', "extensions must be a JSON object."),
        (b'{"query": "{ x }", "variables": {"s": "\\u0000"}}', "The body must not name the character NUL."),
        (b'{"query": "{ x(s: \\"\\\\u0000\\") }"}', "The body must not name the character NUL."),
        (b'{"query": "{ x(s: \\"\\\\u{00}\\") }"}', "The body must not name the character NUL."),
    ]:
        response = await graphql_client.request(
            content=body, headers={"content-type": JSON_MEDIA_TYPE, "accept": accept}
        )
        assert_refused(response, 400, "VALIDATION_ERROR", message)
        assert response.headers["content-type"] == accept


async def test_escape_as_text_is_data_unless_backslashes_are_odd(graphql_client: GraphQLClient) -> None:
    headers = {"content-type": JSON_MEDIA_TYPE}
    for searched in [b'{"s": "\\\\u0000"}', b'{"s": "x\\\\\\\\\\\\u0000"}', b'{"s": "\\\\u{0}"}']:
        body = b'{"query": "query ($s: String) { clients(search: $s) { count } }", "variables": ' + searched + b"}"
        response = await graphql_client.request(content=body, headers=headers)
        assert response.json() == {"data": {"clients": {"count": 0}}}
    for value in (r'"\\u0000"', r'"""\u0000"""', r'"\\u{0}" #\u0000'):
        response = await graphql_client(f"{{ clients(search: {value}\n) {{ count }} }}")
        assert response.json() == {"data": {"clients": {"count": 0}}}
    for body in (b'{"query": "{ x }", "variables": {"s": "\\\\\\u0000"}}', rb'{"query": "{ x(s: \"\\\\\\u0000\") }"}'):
        response = await graphql_client.request(content=body, headers=headers)
        assert_refused(response, 400, "VALIDATION_ERROR", "The body must not name the character NUL.")


async def test_body_above_64_kib_is_413(graphql_client: GraphQLClient) -> None:
    async def send(size: int, *, with_length: bool) -> httpx.Response:
        async def chunks() -> AsyncIterator[bytes]:
            for at in range(0, size, 1000):
                yield padded(size)[at : at + 1000]

        content = padded(size) if with_length else chunks()
        return await graphql_client.request(content=content, headers={"content-type": JSON_MEDIA_TYPE})

    for with_length in (True, False):
        assert (await send(MAX_BODY, with_length=with_length)).json() == {"data": {"organization": {"name": "Initech"}}}
        response = await send(MAX_BODY + 1, with_length=with_length)
        assert_refused(response, 413, "VALIDATION_ERROR", "The body exceeds 65536 bytes.")
        assert response.headers["connection"] == "close"
