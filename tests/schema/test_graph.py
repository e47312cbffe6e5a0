"""Nested queries over the whole schema: their data, and that no list needs a statement per row.

Covers `resolvers/people.py` and `resolvers/work.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Table, insert

from db.reading.database import BoundStatement, Database
from db.tables.people import members, team_members, teams
from db.tables.work import clients, project_members, projects, task_members, tasks
from schema.execution.executor import Executor
from schema.execution.operation import Operation, Result
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
    result: Result = await Executor(counting.database).execute(operation, own, variables)
    assert result.failures == []
    return result.data


async def test_deep_query_returns_stored_rows(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 3)
    data = await data_of(DEEP, counting, own, limit=100)
    assert data["projects"]["count"] == 3
    found = {row["id"]: row for row in data["projects"]["results"]}
    user, project, task = named("user", 1), named("project", 1), named("task", 1)
    assert found[project] == {
        "id": project,
        "name": "Project 1",
        "client": {"id": named("client", 1), "name": "Client 1", "projects_count": 1, "active_projects_count": 1},
        "manager_user_ids": [user],
        "members_count": 1,
        "tasks_count": 1,
        "members": {
            "count": 1,
            "results": [
                {
                    "user": {"user_id": user, "full_name": "Member 1"},
                    "project": {"id": project, "client_name": "Client 1"},
                }
            ],
        },
        "tasks": {
            "count": 1,
            "results": [
                {
                    "assignee_user_ids": [user],
                    "project_name": "Project 1",
                    "members": {
                        "count": 1,
                        "results": [
                            {"user": {"full_name": "Member 1"}, "task": {"id": task, "project": {"name": "Project 1"}}}
                        ],
                    },
                }
            ],
        },
    }


async def test_people_query_returns_stored_rows(counting: CountingDatabase, rows: Rows) -> None:
    data = await data_of(PEOPLE, counting, store(rows, 2), limit=100)
    assert data["organization"] == {"name": "Acme", "members_count": 2, "active_members_count": 2}
    assert sorted(team["lead_user_ids"] for team in data["teams"]["results"]) == sorted(
        [named("user", n)] for n in range(2)
    )
    assert [member["projects"]["count"] for member in data["members"]["results"]] == [1, 1]
    assert {
        row["client"]["name"] for member in data["members"]["results"] for row in member["projects"]["results"]
    } == {"Client 0", "Client 1"}


@pytest.mark.parametrize("operation", [DEEP, PEOPLE], ids=["work", "people"])
async def test_statements_do_not_grow_with_rows(operation: Operation, counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 100)
    operation.prepare()
    seen = []
    for limit in (1, 20, 100):
        data = await data_of(operation, counting, own, limit=limit)
        assert {len(page["results"]) for page in data.values() if "results" in page} == {limit}
        seen.append(sum(counting.transactions))
        assert len(counting.transactions) <= 6, "about one round trip per level"
    assert seen[0] == seen[1] == seen[2] <= 16


@pytest.mark.parametrize("operation", [DEEP, PEOPLE], ids=["work", "people"])
async def test_tasks_do_not_grow_with_rows(operation: Operation, counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 100)
    started: list[int] = []

    def count_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        started[-1] += 1
        return asyncio.Task(coroutine, loop=loop, **options)

    loop = asyncio.get_running_loop()
    for limit in (1, 1, 20, 100):
        started.append(0)
        loop.set_task_factory(count_task)
        try:
            await data_of(operation, counting, own, limit=limit)
        finally:
            loop.set_task_factory(None)
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


async def test_aliases_with_different_arguments(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 4)
    operation = Operation(
        """
        query ($client: UUID!, $one: UUID!, $other: UUID!) {
          first: projects(limit: 1) { count results { name } }
          second: projects(limit: 1, page: 2) { count results { name } }
          of_one: projects(client_id: $client) { count results { name } }
          none: projects(is_active: false) { count results { name } }
          one: project(id: $one) { name }
          other: project(id: $other) { name client { title: name } }
        }
        """
    )
    ids = {"client": named("client", 2), "one": named("project", 1), "other": named("project", 3)}
    data = await data_of(operation, counting, own, **ids)
    names = sorted((named("project", n), f"Project {n}") for n in range(4))
    assert data == {
        "first": {"count": 4, "results": [{"name": names[0][1]}]},
        "second": {"count": 4, "results": [{"name": names[1][1]}]},
        "of_one": {"count": 1, "results": [{"name": "Project 2"}]},
        "none": {"count": 0, "results": []},
        "one": {"name": "Project 1"},
        "other": {"name": "Project 3", "client": {"title": "Client 3"}},
    }
    assert sum(counting.transactions) == 5, "four lists, and both projects with their client"


async def test_missing_relation_is_null(counting: CountingDatabase, rows: Rows) -> None:
    own = rows.organization()
    internal, external = (
        rows.project(own, name="Internal"),
        rows.project(own, name="External", client_id=rows.client(own)),
    )
    operation = Operation("{ projects { results { id client { name } client_name } } }")
    data = await data_of(operation, counting, own)
    found = {row.pop("id"): row for row in data["projects"]["results"]}
    assert found == {
        internal: {"client": None, "client_name": None},
        external: {"client": {"name": "Globex"}, "client_name": "Globex"},
    }


async def test_missing_node_is_null_beside_other_fields(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 1)
    operation = Operation(
        "query ($known: UUID!, $absent: UUID!) { known: project(id: $known) { id } absent: task(id: $absent) { id } }"
    )
    result = await Executor(counting.database).execute(operation, own, {"known": named("project"), "absent": uuid4()})
    assert result.data == {"known": {"id": named("project")}, "absent": None}
    assert [(failure.code, failure.message) for failure in result.failures] == [
        ("RESOURCE_NOT_FOUND", "Task not found.")
    ]


async def test_failed_list_nulls_the_data(counting: CountingDatabase, rows: Rows) -> None:
    own = store(rows, 1)
    operation = Operation("query ($known: UUID!) { known: project(id: $known) { id } teams(limit: 101) { count } }")
    result = await Executor(counting.database).execute(operation, own, {"known": named("project")})
    assert result.data is None, "no list may be null"
    assert [(failure.code, failure.message) for failure in result.failures] == [
        ("VALIDATION_ERROR", "limit must be from 1 to 100.")
    ]


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
