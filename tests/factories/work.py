"""One factory a table of work."""

from typing import Any
from uuid import UUID

from db.tables.work import clients, project_members, projects, task_members, tasks
from tests.factories.base import THEN, Base


class Work(Base):
    def client(self, organization_id: UUID, **given: Any) -> UUID:
        return self._row(clients, organization_id, {"name": "Globex", "currency": "EUR"} | given)

    def project(self, organization_id: UUID, **given: Any) -> UUID:
        return self._row(projects, organization_id, {"name": "Website", "currency": "EUR"} | given)

    def project_member(self, organization_id: UUID, project_id: UUID, user_id: UUID, **given: Any) -> UUID:
        values = {"project_id": project_id, "user_id": user_id, "joined_at": THEN}
        return self._row(project_members, organization_id, values | given)

    def task(self, organization_id: UUID, project_id: UUID, **given: Any) -> UUID:
        return self._row(tasks, organization_id, {"project_id": project_id, "name": "Draft"} | given)

    def task_member(self, organization_id: UUID, task_id: UUID, user_id: UUID, **given: Any) -> UUID:
        values = {"task_id": task_id, "user_id": user_id, "assigned_at": THEN}
        return self._row(task_members, organization_id, values | given)
