"""Query plans of every operation: indexes instead of scans, few rows read, as many statements for many rows as for one.

Each endpoint is requested with each of its parameters, over two seeded organizations that are large enough for the
planner to have a choice. Covers `resolvers/values/planner.py`.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import md5
from typing import Any
from uuid import UUID

import psycopg
import pytest
from graphql import GraphQLEnumType, get_named_type
from sqlalchemy import text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.jobs.retention.drop_sql import drop_statement
from db.jobs.retention.retentions import RETAINED_TABLES, RetainedTable
from db.sample.embedded.server import Server
from db.sample.seed.build import seed
from resolvers.steps.page import GroupTotals
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from schema.execution.declared_steps import declared_step
from schema.execution.operation import Executor, Operation
from schema.schema import GRAPHQL_SCHEMA
from tests.conftest import _copy
from tests.helpers.databases import superuser_of
from tests.resolvers.explaining import Explaining, filled, nodes
from tests.resolvers.lists.ordered_lists import ordered_document, ordered_lists
from tests.root_lists import root_document, root_lists
from tests.schema.edges import LISTS, LISTS_THROUGH, listed_references, type_of
from tests.schema.nodes import NODES, key_of

# One process seeds the organizations, and runs all of these before others may take some.
pytestmark = pytest.mark.long

Ask = Callable[[Endpoint, Mapping[str, str]], Awaitable[list[str]]]

TABLES = (
    *("timesheets", "idle_times", "activity_slots", "clock_records", "break_times", "manual_requests"),
    *("app_usages", "url_usages", "screenshots"),
    *("hourly_payment_logs", "hourly_payment_lines", "one_time_payment_logs", "payables"),
)
"""Tables that grow with every day of work. Tables with few rows (leave, suspicious activity) may be scanned."""

# The seed makes few of the rare rows. These statements add those of some months.
HISTORY = """
INSERT INTO {table} SELECT moved.* FROM {table} row, generate_series(1, {weeks}) week,
LATERAL (SELECT week * interval '7 days' AS past) ago,
LATERAL jsonb_populate_record(row, jsonb_build_object('id', gen_random_uuid(), {columns})) moved
"""
MOVED = {
    "idle_times": (5, "started_at", "ended_at", "created_at", "updated_at"),
    "timesheets": (5, "started_at", "ended_at", "tracked_until", "created_at", "updated_at"),
    "clock_records": (20, "clock_in_at", "clock_out_at", "created_at", "updated_at"),
    "break_times": (20, "started_at", "ended_at", "created_at", "updated_at"),
    "manual_requests": (20, "started_at", "ended_at", "created_at", "updated_at"),
    "one_time_payment_logs": (20, "created_at", "updated_at"),
    "payables": (20, "created_at", "updated_at"),
}
RARE = """
DELETE FROM team_members WHERE get_byte(decode(md5(user_id::text), 'hex'), 0) % 5 > 0;

INSERT INTO suspicious_activity_logs
  (organization_id, id, user_id, type, severity, started_at, ended_at, timesheet_id, project_id, status, created_at,
   updated_at)
SELECT organization_id, gen_random_uuid(), user_id, 'other', 'low', started_at, ended_at, id, project_id,
       CASE WHEN random() < 0.01 THEN 'open' ELSE 'dismissed' END, started_at, ended_at
FROM timesheets WHERE ended_at IS NOT NULL;

INSERT INTO hourly_payment_logs
  (organization_id, id, user_id, period_start, period_end, tracked_seconds, paid_seconds, hourly_rate, amount, currency,
   payable_id, created_at, updated_at)
SELECT organization_id, gen_random_uuid(), user_id, period_start, period_end, tracked_seconds, payable_seconds, rate,
       amount, currency, id, created_at, updated_at
FROM payables;

INSERT INTO hourly_payment_lines (organization_id, id, log_id, date, paid_seconds, rate, amount)
SELECT organization_id, gen_random_uuid(), id, period_start + day, paid_seconds, hourly_rate, amount
FROM hourly_payment_logs, generate_series(0, 4) day;

