"""Deleted things: what each operation shows after a deletion, whether or not triggers delete what belongs to the thing.

A new endpoint is tested once it is in ENDPOINTS. Covers `resolvers/relations/live.py`.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx2 as httpx
import psycopg
import pytest

from db.reading.database import Database
from db.sample.embedded.server import Server
from db.tables.belonging import BELONGINGS, RECORDS
from rest_facade.composition import Service
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Operation
from tests.conftest import Connect
from tests.db.writing import session
from tests.factories.rows import Rows
from tests.helpers.databases import superuser_of
from tests.helpers.endpoint_calls import params_of, path_of
from tests.helpers.endpoint_tables import table_of
from tests.resolvers.answers import data_of
from tests.root_lists import dated_document, root_lists
from tests.world import World, build, named

TIME = {
    "listTimeActivityReport": "days.entries.{}",
    "listManualTimesheetReports": "{}",
    "listScreenshots": "{}",
    "retrieveInvoice": "line_items.{}",
    "listMemberHourlyPaymentLog": "lines.{}",
}
"""The records that show what time was spent on."""

OF_PROJECTS = ("listProjects", "listClientProjects", "listMemberProjects")

REPORTS = ("listTimeActivityReport", "listAppReports", "listUrlReports", "listTimesheetIdleTime")

TEAM_REPORTS = ("listManualTimesheetReports", "listClockInOut")
"""The other reports that are 404 for an unknown team."""


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
    "user": Kind(
        "members",
        lost=dict.fromkeys(("listMembers", *REPORTS), 1)
        | dict.fromkeys(("listTeamMembers", "listProjectMembers", "listTaskMembers"), 1)
        | {"listMemberProjects": 5, "listProjectMemberships": 5}
        | dict.fromkeys(("listManualTimesheetReports", "listClockInOut", "listSuspiciousActivityLogs"), 1)
        | dict.fromkeys(("listScreenshots", "listMemberPayables"), 5)
        | dict.fromkeys(("payables", "hourly_payment_logs", "one_time_payment_logs"), 5)
        | {"timesheets": 1}
        | dict.fromkeys(("listLeaveApplications", "listLeaveBalances", "listLeaveAssignments"), 5),
        refused=("listMemberPaymentSettings", "listMemberHourlyPaymentLog", "listMemberOneTimePaymentLog"),
        shown={"listMembers": "manager_user_id", "retrieveInvoice": "line_items.user_id"},
        changed=(
            "retrieveOrganization",
            "listTeams",
            *OF_PROJECTS[:2],
            "retrieveProject",
            "listTasks",
            "listProjectTasks",
        ),
        id="user_id",
    ),
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
        | {"listInvoices": "client_id", "retrieveInvoice": "client_id"}
        | {"edges": "members.projects.client.id projects.client.id"},
    ),
    "project": Kind(
        "projects",
        lost=dict.fromkeys(OF_PROJECTS, 1) | {"listProjectMemberships": 5, "listTasks": 5},
        refused=("retrieveProject", "listProjectMembers", "listProjectTasks", "listTaskMembers"),
        shown={operation: path.format("project_id") for operation, path in TIME.items()}
        | {"listClockInOut": "project_id", "listSuspiciousActivityLogs": "project_id"}
        | {"listInvoices": "project_ids", "retrieveInvoice": "line_items.project_id project_ids"}
        | dict.fromkeys(("listMemberOneTimePaymentLog", "one_time_payment_logs", "timesheets"), "project_id"),
        changed=("listTeams", "listClients", "retrieveClient"),
    ),
    "task": Kind(
        "tasks",
        lost={"listTasks": 5, "listProjectTasks": 5},
        refused=("listTaskMembers",),
        shown={operation: path.format("task_id") for operation, path in TIME.items()} | {"timesheets": "task_id"},
        changed=(*OF_PROJECTS, "retrieveProject"),
    ),
    "leave type": Kind(
        "leave_types",
        lost={"listLeaveTypes": 1, "listLeavePolicies": 5, "listLeaveBalances": 5, "listLeaveAssignments": 5},
        shown={"listLeaveApplications": "leave_type_id", "edges": "leave_applications.leave_type.id"},
    ),
    "leave policy": Kind(
        "leave_policies",
        lost={"listLeavePolicies": 1, "listLeaveBalances": 1, "listLeaveAssignments": 1},
        shown={"listLeaveApplications": "leave_policy_id", "edges": "leave_applications.leave_policy.id"},
    ),
    "leave period": Kind(
        "leave_periods",
        lost={"listLeavePeriods": 1, "listLeaveBalances": 5},
        shown={"listLeaveApplications": "leave_period_id", "edges": "leave_applications.leave_period.id"},
    ),
}

NAMED = {op for kind in KINDS.values() for op in (*kind.lost, *kind.refused, *kind.shown, *kind.changed)}


def expected(name: str, before: "Answers") -> Kind:
    """The kind of this name, with what the references say of lists that KINDS does not name.

    They lose the rows that belong to the thing, or are records of the person; other rows that refer to it show its id.
    """
    kind = KINDS[name]
    lost, shown = dict(kind.lost), dict(kind.shown)
    for operation in before.keys() - NAMED:
        table = table_of(operation)
        for each in () if table is None else (*BELONGINGS, *RECORDS):
            if each.child is table and each.parent.name == kind.table:
                lost[operation] = sum(bool([*paths_to(str(named(name)), row)]) for row in rows_of(before[operation][1]))
        for column in () if table is None or operation in lost else table.columns:
            if column.info.get("references") == f"{kind.table}.{kind.id}":
                shown[operation] = column.name
    return replace(kind, lost={op: rows for op, rows in lost.items() if rows}, shown=shown)


FURTHER_FILTERS = {"user": ("assignee",), "task": ("parent_task_id",)}

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

EDGES = Operation(
    """
    query {
      clients { results { projects { count } } }
      projects { results { client { id } members { count } tasks { count } } }
      project_memberships { results { project { id members { count } } } }
      tasks { results { project { id } members { count results { task { id } } } } }
      teams { results { members { count results { user { user_id } } } } }
      members {
        results {
          projects { count results { client { id } } } payment_settings { id } hourly_payment_logs { count }
          one_time_payment_logs { count } payables { count }
        }
      }
      leave_applications { results { leave_type { id } leave_policy { id } leave_period { id } } }
      leave_balances { results { leave_policy { id leave_type { id } } leave_period { id } } }
    }
    """
)
"""The edges between things. Its answer counts as that of an operation."""

OTHER_FILTERS = {("listTasks", "client_id"), ("listMembers", "user_id")}
"""Filters by an id that rows do not show, as they refer to it through others, or that they also show as another's."""

