"""Deleted things: what each operation shows after a deletion, whether or not triggers delete what belongs to the thing.

A new endpoint is tested once it is in ENDPOINTS. Covers `resolvers/relations/live.py`.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from db.embedded.server import Server
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.db.writing import session
from tests.factories.rows import Rows
from tests.test_contract import params_of, path_of
from tests.world import World, build, named

pytestmark = pytest.mark.anyio

TIME = {
    "listTimeActivityReport": "days.entries.{}",
    "listManualTimesheetReports": "{}",
    "listScreenshots": "{}",
    "retrieveInvoice": "line_items.{}",
    "listMemberHourlyPaymentLog": "lines.{}",
}
"""The records that show what time was spent on."""

OF_PROJECTS = ("listProjects", "listClientProjects", "listMemberProjects")


@dataclass
class Kind:
    """A kind of thing, and what the operations show once the first of its world is deleted.

    `lost` is the number of rows that each list loses, `refused` are the operations that are 404. `shown` is where its
    id still stands: in rows that refer to it. `changed` are the operations whose rows change otherwise.
    """

    table: str
    lost: Mapping[str, int]
    refused: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    id: str = "id"


KINDS = {
    "team": Kind(
        "teams",
        lost={"listTeams": 1, "listProjectMembers": 4, "listProjectMemberships": 4},
        refused=("listTeamMembers",),
        changed=("listMembers", *OF_PROJECTS, "retrieveProject"),
    ),
    "client": Kind(
        "clients",
        lost={"listClients": 1},
        refused=("retrieveClient", "listClientProjects"),
        shown=dict.fromkeys(("listProjects", "retrieveProject", "listMemberProjects"), "client_id")
        | {"listTimeActivityReport": "days.entries.client_id", "listManualTimesheetReports": "client_id"}
        | {"listInvoices": "client_id", "retrieveInvoice": "client_id"},
    ),
    "project": Kind(
        "projects",
        lost=dict.fromkeys(OF_PROJECTS, 1) | {"listProjectMemberships": 5, "listTasks": 5},
        refused=("retrieveProject", "listProjectMembers", "listProjectTasks", "listTaskMembers"),
        shown={operation: path.format("project_id") for operation, path in TIME.items()}
        | {"listClockInOut": "project_id", "listSuspiciousActivityLogs": "project_id"}
        | {"listInvoices": "project_ids", "retrieveInvoice": "line_items.project_id project_ids"}
        | {"listMemberOneTimePaymentLog": "project_id"},
        changed=("listTeams", "listClients", "retrieveClient"),
    ),
    "task": Kind(
        "tasks",
        lost={"listTasks": 5, "listProjectTasks": 5},
        refused=("listTaskMembers",),
        shown={operation: path.format("task_id") for operation, path in TIME.items()},
        changed=(*OF_PROJECTS, "retrieveProject"),
    ),
    "leave type": Kind(
        "leave_types",
        lost={"listLeaveTypes": 1, "listLeavePolicies": 5, "listLeaveBalances": 5, "listLeaveAssignments": 5},
        shown={"listLeaveApplications": "leave_type_id"},
    ),
    "leave policy": Kind(
        "leave_policies",
        lost={"listLeavePolicies": 1, "listLeaveBalances": 1, "listLeaveAssignments": 1},
        shown={"listLeaveApplications": "leave_policy_id"},
    ),
    "leave period": Kind(
        "leave_periods",
        lost={"listLeavePeriods": 1, "listLeaveBalances": 5},
        shown={"listLeaveApplications": "leave_period_id"},
    ),
}

REFERENCES = """
UPDATE members SET manager_user_id = %(user)s WHERE user_id <> %(user)s;
UPDATE team_members SET role = 'lead' WHERE user_id = %(user)s;
UPDATE project_members SET role = 'manager' WHERE user_id = %(user)s;
UPDATE project_members SET source = 'team', team_id = %(team)s WHERE user_id <> %(user)s;
UPDATE tasks SET parent_task_id = %(task)s WHERE id <> %(task)s;
UPDATE clock_records SET project_id = %(project)s;
UPDATE suspicious_activity_logs SET project_id = %(project)s;
UPDATE screenshots SET project_id = %(project)s, task_id = %(task)s
"""
"""References that the rows of a world lack."""

Answers = Mapping[str, tuple[int, Any]]
"""Status and body by operation."""


@dataclass
class Deletion:
    """What the operations answer before the deletion, after it alone, and after what belongs to it was deleted, too."""

    id: str
    before: Answers
    alone: Answers
    cascaded: Answers


async def answers(http: httpx.AsyncClient, world: World) -> Answers:
    """What each operation answers, without what is different in each answer, and without times of changes."""
    found = {}
    for endpoint in ENDPOINTS:
        response = await http.get(path_of(endpoint, world), params=params_of(endpoint, world))
        found[endpoint.operation] = response.status_code, without_times(response.json())
    return found


def without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [without_times(item) for item in value]
    if isinstance(value, dict):
        times = ("updated_at", "request_id", "image_url", "thumbnail_url", "urls_expire_at")
        return {key: without_times(item) for key, item in value.items() if key not in times}
    return value


def paths_to(id_: str, value: Any, path: str = "") -> Iterator[str]:
    """Where an id stands in an answer: the keys on the way to it, without those of envelopes."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths_to(id_, item, path if key == "results" and not path else f"{path}.{key}".strip("."))
    elif isinstance(value, list):
        for item in value:
            yield from paths_to(id_, item, path)
    elif value == id_:
        yield path


