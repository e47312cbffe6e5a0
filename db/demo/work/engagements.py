"""On what a person can work at a moment: the projects they are on, and their tasks of those."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from db.demo.area import Row
from db.demo.work.build import Work
from db.demo.work.projects import finished_at
from db.tables.work import ProjectRole, ProjectStatus, TaskRole, TaskStatus


class Engagement(NamedTuple):
    """A project, or one task of it, on which a person can work from `since` until `until`, if that ever comes."""

    project: Row
    task: Row | None
    since: datetime
    until: datetime | None

    def lasts(self, begin: datetime, end: datetime) -> bool:
        return self.since <= begin and (self.until is None or end <= self.until)

    @property
    def is_billable(self) -> bool:
        inherited: bool = self.project["is_billable"]
        if self.task is None or self.task["is_billable"] is None:
            return inherited
        chosen: bool = self.task["is_billable"]
        return chosen


def engagements(done: Work) -> dict[UUID, list[Engagement]]:
    """The engagements of each person. Nobody works on what is paused, deleted or put away."""
    projects = {
        row["id"]: row for row in done.projects if row["deleted_at"] is None and row["status"] != ProjectStatus.on_hold
    }
    tasks: dict[tuple[UUID, UUID], list[tuple[Row, Row]]] = {}
    by_id = {row["id"]: row for row in done.tasks}
    for place in done.task_members:
        task = by_id[place["task_id"]]
        if (
            place["role"] == TaskRole.assignee
            and place["deleted_at"] is task["deleted_at"] is None
            and task["status"] != TaskStatus.archived
        ):
            tasks.setdefault((task["project_id"], place["user_id"]), []).append((task, place))
    found: dict[UUID, list[Engagement]] = {}
    for place in done.project_members:
        project = projects.get(place["project_id"])
        if project is None or place["deleted_at"] is not None or place["role"] == ProjectRole.viewer:
            continue
        until = _first([place["removed_at"], finished_at(project)])
        own = found.setdefault(place["user_id"], [])
        own.append(Engagement(project, None, place["joined_at"], until))
        for task, assignment in tasks.get((project["id"], place["user_id"]), ()):
            since = max(place["joined_at"], assignment["assigned_at"], task["created_at"])
            own.append(Engagement(project, task, since, _first([until, task["completed_at"]])))
    return found


def _first(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