Answers = Mapping[str, tuple[int, Any]]
"""Status and body by operation, and by filter where the operations have one."""


@dataclass
class Deletion:
    """What the operations answer before the deletion, after it alone, and after what belongs to it was deleted, too.

    After it alone: also with deleted rows, and filtered by the thing.
    """

    id: str
    before: Answers
    alone: Answers
    with_deleted: Answers
    filtered: Mapping[tuple[str, str], tuple[int, Any]]
    cascaded: Answers


@dataclass
class Reader:
    """Reads the world of a deletion."""

    world: World
    http: httpx.AsyncClient
    database: Database

    async def answers(self) -> Answers:
        """What each operation answers, without what differs in each answer, and without times of changes."""
        found = {endpoint.operation: await self.get(endpoint) for endpoint in ENDPOINTS}
        read = partial(data_of, self.database, self.world.organization_id)
        lists = {name: (200, without_times((await read(dated_document(name)))[name])) for name in root_lists()}
        return {**found, **lists, "edges": (200, await read(EDGES))}

    async def get(self, endpoint: Endpoint, **query: str) -> tuple[int, Any]:
        params = params_of(endpoint, self.world) | query
        response = await self.http.get(path_of(endpoint, self.world), params=params)
        return response.status_code, without_times(response.json())

    async def with_deleted(self) -> Answers:
        """What the lists answer that take `include_deleted`."""
        lists = [endpoint for endpoint in ENDPOINTS if "include_deleted" in endpoint.query_names]
        return {endpoint.operation: await self.get(endpoint, include_deleted="true") for endpoint in lists}

    async def filtered(self, name: str, id_: str) -> Mapping[tuple[str, str], tuple[int, Any]]:
        """What the lists answer that take a filter by this kind of thing."""
        names = {f"{name.replace(' ', '_')}_id", *FURTHER_FILTERS.get(name, ())}
        return {
            (endpoint.operation, parameter.name): await self.get(endpoint, **{parameter.name: id_})
            for endpoint in ENDPOINTS
            for parameter in endpoint.query_parameters
            if parameter.name in names and not parameter.is_required
        }


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
            yield from paths_to(id_, item, path if key == "results" else f"{path}.{key}".strip("."))
    elif isinstance(value, list):
        for item in value:
            yield from paths_to(id_, item, path)
    elif value == id_:
        yield path


def size(body: Any) -> int:
    """The number of rows of an answer, which is its `count`; 1 for a single object."""
    rows = rows_of(body)
    assert "count" not in body or body["count"] == len(rows)
    return len(rows)


def seconds(body: Any) -> list[int | None]:
    """The time that the rows of a report show."""
    return [row.get("tracked_seconds", row.get("total_seconds")) for row in body["results"]]


def rows_of(body: Any) -> list[Any]:
    rows: list[Any] = body.get("results", [body]) if isinstance(body, dict) else body
    return rows


Delete = Callable[[str], Awaitable[Deletion]]


@pytest.fixture(scope="module")
def world(rows: Rows, owner_url: str) -> World:
    world = build(rows, "D")
    rows.quota(world.organization_id, 1_000_000)
    ids = {name: named(name) for name in ("user", "team", "project", "task")}
    with session(owner_url, world.organization_id) as writer:
        for reference in REFERENCES.split(";"):
            writer.run(reference, **ids)
        writer.connection.commit()
    return world


