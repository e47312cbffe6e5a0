"""What the role of the service may do: read, and little else. It is made by deploy/roles.sql, or by a migration."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from db.reading.transaction import SERVICE_ROLE
from db.sample.embedded.binaries import find_binaries
from db.sample.embedded.server import Server
from tests.helpers.databases import database_name, migrate_at

ROLES = Path(__file__).parents[3] / "deploy" / "roles.sql"

DENIED = "42501"

TRIED: dict[str, str | None] = {
    "INSERT INTO clients DEFAULT VALUES": DENIED,
    "UPDATE members SET full_name = ''": DENIED,
    "DELETE FROM timesheets": DENIED,
    "TRUNCATE invoices": DENIED,
    "MERGE INTO clients USING teams ON false WHEN MATCHED THEN DELETE": DENIED,
    "SELECT 1 FROM organizations FOR UPDATE": DENIED,
    "LOCK TABLE organizations IN ROW EXCLUSIVE MODE": DENIED,
    "LOCK TABLE timesheets IN ACCESS EXCLUSIVE MODE": DENIED,
    "COPY clients FROM PROGRAM 'true'": DENIED,
    "COPY clients TO '/tmp/x'": DENIED,
    "CREATE TABLE public.x ()": DENIED,
    "CREATE TEMP TABLE x ()": DENIED,
    "SELECT 1 AS x INTO TEMP x": DENIED,
    "CREATE FUNCTION pg_temp.x() RETURNS int LANGUAGE sql AS 'SELECT 1'": DENIED,
    "CREATE FUNCTION public.x() RETURNS int LANGUAGE sql AS 'SELECT 1'": DENIED,
    "CREATE SCHEMA x": DENIED,
    "CREATE ROLE x": DENIED,
    "ALTER ROLE orgdata_service SUPERUSER": DENIED,
    "ALTER TABLE clients DISABLE ROW LEVEL SECURITY": DENIED,
    "DROP TABLE clients": DENIED,
    "CREATE POLICY x ON clients": DENIED,
    "SET session_replication_role = replica": DENIED,
    "SET ROLE orgdata_owner": DENIED,
    "SET SESSION AUTHORIZATION orgdata_owner": DENIED,
    "SELECT pg_read_file('/etc/passwd')": DENIED,
    "SELECT pg_stat_reset()": DENIED,
    "SELECT lo_create(0)": DENIED,
    "SELECT lo_from_bytea(0, 'x')": DENIED,
    "SELECT pg_advisory_lock(1)": DENIED,
    "SELECT pg_try_advisory_xact_lock(hashtextextended('import 1', 0))": DENIED,
    "SELECT pg_terminate_backend(1)": DENIED,
    "SELECT pg_logical_emit_message(false, 'x', 'y')": DENIED,
    "ANALYZE clients": None,
    "SET statement_timeout = 0": None,
    "SET default_transaction_read_only = off": None,
    "SET work_mem = '1GB'": None,
    "NOTIFY x": None,
    "SELECT pg_sleep(0)": None,
    "LOCK TABLE timesheets IN ACCESS SHARE MODE": None,
}
"""Statements, and the SQLSTATE with which they are refused. SECURITY.md names those that are not."""

OF_A_SUPERUSER = {each for each in TRIED if re.search("lo_|advisory|pg_terminate_backend|pg_logical_emit", each)}
"""What only the script of a superuser takes away: the functions belong to one."""

CHANGED_RIGHTS = """
SELECT split_part(oidvectortypes(proargtypes), ', ', 3) FROM pg_proc
WHERE proname = 'pg_logical_emit_message'
  AND (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(proacl) a)
    <> (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(acldefault('f', proowner)) a)
