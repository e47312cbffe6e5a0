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
PEOPLE = Operation(
    """
    query ($limit: Int!) {
      organization { name members_count active_members_count }
      teams(limit: $limit) {
        results {
          lead_user_ids members_count project_ids
          members(limit: 5) { count results { user { full_name } member_status team { name members_count } } }
        }
      }
      members(limit: $limit) {
        results { team_ids projects(limit: 5) { count results { name membership { role } client { name } } } }
      }
    }
    """
)


@pytest.fixture
def world(rows: Rows) -> World:
    return build(rows, "A")


@pytest.fixture
def sent(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The SQL of each statement from now on."""
    read, sent = service.database.read_rows, list[str]()

    async def record(organization_id: Any, statements: Any, **options: Any) -> Any:
        sent.extend(statement.sql for statement, _ in statements)
        return await read(organization_id, statements, **options)

    monkeypatch.setattr(service.database, "read_rows", record)
    return sent


@pytest.mark.parametrize("operation", [DEEP, PEOPLE], ids=["work", "people"])
async def test_tasks_do_not_grow_with_rows(
    operation: Operation, service: Service, world: World, sent: list[str]
) -> None:
    operation.compile_all()
    statements, started = [], list[int]()

    def count_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        started[-1] += 1
        return asyncio.Task(coroutine, loop=loop, **options)

    loop = asyncio.get_running_loop()
    for limit in (1, 1, SIZE):
        started.append(0)
        sent.clear()
        loop.set_task_factory(count_task)
        try:
            result = await Executor(service.database).execute(operation, world.organization_id, {"limit": limit})
        finally:
            loop.set_task_factory(None)
        assert {len(page["results"]) for page in (result.data or {}).values() if "results" in page} == {limit}
        statements.append(len(sent))
    assert statements[0] == statements[1] == statements[2] <= 16
    # The first run may also have opened connections.
    assert started[1] == started[2] <= 60


async def test_only_selected_columns_are_read(service: Service, world: World, sent: list[str]) -> None:
    document = "{ projects { results { name client { id } client_name } } }"
    data = await data_of(service.database, world.organization_id, document)
    assert sorted(data["projects"]["results"], key=lambda row: str(row["name"])) == [
        {"name": f"A-project {n}", "client": {"id": str(named("client"))}, "client_name": "A-client 0"}
        for n in range(SIZE)
    ]
    (page,) = sent
    for column in ("description", "color", "bill_rate", "screenshots_enabled", "tax_number", "address", "note"):
        assert column not in page
    assert "client_id" in page, "the client is joined by it"


async def test_rows_by_two_ids_are_one_statement(service: Service, world: World, sent: list[str]) -> None:
    document = """query ($one: UUID!, $other: UUID!) {
      one: project(id: $one) { name } other: project(id: $other) { name client { title: name } }
    }"""
    ids = {"one": named("project", 1), "other": named("project", 3)}
    assert await data_of(service.database, world.organization_id, document, **ids) == {
        "one": {"name": "A-project 1"},
        "other": {"name": "A-project 3", "client": {"title": "A-client 0"}},
    }
    assert len(sent) == 1, "both projects with their client"
