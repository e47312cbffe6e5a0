"""The migrated schema in PostgreSQL's catalogue: tenancy, rights, indexes; and that every list reads an index.

Covers `db/tables/columns.py` and `db/migrations/security.py`.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import md5
from types import SimpleNamespace
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import namedtuple_row
from sqlalchemy import BigInteger, Boolean, Date, DateTime, Integer, Numeric, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP

from db.jobs.doctor.examination import MOMENTS
from db.reading.database import Database
from db.reading.transaction import BoundStatement
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from db.tables.columns import metadata
from db.tables.reference import PINNED_LISTS
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import REPORT, Offset
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Executor
from tests.conftest import _copy as copy_of
from tests.helpers.databases import superuser_of
from tests.helpers.round_trips import recorded_round_trips
from tests.resolvers.explaining import nodes

# Keys are looked up by public id, before their organization is known.
WITHOUT_ORGANIZATION = "api_keys"

REFERENCE_TABLES = {"time_zones", "currencies", "countries"}

Ask = Any


@pytest.fixture
def ask(owner_url: str, server: Server) -> Iterator[Ask]:
    """`ask(query, *values)`: rows of the catalogue, as a superuser sees them."""
    with superuser_of(server, owner_url, row_factory=namedtuple_row) as connection:

        def ask(query: LiteralString, *values: Any) -> list[Any]:
            return connection.execute(query, values).fetchall()

        yield ask


@pytest.fixture
def tenant_tables(ask: Ask) -> list[str]:
    """Every table with a column organization_id, except api_keys."""
    query = """
        SELECT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE a.attname = 'organization_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
        ORDER BY 1
    """
    return [row.relname for row in ask(query) if row.relname != WITHOUT_ORGANIZATION]


def test_tenant_tables_are_declared_as_such(tenant_tables: list[str]) -> None:
    assert tenant_tables == sorted(name for name, table in metadata.tables.items() if table.info.get("tenant"))
    assert {"organizations", "members", "tasks", "quota_overrides"} <= set(tenant_tables)


def test_only_keys_documents_revision_and_references_are_no_tenant_tables(ask: Ask, tenant_tables: list[str]) -> None:
    tables = ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    others = {WITHOUT_ORGANIZATION, "trusted_documents", "alembic_version", *REFERENCE_TABLES}
    assert {row.tablename for row in tables} - set(tenant_tables) == others


def test_row_level_security_is_enabled_and_forced(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT relname FROM pg_class
        WHERE oid = ANY (%s::regclass[]) AND NOT (relrowsecurity AND relforcerowsecurity)
    """
    assert ask(query, [*tenant_tables, WITHOUT_ORGANIZATION]) == []


def test_policies_compare_with_the_transaction_organization(ask: Ask, tenant_tables: list[str]) -> None:
    policies = ask("SELECT * FROM pg_policies ORDER BY tablename, policyname")
    assert {policy.tablename for policy in policies} == {*tenant_tables, WITHOUT_ORGANIZATION}
    for policy in policies:
        if policy.roles == ["public"]:
            assert policy.policyname == "tenant"
            assert policy.cmd == "ALL"
            setting = "(NULLIF(current_setting('app.organization_id'::text, true), ''::text))::uuid"
            own = f"(organization_id = COALESCE({setting}, organization_not_set()))"
            asked_for = "(public_id = current_setting('app.public_id'::text, true))"
            assert policy.qual == (asked_for if policy.tablename == WITHOUT_ORGANIZATION else own)
        else:
            # The owner sees all rows of the tables that operators administer; the other roles do not.
            assert policy.roles == [OWNER]
            commands = {WITHOUT_ORGANIZATION: "ALL", "organizations": "SELECT", "quota_overrides": "ALL"}
            assert policy.cmd == commands[policy.tablename]
    of_all = [policy.tablename for policy in policies if policy.roles == ["public"]]
    assert of_all == sorted([*tenant_tables, WITHOUT_ORGANIZATION])