@pytest.fixture(scope="module")
def before() -> dict[str, tuple[int, Any]]:
    """What the operations answer before any deletion; `delete` fills it."""
    return {}


@pytest.fixture(scope="module")
def deletions() -> dict[str, Deletion]:
    return {}


@pytest.fixture
def delete(
    world: World,
    before: dict[str, tuple[int, Any]],
    deletions: dict[str, Deletion],
    client: Connect,
    server: Server,
    owner_url: str,
    service: Service,
) -> Delete:
    """`delete(kind)`: deletes the first thing of a kind and restores it; once for all tests."""

    async def delete(name: str) -> Deletion:
        if name not in deletions:
            async with client(world.key) as http:
                reader = Reader(world, http, service.database)
                before.update(before or await reader.answers())
                with superuser_of(server, owner_url) as superuser:
                    deletions[name] = await answered(name, reader, superuser)
        return deletions[name]

    async def answered(name: str, reader: Reader, superuser: psycopg.Connection[Any]) -> Deletion:
        kind, id_ = KINDS[name], named(name)
        update = f"UPDATE {kind.table} SET deleted_at = %(at)s WHERE organization_id = %(own)s AND {kind.id} = %(id)s"

        def set_deleted_at(time: str | None) -> None:
            superuser.execute(update.encode(), {"own": world.organization_id, "id": id_, "at": time})

        superuser.execute("SET session_replication_role = replica")
        set_deleted_at("2026-02-01Z")
        alone, with_deleted = await reader.answers(), await reader.with_deleted()
        filtered = await reader.filtered(name, str(id_))
        set_deleted_at(None)
        superuser.execute("RESET session_replication_role")
        set_deleted_at("2026-02-01Z")
        cascaded = await reader.answers()
        set_deleted_at(None)
        return Deletion(str(id_), before, alone, with_deleted, filtered, cascaded)

    return delete


every_kind = pytest.mark.parametrize("name", KINDS)


@every_kind
async def test_only_rows_that_refer_to_it_show_its_id(name: str, delete: Delete) -> None:
    deletion = await delete(name)
    shown = {op: " ".join(sorted(set(paths_to(deletion.id, body)))) for op, (_, body) in deletion.alone.items()}
    found = {operation: paths for operation, paths in shown.items() if paths}
    assert found == expected(name, deletion.before).shown, f"say in `shown` of KINDS[{name!r}] which rows refer to it"


@every_kind
async def test_what_belongs_to_it_is_left_out_and_counted_out(name: str, delete: Delete) -> None:
    deletion = await delete(name)
    kind = expected(name, deletion.before)
    assert {op for op, (status, _) in deletion.before.items() if status != 200} == set()
    refused = {op for op, (status, _) in deletion.alone.items() if status == 404}
    assert refused == set(kind.refused), f"say in `refused` of KINDS[{name!r}] which operations are 404"
    found = {op: body for op, (status, body) in deletion.alone.items() if status == 200}
    lost = {op: size(deletion.before[op][1]) - size(body) for op, body in found.items()}
    found_lost = {op: rows for op, rows in lost.items() if rows}
    assert found_lost == kind.lost, f"say in `lost` of KINDS[{name!r}] how many rows each list loses"
    changed = {op for op, body in found.items() if body != deletion.before[op][1]}
    assert changed == {*kind.changed, *kind.lost, "edges"}, f"say in `changed` of KINDS[{name!r}] what else changes"


@every_kind
async def test_answers_do_not_depend_on_triggers(name: str, delete: Delete) -> None:
    deletion = await delete(name)
    assert {op for op in deletion.alone if deletion.alone[op] != deletion.cascaded[op]} == set()


@every_kind
async def test_filter_finds_the_rows_that_show_the_id(name: str, delete: Delete) -> None:
    deletion = await delete(name)
    for (operation, parameter), (status, body) in deletion.filtered.items():
        if parameter == "team_id" and operation in (*REPORTS, *TEAM_REPORTS):
            assert status == 404
        elif operation in REPORTS and parameter != "user_id":
            # These filter what the rows show, not the rows. All time of a world is on this thing.
            assert seconds(body) == seconds(deletion.alone[operation][1])
        elif (operation, parameter) not in OTHER_FILTERS and deletion.alone[operation][0] == 200:
            rows = rows_of(deletion.alone[operation][1])
            assert rows_of(body) == [row for row in rows if any(paths_to(deletion.id, row))], (
                f"{parameter} of {operation} finds other rows than those that show it: say why in OTHER_FILTERS"
            )


@every_kind
async def test_lists_with_deleted_rows_show_all(name: str, delete: Delete) -> None:
    deletion, kind = await delete(name), KINDS[name]
    found = {op: size(body) for op, (status, body) in deletion.with_deleted.items() if status == 200}
    assert found == {op: size(deletion.before[op][1]) for op in deletion.with_deleted if op not in kind.refused}
    own = f"list{kind.table.title().replace('_', '')}"
    (row,) = (row for row in deletion.with_deleted[own][1]["results"] if row.get(kind.id) == deletion.id)
    assert row["deleted_at"] == "2026-02-01T00:00:00Z"
