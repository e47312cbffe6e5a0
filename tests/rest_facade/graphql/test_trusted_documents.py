"""Trusted documents over HTTP: asked by id, of one team, and the tokens that may ask for nothing else.

Covers `rest_facade/graphql/requested_document.py` and `rest_facade/graphql/call.py`.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Any
from unittest.mock import AsyncMock
from uuid import UUID

import pytest
from graphql import get_introspection_query
from pydantic import SecretStr

from db.admin.graphql.trusted_documents import add_documents, remove_documents
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.composition import Service
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.requested_document import RequestedDocuments
from rest_facade.graphql.trusted_documents import MAX_CACHED_BYTES, TRUSTED_ENTRY_OVERHEAD, TrustedDocuments
from schema.documents.document_id import ID_PREFIX, document_id
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
    token,
)
from tests.rest_facade.graphql.conftest import LogLines

ONLY = (
    403,
    "TRUSTED_DOCUMENTS_ONLY",
    (
        "Only trusted documents are answered here: send documentId instead of query. An operator adds the documents of"
        " a team with `orgdata documents add`."
    ),
)
_teams = count(1)


@dataclass
class Team:
    """A team that has no documents yet: connects its clients of /graphql, and adds its documents."""

    rows: Rows
    service: Service
    organization: UUID
    name: str = field(default_factory=lambda: f"team {next(_teams)}")

    def connect(self, *, limited: bool = False, of: Service | None = None) -> GraphQLClient:
        key = token(self.rows, label=self.name, trusted_documents_only=limited)
        headers = {"X-SERVICE-API-KEY": key, "X-Organization-Id": str(self.organization)}
        return GraphQLClient(of or self.service, headers)

    def add(self, text: str = NAME) -> str:
        """Add a document, and return its id."""
        with self.rows.connection.begin():
            row = {"document_id": document_id(text), "operation_name": "A", "document": text}
            add_documents(self.rows.connection, self.name, [row])
        return document_id(text)


@pytest.fixture
def team(rows: Rows, service: Service, organization: UUID) -> Team:
    return Team(rows, service, organization)


@pytest.fixture
def another(rows: Rows, service: Service, organization: UUID) -> Team:
    return Team(rows, service, organization)


def unknown(id_: str) -> tuple[int, str, str]:
    message = f"The team of this token has no document {id_}: it was not added, or it was removed."
    return 404, "DOCUMENT_NOT_FOUND", message


async def test_document_is_asked_by_id(team: Team, rows: Rows, organization: UUID) -> None:
    text = "query A($n: Int) { projects(limit: $n) { count results { name } } }"
    for name in ("Apollo", "Gemini"):
        rows.project(organization, name=name)
    id_ = team.add(text)
    client = team.connect()
    response = await client.send({"documentId": id_, "variables": {"n": 1}, "extensions": {"cost": True}})
    assert response.status_code == 200
    assert response.json()["data"]["projects"]["count"] == 2
    assert len(response.json()["data"]["projects"]["results"]) == 1
    assert response.json()["extensions"]["cost"]["estimate"]["rows"] == 1
    by_get = await client.request("GET", params={"documentId": id_, "variables": '{"n": 1}', "operationName": "A"})
    assert by_get.json() == {"data": response.json()["data"]}
    assert by_get.headers["cache-control"] == "no-store"


async def test_unknown_and_foreign_ids_are_alike(team: Team, another: Team) -> None:
    foreign = another.add("{ organization { id } }")
    absent = document_id("{ organization { timezone } }")
    client = team.connect()
    for id_ in (foreign, absent):
        assert_refused(await client.send({"documentId": id_}), *unknown(id_))
        assert_refused(await client.request("GET", params={"documentId": id_}), *unknown(id_))
    assert (await another.connect().send({"documentId": foreign})).status_code == 200


async def test_token_without_label_has_no_documents(rows: Rows, service: Service, organization: UUID) -> None:
    id_ = document_id(NAME)
    assert_refused(await Team(rows, service, organization, "").connect().send({"documentId": id_}), *unknown(id_))


@pytest.mark.parametrize("id_", ["", "A", "sha256:", "sha256:" + "A" * 64, "sha256:" + "a" * 65, "x-own:1", 1, []])
async def test_malformed_id_is_400(id_: Any, graphql_client: GraphQLClient) -> None:
    message = "documentId must be sha256: and 64 hexadecimal digits in lower case."
    assert_refused(await graphql_client.send({"documentId": id_}), 400, "VALIDATION_ERROR", message)


async def test_id_beside_a_document_is_400(graphql_client: GraphQLClient) -> None:
    message = "Send documentId without query and without extensions.persistedQuery."
    for other in ({"query": NAME}, by_hash(NAME), {"query": " "}):
        response = await graphql_client.send({"documentId": document_id(NAME), **other})
        expected = message if other != {"query": " "} else "query must be a GraphQL document."
        assert_refused(response, 400, "VALIDATION_ERROR", expected)


async def test_document_that_the_schema_no_longer_has_is_invalid(team: Team) -> None:
    id_ = team.add("query A { organization { motto } }")
    response = await team.connect().send({"documentId": id_}, "application/graphql-response+json")
    assert_refused(response, 400, "VALIDATION_ERROR", "Cannot query field 'motto' on type 'Organization'.")


async def test_document_is_asked_by_its_hash(team: Team, another: Team, vary: Vary) -> None:
    text = "query ByHash { organization { name } }"
    team.add(text)
    for limited in (False, True):
        assert (await team.connect(limited=limited).send(by_hash(text))).json() == NAMED
    assert_refused(await another.connect().send(by_hash(text)), *NOT_FOUND)
    async with vary(graphql_persisted_queries=False) as without:
        assert (await team.connect(of=without).send(by_hash(text))).json() == NAMED
        assert_refused(await another.connect(of=without).send(by_hash(text)), *NOT_SUPPORTED)


async def test_limited_token_sends_no_document(team: Team) -> None:
    id_ = team.add()
    limited, unlimited = team.connect(limited=True), team.connect()
    for client in (limited, unlimited):
        assert (await client.send({"documentId": id_})).json() == NAMED
    for body in ({"query": NAME}, {"query": get_introspection_query()}, {"query": "{"}, by_hash(NAME, sent=True)):
        assert_refused(await limited.send(body), *ONLY)
        assert (await unlimited.send(body)).status_code == 200
    assert_refused(await limited.request("GET", params={"query": NAME}), *ONLY)


async def test_limited_token_does_not_use_the_queries_of_others(team: Team, another: Team) -> None:
    query = "query OfOthers { organization { name } }"
    assert (await another.connect().send(by_hash(query, sent=True))).json() == NAMED
    assert_refused(await team.connect(limited=True).send(by_hash(query)), *unknown(document_id(query)))


async def test_setting_limits_all_tokens(team: Team, vary: Vary) -> None:
    id_ = team.add()
    async with vary(graphql_trusted_documents_only=True) as service:
        client = team.connect(of=service)
        assert (await client.send({"documentId": id_})).json() == NAMED
        for body in ({"query": NAME}, {"query": get_introspection_query()}):
            assert_refused(await client.send(body), *ONLY)


async def test_documents_are_cached_120_seconds_absent_ones_10(
    team: Team, rows: Rows, graphql: GraphQLApp, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, id_, client = [1_000.0], document_id(NAME), team.connect()
    trusted = TrustedDocuments(KeyDatabases(service.key_database), lambda: now[0])
    monkeypatch.setattr(graphql, "requested_documents", RequestedDocuments(trusted, None))
    assert_refused(await client.send({"documentId": id_}), *unknown(id_))
    team.add()
    now[0] += 9
    assert_refused(await client.send({"documentId": id_}), *unknown(id_))
    now[0] += 1
    assert (await client.send({"documentId": id_})).json() == NAMED
    with rows.connection.begin():
        remove_documents(rows.connection, [id_], team.name)
    now[0] += 119
    assert (await client.send({"documentId": id_})).json() == NAMED
    now[0] += 1
    assert_refused(await client.send({"documentId": id_}), *unknown(id_))


async def test_document_is_read_once(team: Team, fresh: Service) -> None:
    id_ = team.add()
    absent = document_id("{ organization { timezone } }")
    client = team.connect(of=fresh)
    await client.send({"query": NAME})
    before = fresh.key_database.query_stats.statements
    for _ in range(3):
        await client.send({"documentId": id_})
        await client.send({"documentId": absent})
    assert fresh.key_database.query_stats.statements - before == 2


async def test_document_comes_from_primary(team: Team, another: Team, vary: Vary, own_url: str, owner_url: str) -> None:
    # An empty database stands for a replica to which nothing has arrived, not even the organization.
    id_ = team.add()
    async with vary(url=own_url, keys_database_url=SecretStr(owner_url)) as service:
        trusted = service.graphql.requested_documents._trusted
        assert await trusted.find(team.name, id_) == NAME
        assert await trusted.find(another.name, id_) is None
        assert service.key_database.query_stats.statements == 0
        assert service.primary_key_database is not None
        assert service.primary_key_database.query_stats.statements == 2


async def test_unavailable_database_is_500(team: Team, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    client = team.connect()
    await client.send({"query": NAME})
    with monkeypatch.context() as patched:
        patched.setattr(service.key_database, "read_rows", AsyncMock(side_effect=RuntimeError("broken")))
        response = await client.send({"documentId": document_id(NAME)})
        assert_refused(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
    # The failure is not cached.
    assert_refused(await client.send({"documentId": document_id(NAME)}), *unknown(document_id(NAME)))


async def test_unknown_ids_do_not_evict_documents(team: Team, service: Service) -> None:
    id_ = team.add()
    trusted = TrustedDocuments(KeyDatabases(service.key_database))
    assert await trusted.find(team.name, id_) == NAME
    most = MAX_CACHED_BYTES // TRUSTED_ENTRY_OVERHEAD
    for number in range(most + 10):
        trusted._unknown[team.name, str(number)] = trusted._known[team.name, id_]
    assert len(trusted._unknown) <= most
    assert (team.name, id_) in trusted._known


async def test_log_has_the_id_and_the_kind(team: Team, log_lines: LogLines) -> None:
    id_ = team.add()
    absent = document_id("{ organization { timezone } }")
    client = team.connect()
    for body in ({"documentId": id_}, {"documentId": absent}):
        await client.send(body)
    found, missing = log_lines()
    assert (found["document"], found["kind"], found["team"], found["rows"]) == (id_[7:23], "trusted", team.name, 0)
    assert (missing["document"], missing["kind"], missing["status"]) == (absent[7:23], None, 404)


async def test_calls_are_counted_by_kind(team: Team, fresh: Service) -> None:
    id_ = team.add()
    client = team.connect(of=fresh)
    for known in (id_, ID_PREFIX + "0" * 64, id_):
        await client.send({"documentId": known})
    for body in ({"query": NAME}, by_hash("{ teams { count } }"), by_hash("{ teams { count } }", sent=True)):
        await client.send(body)
    lines = fresh.public.metrics.exposition().decode().splitlines()
    counted = [line.removeprefix("orgdata_") for line in lines if line.startswith("orgdata_graphql_documents_total")]
    assert counted == [
        'graphql_documents_total{kind="text"} 1.0',
        'graphql_documents_total{kind="persisted"} 1.0',
        'graphql_documents_total{kind="trusted"} 2.0',
    ]
    assert 'orgdata_refusals_total{code="DOCUMENT_NOT_FOUND"} 1.0' in lines
    assert 'orgdata_refusals_total{code="PERSISTED_QUERY_NOT_FOUND"} 1.0' in lines