def test_keys_and_indexes_start_with_the_organization(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT i.indexrelid::regclass::text AS name, a.attname
        FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = ANY (%s::regclass[])
    """
    assert [index.name for index in ask(query, tenant_tables) if index.attname != "organization_id"] == []
    primary = "SELECT indrelid::regclass::text AS name FROM pg_index WHERE indisprimary"
    assert set(tenant_tables) <= {row.name for row in ask(primary)}


def test_foreign_keys_include_the_organization(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT conname AS name, f.attname AS source, t.attname AS target
        FROM pg_constraint c
        JOIN pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = c.conkey[1]
        JOIN pg_attribute t ON t.attrelid = c.confrelid AND t.attnum = c.confkey[1]
        WHERE c.contype = 'f' AND c.conrelid = ANY (%s::regclass[]) AND c.confrelid <> ALL (%s::regclass[])
    """
    keys = ask(query, tenant_tables, list(REFERENCE_TABLES))
    assert len(keys) >= len(tenant_tables) - 1, "only organizations has no foreign key"
    assert [key.name for key in keys if {key.source, key.target} != {"organization_id"}] == []


def test_every_id_column_is_a_foreign_key(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT a.attrelid::regclass::text AS table_name, a.attname AS column_name
        FROM pg_attribute a
        WHERE a.attrelid = ANY (%s::regclass[]) AND a.atttypid = 'uuid'::regtype AND a.attnum > 0 AND NOT attisdropped
          AND NOT EXISTS (SELECT 1 FROM pg_constraint c
                          WHERE c.conrelid = a.attrelid AND c.contype IN ('p', 'f', 'u') AND a.attnum = ANY (c.conkey))
    """
    # The source of a payable is a leave application or a one-time payment, in different tables.
    assert {(row.table_name, row.column_name) for row in ask(query, tenant_tables)} == {("payables", "source_id")}


# Plans, on eight organizations with ROWS rows per table.

FIRST = datetime.now(UTC).replace(microsecond=0) - timedelta(days=9)
ORGANIZATIONS = 8
ROWS = 600

# Nullable columns that get values, because lists need them.
NOT_EMPTY = {"members.first_joined_at", "members.joined_at", "projects.client_id"}

# The row that the first, second, third and fourth foreign key references: 50 rows reference the same row, and no two
# rows the same two.
SPREAD = ("n % 12 + 1", "n / 12 + 1", "n % 7 + 1", "n % 5 + 1")

VALUES: dict[type[Any], str] = {
    Text: "'x' || n",
    JSONB: "'{}'",
    Date: "current_date + n::int",
    DateTime: "at",
    TIMESTAMP: "at",
    Boolean: "true",
    Numeric: "1",
    Integer: "1",
    BigInteger: "1",
}
NAMED = {
    "currency": "'EUR'",
    "timezone": "'UTC'",
    "start_date": "current_date",
    "end_date": "current_date",
    "url": "'https://example.com/' || n",
    "slot_at": "date_bin('15 minutes', at, 'epoch')",
    **dict.fromkeys(["ended_at", "last_at", "tracked_until"], "at + interval '1 minute'"),
}

LISTS = [endpoint for endpoint in ENDPOINTS if isinstance(endpoint.envelope, Offset)]

# Its order uses columns of two tables, so the projects of one person are sorted.
SORTED = {"listMemberProjects"}

# Polls whose changes are those of other tables, too. test_payables_look_for_records_by_index has rows enough for them.
COMPUTED_CHANGES = {"listMemberPayables"}


def made(kind: str, n: int) -> UUID:
    """The id that `id_of` makes inside the database."""
    return UUID(md5(f"{kind}{n}".encode()).hexdigest())


def id_of(kind: str, n: str) -> str:
    return f"md5('{kind}' || {n})::uuid"


def filling(table: Table) -> str:
    """An INSERT that gives each of the organizations ROWS rows."""
    values = {"organization_id": "o"}
    keys = iter(SPREAD)
    for column in table.columns:
        tables = [key.column.table for key in column.foreign_keys if key.column.table not in PINNED_LISTS]
        target = next((table for table in tables if column.name != "organization_id"), None)
        left_out = column.nullable or (column.server_default is not None and not isinstance(column.type, DateTime))
        if column.name == "organization_id" or (left_out and f"{table.name}.{column.name}" not in NOT_EMPTY):
            continue
        if target is not None:
            values[column.name] = id_of(target.name, next(keys))
        elif isinstance(column.type, Uuid):
            values[column.name] = id_of(table.name if column.primary_key else column.name, "n")
        elif "values" in column.info:
            values[column.name] = f"'{next(iter(column.info['values'])).value}'"
        else:
            values[column.name] = NAMED.get(column.name) or VALUES[type(column.type)]
    rows = f"generate_series(1, {1 if table.name == 'organizations' else ROWS}) n"
    organizations = f"(SELECT {id_of('organizations', 'k')} AS o FROM generate_series(1, {ORGANIZATIONS}) k) k"
    at = f"LATERAL (SELECT '{FIRST}'::timestamptz + n * interval '1 second' AS at) m"
    names, expressions = ", ".join(values), ", ".join(values.values())
    return f"INSERT INTO {table.name} ({names}) SELECT {expressions} FROM {organizations}, {rows}, {at}"


@pytest.fixture(scope="module")
def filled_url(server: Server, template: str) -> Iterator[str]:
    with copy_of(server, template) as url:
        with superuser_of(server, url) as connection:
            # Foreign keys are not checked: the ids are right by construction, and the check takes most of the time.
            connection.execute("SET session_replication_role = replica")
            for table in metadata.sorted_tables:
                if table.info.get("tenant"):
                    connection.execute(filling(table).encode())
            connection.execute("ANALYZE")
        yield url


@pytest.fixture(scope="module")
async def database(filled_url: str, anyio_backend: str) -> AsyncIterator[Database]:
    database = Database(filled_url, size=1)
    await database.open()
    yield database
    await database.close()


async def plan_of(database: Database, organization_id: UUID, bound: BoundStatement) -> dict[str, Any]:
    """The plan of a statement, with the actual rows of each node."""
    statement, values = bound
    sql = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement.sql}"
    explained: Any = SimpleNamespace(sql=sql, constants=statement.constants)
    plan: dict[str, Any] = (await database.read_rows(organization_id, [(explained, values)]))[0][0][0][0]["Plan"]
    return plan


# Reports keep their order when they are polled.
ORDERS = [(each, polling) for each in LISTS for polling in (False, True) if each.envelope != REPORT or not polling]


@pytest.mark.parametrize(
    ("endpoint", "polling"), ORDERS, ids=lambda value: getattr(value, "operation", "by change" if value else "in order")
)
async def test_page_is_read_through_an_index(
    endpoint: Endpoint, polling: bool, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, limit = made("organizations", 1), 5
    round_trips = recorded_round_trips(database, monkeypatch)
    today = datetime.now(UTC).date()
    days = {"start_date": today - timedelta(days=30), "end_date": today}
    variables: dict[str, Any] = {
        **{name: made("members" if name == "user_id" else f"{name.removesuffix('_id')}s", 2) for name in endpoint.ids},
        **{parameter.name: days[parameter.name] for parameter in endpoint.query_parameters if parameter.is_required},
        "limit": limit,
        "page": 1,
    }
    if polling:
        variables["updated_since"] = FIRST + timedelta(seconds=0 if endpoint.ids else ROWS * 2 // 3)
    after = None
    for _ in ("the first page", "the one after it"):
        round_trips.clear()
        result = await Executor(database).execute(endpoint.compiled, own, {**variables, "after": after})
        assert result.errors is None
        found: Any = result.data
        for name in endpoint.compiled.result_path:
            found = found[name]
        assert found["count"] > 2 * limit
        assert len(found["results"]) == limit
        after = found["next"]
        sent = [bound for trip in round_trips for bound in trip]
        plans = {bound[0].sql: await plan_of(database, own, bound) for bound in sent}
        whole = {node["Relation Name"] for p in plans.values() for node in nodes(p) if node["Node Type"] == "Seq Scan"}
        if not (polling and endpoint.operation in COMPUTED_CHANGES):
            assert whole <= {"organizations"}, "which has few rows"
        (listed,) = (plan for sql, plan in plans.items() if ") AS page" in sql)
        limits = [node for node in nodes(listed) if node["Node Type"] == "Limit"]
        (page,) = (node for node in limits if node["Parent Relationship"] not in ("InitPlan", "SubPlan"))
        through = nodes(page, subplans=False)
        # PostgreSQL may sort the few changes under one parent.
        if endpoint.operation not in SORTED and not (polling and endpoint.ids):
            assert [node["Node Type"] for node in through if "Sort" in node["Node Type"]] == []
            assert max(node["Actual Rows"] for node in through) <= limit + 1
            assert sum(node.get("Rows Removed by Filter", 0) for node in through) <= limit, "the index is of this list"


def test_growing_tables_are_vacuumed_early(own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        found = connection.execute("SELECT relname, reloptions FROM pg_class WHERE reloptions IS NOT NULL").fetchall()
    expected = [
        "autovacuum_vacuum_scale_factor=0.02",
        "autovacuum_vacuum_insert_scale_factor=0.01",
        "autovacuum_analyze_scale_factor=0.02",
    ]
    options: dict[str, list[str]] = dict(found)
    assert {name: options.get(name) for name in MOMENTS} == dict.fromkeys(MOMENTS, expected)
