"""The demo organization: what is in it, that it holds together for any size and day, that it is made once."""

from collections import Counter
from dataclasses import fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection, Engine, select

from db import demo
from db.access import AccessError, act_for
from db.demo import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID, People, Row, Work, build
from db.names import PRACTICE, STUDIO
from db.tables import metadata

TODAY = date(2026, 3, 2)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)
TABLES = [field.name for area in (People, Work) for field in fields(area)]


def stored(connection: Connection, organization_id: UUID = DEMO_ORGANIZATION_ID) -> dict[str, list[Row]]:
    """All rows of an organization, by table."""
    act_for(connection, organization_id)
    found = {}
    for name in TABLES:
        table = metadata.tables[name]
        query = select(table).where(table.c.organization_id == organization_id).order_by(*table.primary_key)
        found[name] = [dict(row) for row in connection.execute(query).mappings()]
    return found


def alive(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["deleted_at"] is None]


class Made:
    """The demo organization as it is made, before it is stored."""

    def __init__(self, members: int, today: date) -> None:
        self.people = demo.people(STUDIO, members, today)
        self.work = demo.work(STUDIO, self.people, today)
        self.tables: dict[str, list[Row]] = {**vars(self.people), **vars(self.work)}
        self.rows = [row for rows in self.tables.values() for row in rows]
        self.end = datetime.combine(today, time(), UTC)
        self.person = {row["user_id"]: row for row in self.people.members}
        self.team = {row["id"]: row for row in self.people.teams}
        self.client = {row["id"]: row for row in self.work.clients}
        self.project = {row["id"]: row for row in self.work.projects}
        self.task = {row["id"]: row for row in self.work.tasks}


@pytest.fixture(scope="module")
def studio() -> Made:
    return Made(24, TODAY)


@pytest.fixture(
    scope="module",
    params=[
        (1, TODAY),
        (2, TODAY),
        (24, TODAY),
        (24, date(2024, 2, 29)),
        (60, date(2027, 1, 1)),
        (300, TODAY),
    ],
    ids=lambda made: f"{made[0]} members on {made[1]}",
)
def made(request: pytest.FixtureRequest) -> Made:
    return Made(*request.param)


# What is stored.


