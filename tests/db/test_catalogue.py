"""What the migrations leave in PostgreSQL's own catalogue, and that every list finds its pages through an index."""

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import md5
from types import SimpleNamespace
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import namedtuple_row

from db.database import Call, Database
from db.embedded import OWNER
from db.roles import SERVICE_ROLE
from db.server import Server
from db.tables import metadata
from resolvers.context import Context
from rest_facade.endpoint import Endpoint
from rest_facade.envelopes import Offset
from rest_facade.v1 import people, work
from tests.conftest import _copy as copy_of

# The one table that is read before an organization is known: a key is found by its public id.
WITHOUT_ORGANIZATION = "api_keys"

Ask = Any


@pytest.fixture
def ask(owner_url: str, server: Server) -> Iterator[Ask]:
    """`ask(query, *values)`: what the catalogue answers a superuser."""
    database = str(conninfo_to_dict(owner_url)["dbname"])
    with psycopg.connect(server.url("postgres", database), autocommit=True, row_factory=namedtuple_row) as connection:

        def ask(query: LiteralString, *values: Any) -> list[Any]:
            return connection.execute(query, values).fetchall()

        yield ask


@pytest.fixture
def tenant_tables(ask: Ask) -> list[str]:
    """Every table with a column organization_id, except that of the keys."""
    query = """
        SELECT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE a.attname = 'organization_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
        ORDER BY 1
    """
    return [row.relname for row in ask(query) if row.relname != WITHOUT_ORGANIZATION]


def test_tenant_tables_are_those_that_say_so(tenant_tables: list[str]) -> None:
    assert tenant_tables == sorted(name for name, table in metadata.tables.items() if table.info.get("tenant"))
    assert {"organizations", "members", "tasks", "quota_overrides"} <= set(tenant_tables)


def test_every_table_is_a_tenant_s_but_the_keys_and_the_revision(ask: Ask, tenant_tables: list[str]) -> None:
    tables = ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert {row.tablename for row in tables} - set(tenant_tables) == {WITHOUT_ORGANIZATION, "alembic_version"}