ORDER BY 1
"""
"""The third parameter of functions whose rights pg_dump, and so pg_upgrade, would set."""


def tried(url: str) -> dict[str, str | None]:
    """The SQLSTATE of each statement, run by the service's role, which leaves its read-only mode."""
    found: dict[str, str | None] = {}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("SELECT set_config('app.organization_id', gen_random_uuid()::text, false)")
        for statement in TRIED:
            connection.execute("BEGIN")
            try:
                connection.execute(statement.encode())
                found[statement] = None
            except psycopg.Error as error:
                found[statement] = error.sqlstate
            connection.execute("ROLLBACK")
    return found


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose roles and database the script made, migrated."""
    folder = tmp_path_factory.mktemp("scripted")
    folder.chmod(0o755)
    with Server(folder / "data", options={"fsync": "off"}) as server:
        run_script(server, "postgres")
        migrate_at(server.url("orgdata_owner", "orgdata"))
        yield server


def run_script(server: Server, administrator: str) -> str:
    """Run the script as an administrator; returns what it says."""
    passwords = {"ORGDATA_OWNER_PASSWORD": "the owner's", "ORGDATA_SERVICE_PASSWORD": "service"}
    command = [str(find_binaries() / "psql"), "-qXf", str(ROLES), server.url(administrator, "postgres")]
    return subprocess.run(command, check=True, env=passwords, capture_output=True, text=True).stderr


def test_role_of_the_script_reads_and_little_else(scripted: Server) -> None:
    assert tried(scripted.url(SERVICE_ROLE, "orgdata")) == TRIED


def test_role_of_a_migration_alone_has_some_functions_more(server: Server, own_url: str) -> None:
    migrate_at(own_url)
    found = tried(server.url(SERVICE_ROLE, database_name(own_url)))
    assert {each for each, _ in found.items() ^ TRIED.items()} <= OF_A_SUPERUSER


def test_script_of_a_managed_server_is_repeatable(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    tmp_path.chmod(0o755)
    with Server(tmp_path / "data", binaries=request.config.getoption("--postgres"), options={"fsync": "off"}) as server:
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute("CREATE ROLE administrator LOGIN CREATEROLE CREATEDB")
        first, again = (run_script(server, "administrator") for _ in range(2))
        assert first == again
        assert first.count("\n") <= 2, first
        assert "WARNING:  Passed over, because only a superuser may revoke it: every role may still use large" in first
        migrate_at(server.url("orgdata_owner", "orgdata"))
        found = tried(server.url(SERVICE_ROLE, "orgdata"))
        assert {each for each, _ in found.items() ^ TRIED.items()} <= OF_A_SUPERUSER


def test_script_of_a_superuser_is_repeatable(scripted: Server) -> None:
    assert run_script(scripted, "postgres") == ""


def test_rights_that_pg_upgrade_cannot_restore_are_given_back(tmp_path: Path) -> None:
    (statements,) = re.findall(r"```sql\n(.*?)```", ROLES.with_name("README.md").read_text(), re.DOTALL)
    tmp_path.chmod(0o755)
    with Server(tmp_path / "data", binaries=find_binaries(16), options={"fsync": "off"}) as server:
        run_script(server, "postgres")
        with psycopg.connect(server.url("postgres", "orgdata"), autocommit=True) as connection:
            assert connection.execute(CHANGED_RIGHTS).fetchall() == [("bytea",), ("text",)]
            connection.execute(statements.encode())
            assert connection.execute(CHANGED_RIGHTS).fetchall() == []
        assert run_script(server, "postgres") == ""


def test_every_object_is_only_read(scripted: Server) -> None:
    with psycopg.connect(scripted.url("postgres", "orgdata")) as connection:
        rights = connection.execute(
            """
            SELECT DISTINCT privilege_type FROM pg_class, aclexplode(relacl) a, pg_roles r
            WHERE relnamespace = 'public'::regnamespace AND a.grantee IN (r.oid, 0) AND r.rolname = %(role)s
            UNION ALL SELECT attname || privilege_type FROM pg_attribute, aclexplode(attacl) a, pg_roles r
            WHERE a.grantee IN (r.oid, 0) AND r.rolname = %(role)s AND attrelid >= 16384
            UNION ALL SELECT privilege_type FROM pg_namespace, aclexplode(nspacl) a, pg_roles r
            WHERE nspname = 'public' AND a.grantee IN (r.oid, 0) AND r.rolname = %(role)s AND a.grantee <> 0
            UNION ALL SELECT privilege_type FROM pg_database, aclexplode(datacl) a, pg_roles r
            WHERE datname = 'orgdata' AND a.grantee IN (r.oid, 0) AND r.rolname = %(role)s
            """,
            {"role": SERVICE_ROLE},
        ).fetchall()
        assert sorted(each for (each,) in rights) == ["CONNECT", "SELECT", "USAGE"]
        query = "SELECT count(*) FROM pg_shdepend WHERE refobjid = %s::regrole AND deptype = 'o'"
        assert connection.execute(query, [SERVICE_ROLE]).fetchone() == (0,)


def test_database_of_a_server_without_a_locale_knows_all_letters(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with Server(tmp_path / "data", options={"fsync": "off"}) as server:
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute("UPDATE pg_database SET datistemplate = false WHERE datname = 'template1'")
            connection.execute("DROP DATABASE template1")
            made = "CREATE DATABASE template1 TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'"
            connection.execute(made)
        run_script(server, "postgres")
        with psycopg.connect(server.url("postgres", "orgdata")) as connection:
            assert connection.execute("SELECT lower('ÄÉ'), current_setting('server_encoding')").fetchone() == (
                "äé",
                "UTF8",
            )
