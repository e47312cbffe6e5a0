"""Errors of /graphql: of documents, variables and resolvers, unexpected ones, and without introspection."""

from itertools import count
from typing import Any
from unittest.mock import AsyncMock

import psycopg
import pytest
from graphql import get_introspection_query

from rest_facade.access.authentication import InternalTokens
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import ABSENT, NAME, GraphQLClient, assert_refused
from tests.rest_facade.graphql.conftest import LogLines

DAYS = 'start_date: "2026-01-01", end_date: "2026-01-02"'


async def test_document_error_has_locations(graphql_client: GraphQLClient) -> None:
    response = await graphql_client("{\n  organization { nam nome }\n}")
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


async def test_null_for_non_null_argument_is_an_error(graphql_client: GraphQLClient) -> None:
    (error,) = (await graphql_client("query ($n: Int) { projects(limit: $n) { count } }", n=None)).json()["errors"]
    assert error["message"].startswith("Argument 'limit' has invalid value: ")
    assert (error["path"], error["extensions"]["code"]) == (["projects"], "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("query ($x: ProjectStatus!) { projects(status: [$x, on_hold]) { count } }", "active"),
        (f'query ($x: UUID!) {{ projects_by_id(ids: ["{ABSENT}", $x]) {{ id }} }}', ABSENT),
        (f"query ($x: TimeGroup!) {{ time_totals(group_by: [client, $x], {DAYS}) {{ count }} }}", "day"),
    ],
)
async def test_list_of_constant_and_variable(document: str, value: str, graphql_client: GraphQLClient) -> None:
    response = await graphql_client(document, accept=GRAPHQL_MEDIA_TYPE, x=value)
    assert response.status_code == 200
    assert "errors" not in response.json()


async def test_resolver_error_has_its_path(graphql_client: GraphQLClient) -> None:
    limit = "limit cannot exceed 20."
    invalid = {"code": "VALIDATION_ERROR", "details": {"limit": [limit]}}
    cases: list[tuple[str, str, dict[str, Any]]] = [
        (f'project(id: "{ABSENT}") {{ name }}', "Project not found.", {"code": "RESOURCE_NOT_FOUND"}),
        (f"timesheet_idle_times(limit: 21, {DAYS}) {{ __typename }}", limit, invalid),
    ]
    for field, message, extensions in cases:
        response = await graphql_client(f"{{ gone: {field} }}", accept=GRAPHQL_MEDIA_TYPE)
        assert (response.status_code, response.json()["data"]) == (200, {"gone": None})
        own = {**extensions, "request_id": response.headers["x-request-id"]}
        assert response.json()["errors"] == [{"message": message, "path": ["gone"], "extensions": own}]


async def test_unexpected_resolver_error_is_masked(
    graphql_client: GraphQLClient, graphql: GraphQLApp, log_lines: LogLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, calls = graphql.database.read_rows, count()

    async def broken(*arguments: Any, **options: Any) -> Any:
        if next(calls):
            raise psycopg.OperationalError("the password of hunter2 is wrong")
        return await read(*arguments, **options)

    monkeypatch.setattr(graphql.database, "read_rows", broken)
    response = await graphql_client("{ projects { count } }", accept=GRAPHQL_MEDIA_TYPE)
    assert response.status_code == 200
    id_ = response.headers["x-request-id"]
    assert response.json() == {
        "data": {"projects": None},
        "errors": [
            {
                "message": "An unexpected error occurred.",
                "path": ["projects"],
                "extensions": {"code": "INTERNAL_ERROR", "request_id": id_},
            }
        ],
    }
    failed, line = log_lines()
    assert (failed["event"], failed["request_id"], failed["failures"]) == ("graphql failed", id_, 1)
    assert "the password of hunter2 is wrong" in failed["exception"]
    assert (line["event"], line["status"]) == ("graphql", 200)


async def test_unexpected_step_error_is_500(
    graphql_client: GraphQLClient, graphql: GraphQLApp, log_lines: LogLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphql.database, "read_key", AsyncMock(side_effect=TimeoutError("hunter2")))
    monkeypatch.setattr(graphql, "tokens", InternalTokens(KeyDatabases(graphql.database)))
    assert_refused(await graphql_client(NAME), 500, "INTERNAL_ERROR", "An unexpected error occurred.")
    failed, line = log_lines()
    assert "hunter2" in failed["exception"]
    assert (failed["event"], line["event"], line["status"]) == ("graphql failed", "graphql", 500)


async def test_disabled_introspection_is_refused_and_removes_suggestions(
    vary: Vary, graphql_client: GraphQLClient
) -> None:
    async with vary(graphql_introspection=False) as service:
        graphql_client.service = service
        for document, message in [
            ("{ organization { nam } }", "Cannot query field 'nam' on type 'Organization'."),
            ("{ tasks(status: [opn]) { count } }", "Value 'opn' does not exist in 'TaskStatus' enum."),
        ]:
            assert_refused(await graphql_client(document), 200, "VALIDATION_ERROR", message)
        response = await graphql_client("query ($s: [TaskStatus!]) { tasks(status: $s) { count } }", s=["opn"])
        assert "opn" in response.text
        assert "Did you mean" not in response.text
        assert_refused(
            await graphql_client(get_introspection_query()), 200, "VALIDATION_ERROR", "Introspection is off."
        )
