"""Factories of organizations, members and teams, and of keys and quotas."""

from typing import Any
from uuid import UUID, uuid4

from db.admin.keys import Grant, create_key
from db.admin.quotas import set_quota
from db.tables.people import members, organizations, team_members, teams
from db.values.purpose import Purpose
from tests.factories.base import THEN, Factory

FEATURES = dict.fromkeys("screenshots app_tracking url_tracking clock_in_out invoicing payroll leave".split(), True)
RETENTION = {"screenshots": 180, "app_usage": 365, "url_usage": 365}


class People(Factory):
    def organization(self, **columns: Any) -> UUID:
        id_ = columns.pop("organization_id", None) or uuid4()
        values = {"name": "Acme", "timezone": "UTC", "currency": "EUR", "features": FEATURES}
        values["data_retention_days"] = RETENTION
        self._insert(organizations, id_, values | columns)
        return id_

    def member(self, organization_id: UUID, **columns: Any) -> UUID:
        columns.setdefault("user_id", uuid4())
        status = columns.get("status", "active")
        values = {
            "membership_id": uuid4(),
            "full_name": "Ada Byron",
            "email": f"{columns['user_id']}@example.com",
            "first_joined_at": None if status == "invited" else THEN,
            "joined_at": None if status == "invited" else columns.get("first_joined_at", THEN),
            "removed_at": THEN if status == "removed" else None,
        }
        self._insert(members, organization_id, values | columns)
        user_id: UUID = columns["user_id"]
        return user_id

    def team(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(teams, organization_id, {"name": "Design"} | columns)

    def team_member(self, organization_id: UUID, team_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"team_id": team_id, "user_id": user_id, "joined_at": THEN}
        return self._row(team_members, organization_id, values | columns)

    def partner_key(self, organization_id: UUID, **columns: Any) -> str:
        return self.key(Grant(Purpose.partner, organization_id, **columns))

    def mcp_key(self, organization_id: UUID, *scopes: str) -> str:
        return self.key(Grant(Purpose.mcp, organization_id, scopes=scopes))

    def key(self, grant: Grant) -> str:
        with self.connection.begin():
            return create_key(self.connection, grant)

    def quota(self, organization_id: UUID, limit: int, group: str = "") -> None:
        with self.connection.begin():
            set_quota(self.connection, organization_id, group, limit)