def test_organization_id_is_never_null(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT attrelid::regclass::text AS name FROM pg_attribute
        WHERE attname = 'organization_id' AND NOT attnotnull AND attrelid = ANY (%s::regclass[])
    """
    assert ask(query, tenant_tables) == []


def test_row_level_security_is_enabled_and_forced(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT relname FROM pg_class
        WHERE oid = ANY (%s::regclass[]) AND NOT (relrowsecurity AND relforcerowsecurity)
    """
    assert ask(query, [*tenant_tables, WITHOUT_ORGANIZATION]) == []


def test_every_policy_compares_with_the_organization_of_the_transaction(ask: Ask, tenant_tables: list[str]) -> None:
    policies = ask("SELECT * FROM pg_policies ORDER BY tablename, policyname")
    assert {policy.tablename for policy in policies} == {*tenant_tables, WITHOUT_ORGANIZATION}
    for policy in policies:
        if policy.roles == ["public"]:
            assert policy.policyname == "tenant"
            assert policy.cmd == "ALL"
            own = "(organization_id = (NULLIF(current_setting('app.organization_id'::text, true), ''::text))::uuid)"
            asked_for = "(public_id = current_setting('app.public_id'::text, true))"
            assert policy.qual == (asked_for if policy.tablename == WITHOUT_ORGANIZATION else own)
        else:
            # What operators administer, they see whole; the service's role is not among them.
            assert policy.roles == [OWNER]
            assert policy.tablename in (WITHOUT_ORGANIZATION, "quota_overrides")
    assert [policy.tablename for policy in policies if policy.roles == ["public"]] == sorted(
        [*tenant_tables, WITHOUT_ORGANIZATION]
    )


def test_keys_and_indexes_start_with_the_organization(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT i.indexrelid::regclass::text AS name, a.attname
        FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = ANY (%s::regclass[])
    """
    indexes = ask(query, tenant_tables)
    assert [index.name for index in indexes if index.attname != "organization_id"] == []
    primary = "SELECT indrelid::regclass::text AS name FROM pg_index WHERE indisprimary"
    assert set(tenant_tables) <= {row.name for row in ask(primary)}


def test_a_foreign_key_leads_to_a_row_of_the_same_organization(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT conname AS name, f.attname AS source, t.attname AS target
        FROM pg_constraint c
        JOIN pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = c.conkey[1]
        JOIN pg_attribute t ON t.attrelid = c.confrelid AND t.attnum = c.confkey[1]
        WHERE c.contype = 'f' AND c.conrelid = ANY (%s::regclass[])
    """
    keys = ask(query, tenant_tables)
    assert len(keys) >= len(tenant_tables) - 1, "only organizations points at nothing"
    assert [key.name for key in keys if {key.source, key.target} != {"organization_id"}] == []


def test_every_column_that_names_a_row_of_a_tenant_is_a_foreign_key(ask: Ask, tenant_tables: list[str]) -> None:
    query = """
        SELECT a.attrelid::regclass::text AS table_name, a.attname AS column_name
        FROM pg_attribute a
        WHERE a.attrelid = ANY (%s::regclass[]) AND a.atttypid = 'uuid'::regtype AND a.attnum > 0 AND NOT attisdropped
          AND NOT EXISTS (SELECT 1 FROM pg_constraint c
                          WHERE c.conrelid = a.attrelid AND c.contype IN ('p', 'f', 'u') AND a.attnum = ANY (c.conkey))
    """
    # What is owed comes from a leave application or from a one-time payment: no one table holds them.
    without = {("payables", "source_id")}
    assert {(row.table_name, row.column_name) for row in ask(query, tenant_tables)} == without


def test_the_service_owns_nothing_and_may_only_read(ask: Ask) -> None:
    (role,) = ask("SELECT * FROM pg_roles WHERE rolname = %s", SERVICE_ROLE)
    assert not any((role.rolsuper, role.rolbypassrls, role.rolcreatedb, role.rolcreaterole, role.rolreplication))
    assert role.rolconfig == ["default_transaction_read_only=on"]
    assert ask("SELECT 1 FROM pg_auth_members WHERE member = %s::regrole", SERVICE_ROLE) == []
    assert ask("SELECT 1 FROM pg_class WHERE relowner = %s::regrole", SERVICE_ROLE) == []
    rights = """
        SELECT tablename, what FROM pg_tables,
             unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS p(what)
        WHERE schemaname = 'public' AND has_table_privilege(%s, quote_ident(tablename), what)
    """
    granted = ask(rights, SERVICE_ROLE)
    assert {row.what for row in granted} == {"SELECT"}
    assert {row.tablename for row in granted} == {*metadata.tables, "alembic_version"}
    assert ask("SELECT 1 WHERE has_schema_privilege(%s, 'public', 'CREATE')", SERVICE_ROLE) == []


@pytest.mark.parametrize(
    "command",
    [
        "INSERT INTO clients (organization_id, id, name, currency) SELECT gen_random_uuid(), gen_random_uuid(), '', ''",
        "UPDATE clients SET name = ''",
        "DELETE FROM clients",
        "TRUNCATE clients CASCADE",
        "ALTER TABLE clients DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant ON clients",
        "CREATE TABLE mine (id int)",
        "UPDATE api_keys SET scopes = NULL",
    ],
)
def test_the_service_is_refused(owner_url: str, command: LiteralString) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute("SELECT set_config('role', %s, true)", [SERVICE_ROLE])
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("off",), "nothing but rights refuses"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(command)


def test_no_view_and_no_function_reads_with_other_rights(ask: Ask) -> None:
    views = """
        SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace
          AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)
    """
    functions = """
        SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace NOT IN
          (SELECT oid FROM pg_namespace WHERE nspname IN ('pg_catalog', 'information_schema'))
    """
    assert ask(views) == []
    assert ask(functions) == []


# Plans, on eight organizations with some hundred rows a table each.

OTHERS = 7
ROWS = 600

FILL = """
CREATE FUNCTION pg_temp.id(kind text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
AS $$ SELECT md5(kind || n)::uuid $$;

CREATE TEMP TABLE made AS
SELECT pg_temp.id('organization', o) AS o, n, now() - interval '9 days' + n * interval '1 second' AS at
FROM generate_series(0, {others}) o, generate_series(1, {rows}) n;

INSERT INTO organizations (organization_id, name, timezone, currency, features, data_retention_days)
SELECT DISTINCT o, 'O', 'UTC', 'EUR', '{{}}'::jsonb, '{{}}'::jsonb FROM made;

INSERT INTO members (organization_id, user_id, membership_id, email, full_name, created_at, updated_at)
SELECT o, pg_temp.id('user', n), pg_temp.id('membership', n), n || '@example.com', 'Member ' || n, at, at FROM made;

INSERT INTO teams (organization_id, id, name, created_at, updated_at)
SELECT o, pg_temp.id('team', n), 'Team ' || n, at, at FROM made;

INSERT INTO team_members (organization_id, id, team_id, user_id, joined_at, created_at, updated_at)
SELECT o, pg_temp.id('team member', n), pg_temp.id('team', n % 12 + 1), pg_temp.id('user', n), at, at, at FROM made;

INSERT INTO clients (organization_id, id, name, currency, created_at, updated_at)
SELECT o, pg_temp.id('client', n), 'Client ' || n, 'EUR', at, at FROM made;

INSERT INTO projects (organization_id, id, client_id, name, currency, created_at, updated_at)
SELECT o, pg_temp.id('project', n), pg_temp.id('client', n % 12 + 1), 'Project ' || n, 'EUR', at, at FROM made;

INSERT INTO project_members (organization_id, id, project_id, user_id, joined_at, created_at, updated_at)
SELECT o, pg_temp.id('pm', n), pg_temp.id('project', n % 11 + 1), pg_temp.id('user', n), at, at, at
FROM made WHERE n > 12
UNION ALL
SELECT o, pg_temp.id('mp', n), pg_temp.id('project', n), pg_temp.id('user', 1), at, at, at FROM made WHERE n < 12;

INSERT INTO tasks (organization_id, id, project_id, name, created_at, updated_at)
SELECT o, pg_temp.id('task', n), pg_temp.id('project', n % 12 + 1), 'Task ' || n, at, at FROM made;

INSERT INTO task_members (organization_id, id, task_id, user_id, assigned_at, created_at, updated_at)
SELECT o, pg_temp.id('task member', n), pg_temp.id('task', n % 12 + 1), pg_temp.id('user', n), at, at, at FROM made;

ANALYZE
"""


# Its order is that of two tables together: the projects of one person are sorted, never those of an organization.
SORTED = {"listMemberProjects"}

LISTS = [endpoint for endpoint in (*people.ENDPOINTS, *work.ENDPOINTS) if isinstance(endpoint.envelope, Offset)]


def made(kind: str, n: int) -> UUID:
    """The id that FILL gives."""
    return UUID(md5(f"{kind}{n}".encode()).hexdigest())


class Recording(Database):
    """Keeps what was asked."""

    def __init__(self, url: str) -> None:
        super().__init__(url, size=1)
        self.calls: list[Call] = []

    async def read(self, organization_id: UUID, calls: Sequence[Call]) -> list[list[Any]]:
        self.calls += calls
        return await super().read(organization_id, calls)


@pytest.fixture(scope="module")
def filled_url(server: Server, template: str) -> Iterator[str]:
    with copy_of(server, template) as url:
        database = str(conninfo_to_dict(url)["dbname"])
        with psycopg.connect(server.url("postgres", database), autocommit=True) as connection:
            for command in FILL.format(others=OTHERS, rows=ROWS).split(";\n\n"):
                connection.execute(command.encode())
        yield url


@pytest.fixture
async def database(filled_url: str) -> AsyncIterator[Recording]:
    database = Recording(filled_url)
    await database.open()
    yield database
    await database.close()


async def plan_of(database: Database, organization_id: UUID, call: Call) -> dict[str, Any]:
    """The plan by which a call is answered, with what each node did."""
    statement, values = call
    explained: Any = SimpleNamespace(
        sql=f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement.sql}", constants=statement.constants
    )
    plan: dict[str, Any] = (await database.read(organization_id, [(explained, values)]))[0][0][0][0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in nodes(child))]


