"""Databases of earlier versions keep their rows, and get the catalogue of a new one; also after a run that failed."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from psycopg import sql
from sqlalchemy import event, inspect

from db.admin import migrate as module
from db.admin.engine import connect
from db.admin.migrate import ADVISORY_LOCK, head, migrate, revision_of
from db.errors import OperatorError
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from db.tables.columns import metadata
from db.tables.reference import PINNED_LISTS
from tests.db.migrations.predecessors import FORMS, predecessor
from tests.generate.new_database import Catalogue, catalogue_of
from tests.helpers.databases import migrate_at, superuser_of

INDEX = "timesheets_organization_id_user_id_started_at_id_idx"
NEW_INDEX = "timesheets_covering_is_locked_idx"


@pytest.fixture(scope="module")
def fresh(server: Server, template: str) -> Catalogue:
    """The catalogue of a new database. A copy of it would have other rights on the database."""
    return catalogue(server.url(OWNER, template))


@pytest.fixture
def oldest(server: Server, fresh: Catalogue) -> Iterator[str]:
    """The URL of a database of 0024, on a server whose roles a new database has made."""
    with predecessor(server, FORMS[0]) as url:
        yield url


def revision(url: str) -> str | None:
    with connect(url).connect() as connection:
        return revision_of(connection)


def catalogue(url: str) -> Catalogue:
    with connect(url).connect() as connection:
        return catalogue_of(connection)


def stored(server: Server, url: str, columns: Mapping[str, list[str]]) -> Mapping[str, list[dict[str, Any]]]:
    """The rows of these tables, with these columns."""
    rows: dict[str, list[dict[str, Any]]] = {}
    with superuser_of(server, url) as connection:
        for table, names in columns.items():
            query = sql.SQL("SELECT to_jsonb(t) FROM (SELECT {} FROM {}) t ORDER BY t::text").format(
                sql.SQL(", ").join(map(sql.Identifier, names)), sql.Identifier(table)
            )
            rows[table] = [row for (row,) in connection.execute(query)]
    return rows


def shown_columns(url: str) -> Mapping[str, list[str]]:
    """The columns of each declared table of a database. Later revisions add tables and columns."""
    tables = [*metadata.tables.keys() - {each.name for each in PINNED_LISTS}]
    with connect(url).connect() as connection:
        columns = inspect(connection).get_multi_columns(filter_names=tables)
    return {table: [column["name"] for column in found] for (_, table), found in columns.items()}


@pytest.mark.parametrize("form", FORMS)
def test_predecessor_gets_the_catalogue_of_a_new_database(form: str, fresh: Catalogue, server: Server) -> None:
    with predecessor(server, form) as url:
        columns = shown_columns(url)
        before = stored(server, url, columns)
        assert migrate_at(url) == head()
        assert catalogue(url) == fresh
        assert stored(server, url, columns) == before
        if form == FORMS[0]:
            with superuser_of(server, url) as connection:
                assert connection.execute("SELECT DISTINCT note, tags FROM timesheets").fetchall() == [(None, [])]
    assert [table for table, rows in before.items() if not rows] == []


def test_database_of_0024_that_was_recorded_as_0025_is_repaired(oldest: str, fresh: Catalogue, server: Server) -> None:
    with superuser_of(server, oldest) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0025'")
    assert migrate_at(oldest) == head()
    assert catalogue(oldest) == fresh


def test_record_of_the_baseline_is_undone_with_a_failed_revision(oldest: str, fresh: Catalogue, server: Server) -> None:
    with superuser_of(server, oldest) as connection:
        connection.execute("ALTER TABLE screenshots OWNER TO postgres")
        with pytest.raises(OperatorError, match="must be owner of table screenshots"):
            migrate_at(oldest)
        assert revision(oldest) == "0024"
        added = "SELECT count(*) FROM pg_attribute WHERE attrelid = 'timesheets'::regclass AND attname = 'tags'"
        assert connection.execute(added).fetchall() == [(0,)]
        connection.execute("ALTER TABLE screenshots OWNER TO orgdata_owner")
    assert migrate_at(oldest) == head()
    assert catalogue(oldest) == fresh


def test_last_revision_is_recorded_together_with_triggers_and_rights(
    oldest: str, fresh: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise OperatorError("Rights cannot be given.")

    with monkeypatch.context() as broken:
        broken.setattr(module, "grant_rights", fail)
        with pytest.raises(OperatorError, match="Rights cannot be given"):
            migrate_at(oldest)
    assert revision(oldest) not in ("0024", head())
    assert "trigger" in {kind for (kind, _), _ in fresh.items() ^ catalogue(oldest).items()}
    assert migrate_at(oldest) == head()
    assert catalogue(oldest) == fresh


INVALID = "; UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{}'::regclass"
COVERING = (
    "organization_id, user_id, started_at, id) INCLUDE (ended_at, tracked_until, project_id, task_id, kind,"
    " is_billable, is_locked, input_seconds, active_seconds, keyboard_seconds, mouse_seconds, updated_at, deleted_at"
)
LEFT = {
    "new index is not built": f"CREATE INDEX {NEW_INDEX} ON timesheets (id){INVALID.format(NEW_INDEX)}",
    "old index is not dropped": f"CREATE INDEX {NEW_INDEX} ON timesheets ({COVERING}){INVALID.format(INDEX)}",
    "new index is not renamed": f"CREATE INDEX {NEW_INDEX} ON timesheets ({COVERING}); DROP INDEX {INDEX}",
}
"""What a run leaves that is interrupted while the index is built beside the old one."""


@pytest.mark.parametrize("left", LEFT)
def test_interrupted_index_is_finished_by_the_next_run(left: str, fresh: Catalogue, server: Server) -> None:
    with predecessor(server, "0025_of_ded4f09b") as url:
        with superuser_of(server, url) as connection:
            connection.execute(LEFT[left].encode())
        assert migrate_at(url) == head()
        assert catalogue(url) == fresh


def test_lock_is_held_while_an_index_is_built(oldest: str, server: Server) -> None:
    def try_lock(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if " INDEX CONCURRENTLY " in statement:
            locked.extend(other.execute("SELECT pg_try_advisory_xact_lock(%s)", (ADVISORY_LOCK,)).fetchone() or ())

    locked: list[bool] = []
    with superuser_of(server, oldest) as other, connect(oldest).connect() as connection:
        event.listen(connection.engine, "before_cursor_execute", try_lock)
        migrate(connection)
    assert locked == [False, False]


def test_revision_that_another_run_recorded_is_no_error(oldest: str, server: Server) -> None:
    def record(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(f"UPDATE alembic_version SET version_num='{head()}'"):
            other.execute("UPDATE alembic_version SET version_num = %s", (head(),))

    with superuser_of(server, oldest) as other, connect(oldest).connect() as connection:
        event.listen(connection.engine, "before_cursor_execute", record)
        assert migrate(connection) == head()