VACUUM ANALYZE
"""

ROOT: Any = GRAPHQL_SCHEMA.query_type


def seeded_id(kind: str, number: int) -> UUID:
    """The id of a row, the same in every seeded organization."""
    return UUID(md5(f"{kind}{number}".encode()).hexdigest())


# The last Wednesday: on other weekdays the days requested have other shares of the rows, which changes the plans.
NOW = datetime.now(UTC) - timedelta(days=(datetime.now(UTC).weekday() - 2) % 7)
START, END = (NOW - timedelta(days=4)).date().isoformat(), (NOW - timedelta(days=2)).date().isoformat()

VALUES: Mapping[str, object] = {
    "user_id": seeded_id("member", 7),
    "assignee": seeded_id("member", 7),
    "team_id": seeded_id("team", 2),
    "client_id": seeded_id("client", 2),
    "project_id": seeded_id("project", 7),
    "task_id": seeded_id("task", 7),
    "parent_task_id": seeded_id("task", 7),
    "invoice_id": seeded_id("invoice", 103),
    "leave_type_id": seeded_id("leave type", 0),
    "leave_policy_id": seeded_id("leave policy", 0),
    "leave_period_id": seeded_id("leave period", NOW.year),
    "id": seeded_id("task", 7),
    "start_date": START,
    "end_date": END,
    "date": (NOW - timedelta(days=2)).date().isoformat(),
    "timezone": "America/New_York",
    "updated_since": (NOW - timedelta(days=1)).isoformat(),
    "app_name": "App 3",
    "domain": "site3.example",
    "number": "INV-1-24",
    "currency": "EUR",
    "email": "member7@example.com",
    "search": "Member 7",
    "external_id": "C-1",
}
"""The value of each parameter in requests. Enumerations get their first value."""

BY_TYPE: Mapping[str, object] = {"Boolean": "true", "Date": START, "DateTime": NOW.isoformat(), "UUID": UUID(int=0)}
"""The value of every other parameter, by its type."""

EXPANDED = {"include": "line_items", "detail": "url"}


def queries_of(endpoint: Endpoint) -> Iterator[dict[str, str]]:
    """Query parameters of requests to an endpoint: without optional parameters, then with each of them."""
    required = {each.name: value_of(endpoint, each.name) for each in endpoint.query_parameters if each.is_required}
    yield required
    for parameter in endpoint.query_parameters:
        name = parameter.name
        if name in EXPANDED:
            yield required | {name: EXPANDED[name]} | ({"user_id": str(VALUES["user_id"])} if name == "detail" else {})
        elif name in ("start_date", "end_date"):
            yield required | {"start_date": START, "end_date": END}
        else:
            yield required | {name: value_of(endpoint, name)}


def value_of(endpoint: Endpoint, name: str) -> str:
    variable = next(variable for variable in endpoint.compiled.variables if variable.name == name)
    if variable.choices:
        return variable.choices[0]
    value = VALUES.get(name, BY_TYPE.get(variable.type))
    assert value is not None, f"tests/test_plans.py: VALUES has no {name!r}, which {endpoint.operation} takes"
    return str(value)


def path_of(endpoint: Endpoint) -> dict[str, str]:
    missing = set(endpoint.ids) - VALUES.keys()
    assert not missing, f"tests/test_plans.py: VALUES has no {sorted(missing)}, ids of rows for {endpoint.operation}"
    return {name: str(VALUES[name]) for name in endpoint.ids}


@pytest.fixture(scope="module")
def seeded(server: Server, template: str) -> Iterator[tuple[str, UUID]]:
    """A database, and one of its two organizations: 60 members, a week of work, some months of rare rows."""
    with _copy(server, template) as url:
        with connect(url).begin() as connection:
            (own,) = seed(connection, organizations=1, members=60, days=7, today=NOW.date())
        with connect(url).begin() as connection:
            list(seed(connection, organizations=1, members=150, days=3, today=NOW.date()))
        with superuser_of(server, url) as superuser:
            # Copies of rows are right: neither foreign keys nor triggers need to run.
            superuser.execute("SET session_replication_role = replica")
            for table, (weeks, *columns) in MOVED.items():
                moved = ", ".join(f"'{column}', {column} - past" for column in columns)
                superuser.execute(HISTORY.format(table=table, weeks=weeks, columns=moved).encode())
            for command in RARE.split(";\n\n"):
                superuser.execute(command.encode())
        yield url, own


@pytest.fixture(scope="module")
async def database(seeded: tuple[str, UUID], anyio_backend: str) -> AsyncIterator[Explaining]:
    """The seeded database."""
    database = Explaining(seeded[0])
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def ask(seeded: tuple[str, UUID], database: Explaining) -> Ask:
    """`ask(endpoint, query)`: the plans of the statements of a request."""

    async def ask(endpoint: Endpoint, query: Mapping[str, str]) -> list[str]:
        database.plans.clear()
        variables = endpoint.variables(path_of(endpoint), {name: [text] for name, text in query.items()})
        result = await Executor(database).execute(endpoint.compiled, seeded[1], variables)
        assert not result.errors, (query, result.errors)
        return list(database.plans)

    return ask


def assert_no_scan(plans: Iterable[str], asked: object) -> None:
    for plan in plans:
        for table in TABLES:
            assert f"Seq Scan on {table}" not in plan, f"{asked}\n{plan}"


async def assert_documents_scan_nothing(database: Explaining, own: UUID, documents: Iterable[str]) -> None:
    for document in documents:
        database.plans.clear()
        result = await Executor(database).execute(Operation(document), own, {})
        assert not result.errors, (document, result.errors)
        assert_no_scan(database.plans, document)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
async def test_no_operation_scans_a_growing_table(endpoint: Endpoint, ask: Ask) -> None:
    for query in queries_of(endpoint):
        assert_no_scan(await ask(endpoint, query), query)


TIME_TOTALS = Operation(
    f"""query($user_id: UUID, $team_id: UUID, $group_by: [TimeGroup!]!) {{
      time_totals(
        start_date: "{START}", end_date: "{END}", group_by: $group_by, user_id: $user_id, team_id: $team_id
      ) {{
        count
      }}
    }}"""
)


async def test_time_totals_scan_no_growing_table(seeded: tuple[str, UUID], database: Explaining) -> None:
    for given in ({}, {"user_id": VALUES["user_id"]}, {"team_id": VALUES["team_id"]}):
        database.plans.clear()
        variables = {"group_by": ["week", "team", "client"], **given}
        assert not (await Executor(database).execute(TIME_TOTALS, seeded[1], variables)).errors
        assert_no_scan(database.plans, given)


def documents_of_time() -> Iterator[str]:
    """A document for the time of two objects of each kind that has it, and for each kind of condition on time."""
    range_ = f'start_date: "{START}", end_date: "{END}"'
    for parent in ("member", "team", "client", "project", "task"):
        ids = ", ".join(f'"{seeded_id(parent, number)}"' for number in (1, 2))
        yield f"{{ {parent}s_by_id(ids: [{ids}]) {{ time_totals({range_}, group_by: [week]) {{ count }} }} }}"
    for where in (
        '{user: {department: {_eq: "Design"}, team_memberships: {some: {role: {_eq: lead}}}}}',
        '{project: {client: {name: {_starts_with: "a"}}}, task: {due_date: {_is_null: false}}}',
        f'{{client_id: {{_eq: "{VALUES["client_id"]}"}}}}',
    ):
        yield f"{{ time_totals({range_}, where: {where}, order_by: margin_desc) {{ count }} }}"
    for by in ("member, day", "team, week", "department", ""):
        having = "having: {utilization_percent: {_lt: 70}}"
        yield f"{{ time_totals({range_}, group_by: [{by}], include_untracked: true, {having}) {{ count }} }}"


async def test_time_below_parents_scans_no_growing_table(seeded: tuple[str, UUID], database: Explaining) -> None:
    await assert_documents_scan_nothing(database, seeded[1], documents_of_time())


async def test_open_clock_records_are_found_by_their_index(ask: Ask) -> None:
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == "listClockInOut")
    plans = await ask(endpoint, {"start_date": END, "end_date": END, "status": "open", "include_open": "true"})
    assert any("clock_records_open_idx" in plan for plan in plans), plans


@pytest.mark.parametrize(
    ("operation", "own", "joined"),
    [
        ("listProjects", "projects", {"clients", "project_members", "tasks"}),
        ("listTasks", "tasks", {"projects", "task_members"}),
        ("listMembers", "members", {"team_members"}),
        ("listInvoices", "invoices", {"clients", "invoice_lines"}),
        ("listLeaveBalances", "leave_balances", {"members", "leave_policies", "leave_types", "leave_periods"}),
    ],
)
async def test_relations_are_joined_after_limits(operation: str, own: str, joined: set[str], analyze: "Plans") -> None:
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == operation)
    given = {"leave_period_id": str(VALUES["leave_period_id"])} if "leave_period_id" in endpoint.query_names else {}
    plans = await analyze(endpoint, {"limit": "3", "page": "2"} | given)
    (plan,) = (plan for sql, plan in plans.items() if " AS page" in sql)
    (limit,) = (node for node in nodes(plan) if node["Node Type"] == "Limit")
    # Deleted rows of other tables are read once, by indexes of their own, not for each row.
    read = (nodes(limit, subplans=False), nodes(plan))
    skipped, shown = ({node.get("Relation Name") for node in each} - {None} for each in read)
    assert skipped == {own}
    assert shown >= joined | {own}


USAGE_REPORTS = ("listAppReports", "listUrlReports")
TIMESHEET_REPORTS = ("listTimeActivityReport", "listTimesheetIdleTime")
REPORTS = (*TIMESHEET_REPORTS, *USAGE_REPORTS)
"""The reports with one row a member."""

MONTH = {"start_date": (NOW - timedelta(days=30)).date().isoformat(), "end_date": NOW.date().isoformat()}
CHANGED, UNCHANGED = (NOW - timedelta(days=1)).isoformat(), (datetime.now(UTC) + timedelta(hours=1)).isoformat()
"""Times since which the seeded members have changes, and since which they have none. The seed follows."""

Plans = Callable[[Endpoint, Mapping[str, str]], Awaitable[dict[str, dict[str, Any]]]]


@pytest.fixture(params=[False, True], ids=["planned for its values", "planned for all values"])
def analyze(request: pytest.FixtureRequest, seeded: tuple[str, UUID], database: Explaining) -> Plans:
    """`analyze(endpoint, query)`: the plan of each statement of a request by its SQL, with the rows of each node."""
    own = seeded[1]

    async def analyze(endpoint: Endpoint, query: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        database.statements.clear()
        variables = endpoint.variables({}, {name: [text] for name, text in query.items()})
        result = await Executor(database).execute(endpoint.compiled, own, variables)
        assert not result.errors, (query, result.errors)
        found = list(database.statements)
        return {bound[0].sql: database.analyzed(own, bound, is_generic=request.param) for bound in found}

    return analyze


def of(operations: Container[str]) -> pytest.MarkDecorator:
    """Run a test for each of these endpoints."""
    chosen = [endpoint for endpoint in ENDPOINTS if endpoint.operation in operations]
    return pytest.mark.parametrize("endpoint", chosen, ids=lambda endpoint: endpoint.operation)


@of(TIMESHEET_REPORTS)
@pytest.mark.parametrize("query", [{}, {"updated_since": CHANGED}], ids=["all members", "changed members"])
async def test_cap_counts_only_members_of_the_page(query: dict[str, str], endpoint: Endpoint, analyze: Plans) -> None:
    limit = 10
    paging = {"limit": str(limit)} | ({"page": "3"} if "page" in endpoint.query_names else {})
    (listed,) = (plan for sql, plan in (await analyze(endpoint, MONTH | paging | query)).items() if ") AS page" in sql)
    below = [node for node in nodes(listed) if node["Node Type"] == "Aggregate"]
    (count,) = (node for node in below if node["Parent Relationship"] == "SubPlan")
    assert 0 < count["Actual Loops"] <= limit + 1


@of(REPORTS)
async def test_report_reads_at_most_twice_the_rows_it_uses(endpoint: Endpoint, analyze: Plans) -> None:
    for query in [{}, {"updated_since": CHANGED}, {"updated_since": UNCHANGED}]:
        for plan in (await analyze(endpoint, MONTH | {"limit": "10"} | query)).values():
            passed = discarded = 0
            for node in nodes(plan):
                # The slots of a timesheet across midnight are looked for among all those of its person: by the primary
                # key this would be cheaper, but PostgreSQL estimates one row in either index.
                if node.get("Relation Name") == "activity_slots" and "timesheet_id = " in node.get("Filter", ""):
                    continue
                if node.get("Relation Name") in TABLES or node["Node Type"] == "Subquery Scan":
                    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
                    passed += node["Actual Rows"] * node["Actual Loops"]
                    discarded += removed * node["Actual Loops"]
            assert discarded <= passed, (query, plan)


INDEX_ONLY = {
    "listTimeActivityReport": "timesheets_organization_id_user_id_started_at_id_idx",
    "listAppReports": "app_usages_pkey",
    "listUrlReports": "url_usages_pkey",
}


@of(INDEX_ONLY)
async def test_report_reads_its_records_by_index_only(endpoint: Endpoint, ask: Ask) -> None:
    index = INDEX_ONLY[endpoint.operation]
    for query in queries_of(endpoint):
        plans = "\n".join(await ask(endpoint, query))
        assert f"Index Only Scan using {index}" in plans, query
        assert f"Index Scan using {index}" not in plans, f"{query}\n{plans}"


@of(USAGE_REPORTS)
async def test_names_without_a_change_are_looked_up_once(endpoint: Endpoint, analyze: Plans) -> None:
    plans = await analyze(endpoint, MONTH | {"limit": "10", "updated_since": UNCHANGED})
    (listed,) = (plan for sql, plan in plans.items() if ") AS page" in sql)
    catalog = [node for node in nodes(listed) if node.get("Relation Name") in ("apps", "domains")]
    usage = [node for node in nodes(listed) if str(node.get("Index Name")).endswith("usages_pkey")]
    assert [node["Actual Loops"] for node in catalog if node["Actual Loops"]] == [1]
    # The cap needs no count: that is made with the sums.
    assert sum(node["Actual Loops"] for node in usage) == 0


@of(USAGE_REPORTS)
async def test_usage_looks_names_up_by_their_ids(endpoint: Endpoint, seeded: tuple[str, UUID]) -> None:
    # Of a small catalog, PostgreSQL would read the whole for each person and day. What it keeps would hide that here.
    database = Explaining(seeded[0] + "&options=-c%20enable_memoize%3Doff")
    await database.open()
    variables = endpoint.variables({}, {name: [text] for name, text in MONTH.items()})
    result = await Executor(database).execute(endpoint.compiled, seeded[1], variables)
    await database.close()
    assert not result.errors
    sent = zip(database.statements, database.plans, strict=True)
    (plan,) = (plan for (statement, _), plan in sent if "string_agg" in statement.sql)
    assert "Hash Right Join" not in plan
    assert "Hash Left Join" not in plan


CLOSED = """
INSERT INTO payables
  (organization_id, id, user_id, kind, period_start, period_end, amount, currency, is_final, note, created_at,
   updated_at)
