"""Inserting the demo: two organizations, once, of any number of members.

Covers `db/sample/demo/copies.py`.
"""

from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID, insert_organizations
from tests.db.sample.demo.demo_rows import NOW, DemoRows, stored_tables


def test_two_organizations_are_stored(studio: DemoRows, practice: DemoRows) -> None:
    tables = ("organizations", "members", "teams", "clients", "projects", "tasks", "project_members", "task_members")
    assert [len(studio.tables[name]) for name in tables] == [1, 24, 5, 8, 17, 115, 113, 187]
    assert [len(practice.tables[name]) for name in tables] == [1, 6, 1, 2, 4, 13, 17, 20]


def test_every_table_has_rows(studio: DemoRows) -> None:
    empty = [table.name for table in EXPORTED_TABLES if not studio.tables[table.name]]
    assert empty == [], "write rows into db/sample/demo/studio/TABLE.ndjson, one a line"


def test_second_insert_changes_nothing(owner_engine: Engine) -> None:
    ids = (DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID)
    with owner_engine.connect() as connection:
        assert insert_organizations(connection, members=2, now=NOW) is True
        assert connection.in_transaction(), "the caller commits"
        before = [stored_tables(connection, id_) for id_ in ids]
        connection.commit()
        assert insert_organizations(connection, members=60, now=NOW + timedelta(days=7)) is False
        assert [stored_tables(connection, id_) for id_ in ids] == before


def test_one_member_has_all_projects_and_no_time(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        insert_organizations(connection, members=1, now=NOW)
        found = {name: len(rows) for name, rows in stored_tables(connection, DEMO_ORGANIZATION_ID).items()}
    assert (found["members"], found["projects"], found["clients"], found["tasks"]) == (1, 17, 8, 115)
    assert (found["timesheets"], found["leave_applications"] > 0) == (0, True)


def test_more_members_than_the_files_have_are_copies_with_names_of_their_own(large: DemoRows) -> None:
    stored = large.tables
    assert [len(stored[name]) for name in ("members", "teams", "clients", "projects", "apps")] == [31, 10, 16, 34, 15]
    people = {row["full_name"]: row for row in stored["members"]}
    owner, copied = people["Katharina Vogt"], people["Katharina Wójcik"]
    assert (copied["email"], copied["employee_number"]) == ("katharina.wojcik@example.com", "KW-0101-2")
    assert (copied["role"], copied["manager_user_id"]) == ("admin", owner["user_id"])
    departments = Counter(row["department"] for row in stored["members"])
    assert (departments["Engineering"], departments["Design"]) == (8, 6)
    assert {"Design", "Design 2"} <= {row["name"] for row in stored["teams"]}


@pytest.mark.parametrize("members", [0, -1, 501])
def test_member_count_out_of_range_is_refused(owner_engine: Engine, members: int) -> None:
    with owner_engine.connect() as owner, pytest.raises(ValueError, match=r"^members must be between 1 and 500\.$"):
        insert_organizations(owner, members=members, now=NOW)
