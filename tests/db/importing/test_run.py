"""Imports as a whole.

Covers `db/importing/`.
"""

from collections.abc import Callable
from typing import Any

from tests.db.importing.conftest import Import

Select = Callable[[str], list[tuple[Any, ...]]]

STUDIO: dict[str, list[dict[str, str | None]]] = {
    "members": [
        {"email": "Ada@example.com", "first_name": "Ada", "last_name": "Byron", "hired_on": "2026-01-01"},
        {"email": "bob@example.com", "first_name": "Bob", "last_name": "Ray", "hired_on": None},
    ],
    "clients": [{"external_id": "acme", "name": "Acme"}],
    "projects": [{"external_id": "site", "client_external_id": "acme", "name": "Site"}],
    "tasks": [
        {"external_id": "t1", "project_external_id": "site", "name": "Build", "parent_task_external_id": None},
        {"external_id": "t2", "project_external_id": "site", "name": "Test", "parent_task_external_id": "t1"},
    ],
    "timesheets": [
        {
            "user_email": "ada@EXAMPLE.com",
            "task_external_id": "t2",
            "project_external_id": "site",
            "started_at": "2026-03-02T09:00:00+01:00",
            "ended_at": "2026-03-02T10:00:00+01:00",
        },
    ],
}


def test_rows_of_all_tables_are_inserted(merge: Import, select: Select) -> None:
    assert merge(**STUDIO) == {
        "members": (2, 0, 0),
        "clients": (1, 0, 0),
        "projects": (1, 0, 0),
        "tasks": (2, 0, 0),
        "timesheets": (1, 0, 0),
    }
    assert select(
        "m.email, m.full_name, p.name, c.name, t.name, s.started_at::text, s.tracked_until - s.started_at = '1 hour',"
        " last_tracked_at = tracked_until FROM timesheets s JOIN members m USING (user_id)"
        " JOIN projects p ON p.id = s.project_id JOIN clients c ON c.id = client_id JOIN tasks t ON t.id = task_id"
    ) == [("Ada@example.com", "Ada Byron", "Site", "Acme", "Test", "2026-03-02 08:00:00+00", True, True)]
    assert select("b.name FROM tasks a JOIN tasks b ON b.id = a.parent_task_id") == [("Build",)]


def test_second_import_changes_nothing(merge: Import, select: Select) -> None:
    merge(**STUDIO)
    times = (
        "updated_at FROM members UNION SELECT updated_at FROM timesheets UNION SELECT updated_at FROM tasks ORDER BY 1"
    )
    before = select(times)
    assert set(merge(**STUDIO).values()) == {(0, 0, 0)}
    assert select(times) == before