@pytest.mark.anyio
@pytest.mark.parametrize("polling", [False, True], ids=["by its own order", "by change"])
@pytest.mark.parametrize("endpoint", LISTS, ids=lambda endpoint: endpoint.operation)
async def test_a_page_is_found_through_an_index(endpoint: Endpoint, polling: bool, database: Recording) -> None:
    own, limit = made("organization", 0), 5
    ids = {name: made(name.removesuffix("_id"), 1) for name in endpoint.ids}
    variables = {**ids, "limit": limit, "page": 1}
    if polling:
        variables["updated_since"] = datetime(2000, 1, 1, tzinfo=UTC)
    after = None
    for _ in ("the first page", "the one after it"):
        database.calls.clear()
        result = await endpoint.compiled.execute({**variables, "after": after}, Context(database, own))
        assert result.failures == []
        found: Any = result.data
        for name in endpoint.compiled.answer:
            found = found[name]
        assert found["count"] > 2 * limit
        assert len(found["results"]) == limit
        after = found["next"]
        plans = [await plan_of(database, own, call) for call in list(database.calls)]
        assert [
            node["Relation Name"] for plan in plans for node in nodes(plan) if node["Node Type"] == "Seq Scan"
        ] == []
        (page,) = (node for plan in plans for node in nodes(plan) if node["Node Type"] == "Limit")
        if endpoint.operation not in SORTED:
            assert [node["Node Type"] for node in nodes(page) if "Sort" in node["Node Type"]] == []
            assert max(node["Actual Rows"] for node in nodes(page)) <= limit + 1
