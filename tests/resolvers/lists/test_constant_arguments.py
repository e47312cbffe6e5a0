"""Constant arguments: what is wrong with them is said once, before execution; with variables at the field alone."""

from uuid import UUID

import pytest

from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import GraphQLClient, token

TOO_LONG = 'start_date: "2026-01-01", end_date: "2027-01-02"'


@pytest.fixture
async def ask(service: Service, rows: Rows) -> GraphQLClient:
    organization = rows.organization(name="Initech")
    for _ in range(22):
        rows.member(organization)
    return GraphQLClient(service, {"X-SERVICE-API-KEY": token(rows), "X-Organization-Id": str(organization)})


@pytest.mark.parametrize(
    ("document", "message", "column"),
    [
        (f"{{ organization {{ name }} invoices({TOO_LONG}) {{ count }} }}", "Date range cannot exceed 366 days.", 25),
        (
            f"{{ members {{ results {{ invoices({TOO_LONG}) {{ count }} }} }} }}",
            "Date range cannot exceed 366 days.",
            23,
        ),
        ("{ members { results { projects(page: 0) { count } } } }", "page must be >= 1.", 23),
        ('{ members { results { projects(after: "x") { count } } } }', "Invalid after.", 23),
        (
            f"{{ members_by_id(ids: {[str(UUID(int=0))] * 101}) {{ user_id }} }}".replace("'", '"'),
            "ids must have at most 100 ids.",
            3,
        ),
    ],
)
async def test_invalid_constant_is_refused_once(ask: GraphQLClient, document: str, message: str, column: int) -> None:
    response = await ask(document, accept="application/graphql-response+json")
    assert response.status_code == 400
    (error,) = response.json()["errors"]
    assert "data" not in response.json()
    assert (error["message"], error["extensions"]["code"]) == (message, "VALIDATION_ERROR")
    assert error["locations"] == [{"line": 1, "column": column}]


async def test_list_that_fails_is_null_beside_the_data(ask: GraphQLClient) -> None:
    query = 'query ($end: Date!) { organization { name } invoices(start_date: "2026-01-01", end_date: $end) { count } }'
    body = (await ask(query, end="2027-01-02")).json()
    assert body["data"] == {"organization": {"name": "Initech"}, "invoices": None}
    assert [(error["message"], error["path"]) for error in body["errors"]] == [
        ("Date range cannot exceed 366 days.", ["invoices"])
    ]
    below = query.replace("{ organization { name }", "{ members(limit: 2) { results { full_name").replace(
        "count } }", "count } } } }"
    )
    body = (await ask(below, end="2027-01-02")).json()
    assert [member["invoices"] for member in body["data"]["members"]["results"]] == [None, None]
