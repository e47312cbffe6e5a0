"""Limits of /graphql: size of operations, quota of a token, concurrency, and budgets that say what to narrow.

Covers `rest_facade/graphql/concurrency_limit.py`, `rest_facade/graphql/point_quota.py` and
`rest_facade/graphql/unread_bytes.py`.
"""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from rest_facade.access.rate_counter import MemoryStorage, RateCounter
from rest_facade.composition import MAX_UNREAD_BYTES
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.concurrency_limit import ConcurrencyLimit
from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE
from rest_facade.graphql.point_quota import PointQuota
from rest_facade.graphql.unread_bytes import UnreadBytes
from rest_facade.rest.json_body import JSON_MEDIA_TYPE
from schema.execution.state import ExecutionBudget
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.access.clock import END, UNREACHABLE, freeze
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import ABSENT, NAME, GraphQLClient, assert_refused, connected, token


@pytest.fixture
def statements(graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements of all reads, in order, without the lookup of the token."""
    read = graphql.database.read_rows
    sent: list[str] = []

    async def recorded(organization_id: UUID, calls: Any, **options: Any) -> Any:
        sent.extend(statement.sql for statement, _ in calls)
        return await read(organization_id, calls, **options)

    monkeypatch.setattr(graphql.database, "read_rows", recorded)
    return sent


async def test_exceeded_limit_is_refused_before_reads(graphql_client: GraphQLClient, statements: list[str]) -> None:
    message = "Syntax Error: Document contains more than 1000 tokens. Parsing aborted."
    for accept, status in ((JSON_MEDIA_TYPE, 200), (GRAPHQL_MEDIA_TYPE, 400)):
        response = await graphql_client(f"{{ organization {{ {'name ' * 1000} }} }}", accept=accept)
        assert_refused(response, status, "VALIDATION_ERROR", message)
    assert len(statements) == 2, "whether the organization exists, and nothing else"


async def test_token_has_its_own_quota(
    graphql_client: GraphQLClient, rows: Rows, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = freeze(monkeypatch)
    monkeypatch.setattr(graphql, "counter", RateCounter(MemoryStorage(), prefix="test", window=60, clock=clock))
    monkeypatch.setattr(graphql, "quota", 3)
    # Invalid calls are counted, too.
    for query, remaining in ((NAME, 2), ("{", 1), (f'{{ project(id: "{ABSENT}") {{ id }} }}', 0)):
        response = await graphql_client(query)
        rates = {name: response.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")}
        assert rates == {"limit": "3", "remaining": str(remaining), "reset": str(END)}
    response = await graphql_client(NAME)
    assert_refused(response, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded.", retry_after_seconds=30)
    assert (response.headers["retry-after"], response.headers["ratelimit-remaining"]) == ("30", "0")
    graphql_client.headers["X-SERVICE-API-KEY"] = token(rows)
    assert (await graphql_client(NAME)).status_code == 200


async def test_token_has_its_own_points(
    graphql_client: GraphQLClient, rows: Rows, graphql: GraphQLApp, organization: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = RateCounter(MemoryStorage(), prefix="test", window=60, clock=freeze(monkeypatch))
    monkeypatch.setattr(graphql, "points", PointQuota(counter, 100))
    for _ in range(30):
        rows.member(organization)

    async def points(limit: int) -> list[str]:
        response = await graphql_client(f"{{ members(limit: {limit}) {{ results {{ user_id }} }} }}")
        return [response.headers[f"x-cost-{name}"] for name in ("limit", "remaining")]

    # The estimate is counted, and what the answer does not need is given back: its objects are the query, a page, rows.
    assert await points(5) == ["100", "95"]
    assert await points(90) == ["100", "63"]
    response = await graphql_client("{ members(limit: 64) { count results { user_id } } }")
    message = "The operation may cost 64 points; 63 of 100 are left in this window."
    assert_refused(response, 429, "RATE_LIMIT_EXCEEDED", message, retry_after_seconds=30)
    headers = ("retry-after", "x-cost-limit", "x-cost-remaining")
    assert [response.headers[name] for name in headers] == ["30", "100", "63"]
    assert int(response.headers["ratelimit-remaining"]) > 0
    # A smaller operation has enough, and one that is invalid costs nothing.
    assert await points(63) == ["100", "31"]
    assert "x-cost-remaining" not in (await graphql_client("{")).headers
    graphql_client.headers["X-SERVICE-API-KEY"] = token(rows)
    assert await points(1) == ["100", "99"]
    monkeypatch.setattr(graphql, "points", PointQuota(RateCounter(UNREACHABLE, prefix="points", window=60), 100))
    response = await graphql_client(NAME)
    assert_refused(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")


async def test_default_points_are_enough_for_all_calls(vary: Vary, rows: Rows, organization: UUID) -> None:
    for changes, limit in (({"graphql_quota": 7}, "35000"), ({"graphql_points": 50}, "50")):
        async with vary(**changes) as service:
            response = await connected(service, rows, organization)(NAME)
        assert response.headers["x-cost-limit"] == limit


async def test_failed_counter_is_503(
    graphql_client: GraphQLClient, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphql, "counter", RateCounter(UNREACHABLE, prefix="quota", window=60))
    response = await graphql_client(NAME)
    assert_refused(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
    assert response.headers["retry-after"] == "5"


async def test_full_queue_is_503(
    graphql_client: GraphQLClient, graphql: GraphQLApp, organization: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = ConcurrencyLimit(running=1, waiting=2, heavy=1, unread=UnreadBytes(2**20))
    monkeypatch.setattr(graphql, "concurrency_limit", limit)
    turn = limit.turn("another", organization)
    await turn.acquire()
    waiting = [asyncio.create_task(graphql_client(NAME)) for _ in range(2)]
    await becomes(lambda: len(limit.waiting) == 2)
    response = await graphql_client(NAME)
    assert_refused(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
    assert response.headers["retry-after"] == "5"
    turn.release()
    assert [response.status_code for response in await asyncio.gather(*waiting)] == [200, 200]
    assert (await graphql_client(NAME)).status_code == 200


async def test_call_that_waits_too_long_may_come_again(
    graphql_client: GraphQLClient, graphql: GraphQLApp, organization: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphql, "deadline", 0.1)
    turn = graphql.concurrency_limit.turn("another", organization)
    monkeypatch.setattr(graphql.concurrency_limit, "_slots", 1)
    await turn.acquire()
    response = await graphql_client(NAME)
    turn.release()
    assert_refused(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
    assert response.headers["retry-after"] == "5"


async def test_filter_has_at_most_100_values(graphql_client: GraphQLClient) -> None:
    query = "query ($ids: [UUID!]) { clients(id: $ids) { count } }"
    assert (await graphql_client(query, ids=[ABSENT] * 100)).json() == {"data": {"clients": {"count": 0}}}
    (error,) = (await graphql_client(query, ids=[ABSENT] * 101)).json()["errors"]
    assert (error["message"], error["extensions"]["code"]) == (
        "id cannot hold more than 100 values.",
        "VALIDATION_ERROR",
    )


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
