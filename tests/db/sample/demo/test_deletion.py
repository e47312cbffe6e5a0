"""Rows that belong to a deleted row are deleted with it."""

from datetime import UTC, datetime
from typing import Any

from db.sample.demo.deletion import delete_what_belongs

MADE, DELETED, EARLIER = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 3, 2))


def row(**columns: Any) -> dict[str, Any]:
    return {"updated_at": MADE, "deleted_at": None} | columns


def test_deletion_reaches_children_and_their_children() -> None:
    tables = {
        "projects": [row(id=1, deleted_at=DELETED), row(id=2)],
        "tasks": [
            row(id=1, project_id=1, parent_task_id=None),
            row(id=2, project_id=1, parent_task_id=None, updated_at=EARLIER, deleted_at=EARLIER),
            row(id=3, project_id=2, parent_task_id=None),
        ],
        "task_members": [row(task_id=1, user_id=1), row(task_id=3, user_id=1)],
    }
    delete_what_belongs(tables)
    times = {name: [(each["deleted_at"], each["updated_at"]) for each in rows] for name, rows in tables.items()}
    assert times["tasks"] == [(DELETED, DELETED), (EARLIER, EARLIER), (None, MADE)]
    assert times["task_members"] == [(DELETED, DELETED), (None, MADE)]


def test_removal_of_a_member_ends_memberships() -> None:
    tables = {
        "members": [row(user_id=1, removed_at=DELETED), row(user_id=2, removed_at=None)],
        "team_members": [row(team_id=1, user_id=1), row(team_id=1, user_id=2)],
    }
    delete_what_belongs(tables)
    assert [each["deleted_at"] for each in tables["team_members"]] == [DELETED, None]
