"""Nested queries over the whole schema: no list needs a statement or a task for each row.

Covers `resolvers/people.py` and `resolvers/work.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Table, insert

from db.reading.database import BoundStatement, Database
from db.tables.people import members, team_members, teams
from db.tables.work import clients, project_members, projects, task_members, tasks
from schema.execution.executor import Executor
from schema.execution.operation import Operation, OperationResult
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.sent import as_sent
from tests.world import named

pytestmark = pytest.mark.anyio

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


class CountingDatabase:
    """A database that records the number of statements of each transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.transactions: list[int] = []
        self._read = database.read

    async def read(self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False) -> Any:
        self.transactions.append(len(statements))
        return await self._read(organization_id, statements, is_heavy=is_heavy)


@pytest.fixture
async def counting(owner_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[CountingDatabase]:
    database = Database(owner_url)
    counting = CountingDatabase(database)
    monkeypatch.setattr(database, "read", counting.read)
    await database.open()
    yield counting
    await database.close()


def _ids(n: int, **kinds: str) -> dict[str, Any]:
    """The ids of the nth rows, by the columns that hold them."""
    return {column: named(kind, n) for column, kind in kinds.items()}


TABLES: list[tuple[Table, Callable[[int], dict[str, Any]]]] = [
    (
        members,
        lambda n: {
            **_ids(n, user_id="user", membership_id="membership"),
            "full_name": f"Member {n}",
            "first_joined_at": THEN,
            "joined_at": THEN,
        },
    ),
    (teams, lambda n: {**_ids(n, id="team"), "name": f"Team {n}"}),
    (clients, lambda n: {**_ids(n, id="client"), "name": f"Client {n}", "currency": "EUR"}),
    (projects, lambda n: {**_ids(n, id="project", client_id="client"), "name": f"Project {n}", "currency": "EUR"}),
    (tasks, lambda n: {**_ids(n, id="task", project_id="project"), "name": f"Task {n}"}),
    (team_members, lambda n: {**_ids(n, id="team member", team_id="team", user_id="user"), "role": "lead"}),
    (
        project_members,
        lambda n: {**_ids(n, id="pm", project_id="project", user_id="user"), "role": "manager", "joined_at": THEN},
    ),
    (task_members, lambda n: {**_ids(n, id="task member", task_id="task", user_id="user"), "assigned_at": THEN}),
]


def store(rows: Rows, count: int) -> UUID:
    """An organization with `count` rows in each table: the nth row of one points at the nth of another."""
    own = rows.organization(name="Acme")
    at = {"organization_id": own, "created_at": THEN, "updated_at": THEN}
    with rows.transaction(own):
        for table, row in TABLES:
            rows.connection.execute(insert(table), [{**at, **row(n)} for n in range(count)])
    return own


async def data_of(operation: Operation, counting: CountingDatabase, own: UUID, **variables: Any) -> Any:
    counting.transactions.clear()
    result: OperationResult = await Executor(counting.database).execute(operation, own, variables)
    assert result.failures == []
    return result.data


@pytest.mark.parametrize("operation", [DEEP, PEOPLE], ids=["work", "people"])
async def test_statements_and_tasks_do_not_grow_with_rows(
    operation: Operation, counting: CountingDatabase, rows: Rows
) -> None:
    own = store(rows, 100)
    operation.prepare()
    statements: list[int] = []
    started: list[int] = []

    def count_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        started[-1] += 1
        return asyncio.Task(coroutine, loop=loop, **options)

    loop = asyncio.get_running_loop()
    for limit in (1, 1, 20, 100):
        started.append(0)
        loop.set_task_factory(count_task)
        try:
            data = await data_of(operation, counting, own, limit=limit)
        finally:
            loop.set_task_factory(None)
        assert {len(page["results"]) for page in data.values() if "results" in page} == {limit}
        assert len(counting.transactions) <= 6, "about one round trip per level"
        statements.append(sum(counting.transactions))
    assert statements[0] == statements[1] == statements[2] == statements[3] <= 16
    # The first run also opened connections.
    assert started[1] == started[2] == started[3] <= 60


async def test_only_selected_columns_are_read(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 3)
    sent: list[str] = []
    read = counting.read

    async def record(organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False) -> Any:
        sent.extend(statement.sql for statement, _ in statements)
        return await read(organization_id, statements, is_heavy=is_heavy)

    counting.database.read = record  # type: ignore[method-assign]
    operation = Operation("{ projects { results { name client { id } client_name } } }")
    operation.prepare()
    data = as_sent(await data_of(operation, counting, own))
    assert sorted(data["projects"]["results"], key=lambda row: str(row["name"])) == [
        {"name": f"Project {n}", "client": {"id": str(named("client", n))}, "client_name": f"Client {n}"}
        for n in range(3)
    ]
    (page,) = sent
    for column in ("description", "color", "bill_rate", "screenshots_enabled", "tax_number", "address", "note"):
        assert column not in page
    assert "client_id" in page, "the client is joined by it"


async def test_rows_by_two_ids_are_one_statement(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 4)
    ids = {"one": named("project", 1), "other": named("project", 3)}
    operation = Operation(
        """
        query ($one: UUID!, $other: UUID!) {
          one: project(id: $one) { name }
          other: project(id: $other) { name client { title: name } }
        }
        """
    )
    assert await data_of(operation, counting, own, **ids) == {
        "one": {"name": "Project 1"},
        "other": {"name": "Project 3", "client": {"title": "Client 3"}},
    }
    assert counting.transactions == [1], "both projects with their client"


async def test_cyclic_query_reuses_loaded_rows(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 20)
    level = "members(limit: 1) {{ results {{ project {{ {} }} }} }}".format
    document = "{{ projects(limit: 20) {{ results {{ {} }} }} }}".format
    costs = []
    for depth in (1, 2, 3):
        inner = "id"
        for _ in range(depth):
            inner = level(inner)
        await data_of(Operation(document(inner)), counting, own)
        costs.append(sum(counting.transactions))
    # Rows are loaded once per request: the second level has them already.
    assert costs == [2, 2, 2]
