"""Rows that come below a deleted row: lists and polls say the same of them, and of the rows that count them.

Covers `db/admin/triggers/cascades.py`.
"""

import pytest

from db.tables.belonging import BELONGINGS, Belonging
from db.tables.people import teams
from db.tables.work import tasks
from tests.polling.copies import MOVES, Items
from tests.polling.edited import EditedClient


@pytest.mark.parametrize("belonging", BELONGINGS, ids=lambda each: f"{each.child.name} of {each.parent.name}")
async def test_row_below_a_deleted_row_is_nowhere_live(belonging: Belonging, poller: EditedClient) -> None:
    editor, child, parent = poller.editor, belonging.child, belonging.parent
    row, key = editor.row_of(child), belonging.parent_key
    above = row[belonging.column] or editor.row_of(parent)[key]
    delete = f"UPDATE {parent.name} SET deleted_at = clock_timestamp() WHERE {key} = :above"
    await poller.after(lambda: editor.rows(delete, above=above))
    arrived: list[bool] = []

    def arrive() -> None:
        if row[belonging.column]:
            arrived.append(editor.copy(child, row))
        else:
            live = f"SELECT * FROM {child.name} WHERE deleted_at IS NULL AND {child.name}.id <> :above ORDER BY id"
            others = ", source = 'team'" if parent is teams else ""
            moved = dict(editor.rows(live, above=above)[0]._mapping)
            arrived.append(editor.update(child, moved, f"{belonging.column} = '{above}'{others}"))

    different = await poller.after(arrive, polls_all=True)
    assert {name: rows for name, rows in different.items() if name not in MOVES} == {}
    assert arrived == [True]


async def test_task_moved_below_a_deleted_one_is_polled(poller: EditedClient) -> None:
    editor = poller.editor
    task = "SELECT * FROM tasks WHERE project_id = :project AND id <> :task AND deleted_at IS NULL ORDER BY id LIMIT 1"
    moved = editor.rows(task)[0]
    editor.rows("UPDATE tasks SET deleted_at = '2026-02-01T00:00:00.5Z' WHERE id = :task")
    params = {"updated_since": editor.now().isoformat(), "limit": "100", "include_deleted": "true"}
    assert editor.update(tasks, moved._mapping, "parent_task_id = :task")

    async def polled(operation: str) -> Items:
        (view,) = [each for each in poller.beginning.views if each.name == operation]
        return await view.read(poller.ask, **params) or {}

    found = await polled("listTasks")
    assert {key: row["deleted_at"] for key, row in found.items()} == {str(moved.id): "2026-02-01T00:00:00.500000Z"}
    (project,) = (await polled("listProjects")).values()
    assert project["tasks_count"] == 3
