"""Tasks and subtasks."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, RandomSource, truncate_to_second
from db.sample.demo.scenarios.names import INTERNAL_TASKS, SUBTASKS, TASK_NOTES
from db.sample.demo.scenarios.scenario import ProjectSpec, Scenario
from db.sample.demo.work.projects import finished_at
from db.tables.work import TaskPriority, TaskStatus


def task_rows(
    random: RandomSource, scenario: Scenario, project: Row, spec: ProjectSpec, project_memberships: Sequence[Row]
) -> Iterator[Row]:
    """The tasks of a project, with subtasks."""
    project_start, until = project["created_at"], finished_at(project) or random.end
    count = random.randint(*scenario.tasks_per_project)
    names = random.sample(INTERNAL_TASKS if spec.client is None else scenario.tasks, count)
    parts = random.sample(SUBTASKS, count)
    low, high = project_start + (until - project_start) * 0.02, project_start + (until - project_start) * 0.9
    parents: list[Row] = []
    for index, created in enumerate(random.datetimes(count, low, high)):
        unfinished = [row for row in parents if (row["completed_at"] or until) > created + DAY]
        parent = random.choice(unfinished) if unfinished and random.one_in(2) else None
        # Subtasks of a completed task were completed before it.
        finish = parent["completed_at"] if parent else None
        is_over = finish is not None or project["completed_at"] is not None
        status = TaskStatus.completed if finish else _task_status(random, until - created, is_over=is_over)
        completed = None
        if status is TaskStatus.completed:
            completed = truncate_to_second(
                random.datetime_between(created, min(finish or until, created + 40 * DAY), 0.1, 0.9)
            )
        started = None
        if status is not TaskStatus.open:
            started = random.datetime_between(created, completed or min(until, created + 5 * DAY)).date()
        due = (started or created.date()) + random.randint(2, 30) * DAY
        row = {
            "id": random.uuid7(created),
            "project_id": project["id"],
            "parent_task_id": parent["id"] if parent else None,
            "number": index + 1,
            "name": parts[index] if parent else names[index],
            "description": None if random.one_in(2) else random.choice(TASK_NOTES),
            "status": status.value,
            "priority": random.choice([*TaskPriority, TaskPriority.none, TaskPriority.medium]).value,
            "is_billable": False if project["is_billable"] and random.one_in(8) else None,
            "estimate_seconds": random.choice([None, 1800, 7200, 14400, 28800, 57600]),
            "start_date": started,
            "due_date": None if random.one_in(3) else due,
            "completed_at": completed,
            "created_by_user_id": random.choice(members_at(project_memberships, created))["user_id"],
            "external_id": f"{spec.jira}-{index + 1}" if spec.jira else None,
            "external_source": "jira" if spec.jira else None,
            "labels": sorted(random.sample(scenario.labels, random.choice([0, 0, 1, 1, 2, 3]))),
            **random.timestamps(created, completed, deleted=project["deleted_at"]),
        }
        if parent is None and status is not TaskStatus.archived:
            parents.append(row)
        yield row


def _task_status(random: RandomSource, age: timedelta, *, is_over: bool) -> TaskStatus:
    """A random status: older tasks are more likely completed; in a finished project all are completed or archived."""
    if is_over:
        return TaskStatus.archived if random.one_in(7) else TaskStatus.completed
    if random.random() < min(0.65, age / (300 * DAY)):
        return TaskStatus.completed
    return random.choice([TaskStatus.open] * 5 + [TaskStatus.in_progress] * 4 + [TaskStatus.archived])


def members_at(project_memberships: Sequence[Row], at: datetime) -> list[Row]:
    """The memberships of a project that last from `at` for at least a day."""
    return [
        membership
        for membership in project_memberships
        if membership["joined_at"] <= at and (membership["removed_at"] is None or membership["removed_at"] > at + DAY)
    ]
