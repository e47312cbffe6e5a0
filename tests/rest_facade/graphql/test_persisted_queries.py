"""Automatic persisted queries, as Apollo clients speak the protocol: the hash alone, then hash and document."""

from itertools import product
from typing import Any, cast
from uuid import UUID

import pytest

from rest_facade.access.authentication import InternalCaller
from rest_facade.composition import Service
from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE, GraphQLRequest
from rest_facade.graphql.requested_document import (
    ENTRY_OVERHEAD,
    MAX_CACHED_BYTES,
    PersistedQueries,
    RequestedDocuments,
)
from rest_facade.graphql.trusted_documents import TrustedDocuments
from rest_facade.rest.json_body import JSON_MEDIA_TYPE
from tests.factories.rows import Rows
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import (
    NAME,
    NAMED,
    NOT_FOUND,
    NOT_SUPPORTED,
    GraphQLClient,
    assert_refused,
    by_hash,
    hash_of,
)
from tests.rest_facade.graphql.conftest import LogLines


# A document of each test: the caches of the service last longer than a test.
@pytest.fixture
def query(request: pytest.FixtureRequest) -> str:
    return f"query {request.node.name.partition('[')[0]} {{ organization {{ name }} }}"


@pytest.mark.parametrize("accept", [JSON_MEDIA_TYPE, GRAPHQL_MEDIA_TYPE])
async def test_document_is_kept_by_its_hash(accept: str, query: str, graphql_client: GraphQLClient) -> None:
    query += f" # {accept}"
    assert_refused(await graphql_client.send(by_hash(query), accept), *NOT_FOUND)
    assert (await graphql_client.send(by_hash(query, sent=True))).json() == NAMED
    for _ in range(2):
        assert (await graphql_client.send(by_hash(query))).json() == NAMED


async def test_variables_and_name_are_the_calls(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    for name in ("Apollo", "Gemini"):
        rows.project(organization, name=name)
    several = "query A($n: Int) { projects(limit: $n) { count } } query B { organization { name } }"
    assert (await graphql_client.send(by_hash(several, sent=True, operationName="B"))).json() == NAMED
    response = await graphql_client.send(by_hash(several, operationName="A", variables={"n": 1}))
    assert response.json() == {"data": {"projects": {"count": 2}}}


async def test_wrong_hash_is_400_and_keeps_nothing(query: str, graphql_client: GraphQLClient) -> None:
    wrong = {**by_hash(query), "query": "{ organization { name } }"}
    message = "extensions.persistedQuery.sha256Hash is not the SHA-256 of query."
    assert_refused(await graphql_client.send(wrong), 400, "VALIDATION_ERROR", message)
    assert_refused(await graphql_client.send(by_hash(query)), *NOT_FOUND)


@pytest.mark.parametrize(
    "invalid", ["{ organization { nam } }", "{", "{ members(limit: 100) { results { tasks(limit: 100) { next } } } }"]
)
async def test_invalid_document_is_not_kept(invalid: str, graphql_client: GraphQLClient) -> None:
    (error,) = (await graphql_client.send(by_hash(invalid, sent=True))).json()["errors"]
    assert error["extensions"]["code"] == "VALIDATION_ERROR"
    assert_refused(await graphql_client.send(by_hash(invalid)), *NOT_FOUND)


HASH = "extensions.persistedQuery.sha256Hash must be 64 hexadecimal digits in lower case."


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        (HASH, ({}, [], {"version": 1, "sha256Hash": "A" * 64}, {"version": 1, "sha256Hash": 1})),
        ("extensions.persistedQuery.version must be 1.", ({}, {"version": 2}, {"version": True})),
    ],
)
async def test_malformed_extension_is_400(message: str, wrong: Any, graphql_client: GraphQLClient) -> None:
    for body, persisted in product(({}, {"query": NAME}), wrong):
        given = persisted if message == HASH else {"sha256Hash": "a" * 64, **persisted}
        response = await graphql_client.send({**body, "extensions": {"persistedQuery": given}})
        assert_refused(response, 400, "VALIDATION_ERROR", message)


async def test_workers_are_apart(query: str, fresh: Service, graphql_client: GraphQLClient) -> None:
    await graphql_client.send(by_hash(query, sent=True))
    other = GraphQLClient(fresh, graphql_client.headers)
    assert_refused(await other.send(by_hash(query)), *NOT_FOUND)
    assert (await other.send(by_hash(query, sent=True))).json() == NAMED
    assert (await other.send(by_hash(query))).json() == NAMED


async def test_setting_switches_them_off(query: str, vary: Vary, graphql_client: GraphQLClient) -> None:
    async with vary(graphql_persisted_queries=False) as service:
        client = GraphQLClient(service, graphql_client.headers)
        for sent in (False, True, False):
            assert_refused(await client.send(by_hash(query, sent=sent)), *NOT_SUPPORTED)
        assert (await client.send({"query": query})).json() == NAMED


async def test_log_has_hash_and_kind(query: str, graphql_client: GraphQLClient, log_lines: LogLines) -> None:
    await graphql_client.send(by_hash(query))
    await graphql_client.send(by_hash(query, sent=True))
    await graphql_client.send(by_hash(query))
    await graphql_client.send({"query": query})
    lines = log_lines()
    assert [line["kind"] for line in lines] == [None, "persisted", "persisted", "text"]
    assert {line["document"] for line in lines} == {hash_of(query)[:16]}


def keep(queries: PersistedQueries, query_hash: str, text: str) -> None:
    documents = RequestedDocuments(cast("TrustedDocuments", None), queries)
    documents.keep(GraphQLRequest(text, None, {}, query_hash=query_hash), InternalCaller("id", "BI", None))


def test_cache_is_bounded_by_number() -> None:
    queries = PersistedQueries(MAX_CACHED_BYTES)
    most = MAX_CACHED_BYTES // ENTRY_OVERHEAD
    for number in range(most + 10):
        keep(queries, str(number), "")
    assert [number for number in range(most + 10) if queries.get(str(number)) is None] == list(range(10))


def test_cache_is_bounded_by_bytes() -> None:
    queries = PersistedQueries(MAX_CACHED_BYTES)
    # Of 64 KiB each in characters, but twice as many bytes.
    for number in range(100):
        keep(queries, str(number), "ä" * 2**16)
    kept = [number for number in range(100) if queries.get(str(number)) is not None]
    assert kept == list(range(100 - len(kept), 100))
    assert len(kept) == MAX_CACHED_BYTES // (2**17 + ENTRY_OVERHEAD)


def test_text_above_the_size_is_kept_alone() -> None:
    queries = PersistedQueries(MAX_CACHED_BYTES)
    keep(queries, "small", "x")
    keep(queries, "huge", "x" * 2 * MAX_CACHED_BYTES)
    assert queries.get("small") is None
    assert queries.get("huge") is not None