SELECT organization_id, gen_random_uuid(), user_id, 'hourly', day, day + 6, 1, 'EUR', true, 'Closed', day, day
FROM members, (SELECT current_date - n % 300 AS day FROM generate_series(1, 1000) n) days
WHERE full_name = 'Member 7';

ANALYZE payables
"""
"""Closed periods of one person, as many as in a decade of weeks and more."""


@pytest.fixture
async def closed(seeded: tuple[str, UUID], server: Server) -> AsyncIterator[Explaining]:
    """The seeded database, while it has CLOSED."""
    url, _ = seeded
    async with filled(url, server, CLOSED) as database:
        yield database
    async with filled(url, server, "DELETE FROM payables WHERE note = 'Closed'"):
        pass


@pytest.mark.parametrize("is_generic", [False, True], ids=["planned for its values", "planned for all values"])
@pytest.mark.parametrize(
    "query",
    [{}, {"is_final": "true"}, {"updated_since": CHANGED}, {"updated_since": UNCHANGED}],
    ids=["all", "final ones", "changed ones", "no change"],
)
async def test_payables_look_for_records_by_index(
    query: dict[str, str], is_generic: bool, closed: Explaining, seeded: tuple[str, UUID]
) -> None:
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == "listMemberPayables")
    own = seeded[1]
    closed.statements.clear()
    variables = endpoint.variables({"user_id": str(VALUES["user_id"])}, {name: [text] for name, text in query.items()})
    assert not (await Executor(closed).execute(endpoint.compiled, own, variables)).errors
    (bound,) = (bound for bound in closed.statements if "AS page" in bound[0].sql)
    plan = closed.analyzed(own, bound, is_generic=is_generic)
    read = [node for node in nodes(plan) if node.get("Relation Name") in TABLES and node["Actual Loops"]]
    assert {node["Node Type"] for node in read} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}, plan
    # Of a week, or of the changes since: nothing that other weeks have.
    assert max([node["Actual Rows"] for node in read if node["Relation Name"] != "payables"]) <= 100, plan
    discarded = [node.get("Rows Removed by Filter", 0) for node in read if node["Relation Name"] != "payables"]
    assert max(discarded) <= 100, plan


@of(("listTimeActivityReport", "listTimesheetIdleTime"))
async def test_unchanged_report_looks_at_no_member(endpoint: Endpoint, analyze: Plans) -> None:
    plans = await analyze(endpoint, MONTH | {"limit": "10", "updated_since": UNCHANGED})
    (listed,) = (plan for sql, plan in plans.items() if ") AS page" in sql)
    records = [node for node in nodes(listed) if node.get("Relation Name") in TABLES and node["Actual Loops"]]
    assert {node["Actual Loops"] for node in records} == {1}
    assert sum(node["Actual Rows"] for node in records) == 0


LEAVERS = """
INSERT INTO organizations (organization_id, name, timezone, currency)
VALUES (md5('left')::uuid, 'Left', 'UTC', 'EUR');

