"""Assignments: the projects and tasks that a user can work on, and when."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.work.build import WorkRows
from db.sample.demo.work.projects import finished_at
from db.tables.work import ProjectRole, ProjectStatus, TaskRole, TaskStatus


class Assignment(NamedTuple):
    """A project, or one of its tasks, that a user can work on from `since` until `until` (None: no end)."""

    project: Row
    task: Row | None
    since: datetime
    until: datetime | None

    def covers(self, begin: datetime, end: datetime) -> bool:
        return self.since <= begin and (self.until is None or end <= self.until)

    @property
    def is_billable(self) -> bool:
        inherited: bool = self.project["is_billable"]
        if self.task is None or self.task["is_billable"] is None:
            return inherited
        chosen: bool = self.task["is_billable"]
        return chosen


def assignments_by_user(work: WorkRows) -> dict[UUID, list[Assignment]]:
    """The assignments of each user, without projects on hold and archived or deleted projects and tasks."""
    projects = {
        row["id"]: row for row in work.projects if row["deleted_at"] is None and row["status"] != ProjectStatus.on_hold
    }
    tasks: dict[tuple[UUID, UUID], list[tuple[Row, Row]]] = {}
    by_id = {row["id"]: row for row in work.tasks}
    for membership in work.task_members:
        task = by_id[membership["task_id"]]
        if (
            membership["role"] == TaskRole.assignee
            and membership["deleted_at"] is task["deleted_at"] is None
            and task["status"] != TaskStatus.archived
        ):
            tasks.setdefault((task["project_id"], membership["user_id"]), []).append((task, membership))
    result: dict[UUID, list[Assignment]] = {}
    for membership in work.project_members:
        project = projects.get(membership["project_id"])
        if project is None or membership["deleted_at"] is not None or membership["role"] == ProjectRole.viewer:
            continue
        until = _first([membership["removed_at"], finished_at(project)])
        assignments = result.setdefault(membership["user_id"], [])
        assignments.append(Assignment(project, None, membership["joined_at"], until))
        for task, assignment in tasks.get((project["id"], membership["user_id"]), ()):
            since = max(membership["joined_at"], assignment["assigned_at"], task["created_at"])
            assignments.append(Assignment(project, task, since, _first([until, task["completed_at"]])))
    return result


def _first(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
