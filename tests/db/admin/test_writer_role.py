"""The writer's role: rows of the organization of its transaction, in every table but keys and quotas."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import Table

from db.admin.roles import WRITER_ROLE, written_tables
from db.tables.areas import metadata
from tests.db.writing import Session, session
from tests.factories.rows import Rows
from tests.world import World, build

DENIED = "permission denied for table {}"

OPERATED = ["api_keys", "quota_overrides", "trusted_documents", "erasures"]
READ_ONLY = ["time_zones", "currencies", "countries"]


@pytest.fixture(scope="module")
def worlds(rows: Rows) -> tuple[World, World]:
    return build(rows, "W"), build(rows, "V")


@pytest.fixture
def writer(owner_url: str, worlds: tuple[World, World]) -> Iterator[Session]:
    with session(owner_url, worlds[0].organization_id, WRITER_ROLE) as writer:
        yield writer


def copy_of(table: Table, organization: str) -> str:
    """An INSERT of a copy of a row, with new ids and text where they must be unique."""
    names = [column.name for column in table.columns if column.name in ("id", "name", "number", "url")]
    new = {name: "gen_random_uuid()" if name == "id" else f"x.{name} || 'x'" for name in names}
    if table.name == "members":
        new |= {"user_id": "gen_random_uuid()", "membership_id": "gen_random_uuid()"}
    if table.name == "tasks":
        del new["number"]
    changes = ", ".join(f"'{name}', {value}" for name, value in {"organization_id": organization, **new}.items())
    return (
        f"INSERT INTO {table.name} SELECT (jsonb_populate_record(NULL::{table.name}, to_jsonb(x) ||"
        f" jsonb_build_object({changes}))).* FROM (SELECT * FROM {table.name} LIMIT 1) x ON CONFLICT DO NOTHING"
    )


def test_writes_rows_of_the_own_organization(writer: Session) -> None:
    for table in written_tables():
        writer.run(copy_of(table, "%(o)s::uuid"))
        assert writer.run(f"UPDATE {table.name} SET updated_at = now() RETURNING organization_id"), table.name
        owners = writer.run(f"SELECT DISTINCT organization_id FROM {table.name}")
        assert [row.organization_id for row in owners] == [writer.values["o"]]


def test_deletes_rows_of_the_own_organization(writer: Session) -> None:
    referred = {key.column.table for each in metadata.sorted_tables for key in each.foreign_keys}
    for table in sorted(written_tables(), key=lambda table: table not in referred):
        delete = f"DELETE FROM {table.name} RETURNING organization_id"
        if table in referred:
            assert "violates foreign key constraint" in writer.error(delete), "and is not denied"
        else:
            assert {row.organization_id for row in writer.run(delete)} == {writer.values["o"]}, table.name


def test_rows_of_another_organization_are_out_of_reach(writer: Session, worlds: tuple[World, World]) -> None:
    other = worlds[1].organization_id
    where = "WHERE organization_id = %(other)s"
    for table in written_tables():
        refused = f'new row violates row-level security policy for table "{table.name}"'
        assert writer.error(copy_of(table, "%(other)s::uuid"), other=other) == refused
        assert writer.error(f"UPDATE {table.name} SET organization_id = %(other)s", other=other) == refused
        assert writer.run(f"SELECT 1 FROM {table.name} {where}", other=other) == []
        assert writer.run(f"UPDATE {table.name} SET deleted_at = now() {where} RETURNING 1", other=other) == []
        assert writer.run(f"DELETE FROM {table.name} {where} RETURNING 1", other=other) == []


def test_every_table_is_covered() -> None:
    assert {table.name for table in written_tables()} | {*OPERATED, *READ_ONLY, "organizations"} == set(metadata.tables)


@pytest.mark.parametrize("name", [*OPERATED, "alembic_version"])
def test_keys_and_quotas_are_out_of_reach(writer: Session, name: str) -> None:
    for command in (f"SELECT 1 FROM {name}", f"DELETE FROM {name}", f"INSERT INTO {name} SELECT (NULL::{name}).*"):
        assert writer.error(command) == DENIED.format(name)
    (column, *_) = [row.attname for row in writer.run(COLUMNS, name=name)]
    assert writer.error(f"UPDATE {name} SET {column} = NULL") == DENIED.format(name)


COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = %(name)s::regclass AND attnum > 0"


@pytest.mark.parametrize("name", READ_ONLY)
def test_reference_tables_are_read_only(writer: Session, name: str) -> None:
    assert writer.run(f"SELECT 1 FROM {name} LIMIT 1")
    for command in (f"DELETE FROM {name}", f"INSERT INTO {name} VALUES ('x')"):
        assert writer.error(command) == DENIED.format(name)


def test_organization_is_changed_but_not_operated(writer: Session) -> None:
    writer.run("UPDATE organizations SET name = 'Renamed', timezone = 'Asia/Tokyo', features = features")
    denied = DENIED.format("organizations")
    for command in (
        "UPDATE organizations SET status = 'active'",
        "UPDATE organizations SET deleted_at = NULL",
        "DELETE FROM organizations",
        f"INSERT INTO organizations (organization_id, name) VALUES ('{uuid4()}', 'x')",
    ):
        assert writer.error(command) == denied


@pytest.mark.parametrize(
    "command",
    [
        "TRUNCATE tasks",
        "ALTER TABLE tasks DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE tasks DISABLE TRIGGER ALL",
        "DROP TABLE tasks",
        "CREATE TABLE mine (id int)",
        "SET LOCAL session_replication_role = replica",
        "CREATE ROLE more",
    ],
)
def test_other_commands_are_refused(writer: Session, command: str) -> None:
    error = writer.error(command)
    assert "permission denied" in error or "must be owner" in error