INSERT INTO members
  (organization_id, user_id, membership_id, email, full_name, status, first_joined_at, joined_at, removed_at,
   created_at)
SELECT md5('left')::uuid, gen_random_uuid(), gen_random_uuid(), n || '@example.com', 'Member ' || n,
       CASE WHEN n % 20 = 0 THEN 'active' ELSE 'removed' END, at, at,
       CASE WHEN n % 20 > 0 THEN at + interval '1 day' END, at
FROM generate_series(1, 4000) n, LATERAL (SELECT timestamptz '2020-01-01Z' + n * interval '1 hour' AS at) joined;

VACUUM ANALYZE
"""


async def test_members_are_listed_without_reading_leavers(own_url: str, server: Server) -> None:
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == "listMembers")
    own = UUID(md5(b"left").hexdigest())
    async with filled(own_url, server, LEAVERS) as database:
        result = await Executor(database).execute(endpoint.compiled, own, endpoint.variables({}, {"limit": ["20"]}))
        assert result.data is not None
        (page,) = result.data.values()
        assert page["count"] == 200
        (bound,) = database.statements
        plans = [database.analyzed(own, bound, is_generic=is_generic) for is_generic in (False, True)]
    for plan in plans:
        read = [node for node in nodes(plan) if node.get("Relation Name") == "members" and node["Actual Loops"]]
        assert "Seq Scan" not in {node["Node Type"] for node in read}
        assert sum(node.get("Rows Removed by Filter", 0) for node in read) == 0


SKEWED = """
INSERT INTO organizations (organization_id, name, timezone, currency)
SELECT md5('skewed' || o)::uuid, 'Organization ' || o, 'UTC', 'EUR' FROM generate_series(1, 300) o;

