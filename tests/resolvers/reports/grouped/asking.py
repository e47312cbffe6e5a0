"""Time by group as tests ask for it, and the week that most of them ask for."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from rest_facade.composition import Service
from schema.execution.operation import Operation
from tests.resolvers.answers import data_of

ARGUMENTS: Mapping[str, str] = {
    "start_date": "Date!",
    "end_date": "Date!",
    "timezone": "Timezone",
    "group_by": "[TimeGroup!]! = []",
    "limit": "Int! = 100",
    "page": "Int! = 1",
    "order_by": "TimeGroupOrder! = group",
    "currency": "String",
    "where": "TimeTotalsWhere",
    "having": "TimeTotalsHaving",
    "include_untracked": "Boolean! = false",
    **dict.fromkeys(("project_id", "client_id", "task_id", "team_id", "user_id"), "UUID"),
    **dict.fromkeys(("is_billable", "over_estimate"), "Boolean"),
}
"""The arguments with their types, as variables."""

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
WEEK: Mapping[str, Any] = {"start_date": date(2026, 3, 2), "end_date": date(2026, 3, 8), "timezone": "UTC"}


def time_totals(selection: str) -> Operation:
    defined = ", ".join(f"${name}: {kind}" for name, kind in ARGUMENTS.items())
    given = ", ".join(f"{name}: ${name}" for name in ARGUMENTS)
    return Operation(f"query({defined}) {{ time_totals({given}) {{ {selection} }} }}")


async def groups_of(service: Service, own: UUID, operation: Operation, **variables: Any) -> list[dict[str, Any]]:
    """The groups of a page, which counts them."""
    page = (await data_of(service.database, own, operation, **variables))["time_totals"]
    assert page["count"] == len(page["results"])
    return list(page["results"])
