"""Migrations lead to the declared tables, also when run twice, after a failure, or after a wait for locks.

Covers `db/tables/`, `db/admin/engine.py`, `db/admin/lock_waits.py` and `db/migrations/comparison.py`.
"""

import multiprocessing
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from alembic.autogenerate import compare_metadata, produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import CreateForeignKeyOp, ModifyTableOps
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from psycopg.conninfo import make_conninfo
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import ProgrammingError

from db.admin import lock_waits
from db.admin import migrate as module
from db.admin.engine import connect
from db.admin.migrate import ADVISORY_LOCK, configuration, head, migrate, revision_of
from db.admin.roles import require_owner
from db.errors import OperatorError
from db.migrations.comparison import has_expressions, is_compared
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.tables.columns import metadata
from rest_facade.v1 import ENDPOINTS
from tests.db.migrations.later_revision import add_revision
from tests.generate.migrated import missing_revision
from tests.generate.migration import adapt
from tests.generate.new_database import catalogue_of
from tests.helpers.databases import database_name, migrate_at, superuser_of

assert ENDPOINTS, "the areas are imported, and with them all tables"

RESTORED = """
SELECT format('DROP TRIGGER %I ON %s; %s', tgname, tgrelid::regclass, pg_get_triggerdef(oid))
FROM pg_trigger WHERE tgrelid = 'organizations'::regclass AND NOT tgisinternal
UNION ALL
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I; ALTER TABLE %1$s ADD CONSTRAINT %2$I %s', conrelid::regclass, conname,
  pg_get_constraintdef(oid))
FROM pg_constraint WHERE conrelid = 'organizations'::regclass AND contype = 'c'
"""
"""Commands that make triggers and constraints again from their definitions."""


@contextmanager
def empty_database(server: Server) -> Iterator[str]:
    """The URL of a database without migrations."""
    name = f"empty_{uuid4().hex}"
    yield ensure_database(server, name)
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_database_that_does_not_store_utf_8_is_refused(encoding: str, server: Server) -> None:
    with empty_database(server) as url:
        name = sql.Identifier(database_name(url))
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {}").format(name))
            command = sql.SQL("CREATE DATABASE {} OWNER orgdata_owner TEMPLATE template0 LOCALE 'C' ENCODING {}")
            connection.execute(command.format(name, sql.Literal(encoding)))
        with pytest.raises(OperatorError, match=f"The database stores {encoding}: create one with ENCODING 'UTF8'"):
            migrate_at(url)


def test_migrated_database_has_the_declared_tables(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True, "include_object": is_compared}
        context = MigrationContext.configure(connection, opts=options | {"target_metadata": metadata})
        missing = compare_metadata(context, metadata)
    assert missing == [], "no migration makes the tables as db/tables declares them: run make migration NAME=..."


@pytest.mark.parametrize("column", ["organizations.country", "members.job_title", "projects.code", "timesheets.note"])
def test_column_without_a_migration_can_be_drafted(column: str, own_url: str, owner_engine: Engine) -> None:
    table, name = column.split(".")
    with owner_engine.begin() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {name} CASCADE")
    migrate_at(own_url)
    with owner_engine.connect() as connection:
        sentence = missing_revision(connection)
    assert sentence == f"no migration makes {column} of db/tables: run make migration NAME={table}_{name}"


def test_drafted_reference_is_made_under_row_level_security(owner_engine: Engine) -> None:
    with owner_engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE projects DROP COLUMN client_id CASCADE")
        context = MigrationContext.configure(connection, opts={"include_object": is_compared})
        drafted = produce_migrations(context, metadata).upgrade_ops
        assert drafted is not None
        operations = [each for table in drafted.ops if isinstance(table, ModifyTableOps) for each in table.ops]
        # Of a column it takes the comment away, which the next tests compare.
        adapt(each for each in operations if isinstance(each, CreateForeignKeyOp))
        for each in operations:
            Operations(context).invoke(each)
        references = inspect(connection).get_foreign_keys("projects")
    assert ["organization_id", "client_id"] in [each["constrained_columns"] for each in references]


def test_indexes_with_expressions_are_as_declared(owner_engine: Engine) -> None:
    definitions = text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")
    indexes = [index for table in metadata.tables.values() for index in table.indexes if has_expressions(index)]
    with owner_engine.connect() as connection:
        stored = {row.indexname: row.indexdef for row in connection.execute(definitions)}
        for index in indexes:
            index.drop(connection)
            index.create(connection)
        declared = {row.indexname: row.indexdef for row in connection.execute(definitions)}
    assert len(indexes) >= 8
    assert stored == declared


