"""Tasks."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from db.demo.area import Row
from db.demo.chance import DAY, Chance, whole
from db.demo.outline import Outline, ProjectSketch
from db.demo.scenarios.names import CHORES, SUBTASKS, TASK_NOTES
from db.demo.work.projects import finished_at
from db.tables.work import TaskPriority, TaskStatus


def tasks_of(
    chance: Chance, outline: Outline, project: Row, sketch: ProjectSketch, crewed: Sequence[Row]
) -> Iterator[Row]:
    """The tasks of a project, and parts of them."""
    opened, until = project["created_at"], finished_at(project) or chance.end
    count = chance.random.randint(*outline.tasks_per_project)
    names = chance.random.sample(CHORES if sketch.client is None else outline.tasks, count)
    parts = chance.random.sample(SUBTASKS, count)
    low, high = opened + (until - opened) * 0.02, opened + (until - opened) * 0.9
    parents: list[Row] = []
    for index, created in enumerate(chance.moments(count, low, high)):
        unfinished = [row for row in parents if (row["completed_at"] or until) > created + DAY]
        parent = chance.random.choice(unfinished) if unfinished and chance.one_in(2) else None
        # The parts of a finished task were finished before it.
        finish = parent["completed_at"] if parent else None
        is_over = finish is not None or project["completed_at"] is not None
        status = TaskStatus.completed if finish else _task_status(chance, until - created, is_over=is_over)
        completed = None
        if status is TaskStatus.completed:
            completed = whole(chance.between(created, min(finish or until, created + 40 * DAY), 0.1, 0.9))
        started = None
        if status is not TaskStatus.open:
            started = chance.between(created, completed or min(until, created + 5 * DAY)).date()
        due = (started or created.date()) + chance.random.randint(2, 30) * DAY
        row = {
            "id": chance.id(created),
            "project_id": project["id"],
            "parent_task_id": parent["id"] if parent else None,
            "number": index + 1,
            "name": parts[index] if parent else names[index],
            "description": None if chance.one_in(2) else chance.random.choice(TASK_NOTES),
            "status": status.value,
            "priority": chance.random.choice([*TaskPriority, TaskPriority.none, TaskPriority.medium]).value,
            "is_billable": False if project["is_billable"] and chance.one_in(8) else None,
            "estimate_seconds": chance.random.choice([None, 1800, 7200, 14400, 28800, 57600]),
            "start_date": started,
            "due_date": None if chance.one_in(3) else due,
            "completed_at": completed,
            "created_by_user_id": chance.random.choice(at_hand(crewed, created))["user_id"],
            "external_id": f"{sketch.jira}-{index + 1}" if sketch.jira else None,
            "external_source": "jira" if sketch.jira else None,
            "labels": sorted(chance.random.sample(outline.labels, chance.random.choice([0, 0, 1, 1, 2, 3]))),
            **chance.stamps(created, completed, deleted=project["deleted_at"]),
        }
        if parent is None and status is not TaskStatus.archived:
            parents.append(row)
        yield row


def _task_status(chance: Chance, age: timedelta, *, is_over: bool) -> TaskStatus:
    """Old tasks are rather done than new ones, and all of them once the project is."""
    if is_over:
        return TaskStatus.archived if chance.one_in(7) else TaskStatus.completed
    if chance.random.random() < min(0.65, age / (300 * DAY)):
        return TaskStatus.completed
    return chance.random.choice([TaskStatus.open] * 5 + [TaskStatus.in_progress] * 4 + [TaskStatus.archived])


def at_hand(crewed: Sequence[Row], at: datetime) -> list[Row]:
    """Who is on the project at a moment, and stays for the day after it."""
    return [
        place
        for place in crewed
        if place["joined_at"] <= at and (place["removed_at"] is None or place["removed_at"] > at + DAY)
    ]
