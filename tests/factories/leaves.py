"""Factories of leave rows, one per table."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID

from db.tables import leaves as tables
from db.tables.leaves import leave_assignments, leave_balances, leave_periods, leave_policies, leave_types
from tests.factories.base import THEN, Factory
from tests.factories.world import SIZE, World, named

DAY = date(2026, 1, 5)
CENTURY = {"start_date": date(2000, 1, 1), "end_date": date(2099, 12, 31)}
"""A period that is always current."""


class Leaves(Factory):
    def leave_type(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(leave_types, organization_id, {"name": "Vacation", "category": "vacation"} | columns)

    def leave_policy(self, organization_id: UUID, leave_type_id: UUID, **columns: Any) -> UUID:
        values = {"leave_type_id": leave_type_id, "name": "Full time"}
        return self._row(leave_policies, organization_id, values | columns)

    def leave_period(self, organization_id: UUID, **columns: Any) -> UUID:
        return self._row(leave_periods, organization_id, {"name": "Always"} | CENTURY | columns)

    def leave_assignment(self, organization_id: UUID, leave_policy_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"leave_policy_id": leave_policy_id, "user_id": user_id, "effective_from": DAY}
        return self._row(leave_assignments, organization_id, values | columns)

    def leave_balance(
        self, organization_id: UUID, leave_policy_id: UUID, leave_period_id: UUID, user_id: UUID, **columns: Any
    ) -> UUID:
        values: dict[str, Any] = {"leave_policy_id": leave_policy_id, "leave_period_id": leave_period_id}
        values |= {"user_id": user_id, "as_of": DAY}
        return self._row(leave_balances, organization_id, values | columns)

    def leave_application(self, organization_id: UUID, leave_type_id: UUID, user_id: UUID, **columns: Any) -> UUID:
        values = {"leave_type_id": leave_type_id, "user_id": user_id, "timezone": "UTC", "applied_at": THEN}
        values |= {"start_date": DAY, "end_date": columns.get("start_date", DAY)}
        values |= {"amount": 1, "duration_seconds": 28_800, "is_paid": True}
        return self._row(tables.leave_applications, organization_id, values | columns)

    def leave_day(self, organization_id: UUID, leave_application_id: UUID, **columns: Any) -> UUID:
        values = {"leave_application_id": leave_application_id, "date": DAY, "amount": 1, "duration_seconds": 28_800}
        return self._row(tables.leave_application_days, organization_id, values | columns)


def fill(rows: Leaves, world: World) -> None:
    """Insert into a world what the lists of leave return."""
    own, tag, user = world.organization_id, world.tag, named("user")
    for n in range(SIZE):
        at = THEN + timedelta(minutes=max(0, n - 1))
        type_, policy, period = named("leave type", n), named("leave policy", n), named("leave period", n)
        rows.leave_type(own, id=type_, name=f"{tag}-type {n}", description=f"{tag}-description", created_at=at)
        rows.leave_policy(own, named("leave type"), id=policy, name=f"{tag}-policy {n}", created_at=at)
        rows.leave_period(own, id=period, name=f"{tag}-period {n}", created_at=at)
        rows.leave_assignment(own, policy, user, id=named("leave assignment", n), created_at=at)
        rows.leave_balance(own, policy, named("leave period"), user, id=named("leave balance", n), created_at=at)
        ids = {"id": named("leave", n), "leave_policy_id": policy, "leave_period_id": period}
        leave = rows.leave_application(own, named("leave type"), user, **ids, reason=f"{tag}-reason", created_at=at)
        rows.leave_day(own, leave, id=named("leave day", n))