def test_revisions_form_one_line() -> None:
    scripts = ScriptDirectory(str(module.FOLDER))
    assert scripts.get_heads() == [head()]
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)
    assert sorted(path.name.split("_")[0] for path in module.FOLDER.glob("versions/[0-9]*.py")) == revisions[::-1]


def test_second_run_changes_nothing(owner_engine: Engine, own_url: str) -> None:
    # A copied database has other rights on the database than the one that it was copied from.
    migrate_at(own_url)
    with owner_engine.connect() as connection:
        before = catalogue_of(connection)
    assert migrate_at(own_url) == head()
    with owner_engine.connect() as connection:
        assert catalogue_of(connection) == before


def test_owner_of_restored_tables_gets_policies(own_url: str, owner_engine: Engine) -> None:
    with owner_engine.begin() as owner:
        before = catalogue_of(owner)
        owner.exec_driver_sql("DROP POLICY owner ON api_keys; ALTER POLICY owner ON organizations TO orgdata_writer")
    with psycopg.connect(own_url) as restored, pytest.raises(OperatorError, match="another owner than the one that"):
        require_owner(restored)
    migrate_at(own_url)
    with psycopg.connect(own_url) as restored:
        require_owner(restored)
    with owner_engine.connect() as owner:
        assert catalogue_of(owner) == before


def test_definitions_are_equal_after_a_restore(owner_engine: Engine) -> None:
    # pg_dump prints a chain of AND or OR without the parentheses that a new database has.
    with owner_engine.connect() as connection:
        before = catalogue_of(connection)
        for remake in connection.scalars(text(RESTORED)).all():
            connection.exec_driver_sql(remake, execution_options={"no_parameters": True})
        after = catalogue_of(connection)
    assert {key: after[key] for key in before if key[0] != "comment"} == {
        key: definition for key, definition in before.items() if key[0] != "comment"
    }


def test_concurrent_migrations_succeed(server: Server) -> None:
    # Alembic's context is one a process. These have what was imported here; new ones take seconds to import it.
    with empty_database(server) as url, ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(migrate_at, [url, url])) == [head(), head()]


