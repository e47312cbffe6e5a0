"""Factories of work rows, one per table."""

from typing import Any
from uuid import UUID

from db.tables.work import clients, project_members, projects, task_members, tasks
from tests.factories.base import THEN, Factory


class Work(Factory):
    def client(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(clients, organization_id, {"name": "Globex", "currency": "EUR"} | columns)

    def project(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(projects, organization_id, {"name": "Website", "currency": "EUR"} | columns)

    def project_member(self, organization_id: UUID, project_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"project_id": project_id, "user_id": user_id, "joined_at": THEN}
        return self._row(project_members, organization_id, values | columns)

    def task(self, organization_id: UUID, project_id: UUID, **columns: Any) -> UUID:
        return self._row(tasks, organization_id, {"project_id": project_id, "name": "Draft"} | columns)

    def task_member(self, organization_id: UUID, task_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"task_id": task_id, "user_id": user_id, "assigned_at": THEN}
        return self._row(task_members, organization_id, values | columns)