def size(body: Any) -> int:
    """The number of rows of an answer, which is its `count`; 1 for a single object."""
    rows = body.get("results", [body]) if isinstance(body, dict) else body
    assert "count" not in body or body["count"] == len(rows)
    return len(rows)


Delete = Callable[[str], Awaitable[Deletion]]


@pytest.fixture(scope="module")
def deletions() -> dict[str, Deletion]:
    return {}


@pytest.fixture
def delete(deletions: dict[str, Deletion], rows: Rows, client: Connect, server: Server, owner_url: str) -> Delete:
    """`delete(kind)`: deletes the first thing of a kind in a world of its own; once for all tests."""

    async def delete(name: str) -> Deletion:
        if name not in deletions:
            deletions[name] = await answered(name)
        return deletions[name]

    async def answered(name: str) -> Deletion:
        kind, id_, world = KINDS[name], named(name), build(rows, name)
        own = world.organization_id
        rows.quota(own, 1_000_000)
        update = f"UPDATE {kind.table} SET deleted_at = %(at)s WHERE organization_id = %(own)s AND {kind.id} = %(id)s"
        given = {"own": own, "id": id_}
        ids = {name: named(name) for name in ("user", "team", "project", "task")}
        with session(owner_url, own) as writer:
            for reference in REFERENCES.split(";"):
                writer.run(reference, **ids)
            writer.connection.commit()
        database = str(conninfo_to_dict(owner_url)["dbname"])
        async with client(world.key) as http:
            before = await answers(http, world)
            with psycopg.connect(server.url("postgres", database), autocommit=True) as superuser:
                superuser.execute("SET session_replication_role = replica")
                superuser.execute(update.encode(), {**given, "at": "2026-02-01Z"})
                alone = await answers(http, world)
                superuser.execute(update.encode(), {**given, "at": None})
                superuser.execute("RESET session_replication_role")
                superuser.execute(update.encode(), {**given, "at": "2026-02-01Z"})
            return Deletion(str(id_), before, alone, await answers(http, world))

    return delete


every_kind = pytest.mark.parametrize("name", KINDS)


@every_kind
async def test_only_rows_that_refer_to_it_show_its_id(name: str, delete: Delete) -> None:
    deletion = await delete(name)
    shown = {op: " ".join(sorted(set(paths_to(deletion.id, body)))) for op, (_, body) in deletion.alone.items()}
    assert {operation: paths for operation, paths in shown.items() if paths} == KINDS[name].shown


@every_kind
async def test_what_belongs_to_it_is_left_out_and_counted_out(name: str, delete: Delete) -> None:
    kind, deletion = KINDS[name], await delete(name)
    assert {op for op, (status, _) in deletion.before.items() if status != 200} == set()
    assert {op for op, (status, _) in deletion.alone.items() if status == 404} == set(kind.refused)
    found = {op: body for op, (status, body) in deletion.alone.items() if status == 200}
    lost = {op: size(deletion.before[op][1]) - size(body) for op, body in found.items()}
    assert {op: rows for op, rows in lost.items() if rows} == kind.lost
    changed = {op for op, body in found.items() if body != deletion.before[op][1]}
    assert changed == {*kind.changed, *kind.lost}


@every_kind
async def test_answers_do_not_depend_on_triggers(name: str, delete: Delete) -> None:
    deletion = await delete(name)
    assert {op for op in deletion.alone if deletion.alone[op] != deletion.cascaded[op]} == set()
