"""How much may be asked of /graphql, and how what is wrong is told."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any
from uuid import UUID

import psycopg
import pytest
from graphql import get_introspection_query
from throttled.exceptions import StoreUnavailableError

from rest_facade.access.authentication import KeyCache
from rest_facade.access.rate_counter import RateCounter, memory_store
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.concurrency_limit import ConcurrencyLimit
from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE, JSON_MEDIA_TYPE
from rest_facade.settings import Settings
from schema.documents.cache import DocumentCache
from tests.factories.rows import Rows
from tests.rest_facade.access.test_rate_counter import END, failing, freeze
from tests.rest_facade.graphql.client import ABSENT, NAME, GraphQLClient, assert_refused, token, varied

pytestmark = pytest.mark.anyio

# How much.


@pytest.fixture
def statements(graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read, in order, but for the token and whether the organization exists."""
    read = graphql.database.read
    found: list[str] = []

    async def noted(organization_id: UUID, calls: Any) -> Any:
        found.extend(statement.sql for statement, _ in calls)
        return await read(organization_id, calls)

    monkeypatch.setattr(graphql.database, "read", noted)
    return found


@pytest.mark.parametrize(
    ("document", "message", "details"),
    [
        (
            "{projects(limit:1){results{client{projects(limit:1){results{client{projects(limit:1){results{id}}}}}}}} }",
            "The operation is 9 levels deep; at most 8 are allowed.",
            {"given": 9, "maximum": 8},
        ),
        (
            f"{{ organization {{ {' '.join(f'a{n}: name' for n in range(16))} }} }}",
            "The operation has 16 aliases; at most 15 are allowed.",
            {"given": 16, "maximum": 15},
        ),
        (
            "{ organization{name} members{count} teams{count} clients{count} projects{count} tasks{count} }",
            "The operation has 6 root fields; at most 5 are allowed.",
            {"given": 6, "maximum": 5},
        ),
        (
            f"{{ organization {{ {'name @skip(if: false) ' * 21} }} }}",
            "The operation has 21 directives; at most 20 are allowed.",
            {"given": 21, "maximum": 20},
        ),
        (
            f"{{ organization {{ {' '.join(f'...f{n}' for n in range(31))} }} }}"
            + "".join(f" fragment f{n} on Organization {{ name }}" for n in range(31)),
            "The document defines 31 fragments; at most 30 are allowed.",
            {"given": 31, "maximum": 30},
        ),
        (
            "{ members(limit: 100) { results { projects(limit: 50) { count } } } }",
            "The operation asks for up to 5100 rows; at most 5000 are allowed.",
            {"given": 5100, "maximum": 5000},
        ),
        ("{ members(limit: 101) { count } }", "limit must be from 1 to 100.", None),
        (
            f"{{ organization {{ {'name ' * 1000} }} }}",
            "Syntax Error: Document contains more than 1000 tokens. Parsing aborted.",
            None,
        ),
    ],
    ids=["depth", "aliases", "roots", "directives", "fragments", "rows", "limit", "tokens"],
)
async def test_what_asks_for_too_much_is_refused_before_anything_is_read(
    document: str, message: str, details: Any, ask: GraphQLClient, statements: list[str]
) -> None:
    for accept, status in ((JSON_MEDIA_TYPE, 200), (GRAPHQL_MEDIA_TYPE, 400)):
        assert_refused(await ask(document, accept=accept), status, "VALIDATION_ERROR", message, details)
    assert len(statements) == 2, "whether the organization exists, and nothing else"


async def test_what_is_just_allowed_is_answered(ask: GraphQLClient) -> None:
    for document in (
        "{ projects(limit:1){results{client{projects(limit:1){results{client{budget{type}}}}}}} }",
        f"{{ organization {{ {' '.join(f'a{n}: name' for n in range(15))} }} }}",
        "{ organization { name } members { count } teams { count } clients { count } projects { count } __typename }",
        f"{{ organization {{ {'name @skip(if: false) ' * 20} }} }}",
        "{ members(limit: 50) { results { projects(limit: 99) { count } } } }",
        "{ members(limit: 100) { count } }",
    ):
        response = await ask(document, accept=GRAPHQL_MEDIA_TYPE)
        assert response.status_code == 200, response.text
        assert "errors" not in response.json()