def test_two_organizations_are_stored_and_the_caller_commits(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        assert build(connection, today=TODAY) is True
        connection.rollback()
        with pytest.raises(AccessError):
            stored(connection)
        connection.rollback()
        assert build(connection, today=TODAY) is True
        connection.commit()
    with owner_engine.connect() as connection:
        first, second = stored(connection), stored(connection, OTHER_ORGANIZATION_ID)
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


def test_what_is_stored_is_what_was_made(owner_engine: Engine, studio: Made) -> None:
    with owner_engine.connect() as connection:
        build(connection, today=TODAY)
        found = stored(connection)
    for name, rows in studio.tables.items():
        expected = [{"organization_id": DEMO_ORGANIZATION_ID, **row} for row in rows]
        key = [column.name for column in metadata.tables[name].primary_key]
        assert found[name] == sorted(expected, key=lambda row: [row[column] for column in key])


def test_the_organizations_differ_in_zone_and_currency(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        build(connection, today=TODAY)
        first = stored(connection)["organizations"][0]
        second = stored(connection, OTHER_ORGANIZATION_ID)["organizations"][0]
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


def test_a_second_build_changes_nothing(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        build(connection, today=TODAY)
        connection.commit()
        before = stored(connection), stored(connection, OTHER_ORGANIZATION_ID)
        connection.commit()
        assert build(connection, members=60, today=TODAY + timedelta(days=7)) is False
        connection.commit()
        assert (stored(connection), stored(connection, OTHER_ORGANIZATION_ID)) == before


def test_the_same_day_gives_the_same_rows_and_another_day_others(owner_engine: Engine) -> None:
    def rows(today: date) -> list[dict[str, list[Row]]]:
        with owner_engine.connect() as connection:
            build(connection, today=today)
            return [stored(connection), stored(connection, OTHER_ORGANIZATION_ID)]

    first = rows(TODAY)
    assert rows(TODAY) == first
    assert rows(TODAY + timedelta(days=1)) != first


def test_a_person_a_client_and_a_project_have_the_same_id_in_both(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        build(connection, today=TODAY)
        first, second = stored(connection), stored(connection, OTHER_ORGANIZATION_ID)

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


@pytest.mark.parametrize(("members", "projects", "clients"), [(1, 17, 8), (25, 17, 8), (60, 38, 19), (500, 312, 156)])
def test_any_size_is_stored(owner_engine: Engine, members: int, projects: int, clients: int) -> None:
    with owner_engine.connect() as connection:
        assert build(connection, members=members, today=TODAY) is True
        found = stored(connection)
        others = stored(connection, OTHER_ORGANIZATION_ID)
    assert len(found["members"]) == members
    assert len(found["projects"]) == projects
    assert len(found["clients"]) == clients
    assert len(others["members"]) == 6
    assert all(found[name] for name in TABLES)


@pytest.mark.parametrize("members", [0, -1, 1001])
def test_a_size_without_names_is_refused(owner_engine: Engine, members: int) -> None:
    with (
        owner_engine.connect() as connection,
        pytest.raises(ValueError, match=r"^members must be between 1 and 1000\.$"),
    ):
        build(connection, members=members, today=TODAY)


# What a reader sees in the organization of 24.


def test_the_members(studio: Made) -> None:
    members = studio.people.members
    assert Counter(row["role"] for row in members) == {
        "owner": 1,
        "admin": 2,
        "manager": 4,
        "member": 15,
        "viewer": 2,
    }
    assert Counter(row["status"] for row in members) == {
        "active": 19,
        "invited": 2,
        "suspended": 1,
        "removed": 2,
    }
    assert Counter(row["employment_type"] for row in members) == {
        "employee": 19,
        "contractor": 3,
        "intern": 1,
        "other": 1,
    }
    assert {row["timezone"] for row in members} == {
        None,
        "Asia/Kolkata",
        "America/New_York",
        "Australia/Adelaide",
        "America/Sao_Paulo",
        "Atlantic/Reykjavik",
        "Asia/Kathmandu",
        "Africa/Nairobi",
    }
    engineer = next(row for row in members if row["email"] == "jonas.bruckner@example.com")
    assert engineer["full_name"] == "Jonas Brückner"
    assert (engineer["job_title"], engineer["department"]) == ("Engineering Lead", "Engineering")
    assert engineer["employee_number"] == "KW-0105"
    assert engineer["manager_user_id"] == members[0]["user_id"]
    assert any(not row["full_name"].isascii() for row in members)
    assert any(row["custom_fields"] for row in members) and any(not row["custom_fields"] for row in members)
    assert {row["weekly_limit_seconds"] for row in members} >= {None, 57600, 72000, 144000}
    assert len({row["department"] for row in members}) == 7


def test_an_erased_member_has_no_name(studio: Made) -> None:
    (erased,) = (row for row in studio.people.members if row["email"] is None)
    personal = ("first_name", "last_name", "avatar_url", "timezone", "employee_number", "job_title")
    assert erased["full_name"] == "Former member"
    assert erased["status"] == "removed"
    assert [erased[name] for name in personal] == [None] * 6
    assert erased["custom_fields"] == {}


def test_one_member_was_removed_and_invited_again(studio: Made) -> None:
    (returned,) = (row for row in studio.people.members if row["first_joined_at"] != row["joined_at"])
    assert returned["full_name"] == "Ravi Shrestha"
    assert returned["first_joined_at"] < returned["joined_at"]
    assert (returned["status"], returned["removed_at"], returned["left_on"]) == ("active", None, None)
    assert returned["membership_id"] > returned["user_id"], "the membership is of the second invitation"


def test_the_teams(studio: Made) -> None:
    teams = {row["name"]: row for row in studio.people.teams}
    assert list(teams) == ["Design", "Engineering", "Delivery", "Print", "Winter Campaign"]
    assert [name for name, row in teams.items() if not row["is_active"]] == ["Print"]
    assert [name for name, row in teams.items() if row["deleted_at"]] == ["Winter Campaign"]
    leads: dict[str, set[str]] = {}
    for row in studio.people.team_members:
        if row["role"] == "lead":
            name = studio.team[row["team_id"]]["name"]
            leads.setdefault(name, set()).add(studio.person[row["user_id"]]["full_name"])
    assert leads["Design"] == {"Élodie Marchand"}
    assert leads["Engineering"] == {"Jonas Brückner"}
    assert leads["Delivery"] == {"Sofía Herrera", "Daniel Osei"}


def test_the_clients(studio: Made) -> None:
    clients = {row["name"]: row for row in studio.work.clients}
    assert [name for name, row in clients.items() if row["archived_at"]] == [
        "Holzmann & Söhne Möbel",
        "Fennel & Fig Catering",
    ]
    assert Counter(row["currency"] for row in clients.values()) == {
        "EUR": 4,
        "GBP": 1,
        "JPY": 1,
        "KWD": 1,
        "USD": 1,
    }
    assert {row["budget_type"] for row in clients.values()} == {"none", "amount", "time"}
    assert {row["budget_recurrence"] for row in clients.values()} == {"none", "monthly"}
    optician = clients["Lumen Optik"]
    assert optician["address"] == {
        "line1": "Schleiferweg 8",
        "line2": "Haus B",
        "city": "Jena",
        "region": "Thüringen",
        "postal_code": "07745",
        "country": "DE",
    }
    assert optician["tax_number"] == "DE999230078"
    assert optician["invoice_emails"] == ["invoices.lumen-optik@example.org"]
    assert (optician["budget_amount"], optician["external_id"]) == (Decimal("18000.00"), "C-10003")
    assert sum(row["note"] is not None for row in clients.values()) == 4


def test_the_projects(studio: Made) -> None:
    projects = {row["name"]: row for row in studio.work.projects}
    assert Counter(row["status"] for row in projects.values()) == {
        "active": 9,
        "on_hold": 2,
        "completed": 3,
        "archived": 3,
    }
    assert Counter(row["billing_type"] for row in projects.values()) == {"none": 2, "hourly": 9, "fixed": 6}
    assert [name for name, row in projects.items() if row["client_id"] is None] == [
        "Studio operations",
        "Learning hours",
    ]
    assert [name for name, row in projects.items() if row["deleted_at"]] == ["Outage map"]
    assert len({row["code"] for row in projects.values()}) == 17
    yen, dinar = projects["Packaging series"], projects["Export catalogue"]
    assert (yen["currency"], yen["bill_rate"], yen["code"]) == ("JPY", Decimal(14500), "TSU-02")
    assert (dinar["currency"], dinar["fixed_amount"]) == ("KWD", Decimal("8400.500"))
    assert {row["budget_type"] for row in projects.values()} == {"none", "amount", "time"}
    assert {row["budget_recurrence"] for row in projects.values()} == {"none", "weekly", "monthly"}


def test_who_is_on_projects(studio: Made) -> None:
    places = studio.work.project_members
    assert {row["role"] for row in places} == {"manager", "member", "viewer"}
    assert {row["source"] for row in places} == {"direct", "team"}
    assert any(row["pay_rate"] and row["bill_rate"] for row in places)
    assert any(row["budget_seconds"] for row in places)
    assert any(row["removed_at"] for row in alive(places))
    again = Counter((row["project_id"], row["user_id"]) for row in places)
    twice = [key for key, count in again.items() if count > 1]
    assert twice, "somebody was put on a project by mistake, and then properly"
    for project_id, user_id in twice:
        rows = [row for row in places if (row["project_id"], row["user_id"]) == (project_id, user_id)]
        assert [row["deleted_at"] is None for row in rows] == [False, True]


def test_the_tasks(studio: Made) -> None:
    tasks = studio.work.tasks
    assert {row["status"] for row in tasks} == {"open", "in_progress", "completed", "archived"}
    assert {row["priority"] for row in tasks} == {"none", "low", "medium", "high", "urgent"}
    assert {row["is_billable"] for row in tasks} == {None, False}
    assert any(row["estimate_seconds"] for row in tasks)
    assert any(len(row["labels"]) > 1 for row in tasks) and any(row["labels"] == [] for row in tasks)
    assert sum(row["parent_task_id"] is not None for row in tasks) >= 10
    from_jira = [row for row in tasks if row["external_source"] == "jira"]
    assert {row["external_id"].split("-")[0] for row in from_jira} == {"LSHOP", "DEAL", "KIOSK", "PORTAL"}
    assert all(row["external_id"] is None for row in tasks if row["external_source"] is None)
    live_projects = {row["id"] for row in alive(studio.work.projects)}
    (deleted,) = (row for row in tasks if row["deleted_at"] and row["project_id"] in live_projects)
    on_it = [row for row in studio.work.task_members if row["task_id"] == deleted["id"]]
    assert alive(on_it) == []
    assert Counter(row["role"] for row in studio.work.task_members).keys() == {"assignee", "watcher"}


@pytest.mark.parametrize("table", [name for name in TABLES if name != "organizations"])
def test_some_rows_were_created_at_the_same_moment_but_not_too_many(studio: Made, table: str) -> None:
    created = [row["created_at"] for row in studio.tables[table]]
    assert 0.5 < len(set(created)) / len(created) < 1


@pytest.mark.parametrize("table", [name for name in TABLES if name not in ("organizations", "teams")])
def test_some_moments_have_no_fraction_of_a_second(studio: Made, table: str) -> None:
    rows = studio.tables[table]
    assert {row["updated_at"].microsecond == 0 for row in rows} == {True, False}
    assert any(row["created_at"] == row["updated_at"] for row in rows)
    assert any(row["created_at"] < row["updated_at"] for row in rows)


# What holds for every size and day.


def test_no_row_is_changed_before_it_is_created_or_after_today_begins(made: Made) -> None:
    start = made.end - timedelta(days=730)
    for row in made.rows:
        assert start <= row["created_at"] <= row["updated_at"] <= made.end
        if row["deleted_at"] is not None:
            assert row["created_at"] < row["deleted_at"] == row["updated_at"]


def test_events_are_whole_seconds_and_known_when_the_row_was_last_changed(made: Made) -> None:
    events = ("first_joined_at", "joined_at", "removed_at", "archived_at", "completed_at", "assigned_at")
    for name, rows in made.tables.items():
        for row in rows:
            for event in events:
                if row.get(event) is not None and (name, event) != ("team_members", "joined_at"):
                    assert row[event].microsecond == 0
                    assert row[event] <= row["updated_at"]


def test_ids_are_of_version_7_and_of_the_time_of_creation(made: Made) -> None:
    for name, rows in made.tables.items():
        key = "user_id" if name == "members" else "id"
        if name != "organizations":
            assert len({row[key] for row in rows}) == len(rows)
            for row in rows:
                assert (row[key].version, row[key].variant) == (7, "specified in RFC 4122")
                assert row[key].int >> 80 == int(row["created_at"].timestamp() * 1000)
    for organization_id in (DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID):
        assert (organization_id.version, organization_id.variant) == (7, "specified in RFC 4122")


def test_every_column_is_given(made: Made) -> None:
    for name, rows in made.tables.items():
        columns = {column.name for column in metadata.tables[name].columns} - {"organization_id"}
        assert all(row.keys() == columns for row in rows)


def test_names_and_addresses_are_unique_and_reserved_for_examples(made: Made) -> None:
    named = [row for row in made.people.members if row["email"] is not None]
    assert len({row["email"] for row in named}) == len({row["full_name"] for row in named}) == len(named)
    assert all(row["email"].isascii() and row["email"].endswith("@example.com") for row in named)
    assert len({row["membership_id"] for row in made.people.members}) == len(made.people.members)
    for rows in (made.people.teams, made.work.clients, made.work.projects):
        label = "code" if rows is made.work.projects else "name"
        assert len({row[label] for row in rows}) == len(rows)
    addresses = [address for row in made.work.clients for address in [row["email"], *row["invoice_emails"]]]
    assert all(address is None or address.endswith("@example.org") for address in addresses)


def test_members_joined_and_left_as_their_status_says(made: Made) -> None:
    assert [row["role"] for row in made.people.members].count("owner") == 1
    for row in made.people.members:
        assert (row["status"] == "invited") == (row["joined_at"] is None) == (row["first_joined_at"] is None)
        assert (row["status"] == "removed") == (row["removed_at"] is not None) == (row["left_on"] is not None)
        assert row["timezone"] is None or ZoneInfo(row["timezone"])
        if row["joined_at"] is not None:
            assert row["created_at"] <= row["first_joined_at"] <= row["joined_at"]
            assert row["hired_on"] <= row["first_joined_at"].date()
        if row["removed_at"] is not None:
            assert row["joined_at"] < row["removed_at"]
            assert row["left_on"] == row["removed_at"].date()


def test_everybody_is_managed_by_an_active_member_up_to_the_owner(made: Made) -> None:
    for row in made.people.members:
        seen = {row["user_id"]}
        above = row
        while above["manager_user_id"] is not None:
            above = made.person[above["manager_user_id"]]
            assert above["status"] == "active"
            assert above["user_id"] not in seen
            seen.add(above["user_id"])
        assert above["role"] == "owner" or above["employment_type"] == "other"


def test_teams_have_no_former_members_and_deleted_teams_none(made: Made) -> None:
    for row in made.people.team_members:
        team, person = made.team[row["team_id"]], made.person[row["user_id"]]
        assert row["joined_at"] == row["created_at"] > team["created_at"]
        assert row["joined_at"] > (person["joined_at"] or person["created_at"])
        assert row["deleted_at"] == (person["removed_at"] or team["deleted_at"])
    live = Counter((row["team_id"], row["user_id"]) for row in alive(made.people.team_members))
    assert set(live.values()) == {1}


def test_projects_end_as_their_status_says(made: Made) -> None:
    for row in made.work.projects:
        ends = [row["completed_at"], row["archived_at"]]
        if row["status"] in ("active", "on_hold"):
            assert ends == [None, None]
        elif row["status"] == "completed":
            assert row["completed_at"] is not None and row["archived_at"] is None
        else:
            assert row["completed_at"] < row["archived_at"]
        assert all(row["created_at"] < end for end in ends if end is not None)
        assert row["created_at"].date() <= row["start_date"]
        assert row["due_date"] is None or row["start_date"] <= row["due_date"]
        assert (row["billing_type"] == "hourly") == (row["bill_rate"] is not None)
        assert (row["billing_type"] == "fixed") == (row["fixed_amount"] is not None)
        assert row["is_billable"] == (row["billing_type"] != "none")
        assert row["color"].startswith("#") and len(row["color"]) == 7
        if row["client_id"] is not None:
            client = made.client[row["client_id"]]
            assert client["created_at"] < row["created_at"]
            assert client["currency"] == row["currency"]
            assert client["archived_at"] is None or row["status"] == "archived"
            assert client["archived_at"] is None or row["archived_at"] == client["archived_at"]


def test_money_has_no_more_digits_than_its_currency(made: Made) -> None:
    digits = {"EUR": 2, "GBP": 2, "USD": 2, "JPY": 0, "KWD": 3}
    for row in [*made.work.clients, *made.work.projects]:
        for name in ("budget_amount", "fixed_amount"):
            if row.get(name) is not None:
                assert -row[name].as_tuple().exponent <= digits[row["currency"]]
        assert (row["budget_type"] == "amount") == (row["budget_amount"] is not None)
        assert (row["budget_type"] == "time") == (row["budget_seconds"] is not None)


def test_project_memberships_lie_within_those_of_the_organization(made: Made) -> None:
    members_of = {(row["team_id"], row["user_id"]) for row in made.people.team_members}
    for row in made.work.project_members:
        project, person = made.project[row["project_id"]], made.person[row["user_id"]]
        assert project["created_at"] <= row["joined_at"]
        assert person["joined_at"] <= row["joined_at"]
        assert row["removed_at"] is None or row["joined_at"] < row["removed_at"]
        if person["removed_at"] is not None and row["deleted_at"] is None:
            assert row["removed_at"] is not None and row["removed_at"] <= person["removed_at"]
        if project["deleted_at"] is not None:
            assert row["deleted_at"] is not None and row["deleted_at"] <= project["deleted_at"]
        assert (row["source"] == "team") == (row["team_id"] is not None)
        assert row["team_id"] is None or (row["team_id"], row["user_id"]) in members_of
        assert (row["currency"] is None) == (row["pay_rate"] is None)
        assert row["currency"] in (None, project["currency"])
    live = Counter((row["project_id"], row["user_id"]) for row in alive(made.work.project_members))
    assert set(live.values()) == {1}
    managed = {row["project_id"] for row in made.work.project_members if row["role"] == "manager"}
    assert managed == made.project.keys()


def test_tasks_are_numbered_and_end_as_their_status_says(made: Made) -> None:
    numbers: dict[UUID, list[int]] = {}
    for row in made.work.tasks:
        project = made.project[row["project_id"]]
        numbers.setdefault(row["project_id"], []).append(row["number"])
        assert project["created_at"] < row["created_at"]
        assert (row["status"] == "completed") == (row["completed_at"] is not None)
        assert row["completed_at"] is None or row["created_at"] < row["completed_at"]
        if project["completed_at"] is not None:
            assert row["status"] in ("completed", "archived")
            assert row["created_at"] < project["completed_at"]
            assert row["completed_at"] is None or row["completed_at"] <= project["completed_at"]
        if project["deleted_at"] is not None:
            assert row["deleted_at"] == project["deleted_at"]
        assert row["start_date"] is None or row["created_at"].date() <= row["start_date"] <= made.end.date()
        assert row["due_date"] is None or row["created_at"].date() < row["due_date"]
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    assert numbers.keys() == made.project.keys()


def test_a_subtask_belongs_to_an_older_task_of_its_project(made: Made) -> None:
    subtasks = [row for row in made.work.tasks if row["parent_task_id"] is not None]
    assert subtasks
    for row in subtasks:
        parent = made.task[row["parent_task_id"]]
        assert parent["project_id"] == row["project_id"]
        assert parent["number"] < row["number"]
        assert parent["parent_task_id"] is None
        assert parent["deleted_at"] is None or row["deleted_at"] is not None
        if parent["completed_at"] is not None:
            assert row["completed_at"] <= parent["completed_at"]


def test_who_is_on_a_task_is_on_its_project(made: Made) -> None:
    places = {
        (row["project_id"], row["user_id"]): row
        for row in made.work.project_members
        if row["deleted_at"] == made.project[row["project_id"]]["deleted_at"]
    }
    for row in made.work.task_members:
        task = made.task[row["task_id"]]
        place: dict[str, Any] = places[task["project_id"], row["user_id"]]
        assert task["created_at"] <= row["created_at"]
        assert place["joined_at"] <= row["assigned_at"]
        assert place["removed_at"] is None or row["assigned_at"] < place["removed_at"]
        if row["deleted_at"] is None and task["status"] in ("open", "in_progress"):
            assert place["removed_at"] is None
        if row["role"] == "assignee":
            assert place["role"] != "viewer"
        if task["deleted_at"] is not None:
            assert row["deleted_at"] is not None and row["deleted_at"] <= task["deleted_at"]
    live = Counter((row["task_id"], row["user_id"]) for row in alive(made.work.task_members))
    assert set(live.values()) == {1}
    for task in made.work.tasks:
        place = places[task["project_id"], task["created_by_user_id"]]
        assert place["joined_at"] <= task["created_at"]


def test_the_second_organization_holds_together_as_well() -> None:
    crew = demo.people(PRACTICE, len(PRACTICE.posts), TODAY)
    done = demo.work(PRACTICE, crew, TODAY)
    assert Counter(row["status"] for row in crew.members) == {"active": 5, "invited": 1}
    assert [row["name"] for row in crew.teams] == ["Fieldwork"]
    assert [row["currency"] for row in done.clients] == ["USD", "USD"]
    assert [row["code"] for row in done.projects] == ["CED-01", "CED-02", "BLU-01", "INT-01"]
    assert all(row["updated_at"] <= MIDNIGHT for rows in vars(done).values() for row in rows)
