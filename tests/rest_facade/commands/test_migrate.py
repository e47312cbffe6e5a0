"""`orgdata migrate`: an empty database gets all tables, an older one what it lacks."""

import os
from signal import SIGINT, SIGTERM, Signals, default_int_handler, signal
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from db.admin.migrate import head
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from tests.db.migrations.predecessors import FORMS, predecessor
from tests.rest_facade.commands.conftest import CommandResult, Run, assert_refused


def test_migrate_is_repeatable(orgdata: Run, server: Server) -> None:
    url = ensure_database(server, f"empty_{uuid4().hex}")
    refused = 'The database refused: relation "api_keys" does not exist. Run `orgdata migrate` first; where it ran,'
    assert_refused(orgdata("keys", "list", DATABASE_URL=url), f"{refused} `orgdata doctor`.")
    for _ in range(2):
        assert orgdata("migrate", DATABASE_URL=url) == CommandResult(0, f"The database is at revision {head()}.\n", "")
    assert orgdata("keys", "list", DATABASE_URL=url) == CommandResult(0, "", "")


def test_migrate_says_that_the_database_is_older_than_the_baseline(orgdata: Run, server: Server, template: str) -> None:
    assert template, "its migration made the roles"
    older = "The database has revision 0024: later revisions add what it lacks of the baseline 0025.\n"
    reached = f"The database is at revision {head()}.\n"
    with predecessor(server, FORMS[0]) as url:
        assert orgdata("migrate", DATABASE_URL=url) == CommandResult(0, older + reached, "")
        assert orgdata("migrate", DATABASE_URL=url) == CommandResult(0, reached, "")


@pytest.mark.parametrize(("number", "code"), [(SIGTERM, 143), (SIGINT, 130)])
def test_interrupted_migration_changes_nothing(
    number: Signals, code: int, run: Run, own_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(own_url) as connection:
        connection.execute("DROP FUNCTION organizations_of_token")
    monkeypatch.setattr("db.admin.migrate.ensure_comments", lambda _: os.kill(os.getpid(), number))
    sentence = "orgdata: Interrupted. Revisions that were applied stay; run the command again.\n"
    # A shell lets its background jobs ignore Ctrl-C, so these tests, too.
    before = signal(SIGINT, default_int_handler)
    result = run("migrate", url=own_url)
    signal(SIGINT, before)
    assert result == CommandResult(code, "", sentence)
    with psycopg.connect(own_url) as connection:
        assert connection.execute("SELECT to_regproc('organizations_of_token')").fetchone() == (None,)


def test_read_only_database_is_told_with_its_remedy(orgdata: Run, own_url: str) -> None:
    with psycopg.connect(own_url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name))
    assert_refused(
        orgdata("migrate", DATABASE_URL=own_url),
        "The database refused: cannot execute CREATE FUNCTION in a read-only transaction. Use the address of the"
        " primary; RESET default_transaction_read_only of the role and the database.",
    )


def test_check_ends_with_one_for_another_revision(orgdata: Run, own_url: str) -> None:
    reached = f"The database is at revision {head()}.\n"
    assert orgdata("migrate", "--check", DATABASE_URL=own_url) == CommandResult(0, reached, "")
    with psycopg.connect(own_url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0025'")
    sentence = f"The database is at revision 0025, and this version needs {head()}.\n"
    for _ in range(2):
        assert orgdata("migrate", "--check", DATABASE_URL=own_url) == CommandResult(1, sentence, "")
