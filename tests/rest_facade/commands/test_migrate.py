"""`orgdata migrate`: an empty database gets all tables."""

from uuid import uuid4

from db.admin.migrate import head
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from tests.rest_facade.commands.conftest import CommandResult, Run, assert_refused


def test_migrate_is_repeatable(orgdata: Run, server: Server) -> None:
    url = ensure_database(server, f"empty_{uuid4().hex}")
    assert_refused(
        orgdata("keys", "list", DATABASE_URL=url), 'The database refused: relation "api_keys" does not exist'
    )
    for _ in range(2):
        assert orgdata("migrate", DATABASE_URL=url) == CommandResult(0, f"The database is at revision {head()}.\n", "")
    assert orgdata("keys", "list", DATABASE_URL=url) == CommandResult(0, "", "")
