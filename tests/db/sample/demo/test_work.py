"""Clients, projects and tasks of the demo: which values occur, and that rows are consistent."""

from collections import Counter
from decimal import Decimal
from typing import Any
from uuid import UUID

from tests.db.sample.demo.demo_rows import MIDNIGHT, DemoRows, alive


def test_the_clients(studio: DemoRows) -> None:
    clients = {row["name"]: row for row in studio.rows.clients}
    assert [name for name, row in clients.items() if row["archived_at"]] == [
        "Holzmann & Söhne Möbel",
        "Fennel & Fig Catering",
    ]
    assert Counter(row["currency"] for row in clients.values()) == {"EUR": 4, "GBP": 1, "JPY": 1, "KWD": 1, "USD": 1}
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


def test_the_projects(studio: DemoRows) -> None:
    projects = {row["name"]: row for row in studio.rows.projects}
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


def test_project_memberships_have_every_role_and_source(studio: DemoRows) -> None:
    memberships = studio.rows.project_members
    assert {row["role"] for row in memberships} == {"manager", "member", "viewer"}
    assert {row["source"] for row in memberships} == {"direct", "team"}
    assert any(row["pay_rate"] and row["bill_rate"] for row in memberships)
    assert any(row["budget_seconds"] for row in memberships)
    assert any(row["removed_at"] for row in alive(memberships))
    membership_counts = Counter((row["project_id"], row["user_id"]) for row in memberships)
    twice = [key for key, count in membership_counts.items() if count > 1]
    assert twice, "somebody was put on a project by mistake, and then properly"
    for project_id, user_id in twice:
        rows = [row for row in memberships if (row["project_id"], row["user_id"]) == (project_id, user_id)]
        assert [row["deleted_at"] is None for row in rows] == [False, True]


def test_the_tasks(studio: DemoRows) -> None:
    tasks = studio.rows.tasks
    assert {row["status"] for row in tasks} == {"open", "in_progress", "completed", "archived"}
    assert {row["priority"] for row in tasks} == {"none", "low", "medium", "high", "urgent"}
    assert {row["is_billable"] for row in tasks} == {None, False}
    assert any(row["estimate_seconds"] for row in tasks)
    assert any(len(row["labels"]) > 1 for row in tasks) and any(row["labels"] == [] for row in tasks)
    assert sum(row["parent_task_id"] is not None for row in tasks) >= 10
    from_jira = [row for row in tasks if row["external_source"] == "jira"]
    assert {row["external_id"].split("-")[0] for row in from_jira} == {"LSHOP", "DEAL", "KIOSK", "PORTAL"}
    assert all(row["external_id"] is None for row in tasks if row["external_source"] is None)
    live_projects = {row["id"] for row in alive(studio.rows.projects)}
    (deleted,) = (row for row in tasks if row["deleted_at"] and row["project_id"] in live_projects)
    on_it = [row for row in studio.rows.task_members if row["task_id"] == deleted["id"]]
    assert alive(on_it) == []
    assert Counter(row["role"] for row in studio.rows.task_members).keys() == {"assignee", "watcher"}


def test_project_timestamps_match_status(demo: DemoRows) -> None:
    for row in demo.rows.projects:
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
            client = demo.client[row["client_id"]]
            assert client["created_at"] < row["created_at"]
            assert client["currency"] == row["currency"]
            assert client["archived_at"] is None or row["status"] == "archived"
            assert client["archived_at"] is None or row["archived_at"] == client["archived_at"]


def test_amounts_fit_decimal_places_of_currency(demo: DemoRows) -> None:
    digits = {"EUR": 2, "GBP": 2, "USD": 2, "JPY": 0, "KWD": 3}
    for row in [*demo.rows.clients, *demo.rows.projects]:
        for name in ("budget_amount", "fixed_amount"):
            if row.get(name) is not None:
                assert row[name] == round(row[name], digits[row["currency"]])
        assert (row["budget_type"] == "amount") == (row["budget_amount"] is not None)
        assert (row["budget_type"] == "time") == (row["budget_seconds"] is not None)


