"""One factory a table. A test names only what it cares about."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Engine, Table, func, insert, select

from db.access import Grant, create_key, set_quota
from db.keys import Purpose
from db.people import members, organizations, team_members, teams
from db.work import clients, project_members, projects, task_members, tasks

THEN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""When everything was created, unless a test says otherwise."""

FEATURES = dict.fromkeys(
    ["screenshots", "app_tracking", "url_tracking", "clock_in_out", "invoicing", "payroll", "leave"], True
)
RETENTION = {"screenshots": 180, "app_usage": 365, "url_usage": 365}


class Rows:
    """Makes rows of one database, as its owner; each call is a transaction and returns the id of the row."""

    def __init__(self, engine: Engine) -> None:
        self.connection = engine.connect()

    def organization(self, **given: Any) -> UUID:
        id_ = given.pop("organization_id", None) or uuid4()
        values = {
            "name": "Acme",
            "timezone": "UTC",
            "currency": "EUR",
            "features": FEATURES,
            "data_retention_days": RETENTION,
        }
        self._insert(organizations, id_, values | given)
        return id_

    def member(self, organization_id: UUID, **given: Any) -> UUID:
        given.setdefault("user_id", uuid4())
        status = given.get("status", "active")
        values = {
            "membership_id": uuid4(),
            "full_name": "Ada Byron",
            "email": f"{given['user_id']}@example.com",
            "first_joined_at": None if status == "invited" else THEN,
            "joined_at": None if status == "invited" else THEN,
            "removed_at": THEN if status == "removed" else None,
        }
        self._insert(members, organization_id, values | given)
        user_id: UUID = given["user_id"]
        return user_id

    def team(self, organization_id: UUID, **given: Any) -> UUID:
        return self._row(teams, organization_id, {"name": "Design"} | given)

    def team_member(self, organization_id: UUID, team_id: UUID, user_id: UUID, **given: Any) -> UUID:
        values = {"team_id": team_id, "user_id": user_id, "joined_at": THEN}
        return self._row(team_members, organization_id, values | given)

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

    def partner_key(self, organization_id: UUID, **given: Any) -> str:
        return self.key(Grant(Purpose.partner, organization_id, **given))

    def mcp_key(self, organization_id: UUID, *scopes: str) -> str:
        return self.key(Grant(Purpose.mcp, organization_id, scopes=scopes))

    def key(self, grant: Grant) -> str:
        with self.connection.begin():
            return create_key(self.connection, grant)

    def quota(self, organization_id: UUID, limit: int, group: str = "") -> None:
        with self.connection.begin():
            set_quota(self.connection, organization_id, group, limit)

    def _row(self, table: Table, organization_id: UUID, values: dict[str, Any]) -> UUID:
        id_ = values.setdefault("id", uuid4())
        self._insert(table, organization_id, values)
        assert isinstance(id_, UUID)
        return id_

    def _insert(self, table: Table, organization_id: UUID, values: dict[str, Any]) -> None:
        times = {"created_at": THEN, "updated_at": values.get("created_at", THEN)}
        with self.connection.begin():
            act_for(self.connection, organization_id)
            self.connection.execute(insert(table), {"organization_id": organization_id, **times, **values})


def act_for(connection: Connection, organization_id: UUID) -> None:
    """Let the owner write rows of an organization until the transaction ends."""
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
