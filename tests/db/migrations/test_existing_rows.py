"""A revision over existing rows corrects those of all organizations, and stops with a sentence that names wrong ones.

Covers `db/migrations/security.py`.
"""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from db.admin.engine import connect
from db.admin.errors import MigrationError
from db.admin.migrate import migrate, revision_of
from db.tables.people import teams
from tests.db.migrations.later_revision import add_revision
from tests.db.writing import session
from tests.factories.rows import Rows

UPGRADE = """
with all_organizations(["teams"]):
    op.execute("UPDATE teams SET name = trim(name) WHERE name <> trim(name)")
    require([Rule("teams", "name", "name = ''", "name has letters")])
op.create_check_constraint("teams_name_check", "teams", "name <> ''")
"""

IMPORTS = """
from db.migrations.existing_rows import Rule, require
from db.migrations.security import all_organizations
"""

TEAMS = [UUID(int=number) for number in range(1, 8)]


@pytest.fixture
def later_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Migrations with a further revision."""
    add_revision(tmp_path, monkeypatch, UPGRADE, IMPORTS)


@pytest.fixture
def own(own_url: str) -> Iterator[Rows]:
    rows = Rows(connect(own_url))
    yield rows
    rows.connection.close()


def run(url: str) -> str:
    with connect(url).connect() as connection:
        return migrate(connection)


def test_rows_of_all_organizations_are_corrected(own_url: str, own: Rows, later_revision: None) -> None:
    organizations = [own.organization(), own.organization()]
    for organization in organizations:
        own.row(teams, organization, name=" Design ")
    assert run(own_url) == "9999"
    for organization in organizations:
        with session(own_url, organization) as reader:
            assert reader.run("SELECT name FROM teams") == [("Design",)], "row-level security is forced again"
            assert "teams_name_check" in reader.error("UPDATE teams SET name = ''")


def test_wrong_rows_stop_the_migration(own_url: str, own: Rows, later_revision: None) -> None:
    before = head_of(own_url)
    organizations = [own.organization(organization_id=UUID(int=number)) for number in (1, 2)]
    for organization in organizations:
        own.row(teams, organization, id=TEAMS[0], name=" ")
    with pytest.raises(MigrationError) as caught:
        run(own_url)
    assert str(caught.value) == (
        "Rows break rules that the database now has. teams: name has letters, unlike in"
        " organization_id 00000000-0000-0000-0000-000000000001, id 00000000-0000-0000-0000-000000000001, name ;"
        " organization_id 00000000-0000-0000-0000-000000000002, id 00000000-0000-0000-0000-000000000001, name ."
        " Correct them (SET app.organization_id = 'ID' before), then run orgdata migrate again. Nothing was changed."
    )
    assert head_of(own_url) == before
    with session(own_url, organizations[0]) as reader:
        assert reader.run("SELECT name FROM teams") == [(" ",)]


def test_wrong_rows_beyond_five_are_counted(own_url: str, own: Rows, later_revision: None) -> None:
    organization = own.organization()
    for id_ in TEAMS:
        own.row(teams, organization, id=id_, name="")
    with pytest.raises(MigrationError, match=r"-000000000005, name  and 2 more\."):
        run(own_url)


def head_of(url: str) -> str | None:
    with connect(url).connect() as connection:
        return revision_of(connection)