def test_failed_revision_leaves_nothing(own_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as broken:
        add_revision(tmp_path, broken, "op.execute('CREATE TABLE half (id int)')\nop.execute('SELECT nothing')")
        with pytest.raises(ProgrammingError, match="nothing"):
            migrate_at(own_url)
    with connect(own_url).connect() as connection:
        assert "half" not in inspect(connection).get_table_names()
        assert revision_of(connection) == head()


def test_installation_folder_may_have_any_name(own_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "50% off, it's %(here)s" / "migrations"
    shutil.copytree(module.FOLDER, folder)
    monkeypatch.setattr(module, "FOLDER", folder)
    assert migrate_at(own_url) == head()
    with connect(own_url).connect() as connection:
        assert configuration(connection).get_main_option("script_location") == str(folder)


OLDER = (
    "The database has revision 0017: this version migrates new databases, and those from 0024 on. Run orgdata migrate"
    " of commit c20d811 first, which has the revisions 0001 to 0024; there was no release with them."
)
NEWER = (
    f"The database has revision 9999, which is newer than {head()}, that of this version: use the version that"
    " migrated it."
)
WITHOUT_REVISION = (
    "The database has tables of this service (activity_slots, api_keys, ...), and alembic_version does not have"
    " their revision: restore alembic_version from the backup, or insert into it the revision that `orgdata"
    " --version` of the version that migrated it shows; then run orgdata doctor, which compares them."
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE alembic_version SET version_num = '0017'", OLDER),
        ("UPDATE alembic_version SET version_num = '9999'", NEWER),
        ("DELETE FROM alembic_version", WITHOUT_REVISION),
        ("DROP TABLE alembic_version", WITHOUT_REVISION),
    ],
    ids=["older", "newer", "no revision", "no table"],
)
def test_database_of_another_revision_is_refused(change: str, message: str, own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        connection.execute(change.encode())
    with pytest.raises(OperatorError) as caught:
        migrate_at(own_url)
    assert str(caught.value) == message


def test_functions_of_another_owner_are_named(server: Server, own_url: str) -> None:
    with superuser_of(server, own_url) as administrator:
        administrator.execute("ALTER FUNCTION organization_not_set() OWNER TO postgres")
    with pytest.raises(OperatorError, match="must be owner of function organization_not_set") as caught:
        migrate_at(own_url)
    run_remedy(server, own_url, caught.value)
    assert migrate_at(own_url) == head()


def test_tables_that_a_superuser_restored_are_given_back(server: Server, own_url: str) -> None:
    with superuser_of(server, own_url) as administrator:
        administrator.execute("ALTER TABLE alembic_version OWNER TO postgres")
    refusal = r"their owner, postgres\. After a restore: "
    with psycopg.connect(own_url) as owner, pytest.raises(OperatorError, match=refusal) as caught:
        require_owner(owner, migrates=True)
    run_remedy(server, own_url, caught.value)
    with psycopg.connect(own_url) as owner:
        require_owner(owner, migrates=True)


def test_what_a_member_of_the_owner_makes_is_the_owners(server: Server, own_url: str) -> None:
    with superuser_of(server, own_url) as administrator:
        administrator.execute("DROP FUNCTION set_organization(uuid)")
        administrator.execute("CREATE ROLE member_of_owner LOGIN PASSWORD 'secret' IN ROLE orgdata_owner")
        try:
            migrate_at(make_conninfo(own_url, user="member_of_owner", password="secret"))
            assert migrate_at(own_url) == head()
        finally:
            administrator.execute("DROP OWNED BY member_of_owner")
            administrator.execute("DROP ROLE member_of_owner")


def run_remedy(server: Server, url: str, error: OperatorError) -> None:
    """Run what an error tells a superuser to run with psql."""
    statement = str(error).split("with psql: ")[1].removesuffix(" \\gexec")
    with superuser_of(server, url) as administrator:
        for (command,) in administrator.execute(statement.encode()).fetchall():
            administrator.execute(command)


ALTER = "op.execute('ALTER TABLE teams ADD COLUMN motto text')"

READING = "LOCK TABLE teams IN ACCESS SHARE MODE"
COMMENTING = "LOCK TABLE clients IN SHARE UPDATE EXCLUSIVE MODE"
MIGRATING = f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"


def is_about(sentence: str, statement: str) -> bool:
    """Whether a sentence names the transaction of a statement."""
    held = r"The oldest transactions with locks: process \d+ \(orgdata_owner, \d+ s\): "
    return re.fullmatch(held + re.escape(f"{statement}."), sentence) is not None


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A revision that changes teams; the queue of a lock is left early."""
    add_revision(tmp_path, monkeypatch, ALTER)
    monkeypatch.setattr(lock_waits, "LOCK_TIMEOUT", 0.1)
    monkeypatch.setattr(lock_waits, "PAUSE_SECONDS", 0.1)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("holding", [READING, MIGRATING, COMMENTING], ids=["a reader", "a migration", "a comment"])
def test_migration_waits_for_a_lock_and_names_its_holder(holding: str, own_url: str) -> None:
    said: list[str] = []

    def step(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 2:
            holder.rollback()

    with psycopg.connect(own_url) as holder, connect(own_url).connect() as connection:
        # A comment that is not as declared: the last step of the migration sets it.
        holder.execute("COMMENT ON TABLE clients IS 'Another'")
        holder.commit()
        holder.execute(holding.encode())
        assert migrate(connection, step=step) == "9999"
    assert len(said) == 2
    for sentence in said:
        beginning, _, rest = sentence.partition(". ")
        assert beginning == "Waiting for a lock"
        assert is_about(rest, holding), rest


@pytest.mark.usefixtures("later")
def test_migration_gives_up_and_names_the_holder(own_url: str) -> None:
    with connect(own_url).connect() as connection:
        before = revision_of(connection)
        with psycopg.connect(own_url) as holder:
            holder.execute(READING.encode())
            with pytest.raises(OperatorError) as caught:
                migrate(connection, max_wait=0)
        assert revision_of(connection) == before
    beginning, _, rest = str(caught.value).partition(". ")
    assert beginning == "Locks were not free within 0 s"
    held, _, remedy = rest.partition(". ")
    assert is_about(f"{held}.", READING)
    assert remedy == "End them, or wait for their end; then run orgdata migrate again, which continues."


@pytest.mark.usefixtures("later")
def test_holder_whose_statistics_are_hidden_is_named(server: Server, own_url: str) -> None:
    with superuser_of(server, own_url, autocommit=False) as holder, connect(own_url).connect() as connection:
        holder.execute(READING.encode())
        pid = holder.info.backend_pid
        with pytest.raises(OperatorError) as caught:
            migrate(connection, max_wait=0)
    held = f"process {pid} (postgres), whose statement this role may not see."
    assert f"The oldest transactions with locks: {held}" in str(caught.value)
