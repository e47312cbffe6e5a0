"""Orders of lists: pages in the order of Python's sort, with ties and nulls, of an organization and of many parents."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from db.reading.database import Database
from db.tables.columns import LAST_PLACE
from db.tables.work import clients, projects
from schema.execution.executor import Executor
from schema.execution.operation import Operation
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.sent import as_sent

pytestmark = pytest.mark.anyio

PAGE = "(order_by: $order, limit: $limit, after: $after) { count next results { id name due_date } }"
PROJECTS = Operation(f"query ($order: ProjectOrder, $limit: Int!, $after: String) {{ projects{PAGE} }}")
BELOW_CLIENTS = Operation(
    f"query ($order: ProjectOrder, $limit: Int!, $after: String) {{ clients {{ results {{ id projects{PAGE} }} }} }}"
)
PREPARED = Operation(f"query ($order: ProjectOrder, $limit: Int!, $after: String) {{ projects{PAGE} }}")
PREPARED.prepare()

CLIENTS = [UUID(int=1), UUID(int=2)]

# Few values, so that many rows share one. Small letters are after all capital ones, and a comma is part of a name.
names = st.sampled_from(["", "a", "B", "B,c", "Ähre", "👍", "b:1,2"])
due_dates = st.none() | st.sampled_from([date(2026, 3, 1), date(2026, 3, 2), LAST_PLACE - timedelta(days=1)])
moments = st.sampled_from([THEN + timedelta(microseconds=n) for n in (0, 1, 1_000_000)])
stored = st.fixed_dictionaries(
    {
        "id": st.uuids(),
        "name": names,
        "due_date": due_dates,
        "created_at": moments,
        "updated_at": moments,
        "client_id": st.sampled_from(CLIENTS),
    }
)
lists = st.lists(stored, max_size=12, unique_by=lambda row: row["id"])
orders = st.sampled_from(
    [f"{name}_{way}" for name in ("created_at", "updated_at", "name", "due_date") for way in ("asc", "desc")]
)
some_examples = settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def in_order(rows: list[dict[str, Any]], order: str) -> list[str]:
    """The reference: the ids of the rows, sorted."""
    column, _, way = order.rpartition("_")

    def key(row: dict[str, Any]) -> Any:
        value = row[column]
        return (value is None, value or LAST_PLACE if column == "due_date" else value, row["id"].int)

    return [str(row["id"]) for row in sorted(rows, key=key, reverse=way == "desc")]


def store(rows: Rows, found: list[dict[str, Any]]) -> UUID:
    own = rows.organization()
    with rows.transaction(own):
        common = {"organization_id": own, "currency": "EUR"}
        rows.connection.execute(insert(clients), [common | {"id": id_, "name": "x"} for id_ in CLIENTS])
        if found:
            rows.connection.execute(insert(projects), [common | row for row in found])
    return own


async def execute(database: Database, operation: Operation, own: UUID, **variables: Any) -> Any:
    result = await Executor(database).execute(operation, own, variables)
    assert result.failures == []
    return as_sent(result.data)


async def walk(database: Database, operation: Operation, own: UUID, order: str, limit: int) -> AsyncIterator[Any]:
    after = None
    for _ in range(20):
        page = (await execute(database, operation, own, order=order, limit=limit, after=after))["projects"]
        yield page
        after = page["next"]
        if after is None:
            return
    pytest.fail("the walk has no end")


@some_examples
@given(found=lists, order=orders, limit=st.integers(1, 5))
async def test_pages_are_in_the_requested_order(
    rows: Rows, database: Database, found: list[dict[str, Any]], order: str, limit: int
) -> None:
    own = store(rows, found)
    for operation in (PROJECTS, PREPARED):
        pages = [page async for page in walk(database, operation, own, order, limit)]
        assert [row["id"] for page in pages for row in page["results"]] == in_order(found, order)
        assert {page["count"] for page in pages} == {len(found)}


@some_examples
@given(found=lists, order=orders, limit=st.integers(1, 3))
async def test_pages_of_parents_are_in_the_requested_order(
    rows: Rows, database: Database, found: list[dict[str, Any]], order: str, limit: int
) -> None:
    own = store(rows, found)
    data = await execute(database, BELOW_CLIENTS, own, order=order, limit=limit)
    for client in data["clients"]["results"]:
        expected = in_order([row for row in found if str(row["client_id"]) == client["id"]], order)
        page = client["projects"]
        assert [row["id"] for row in page["results"]] == expected[:limit]
        assert (page["count"], page["next"] is None) == (len(expected), len(expected) <= limit)


ROWS = [
    {"id": UUID(int=n), "name": f"Project {n % 2}", "due_date": None, "client_id": CLIENTS[0], "created_at": THEN}
    for n in range(1, 5)
]


@pytest.mark.parametrize(
    ("order", "after"),
    [
        ("name_asc", f"name_desc:4,Project 0,{UUID(int=2)}"),
        ("name_asc", f"4,Project 0,{UUID(int=2)}"),
        (None, f"created_at_asc:4,{THEN.isoformat()},{UUID(int=2)}"),
        ("created_at_asc", f"4,{THEN.isoformat()},{UUID(int=2)}"),
        ("due_date_asc", f"due_date_asc:4,2026-02-30,{UUID(int=2)}"),
        ("name_asc", f"name_asc:4,Project\0,{UUID(int=2)}"),
        ("name_asc", f"name_asc:4,\ud800,{UUID(int=2)}"),
        ("name_asc", f"name_asc:{UUID(int=2)}"),
        ("created_at_desc", f"created_at_desc:4,,{UUID(int=2)}"),
    ],
)
async def test_position_of_another_order_is_refused(
    rows: Rows, database: Database, order: str | None, after: str
) -> None:
    own = store(rows, ROWS)
    variables = {"order": order, "limit": 2, "after": after}
    (failure,) = (await Executor(database).execute(PROJECTS, own, variables)).failures
    assert (failure.code, failure.message) == ("VALIDATION_ERROR", "Invalid after.")


async def test_next_names_the_order_and_the_last_row(rows: Rows, database: Database) -> None:
    own = store(rows, ROWS)
    for order, value in [("name_desc", "Project 1"), ("due_date_asc", ""), ("created_at_asc", THEN.isoformat())]:
        page = (await execute(database, PREPARED, own, order=order, limit=1))["projects"]
        assert page["next"] == f"{order}:4,{value},{page['results'][0]['id']}"


async def test_requested_order_holds_with_updated_since(rows: Rows, database: Database) -> None:
    own = store(rows, ROWS)
    document = Operation(
        '{ projects(updated_since: "2000-01-01T00:00:00Z", order_by: name_desc) { results { name } } }'
    )
    data = await execute(database, document, own)
    assert [row["name"] for row in data["projects"]["results"]] == ["Project 1"] * 2 + ["Project 0"] * 2
