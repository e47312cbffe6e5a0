"""Remembered columns: triggers note where a row was before it moved, and when what reports show of it changed.

Covers `db/tables/remembered.py`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from db.jobs.importing.import_table import IMPORT_TABLES
from tests.db.writing import Session, session
from tests.factories.rows import Rows


def june(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 6, day, hour, tzinfo=UTC)


@pytest.fixture(scope="module")
def own(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture(scope="module")
def people(rows: Rows, own: UUID) -> list[UUID]:
    return [rows.member(own) for _ in range(3)]


@pytest.fixture
def writer(owner_url: str, own: UUID) -> Iterator[Session]:
    with session(owner_url, own, "orgdata_writer") as writer:
        yield writer


def new_break(writer: Session, user_id: UUID) -> UUID:
    key = uuid4()
    writer.run(
        "INSERT INTO break_times (organization_id, id, user_id, started_at, ended_at)"
        " VALUES (%(o)s, %(key)s, %(user)s, '2026-06-03 10:00Z', '2026-06-03 11:00Z')",
        key=key,
        user=user_id,
    )
    return key


PLACE = "SELECT earlier_from, earlier_until, earlier_user_ids FROM {} WHERE id = %(key)s"


def test_record_that_stays_remembers_nothing(writer: Session, people: list[UUID]) -> None:
    key = new_break(writer, people[0])
    writer.run("UPDATE break_times SET ended_at = '2026-06-03 12:00Z', is_paid = true WHERE id = %(key)s", key=key)
    assert writer.one(PLACE.format("break_times"), key=key) == (None, None, None)


def test_moved_record_remembers_all_earlier_starts(writer: Session, people: list[UUID]) -> None:
    key = new_break(writer, people[0])
    move = "UPDATE break_times SET started_at = %(start)s, ended_at = %(end)s WHERE id = %(key)s"
    for day in (9, 1, 5):
        writer.run(move, key=key, start=june(day, 10), end=june(day, 11))
    assert writer.one(PLACE.format("break_times"), key=key) == (june(1, 10), june(9, 10), None)


def test_record_remembers_each_earlier_person_once(writer: Session, people: list[UUID]) -> None:
    key = new_break(writer, people[0])
    for n in (1, 0, 1, 2):
        writer.run("UPDATE break_times SET user_id = %(user)s WHERE id = %(key)s", key=key, user=people[n])
    assert writer.one(PLACE.format("break_times"), key=key) == (june(3, 10), june(3, 10), [people[0], people[1]])


MEMBERSHIP = "SELECT earlier_joined_at, earlier_removed_at FROM members WHERE user_id = %(key)s"


def test_membership_remembers_the_days_that_it_had(writer: Session, people: list[UUID]) -> None:
    change = (
        "UPDATE members SET first_joined_at = %(first)s, removed_at = %(end)s, status = %(status)s, joined_at = now()"
    )
    where = " WHERE user_id = %(key)s"
    given = {"key": people[0], "first": june(5), "end": june(9), "status": "removed"}
    first = writer.one(f"SELECT first_joined_at FROM members{where}", key=people[0]).first_joined_at
    writer.run(change + where, **given)
    assert writer.one(MEMBERSHIP, key=people[0]) == (first, None)
    writer.run(change + where, **given | {"first": june(3), "end": june(4)})
    assert writer.one(MEMBERSHIP, key=people[0]) == (first, None)


def test_ended_membership_remembers_its_latest_end(writer: Session, people: list[UUID]) -> None:
    key = uuid4()
    writer.run(
        "INSERT INTO members (organization_id, user_id, membership_id, full_name, status, joined_at, removed_at)"
        " VALUES (%(o)s, %(key)s, %(key)s, 'Leaver', 'removed', '2026-06-02Z', '2026-06-20Z')",
        key=key,
    )
    for end in (june(10), june(15)):
        writer.run("UPDATE members SET removed_at = %(end)s WHERE user_id = %(key)s", key=key, end=end)
    assert writer.one(MEMBERSHIP, key=key) == (june(2), june(20))


@pytest.mark.parametrize(("column", "is_shown"), [("name", True), ("client_id", True), ("color", False)])
def test_report_change_is_of_shown_columns(writer: Session, rows: Rows, own: UUID, column: str, is_shown: bool) -> None:
    project, client = rows.project(own), rows.client(own)
    value = {"name": "Other", "client_id": client, "color": "#000000"}[column]
    writer.run(f"UPDATE projects SET {column} = %(value)s WHERE id = %(key)s", key=project, value=value)
    row = writer.one("SELECT report_changed_at, updated_at FROM projects WHERE id = %(key)s", key=project)
    assert row.report_changed_at == (row.updated_at if is_shown else None)


def test_zone_of_organization_is_a_report_change(writer: Session) -> None:
    writer.run("UPDATE organizations SET name = 'Other'")
    assert writer.one("SELECT report_changed_at FROM organizations WHERE organization_id = %(o)s") == (None,)
    writer.run("UPDATE organizations SET timezone = 'Asia/Tokyo'")
    is_change = "SELECT report_changed_at = updated_at FROM organizations WHERE organization_id = %(o)s"
    assert writer.one(is_change) == (True,)


def test_remembered_columns_alone_leave_updated_at(writer: Session, people: list[UUID]) -> None:
    key = new_break(writer, people[0])
    before = writer.one("SELECT updated_at FROM break_times WHERE id = %(key)s", key=key)
    writer.run("UPDATE break_times SET earlier_from = now(), earlier_until = now() WHERE id = %(key)s", key=key)
    assert writer.one("SELECT updated_at FROM break_times WHERE id = %(key)s", key=key) == before


def test_no_file_gives_remembered_columns() -> None:
    table = IMPORT_TABLES["timesheets"]
    assert table.read_over == {"updated_at", "earlier_from", "earlier_until", "earlier_user_ids"}
    assert table.read_over & table.names == set()
