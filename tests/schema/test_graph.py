"""Nested queries over the whole schema: no list starts a task for each row, and only selected columns are read.

That none needs a statement for each row is in `test_statements.py`. Covers `resolvers/people.py` and
`resolvers/work.py`.
"""

import asyncio
from typing import Any

import pytest

from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from tests.factories.rows import Rows
from tests.helpers.round_trips import recorded_round_trips
from tests.resolvers.answers import data_of
from tests.world import SIZE, World, build, named

DEEP = Operation(
    """
    query ($limit: Int!) {
      projects(limit: $limit) {
        count
        results {
          id name client { id name projects_count active_projects_count }
          manager_user_ids members_count tasks_count
          members(limit: 5) { count results { user { user_id full_name } project { id client_name } } }
          tasks(limit: 5) {
            count
            results {
              assignee_user_ids project_name
              members(limit: 5) { count results { user { full_name } task { id project { name } } } }
            }
          }
        }
      }
    }
    """
)


@pytest.fixture
def world(rows: Rows) -> World:
    return build(rows, "A")


@pytest.fixture
def round_trips(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    return recorded_round_trips(service.database, monkeypatch)


async def test_tasks_do_not_grow_with_rows(service: Service, world: World, round_trips: list[Any]) -> None:
    DEEP.compile_all()
    statements, started = [], list[int]()

    def count_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        started[-1] += 1
        return asyncio.Task(coroutine, loop=loop, **options)

    loop = asyncio.get_running_loop()
    for limit in (1, 1, SIZE):
        started.append(0)
        round_trips.clear()
        loop.set_task_factory(count_task)
        try:
            result = await Executor(service.database).execute(DEEP, world.organization_id, {"limit": limit})
        finally:
            loop.set_task_factory(None)
        assert {len(page["results"]) for page in (result.data or {}).values() if "results" in page} == {limit}
        statements.append(sum(map(len, round_trips)))
    assert statements[0] == statements[1] == statements[2] <= 16
    # The first run may also have opened connections.
    assert started[1] == started[2] <= 60


async def test_only_selected_columns_are_read(service: Service, world: World, round_trips: list[Any]) -> None:
    document = "{ projects { results { name client { id } client_name } } }"
    data = await data_of(service.database, world.organization_id, document)
    assert sorted(data["projects"]["results"], key=lambda row: str(row["name"])) == [
        {"name": f"A-project {n}", "client": {"id": str(named("client"))}, "client_name": "A-client 0"}
        for n in range(SIZE)
    ]
    (((page, _),),) = round_trips
    for column in ("description", "color", "bill_rate", "screenshots_enabled", "tax_number", "address", "note"):
        assert column not in page.sql
    assert "client_id" in page.sql, "the client is joined by it"


async def test_rows_by_two_ids_are_one_statement(service: Service, world: World, round_trips: list[Any]) -> None:
    document = """query ($one: UUID!, $other: UUID!) {
      one: project(id: $one) { name } other: project(id: $other) { name client { title: name } }
    }"""
    ids = {"one": named("project", 1), "other": named("project", 3)}
    assert await data_of(service.database, world.organization_id, document, **ids) == {
        "one": {"name": "A-project 1"},
        "other": {"name": "A-project 3", "client": {"title": "A-client 0"}},
    }
    assert [*map(len, round_trips)] == [1], "both projects with their client"
