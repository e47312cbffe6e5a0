"""GraphQLApp: deadline, log lines, its own connection pool."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg
import pytest

from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE
from rest_facade.rest.json_body import JSON_MEDIA_TYPE
from rest_facade.v1 import ENDPOINTS
from schema.documents.cache import DocumentCache
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import NAME, GraphQLClient, assert_refused, connected
from tests.rest_facade.graphql.conftest import LogLines
from tests.rest_facade.graphql.locks import locked, waiting


async def test_response_has_the_moment_of_its_data(graphql_client: GraphQLClient) -> None:
    before = datetime.now(UTC)
    answered = await graphql_client("{ teams { count } }")
    assert before <= datetime.fromisoformat(answered.headers["x-data-as-of"]) <= datetime.now(UTC)
    graphql_client.headers["X-SERVICE-API-KEY"] = "malformed"
    assert "x-data-as-of" not in (await graphql_client("{ teams { count } }")).headers


async def test_deadline_cancels_the_statement(vary: Vary, own_url: str, database: Rows) -> None:
    organization = database.organization(name="Initech")
    project = database.project(organization, name="Apollo")
    database.client(organization)
    document = "query ($id: UUID!) { project(id: $id) { name tasks { count } } }"
    async with (
        vary(url=own_url, graphql_deadline=2.0, statement_timeout=60.0, graphql_pool_size=1) as service,
        await psycopg.AsyncConnection.connect(own_url) as lock,
    ):
        graphql_client = connected(service, database, organization)
        assert (await graphql_client(document, id=str(project))).status_code == 200
        # The read that waits is a loader's, in a task of its own: the deadline of the call does not cancel that task.
        await lock.execute("LOCK TABLE tasks")
        call = asyncio.create_task(graphql_client(document, id=str(project)))
        await becomes(lambda: waiting(own_url))
        assert_refused(await call, 503, "SERVICE_UNAVAILABLE", "The operation took longer than 2 seconds.")
        await becomes(lambda: not waiting(own_url))
        await lock.rollback()
        # The connection is back in the pool, and the next call has a deadline of its own.
        assert (await graphql_client(document, id=str(project))).json() == {
            "data": {"project": {"name": "Apollo", "tasks": {"count": 0}}}
        }


async def test_call_that_a_shutdown_cancels_is_500(
    graphql_client: GraphQLClient, owner_url: str, log_lines: LogLines
) -> None:
    with locked(owner_url, "teams"):
        call = asyncio.create_task(graphql_client("{ teams { count } }"))
        await becomes(lambda: waiting(owner_url))
        call.cancel("shutdown")
        assert_refused(await call, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
    assert [line["status"] for line in log_lines()] == [500]


async def test_missing_body_is_503_when_late(vary: Vary, graphql_client: GraphQLClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(60)

    async with vary(graphql_deadline=0.1) as service:
        graphql_client.service = service
        response = await graphql_client.request(content=pieces(), headers={"content-type": JSON_MEDIA_TYPE})
    assert_refused(response, 503, "SERVICE_UNAVAILABLE", "The operation took longer than 0.1 seconds.")


async def test_call_is_one_log_line(
    graphql_client: GraphQLClient, key: str, organization: UUID, log_lines: LogLines
) -> None:
    document = "query allProjects($search: String) { projects(limit: 7, search: $search) { next } }"
    response = await graphql_client(document, search="hunter2")
    (line,) = log_lines()
    assert line.pop("ms") > 0
    assert line.pop("timestamp")
    assert line == {
        "event": "graphql",
        "level": "info",
        "request_id": response.headers["x-request-id"],
        "token": key.split("_")[2],
        "team": "BI",
        "organization": str(organization),
        "operation": "allProjects",
        "document": sha256(document.encode()).hexdigest()[:16],
        "kind": "text",
        "rows": 7,
        "status": 200,
    }


@pytest.mark.parametrize(
    ("query", "name", "known"),
    [
        ("{ x }", None, {"operation": "", "rows": None, "status": 400}),
        ("{ x }", "n" * 60_000, {"operation": "n" * 100, "rows": None, "status": 400}),
        (f"query {'n' * 60_000} {NAME}", None, {"operation": "n" * 100, "rows": 0, "status": 200}),
        (f"{{ x #{'hunter2' * 8_000}\n }}", None, {"operation": "", "rows": None, "status": 400}),
        (None, None, {"operation": None, "document": None, "rows": None, "status": 400}),
    ],
)
async def test_log_line_is_short_without_secrets(
    query: Any, name: Any, known: Any, graphql_client: GraphQLClient, key: str, log_lines: LogLines
) -> None:
    await graphql_client(query, accept=GRAPHQL_MEDIA_TYPE, name=name, secret="hunter2")
    (line,) = log_lines()
    assert {name: line[name] for name in known} == known
    text = json.dumps(line)
    assert len(text) < 1_000
    assert key not in text
    assert key[-38:] not in text
    assert "hunter2" not in text


async def test_call_without_token_is_logged(graphql_client: GraphQLClient, log_lines: LogLines, key: str) -> None:
    graphql_client.headers["X-SERVICE-API-KEY"] = key[:-1]
    await graphql_client(NAME)
    (line,) = log_lines()
    assert (line["status"], line["team"], line["token"], line["organization"]) == (401, None, None, None)
    assert key[17:30] not in json.dumps(line)


def test_rest_documents_are_within_limits() -> None:
    for endpoint in ENDPOINTS:
        most = {"limit": 100} if "limit" in endpoint.envelope.paging_parameters else {}
        assert DocumentCache().find(endpoint.document, None, most).cost.rows <= 100