INSERT INTO projects (organization_id, id, name, currency, created_at)
SELECT md5('skewed' || o)::uuid, md5(o || ' ' || p)::uuid, 'Project ' || p, 'EUR',
       timestamptz '2025-01-01Z' + p * interval '1 hour'
FROM generate_series(1, 300) o, generate_series(1, CASE o WHEN 1 THEN 1000 ELSE 3 END) p;

INSERT INTO tasks (organization_id, id, project_id, name)
SELECT organization_id, gen_random_uuid(), id, 'Task ' || t FROM projects, generate_series(1, 4) t;

VACUUM ANALYZE
"""
"""Organizations of three projects, and the first one of 1,000."""


async def test_groups_are_made_of_rows_of_the_page_only(own_url: str, server: Server) -> None:
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == "listProjects")
    own = UUID(md5(b"skewed1").hexdigest())
    async with filled(own_url, server, SKEWED) as database:
        for limit in (1, 50):
            database.statements.clear()
            variables = endpoint.variables({}, {"limit": [str(limit)]})
            assert (await Executor(database).execute(endpoint.compiled, own, variables)).data is not None
            (bound,) = database.statements
            for is_generic in (False, True):
                found = nodes(database.analyzed(own, bound, is_generic=is_generic))
                read = [node for node in found if node.get("Relation Name") == node.get("Alias") == "tasks"]
                rows = [(it["Actual Rows"] + it.get("Rows Removed by Filter", 0)) * it["Actual Loops"] for it in read]
                assert rows == [4 * (limit + 1)], read


def lists_of_parents(url: str, own: UUID) -> Iterator[str]:
    """A document for each list of a parent: that of three parents."""
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('app.organization_id', %s, true)", [str(own)])
        for reference in listed_references():
            name = {**LISTS, **LISTS_THROUGH}.get(reference.name)
            parent, key = reference.parent.name, key_of(reference.parent)
            if name is not None and parent in NODES:
                query = f"SELECT {key} FROM {parent} WHERE organization_id = %s ORDER BY 1 LIMIT 3"
                ids = ", ".join(f'"{id_}"' for (id_,) in connection.execute(query.encode(), [own]))
                field = type_of(reference.parent).fields[name]
                required = {each: VALUES[each] for each in ("start_date", "end_date", "date") if each in field.args}
                given = ", ".join(f'{each}: "{value}"' for each, value in required.items())
                rows = f"{name}({given})" if given else name
                shown = "{ count results { __typename } }" if "limit" in field.args else "{ __typename }"
                yield f"{{ {NODES[parent][1]}(ids: [{ids}]) {{ {key} {rows} {shown} }} }}"


async def test_lists_of_parents_scan_no_growing_table(seeded: tuple[str, UUID], database: Explaining) -> None:
    await assert_documents_scan_nothing(database, seeded[1], lists_of_parents(*seeded))


def lists_without_path() -> Iterator[str]:
    """A document for each list of the root that REST lacks: with no more than days, and with each other argument.

    Not with `where`: `tests/resolvers/lists/test_order_plans.py` has its plans.
    """
    for name, field in root_lists().items():
        days = {each: f'"{VALUES[each]}"' for each in ("start_date", "end_date")} if name == "timesheets" else {}
        yield root_document(name, days)
        for argument, each in field.args.items():
            if argument not in ("page", "limit", "after", "include_deleted", "start_date", "end_date", "id", "where"):
                type_ = get_named_type(each.type)
                value = VALUES.get(argument, BY_TYPE.get(type_.name))
                choice = next(iter(type_.values)) if isinstance(type_, GraphQLEnumType) else value
                is_word = isinstance(type_, GraphQLEnumType) or choice == "true"
                yield root_document(name, days | {argument: choice if is_word else f'"{choice}"'})


def documents_of_groups() -> Iterator[str]:
    """A document for each thing by which a list is grouped, of all people; by the first thing, also of one."""
    for name, field in ROOT.fields.items():
        step = declared_step(field)
        if isinstance(step, GroupTotals):
            person = f', user_id: "{VALUES["user_id"]}"'
            days = f'start_date: "{START}", end_date: "{END}", ' if "start_date" in field.args else ""
            first = next(iter(step.groups.groups))
            for group in step.groups.groups:
                for given in ("", person) if "user_id" in field.args and group is first else ("",):
                    yield f"{{ {name}({days}group_by: [{group}]{given}) {{ {' '.join(step.groups.sums)} }} }}"


@pytest.mark.parametrize("documents", [lists_without_path, documents_of_groups])
async def test_lists_without_path_use_indexes(documents: Callable[[], Iterable[str]], seeded: tuple[str, UUID]) -> None:
    url, own = seeded
    # The seed's tables are small, so a scan would be as cheap.
    database = Explaining(url + "&options=-c%20enable_seqscan%3Doff")
    await database.open()
    await assert_documents_scan_nothing(database, own, documents())
    await database.close()


SCANS = re.compile(r"(?:Index Scan|Index Only Scan)(?: Backward)? using (\w+)|Bitmap Index Scan on (\w+)")

SECONDARY_INDEXES = """
SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
WHERE NOT indisunique AND relnamespace = 'public'::regnamespace
"""

UNREAD_INDEXES = {
    "members_organization_id_status_created_at_user_id_idx": "Statuses other than active, the first, which few have.",
    "project_members_organization_id_team_id_idx": "Teams read it in a bitmap scan, which this test turns off.",
    "idle_times_organization_id_timesheet_id_started_at_id_idx": "Tables that were never analyzed are joined by it.",
    "clock_records_organization_id_user_id_updated_at_idx": "Attendance of a person that moved since a time.",
    "manual_requests_organization_id_status_started_at_id_idx": "Statuses other than pending, the first.",
    "manual_requests_timesheet_id_idx": "Requests of a timesheet are sorted, which this test turns off.",
    "url_pages_organization_id_report_changed_at_idx": "Polls of pages: `detail` is requested alone.",
    "screenshots_deleted_idx": "Dropping what is older than the retention; see test_dropping_reads_old_rows_only.",
}
"""Indexes that no statement of this test reads, and what they are for."""


async def test_every_secondary_index_is_read_by_a_statement(seeded: tuple[str, UUID]) -> None:
    url, own = seeded
    # The seed's tables are small, so other plans would be as cheap.
    settings = ("enable_seqscan", "enable_bitmapscan", "enable_sort")
    database = Explaining(url + "&options=" + "%20".join(f"-c%20{setting}%3Doff" for setting in settings))
    await database.open()
    for endpoint in ENDPOINTS:
        path = path_of(endpoint)
        for query in queries_of(endpoint):
            unchanged = {name: UNCHANGED for name in query if name.endswith("updated_since")}
            for changes in [{}, unchanged] if unchanged else [{}]:
                variables = endpoint.variables(path, {name: [text] for name, text in (query | changes).items()})
                await Executor(database).execute(endpoint.compiled, own, variables)
    for document in [*lists_of_parents(url, own), *lists_without_path()]:
        result = await Executor(database).execute(Operation(document), own, {})
        assert not result.errors, (document, result.errors)
    for name, listing in ordered_lists():
        # An index that is read in one direction is read in the other.
        for order in [] if listing.orders is None else listing.orders.enumeration:
            if "_desc" in order:
                continue
            await Executor(database).execute(Operation(ordered_document(name, order, 5, NOW.date())), own, {})
    await database.close()
    used = {name for plan in database.plans for pair in SCANS.findall(plan) for name in pair}
    with psycopg.connect(url) as connection:
        indexes = {name for (name,) in connection.execute(SECONDARY_INDEXES)}
    unread = indexes - used - UNREAD_INDEXES.keys()
    assert unread == set(), "a table that only a parent lists has order=None in db/tables; say what reads others"
    assert UNREAD_INDEXES.keys() - indexes == set()


@pytest.mark.parametrize(
    ("retained", "part"),
    [(retained, part) for retained in RETAINED_TABLES for part in retained.parts],
    ids=lambda value: value if isinstance(value, str) else value.table.name,
)
def test_dropping_reads_old_rows_only(retained: RetainedTable, part: str, seeded: tuple[str, UUID]) -> None:
    url, own = seeded
    before, since = datetime.fromisoformat(START).replace(tzinfo=UTC), datetime(1900, 1, 1, tzinfo=UTC)
    values = {"organization": own, "before": before, "rows": 50, "people": 9, "user": UUID(int=0), "since": since}
    with connect(url).connect() as connection:
        set_organization(connection, own)
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {drop_statement(retained, part)}"
        (plan,) = connection.execute(text(explain), values).scalar_one()
        connection.rollback()
    read = [node for node in nodes(plan["Plan"]) if node.get("Relation Name") == retained.table.name]
    assert {node["Node Type"] for node in read} <= {"Index Scan", "Index Only Scan", "Tid Scan", "ModifyTable"}
    assert sum(node.get("Rows Removed by Filter", 0) for node in read) == 0
    assert {node["Actual Rows"] for node in read if node["Node Type"] == "Tid Scan"} <= {0, 50}
