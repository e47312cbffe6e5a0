"""Upgrading a database with rows: what a migration corrects, and what it refuses with the rows named.

Covers `db/migrations/security.py`.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from psycopg import sql
from psycopg.rows import namedtuple_row
from sqlalchemy import text

from db.admin.engine import connect
from db.admin.errors import MigrationError
from db.admin.functions import ensure_functions
from db.admin.migrate import configuration, head, migrate, revision_of
from db.admin.roles import ensure_roles
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.tables.people import FEATURES

OLD_POLICY = "organization_id = nullif(current_setting('app.organization_id', true), '')::uuid"

ONE, TWO = UUID(int=1), UUID(int=2)

# What 0011 accepted, in two organizations.
ROWS = """
INSERT INTO organizations (organization_id, name, timezone, currency, country, features, data_retention_days)
VALUES (%(o)s, 'Acme', 'europe/berlin', 'eur ', 'de', '{}', '{}');

INSERT INTO members (organization_id, user_id, membership_id, full_name, timezone)
VALUES (%(o)s, '00000000-0000-0000-0000-0000000000a1', gen_random_uuid(), 'Ada', 'utc');

INSERT INTO clients (organization_id, id, name, currency)
VALUES (%(o)s, '00000000-0000-0000-0000-0000000000c1', 'Globex', 'USD');
"""


@pytest.fixture
def old_url(server: Server) -> Iterator[str]:
    """A database at revision 0011."""
    name = f"old_{uuid4().hex}"
    url = ensure_database(server, name)
    with connect(url).connect() as connection:
        ensure_roles(connection)
        ensure_functions(connection)
        command.upgrade(configuration(connection), "0011")
        policies = text("SELECT tablename FROM pg_policies WHERE qual LIKE '%not_set%'")
        for (table,) in connection.execute(policies).all():
            connection.execute(text(f"ALTER POLICY tenant ON {table} USING ({OLD_POLICY})"))
        for function in ("organization_not_set", "set_organization", "set_updated_at", "refuse_move", "set_join_times"):
            connection.execute(text(f"DROP FUNCTION {function}"))
        connection.commit()
    yield url
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def insert(url: str, organization_id: UUID, *statements: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('app.organization_id', %s, true)", [str(organization_id)])
        for statement in statements:
            connection.execute(statement, {"o": organization_id})


def read(url: str, organization_id: UUID, query: str) -> list[Any]:
    with psycopg.connect(url, row_factory=namedtuple_row) as connection:
        connection.execute("SELECT set_config('app.organization_id', %s, true)", [str(organization_id)])
        return connection.execute(query).fetchall()


def run(url: str) -> str:
    with connect(url).connect() as connection:
        return migrate(connection)


def test_empty_database_of_an_older_version_is_migrated(old_url: str) -> None:
    assert run(old_url) == head()


def test_names_in_other_letters_are_corrected(old_url: str) -> None:
    for organization in (ONE, TWO):
        insert(old_url, organization, *ROWS.split("\n\n"))
    assert run(old_url) == head()
    for organization in (ONE, TWO):
        found = read(old_url, organization, "SELECT timezone, currency, country FROM organizations")
        assert found == [("Europe/Berlin", "EUR", "DE")] * 2, "the owner sees both organizations"
        assert read(old_url, organization, "SELECT timezone FROM members") == [("UTC",)]


def test_missing_features_and_times_of_joining_are_completed(old_url: str) -> None:
    insert(old_url, ONE, *ROWS.split("\n\n"), 'UPDATE organizations SET features = \'{"leave": false, "payroll": 1}\'')
    run(old_url)
    (row,) = read(old_url, ONE, f"SELECT * FROM organizations WHERE organization_id = '{ONE}'")
    assert row.features == {**dict.fromkeys(FEATURES, True), "leave": False}
    assert row.data_retention_days == {"screenshots": 180, "app_usage": 365, "url_usage": 365}
    (member,) = read(old_url, ONE, "SELECT * FROM members")
    assert member.joined_at == member.first_joined_at == member.created_at.replace(microsecond=0)
    assert member.updated_at > member.created_at, "clients that poll see the correction"


def test_value_that_breaks_a_rule_stops_the_migration(old_url: str) -> None:
    insert(old_url, ONE, *ROWS.split("\n\n"), "UPDATE members SET weekly_limit_seconds = -1, removed_at = NULL")
    with pytest.raises(MigrationError) as caught:
        run(old_url)
    assert (
        "members: the rule zero_or_more holds, unlike in organization_id 00000000-0000-0000-0000-000000000001, user_id"
        " 00000000-0000-0000-0000-0000000000a1, weekly_limit_seconds -1, expected_weekly_seconds None."
    ) in str(caught.value)


def test_unknown_names_stop_the_migration(old_url: str) -> None:
    insert(old_url, ONE, *ROWS.split("\n\n"), "UPDATE organizations SET timezone = 'Berlin'")
    insert(old_url, TWO, *ROWS.split("\n\n"), "UPDATE clients SET currency = 'Taler'")
    with pytest.raises(MigrationError) as caught:
        run(old_url)
    assert str(caught.value) == (
        "Rows break rules that the database now has. organizations: timezone is in the table time_zones, unlike in"
        f" organization_id {ONE}, timezone Berlin. clients: currency is in the table currencies, unlike in"
        f" organization_id {TWO}, id 00000000-0000-0000-0000-0000000000c1, currency Taler."
        " Correct them (SET app.organization_id = 'ID' before), then run orgdata migrate again. Nothing was changed."
    )
    with connect(old_url).connect() as connection:
        assert revision_of(connection) == "0011"
    insert(old_url, ONE, "UPDATE organizations SET timezone = 'Europe/Berlin'")
    insert(old_url, TWO, "UPDATE clients SET currency = 'EUR'")
    assert run(old_url) == head()


def test_many_broken_rows_are_counted(old_url: str) -> None:
    insert(old_url, ONE, *ROWS.split("\n\n"))
    values = "SELECT %(o)s, gen_random_uuid(), 'x', 'Taler' FROM generate_series(1, 7)"
    insert(old_url, ONE, f"INSERT INTO clients (organization_id, id, name, currency) {values}")
    with pytest.raises(MigrationError, match=r"(currency Taler; .*){4}currency Taler and 2 more\."):
        run(old_url)


def test_row_level_security_is_forced_again(old_url: str) -> None:
    insert(old_url, ONE, *ROWS.split("\n\n"))
    run(old_url)
    unforced = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
    assert read(old_url, ONE, unforced) == []
