"""Budgets of /graphql: documents that are small and ask for much are refused, and say what to narrow.

Covers `rest_facade/graphql/unread_bytes.py`.
"""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from rest_facade.composition import MAX_UNREAD_BYTES
from rest_facade.graphql.app import GraphQLApp
from schema.execution.state import ExecutionBudget
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import GraphQLClient


async def test_errors_of_each_row_end_execution(graphql_client: GraphQLClient, rows: Rows, organization: UUID) -> None:
    with rows.transaction(organization):
        for number in range(101):
            rows.client(organization, name=f"Client {number}")
    document = '{ a: clients(limit: 100) { results { projects(limit: 1, after: "1,x") { count } } } clients { count } }'
    body = (await graphql_client(document)).json()
    assert body["data"] == {"a": None, "clients": {"count": 101}}
    assert len(body["errors"]) == 100
    document = document.replace("{ count } }", '{ count } b: projects(limit: 1, after: "1,x") { count } }', 1)
    body = (await graphql_client(document)).json()
    assert [error["message"] for error in body["errors"][-1:]] == ["The execution was stopped after 100 errors."]


async def test_result_beyond_its_budget_is_refused(
    graphql_client: GraphQLClient, rows: Rows, organization: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        rows.client(organization, name=f"Client {number}")
    monkeypatch.setattr("rest_facade.graphql.app.ExecutionBudget", lambda: ExecutionBudget(objects=6))
    response = await graphql_client("{ clients { results { id } } }", accept="application/graphql-response+json")
    assert response.status_code == 400
    (error,) = response.json()["errors"]
    assert error["message"] == (
        "The result has more than 6 objects, at clients.results. Use a smaller limit, filters, or fewer nested lists."
    )
    assert (error["extensions"]["code"], error["extensions"]["details"]) == ("VALIDATION_ERROR", {"max_objects": 6})


async def test_suspended_organization_is_not_found(graphql_client: GraphQLClient, rows: Rows) -> None:
    for change in ({"status": "suspended"}, {"deleted_at": datetime(2026, 1, 1, tzinfo=UTC)}):
        graphql_client.headers["X-Organization-Id"] = str(rows.organization(**change))
        (error,) = (await graphql_client("{ organization { name } }")).json()["errors"]
        assert error["message"] == "Organization not found."


async def test_large_response_counts_until_it_is_read(
    graphql_client: GraphQLClient, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rest_facade.graphql.unread_bytes.SMALL", 10)
    limit = graphql.concurrency_limit
    states: list[tuple[int, bool]] = []
    body = b'{"query": "{ organization { name } }"}'

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, object]) -> None:
        states.append((len(limit.held), limit.unread.has_room("any", MAX_UNREAD_BYTES // 2)))

    headers = {**graphql_client.headers, "Content-Type": "application/json"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/graphql",
        "raw_path": b"/graphql",
        "query_string": b"",
        "client": ("10.201.0.1", 1),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    await graphql(scope, receive, send)  # type: ignore[arg-type]
    # Its head, its body, and its end, for which the server waits until the client has read the body.
    assert states == [(0, False)] * 3
    assert limit.unread.has_room("any", MAX_UNREAD_BYTES // 2)