def test_project_memberships_lie_in_organization_memberships(demo: DemoRows) -> None:
    members_of = {(row["team_id"], row["user_id"]) for row in demo.rows.team_members}
    for row in demo.rows.project_members:
        project, person = demo.project[row["project_id"]], demo.person[row["user_id"]]
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
    live = Counter((row["project_id"], row["user_id"]) for row in alive(demo.rows.project_members))
    assert set(live.values()) == {1}
    managed = {row["project_id"] for row in demo.rows.project_members if row["role"] == "manager"}
    assert managed == demo.project.keys()


def test_task_numbers_and_timestamps_match_status(demo: DemoRows) -> None:
    numbers: dict[UUID, list[int]] = {}
    for row in demo.rows.tasks:
        project = demo.project[row["project_id"]]
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
        assert row["start_date"] is None or row["created_at"].date() <= row["start_date"] <= demo.end.date()
        assert row["due_date"] is None or row["created_at"].date() < row["due_date"]
    assert all(sorted(result) == list(range(1, len(result) + 1)) for result in numbers.values())
    assert numbers.keys() == demo.project.keys()


def test_subtask_parent_is_older_task_of_project(demo: DemoRows) -> None:
    subtasks = [row for row in demo.rows.tasks if row["parent_task_id"] is not None]
    assert subtasks
    for row in subtasks:
        parent = demo.task[row["parent_task_id"]]
        assert parent["project_id"] == row["project_id"]
        assert parent["number"] < row["number"]
        assert parent["parent_task_id"] is None
        assert parent["deleted_at"] is None or row["deleted_at"] is not None
        if parent["completed_at"] is not None:
            assert row["completed_at"] <= parent["completed_at"]


def test_task_members_are_project_members(demo: DemoRows) -> None:
    removed = {row["user_id"]: row["removed_at"] for row in demo.rows.members}
    memberships = {
        (row["project_id"], row["user_id"]): row
        for row in demo.rows.project_members
        if row["deleted_at"] == demo.project[row["project_id"]]["deleted_at"]
        or row["deleted_at"] == removed[row["user_id"]]
    }
    for row in demo.rows.task_members:
        task = demo.task[row["task_id"]]
        membership: dict[str, Any] = memberships[task["project_id"], row["user_id"]]
        assert task["created_at"] <= row["created_at"]
        assert membership["joined_at"] <= row["assigned_at"]
        assert membership["removed_at"] is None or row["assigned_at"] < membership["removed_at"]
        if row["deleted_at"] is None and task["status"] in ("open", "in_progress"):
            assert membership["removed_at"] is None
        if row["role"] == "assignee":
            assert membership["role"] != "viewer"
        if task["deleted_at"] is not None:
            assert row["deleted_at"] is not None and row["deleted_at"] <= task["deleted_at"]
    live = Counter((row["task_id"], row["user_id"]) for row in alive(demo.rows.task_members))
    assert set(live.values()) == {1}
    for task in demo.rows.tasks:
        # The author of a task may be none of the first members.
        if task["created_by_user_id"] is not None:
            membership = memberships[task["project_id"], task["created_by_user_id"]]
            assert membership["joined_at"] <= task["created_at"]


def test_practice_people_and_work(practice: DemoRows) -> None:
    rows = practice.rows
    assert Counter(row["status"] for row in rows.members) == {"active": 5, "invited": 1}
    assert [row["name"] for row in rows.teams] == ["Fieldwork"]
    assert [row["currency"] for row in rows.clients] == ["USD", "USD"]
    assert [row["code"] for row in rows.projects] == ["INT-01", "CED-01", "BLU-01", "CED-02"]
    assert all(row["updated_at"] <= MIDNIGHT for row in [*rows.members, *rows.projects, *rows.tasks])
