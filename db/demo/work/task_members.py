"""Who is on a task."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from db.demo.area import Row
from db.demo.chance import MINUTE, Chance, whole
from db.demo.work.tasks import at_hand
from db.tables.work import ProjectRole, TaskRole, TaskStatus


def task_members_of(chance: Chance, task: Row, crewed: Sequence[Row], until: datetime) -> Iterator[Row]:
    """Who works on a task, who did, and who watches it."""
    is_open = task["status"] in (TaskStatus.open, TaskStatus.in_progress)
    there = at_hand(crewed, task["created_at"])
    lasting = [place["user_id"] for place in there if place["removed_at"] is None]
    able = [
        place["user_id"]
        for place in there
        if place["role"] != ProjectRole.viewer and not (is_open and place["removed_at"])
    ]
    chance.random.shuffle(able)
    at_once = task["created_at"] + 3 * MINUTE
    count = chance.random.choice([0, 1, 1, 1, 1, 2]) if is_open else chance.random.choice([1, 1, 1, 2])
    for user_id in able[:count]:
        yield _task_member(chance, task, user_id, TaskRole.assignee, at_once)
    if is_open and task["deleted_at"] is None and chance.one_in(6):
        for user_id in able[count : count + 1]:
            handed_on = chance.between(at_once, until, 0.1, 0.5)
            yield _task_member(chance, task, user_id, TaskRole.assignee, at_once, deleted=handed_on)
    watchers = [user_id for user_id in lasting if user_id not in able[: count + 1]]
    for user_id in chance.random.sample(watchers, min(len(watchers), chance.random.choice([0, 0, 1, 1, 2]))):
        since = chance.between(at_once, until, 0.0, 0.5)
        yield _task_member(chance, task, user_id, TaskRole.watcher, since)


def _task_member(
    chance: Chance,
    task: Row,
    user_id: UUID,
    role: TaskRole,
    at: datetime,
    *,
    deleted: datetime | None = None,
) -> Row:
    return {
        "id": chance.id(at),
        "task_id": task["id"],
        "user_id": user_id,
        "role": role.value,
        "assigned_at": whole(at),
        **chance.stamps(at, deleted=deleted or task["deleted_at"]),
    }
