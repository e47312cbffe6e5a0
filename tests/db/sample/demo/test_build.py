"""Inserting the demo: two organizations, once, with the same rows for the same time.

Covers `db/sample/demo/scenarios/`.
"""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select

from db.admin.engine import connect
from db.admin.keys import AccessError, set_organization
from db.sample.demo.area import Row
from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID, insert_organizations
from db.sample.demo.scenarios.practice import PRACTICE
from db.tables.columns import metadata
from tests.db.sample.demo.demo_rows import NOW, TABLES, DemoRows


def stored(connection: Connection, organization_id: UUID = DEMO_ORGANIZATION_ID) -> dict[str, list[Row]]:
    """All rows of an organization, by table."""
    set_organization(connection, organization_id)
    result = {}
    for name in TABLES:
        table = metadata.tables[name]
        query = select(table).where(table.c.organization_id == organization_id).order_by(*table.primary_key)
        result[name] = [dict(row) for row in connection.execute(query).mappings()]
    return result


BothOrganizations = tuple[dict[str, list[Row]], dict[str, list[Row]]]
"""All rows of the demo organization and of the other one."""


def inserted(connection: Connection, *, members: int = 24, now: datetime = NOW) -> BothOrganizations:
    assert insert_organizations(connection, members=members, now=now) is True
    return stored(connection), stored(connection, OTHER_ORGANIZATION_ID)


@pytest.fixture(scope="module")
def both_organizations(owner_url: str) -> BothOrganizations:
    with connect(owner_url).connect() as connection:
        return inserted(connection)


def test_two_organizations_are_stored(both_organizations: BothOrganizations) -> None:
    first, second = both_organizations
    sizes = {name: len(rows) for name, rows in first.items()}
    assert {name: sizes[name] for name in ("organizations", "members", "teams", "clients", "projects")} == {
        "organizations": 1,
        "members": 24,
        "teams": 5,
        "clients": 8,
        "projects": 17,
    }
    assert 100 <= sizes["tasks"] <= 140
    assert 90 <= sizes["project_members"] <= 150
    assert 150 <= sizes["task_members"] <= 300
    others = {name: len(rows) for name, rows in second.items()}
    assert {name: others[name] for name in ("organizations", "members", "teams", "clients", "projects")} == {
        "organizations": 1,
        "members": 6,
        "teams": 1,
        "clients": 2,
        "projects": 4,
    }
    assert 12 <= others["tasks"] <= 20


def test_stored_rows_equal_built_rows(both_organizations: BothOrganizations, studio: DemoRows) -> None:
    first, _ = both_organizations
    for name, rows in studio.tables.items():
        expected = [{"organization_id": DEMO_ORGANIZATION_ID, **row} for row in rows]
        key = [column.name for column in metadata.tables[name].primary_key]
        # What triggers remember is none of the rows' own.
        remembered = {column.name for column in metadata.tables[name].columns if "remembered" in column.info}
        stored = [{column: value for column, value in row.items() if column not in remembered} for row in first[name]]
        assert stored == sorted(expected, key=lambda row: [row[column] for column in key])


def test_the_organizations_differ_in_zone_and_currency(both_organizations: BothOrganizations) -> None:
    first, second = (tables["organizations"][0] for tables in both_organizations)
    shown = ("name", "timezone", "currency", "country", "week_start_day", "status")
    assert [first[name] for name in shown] == [
        "Kestrelwerk Studio",
        "Europe/Berlin",
        "EUR",
        "DE",
        "monday",
        "active",
    ]
    assert [second[name] for name in shown] == [
        "Quillhaven Research",
        "America/New_York",
        "USD",
        "US",
        "sunday",
        "active",
    ]
    for row in (first, second):
        assert sorted(row["features"]) == [
            "app_tracking",
            "clock_in_out",
            "invoicing",
            "leave",
            "payroll",
            "screenshots",
            "url_tracking",
        ]
        assert row["data_retention_days"] == {"screenshots": 180, "app_usage": 365, "url_usage": 365}


def test_second_insert_changes_nothing(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        before = inserted(connection, members=2)
        connection.rollback()
        with pytest.raises(AccessError):
            stored(connection)
        connection.rollback()
        assert inserted(connection, members=2) == before
        connection.commit()
        assert insert_organizations(connection, members=60, now=NOW + timedelta(days=7)) is False
        connection.commit()
        assert (stored(connection), stored(connection, OTHER_ORGANIZATION_ID)) == before


def test_same_time_gives_same_rows(studio: DemoRows, practice: DemoRows) -> None:
    assert DemoRows(24, NOW).tables == studio.tables
    assert DemoRows(6, NOW, PRACTICE).tables == practice.tables
    assert DemoRows(24, NOW + timedelta(minutes=1)).tables != studio.tables


def test_member_client_and_project_ids_occur_in_both(both_organizations: BothOrganizations) -> None:
    first, second = both_organizations

    def shared(table: str, key: str) -> list[tuple[Row, Row]]:
        by_key = {row[key]: row for row in second[table]}
        return [(row, by_key[row[key]]) for row in first[table] if row[key] in by_key]

    ((owner, guest),) = shared("members", "user_id")
    assert owner["full_name"] == guest["full_name"] == "Katharina Vogt"
    assert owner["email"] == guest["email"] == "katharina.vogt@example.com"
    assert (owner["role"], guest["role"]) == ("owner", "viewer")
    assert owner["membership_id"] != guest["membership_id"]
    ((client, other_client),) = shared("clients", "id")
    assert (client["name"], other_client["name"]) == ("Lumen Optik", "Cedar Hollow Clinics")
    ((project, other_project),) = shared("projects", "id")
    assert (project["name"], other_project["name"]) == ("Online shop", "Patient survey")
    assert project["client_id"] == other_project["client_id"] == client["id"]
    assert any(row["user_id"] == owner["user_id"] for row in second["project_members"])
    for table in ("teams", "team_members", "project_members", "tasks", "task_members"):
        assert shared(table, "id") == []


@pytest.mark.parametrize(("members", "projects", "clients"), [(1, 17, 8), (500, 312, 156)])
def test_one_and_500_members_are_stored(owner_engine: Engine, members: int, projects: int, clients: int) -> None:
    with owner_engine.connect() as connection:
        assert insert_organizations(connection, members=members, now=NOW) is True
        set_organization(connection, DEMO_ORGANIZATION_ID)
        counts = {name: connection.scalar(select(func.count()).select_from(metadata.tables[name])) for name in TABLES}
    assert (counts["members"], counts["projects"], counts["clients"]) == (members, projects, clients)
    # The owner of the studio tracks no time.
    assert members == 1 or all(counts.values())


@pytest.mark.parametrize("members", [0, -1, 1001])
def test_member_count_out_of_range_is_refused(owner_engine: Engine, members: int) -> None:
    with (
        owner_engine.connect() as connection,
        pytest.raises(ValueError, match=r"^members must be between 1 and 1000\.$"),
    ):
        insert_organizations(connection, members=members, now=NOW)