async def test_limits_that_are_variables_count(ask: GraphQLClient) -> None:
    document = "query ($n: Int!) { members(limit: $n) { results { projects(limit: $n) { count } } } }"
    assert (await ask(document, n=70)).json() == {"data": {"members": {"results": []}}}
    message = "The operation asks for up to 5112 rows; at most 5000 are allowed."
    assert_refused(await ask(document, n=71), 200, "VALIDATION_ERROR", message, {"given": 5112, "maximum": 5000})


async def test_a_token_has_a_quota_of_its_own(
    ask: GraphQLClient, rows: Rows, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = freeze(monkeypatch)
    monkeypatch.setattr(graphql, "counter", RateCounter(memory_store(), prefix="test", window=60, clock=clock))
    monkeypatch.setattr(graphql, "quota", 3)
    # Whatever is wrong with a call, it is counted.
    for query, remaining in ((NAME, 2), ("{", 1), (f'{{ project(id: "{ABSENT}") {{ id }} }}', 0)):
        response = await ask(query)
        rates = {name: response.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")}
        assert rates == {"limit": "3", "remaining": str(remaining), "reset": str(END)}
    response = await ask(NAME)
    assert_refused(response, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded.", retry_after_seconds=30)
    assert (response.headers["retry-after"], response.headers["ratelimit-remaining"]) == ("30", "0")
    ask.headers["X-SERVICE-API-KEY"] = token(rows)
    assert (await ask(NAME)).status_code == 200


async def test_without_counting_nothing_is_given_out(
    ask: GraphQLClient, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = RateCounter(failing(StoreUnavailableError("down")), prefix="quota", window=60)
    monkeypatch.setattr(graphql, "counter", counter)
    response = await ask(NAME)
    assert_refused(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
    assert response.headers["retry-after"] == "5"


async def test_some_run_some_wait_and_the_rest_come_again(
    ask: GraphQLClient, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = ConcurrencyLimit(running=1, waiting=2)
    monkeypatch.setattr(graphql, "concurrency_limit", limit)
    async with limit.acquire():
        waiting = [asyncio.create_task(ask(NAME)) for _ in range(2)]
        async with asyncio.timeout(10):
            while limit._queue_places:
                await asyncio.sleep(0.001)
        response = await ask(NAME)
        assert_refused(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
        assert response.headers["retry-after"] == "5"
    assert [response.status_code for response in await asyncio.gather(*waiting)] == [200, 200]
    assert (await ask(NAME)).status_code == 200


# What is wrong.


async def test_what_is_wrong_with_a_document_is_told_with_its_place(ask: GraphQLClient) -> None:
    response = await ask("{\n  organization { nam nome }\n}")
    id_ = response.headers["x-request-id"]
    assert response.json() == {
        "errors": [
            {
                "message": f"Cannot query field '{name}' on type 'Organization'. Did you mean 'name'?",
                "locations": [{"line": 2, "column": column}],
                "extensions": {"code": "VALIDATION_ERROR", "request_id": id_},
            }
            for name, column in (("nam", 18), ("nome", 22))
        ]
    }


@pytest.mark.parametrize(
    ("definition", "value", "message"),
    [
        ("$v: Int!", 2**31, "Int cannot represent non 32-bit signed integer value: 2147483648"),
        ("$v: Int!", None, "Expected value of non-null type 'Int!'"),
        ("$v: Int!", "1", "Int cannot represent non-integer value: '1'"),
        ("$v: Int!", [[[[[1]]]]], "Int cannot represent non-integer value"),
    ],
)
async def test_variables_that_do_not_fit_are_told(
    definition: str, value: Any, message: str, ask: GraphQLClient
) -> None:
    document = f"query ({definition}) {{ projects(page: $v) {{ count }} }}"
    for accept, status in ((JSON_MEDIA_TYPE, 200), (GRAPHQL_MEDIA_TYPE, 400)):
        response = await ask(document, accept=accept, v=value)
        assert response.status_code == status
        (error,) = response.json()["errors"]
        assert message in error["message"]
        assert error["extensions"]["code"] == "VALIDATION_ERROR"
        assert "data" not in response.json()


async def test_a_variable_that_is_null_where_it_must_not_be_is_told(ask: GraphQLClient) -> None:
    response = await ask("query ($n: Int) { projects(limit: $n) { count } }", n=None)
    (error,) = response.json()["errors"]
    assert error["message"].startswith("Argument 'limit' has invalid value: ")
    assert (error["path"], error["extensions"]["code"]) == (["projects"], "VALIDATION_ERROR")


async def test_what_a_resolver_refuses_is_told_with_its_path(ask: GraphQLClient) -> None:
    response = await ask(f'{{ gone: project(id: "{ABSENT}") {{ name }} }}', accept=GRAPHQL_MEDIA_TYPE)
    assert response.status_code == 200
    assert response.json()["data"] is None
    (error,) = response.json()["errors"]
    assert error == {
        "message": "Project not found.",
        "path": ["gone"],
        "extensions": {"code": "RESOURCE_NOT_FOUND", "request_id": response.headers["x-request-id"]},
    }
    days = 'start_date: "2026-01-01", end_date: "2026-01-02"'
    response = await ask(f"{{ timesheet_idle_times(limit: 21, {days}) {{ __typename }} }}")
    (error,) = response.json()["errors"]
    assert error == {
        "message": "limit cannot exceed 20.",
        "path": ["timesheet_idle_times"],
        "extensions": {
            "code": "VALIDATION_ERROR",
            "details": {"limit": ["limit cannot exceed 20."]},
            "request_id": response.headers["x-request-id"],
        },
    }


async def test_what_nobody_expected_is_masked(
    ask: GraphQLClient, graphql: GraphQLApp, logged: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, calls = graphql.database.read, count()

    async def broken(organization_id: UUID, given: Any) -> Any:
        if next(calls):
            raise psycopg.OperationalError("the password of hunter2 is wrong")
        return await read(organization_id, given)

    monkeypatch.setattr(graphql.database, "read", broken)
    response = await ask("{ projects { count } }", accept=GRAPHQL_MEDIA_TYPE)
    assert response.status_code == 200
    id_ = response.headers["x-request-id"]
    assert response.json() == {
        "data": None,
        "errors": [
            {
                "message": "An unexpected error occurred.",
                "path": ["projects"],
                "extensions": {"code": "INTERNAL_ERROR", "request_id": id_},
            }
        ],
    }
    failed, line = logged()
    assert (failed["event"], failed["request_id"], failed["failures"]) == ("graphql failed", id_, 1)
    assert "the password of hunter2 is wrong" in failed["exception"]
    assert (line["event"], line["status"]) == ("graphql", 200)


async def test_what_nobody_expected_of_a_step_is_masked_too(
    ask: GraphQLClient, graphql: GraphQLApp, logged: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> Any:
        raise TimeoutError("hunter2")

    monkeypatch.setattr(graphql.database, "read_key", broken)
    monkeypatch.setattr(graphql, "tokens", KeyCache(graphql.database))
    assert_refused(await ask(NAME), 500, "INTERNAL_ERROR", "An unexpected error occurred.")
    failed, line = logged()
    assert "hunter2" in failed["exception"]
    assert (failed["event"], line["event"], line["status"]) == ("graphql failed", "graphql", 500)


# Introspection.


async def test_a_token_lets_the_schema_be_seen(ask: GraphQLClient) -> None:
    response = await ask(get_introspection_query(), accept=GRAPHQL_MEDIA_TYPE)
    assert response.status_code == 200
    names = {each["name"] for each in response.json()["data"]["__schema"]["types"]}
    assert {"Query", "Project", "TimeActivity"} <= names


async def test_introspection_can_be_off(
    ask: GraphQLClient, graphql: GraphQLApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphql, "introspection", False)
    monkeypatch.setattr(graphql, "documents", DocumentCache(introspection=False))
    for query in (
        get_introspection_query(),
        '{ innocent: __type(name: "Query") { name } }',
        "{ ...f } fragment f on Query { ... { __schema { queryType { name } } } }",
    ):
        assert_refused(await ask(query), 200, "VALIDATION_ERROR", "Introspection is off.")
    assert (await ask("{ __typename }")).json() == {"data": {"__typename": "Query"}}


async def test_without_introspection_nothing_is_suggested(
    settings: Settings, owner_url: str, ask: GraphQLClient
) -> None:
    async with varied(settings, owner_url, graphql_introspection=False) as service:
        ask.service = service
        for document, message in [
            ("{ organization { nam } }", "Cannot query field 'nam' on type 'Organization'."),
            ("{ tasks(status: [opn]) { count } }", "Value 'opn' does not exist in 'TaskStatus' enum."),
        ]:
            assert_refused(await ask(document), 200, "VALIDATION_ERROR", message)
        response = await ask("query ($s: [TaskStatus!]) { tasks(status: $s) { count } }", s=["opn"])
        assert "opn" in response.text
        assert "Did you mean" not in response.text
