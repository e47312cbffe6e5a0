"""Task members: assignees, former assignees and watchers."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.random_source import MINUTE, RandomSource, truncate_to_second
from db.sample.demo.work.tasks import members_at
from db.tables.work import ProjectRole, TaskRole, TaskStatus


def task_member_rows(
    random: RandomSource, task: Row, project_memberships: Sequence[Row], until: datetime
) -> Iterator[Row]:
    """The members of one task. `until` is the end of its project, or of the demo's time."""
    is_open = task["status"] in (TaskStatus.open, TaskStatus.in_progress)
    memberships = members_at(project_memberships, task["created_at"])
    current = [membership["user_id"] for membership in memberships if membership["removed_at"] is None]
    assignable = [
        membership["user_id"]
        for membership in memberships
        if membership["role"] != ProjectRole.viewer and (membership["removed_at"] is None or not is_open)
    ]
    random.shuffle(assignable)
    earliest = task["created_at"] + 3 * MINUTE
    count = random.choice([0, 1, 1, 1, 1, 2]) if is_open else random.choice([1, 1, 1, 2])
    assignees, former_assignees = assignable[:count], assignable[count : count + 1]
    for user_id in assignees:
        yield _task_member(random, task, user_id, TaskRole.assignee, earliest)
    if is_open and task["deleted_at"] is None and random.one_in(6):
        for user_id in former_assignees:
            unassigned_at = random.datetime_between(earliest, until, 0.1, 0.5)
            yield _task_member(random, task, user_id, TaskRole.assignee, earliest, deleted=unassigned_at)
    possible_watchers = [user_id for user_id in current if user_id not in (*assignees, *former_assignees)]
    for user_id in random.sample(possible_watchers, min(len(possible_watchers), random.choice([0, 0, 1, 1, 2]))):
        watching_since = random.datetime_between(earliest, until, 0.0, 0.5)
        yield _task_member(random, task, user_id, TaskRole.watcher, watching_since)


def _task_member(
    random: RandomSource,
    task: Row,
    user_id: UUID,
    role: TaskRole,
    at: datetime,
    *,
    deleted: datetime | None = None,
) -> Row:
    return {
        "id": random.uuid7(at),
        "task_id": task["id"],
        "user_id": user_id,
        "role": role.value,
        "assigned_at": truncate_to_second(at),
        **random.timestamps(at, deleted=deleted or task["deleted_at"]),
    }
