"""`orgdata migrate`: an empty database gets all tables, an older one what it lacks."""

from uuid import uuid4

import psycopg

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


def test_check_ends_with_one_for_another_revision(orgdata: Run, own_url: str) -> None:
    reached = f"The database is at revision {head()}.\n"
    assert orgdata("migrate", "--check", DATABASE_URL=own_url) == CommandResult(0, reached, "")
    with psycopg.connect(own_url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0025'")
    sentence = f"The database is at revision 0025, and this version needs {head()}.\n"
    for _ in range(2):
        assert orgdata("migrate", "--check", DATABASE_URL=own_url) == CommandResult(1, sentence, "")
