"""Rows that refer to a row that does not exist, written while foreign keys were off: lists leave them out."""

import logging
from collections.abc import Callable, Iterator
from uuid import UUID

import pytest
from psycopg import sql

from db.reading.hosts.distribution import distributed_tables
from db.sample.embedded.server import Server
from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Executor, Operation
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.helpers.databases import superuser_of
from tests.helpers.endpoint_calls import params_of, path_of
from tests.root_lists import dated_document, root_lists
from tests.world import World, build

TABLES = distributed_tables()[1:]
REFERRED = {key.referred_table.name for table in TABLES for key in table.foreign_key_constraints}
PARENTS = sorted(REFERRED & {table.name for table in TABLES})

RELATED_ROWS = """{
  projects { results { client { id } } }
  project_memberships { results { id project { id } user { user_id } } }
  tasks { results { id project { id client { id } } members { results { task { id } user { user_id } } } } }
  teams { results { members { results { user { user_id } } } } }
  payables { results { id user { user_id } } }
  invoices { results { id client { id } } }
  leave_applications { results { id user { user_id } leave_type { id } leave_policy { id } leave_period { id } } }
  leave_balances { results { id leave_policy { id leave_type { id } } leave_period { id } } }
  leave_assignments { results { id leave_policy { id leave_type { id } } } }
}"""

Move = Callable[[str, UUID, UUID], None]


@pytest.fixture(scope="module")
def move(server: Server, owner_url: str) -> Iterator[Move]:
    """`move(table, from, to)`: gives all rows of an organization to another one, without foreign keys and triggers."""
    with superuser_of(server, owner_url) as superuser:
        superuser.execute("SET session_replication_role = replica")

        def run(table: str, owner: UUID, other: UUID) -> None:
            update = sql.SQL("UPDATE {} SET organization_id = %s WHERE organization_id = %s")
            superuser.execute(update.format(sql.Identifier(table)), [other, owner])

        yield run


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    world = build(rows, "O")
    rows.quota(world.organization_id, 1_000_000)
    return world


@pytest.mark.parametrize("parent", PARENTS)
async def test_operations_answer_without_the_rows_of_a_table(
    parent: str, world: World, rows: Rows, move: Move, client: Connect, service: Service
) -> None:
    own, elsewhere, executor = world.organization_id, rows.organization(), Executor(service.database)
    move(parent, own, elsewhere)
    try:
        async with client(world.key) as http:
            answers = [await http.get(path_of(each, world), params=params_of(each, world)) for each in ENDPOINTS]
        documents = [RELATED_ROWS, *map(dated_document, root_lists())]
        results = [await executor.execute(Operation(document), own, {}) for document in documents]
    finally:
        move(parent, elsewhere, own)
    statuses = {each.operation: response.status_code for each, response in zip(ENDPOINTS, answers, strict=True)}
    # Only what is asked for by an id of the missing rows, or of their orphans, is not found.
    may_be_lost = {"listScreenshots", *(each.operation for each in ENDPOINTS if each.ids)}
    lost = {name for name, status in statuses.items() if status == 404}
    assert lost <= may_be_lost
    assert set(statuses.values()) <= {200, 404}
    assert [response.url.path for response in answers if response.json() is None] == []
    assert [result.errors for result in results if result.errors] == []


async def test_orphan_is_left_out_not_found_and_logged(
    rows: Rows,
    move: Move,
    client: Connect,
    service: Service,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging.getLogger("schema.execution.operation"), "filters", [])
    own, elsewhere = rows.organization(), rows.organization()
    lost = rows.task(own, rows.project(own, name="Lost"))
    move("projects", own, elsewhere)
    kept = rows.task(own, rows.project(own, name="Website"))
    async with client(rows.partner_key(own)) as http:
        page = (await http.get("/v1/tasks/")).json()
    assert ([task["id"] for task in page["results"]], page["count"]) == ([str(kept)], 2)
    (message,) = caplog.messages
    assert message == (
        f"Rows of organization {own} refer to rows that do not exist, and were left out: orgdata doctor names them."
        " Fields: tasks.results.project_name"
    )
    by_ids = f'tasks_by_id(ids: ["{lost}", "{kept}"]) {{ project_name }}'
    answers = [
        await Executor(service.database).execute(Operation(document), own, {})
        for document in (f"{{ {by_ids} }}", f'{{ task(id: "{lost}") {{ number project {{ name }} }} }}')
    ]
    assert answers[0].errors is None
    assert answers[0].data == {"tasks_by_id": [None, {"project_name": "Website"}]}
    assert [error.formatted for error in answers[1].errors or ()] == [
        {"message": "Task not found.", "path": ["task", "project"], "extensions": {"code": "RESOURCE_NOT_FOUND"}}
    ]
