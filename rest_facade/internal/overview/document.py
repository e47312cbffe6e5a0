"""The JSON of /overview.json: a page of organizations with their figures, and what the figures cover."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.figures.freshness import WATCHED
from db.figures.stored_rows import tables_by_area, total
from db.reading.connection import Row
from rest_facade.access.quota import GRAPHQL_GROUP, quota_of
from rest_facade.internal.overview.figures import Figures
from rest_facade.internal.overview.instance_use import UseByMinute

PROBLEM = "The figures could not be read; the log of the service says why."


def table_entries() -> Sequence[Mapping[str, Any]]:
    """The tables in the order of the areas, and whether their last change is known."""
    return [
        {"name": str(table.name), "area": area, "shows_last_change": table in WATCHED}
        for area, tables in tables_by_area().items()
        for table in tables
    ]


def organization_entry(organization: Row, figures: Figures | None, quota: Mapping[str, Any]) -> Mapping[str, Any]:
    """An organization of the page. Without figures, `problem` says so and they are null."""
    entry = {"id": organization.organization_id, "name": organization.name, "status": organization.status}
    if figures is None:
        unknown = dict.fromkeys(("read_at", "rows", "last_change", "last_heartbeat", "running_timers", "last_changes"))
        return {**entry, "problem": PROBLEM, **unknown, "quota": quota}
    return {
        **entry,
        "problem": None,
        "read_at": figures.read_at,
        "rows": {"total": total(figures.rows), "tables": figures.rows},
        "last_change": max((each for each in figures.changes.values() if each is not None), default=None),
        "last_heartbeat": figures.heartbeat,
        "running_timers": figures.running_timers,
        "last_changes": figures.changes,
        "quota": quota,
    }


def quota_entry(
    use: UseByMinute, minutes: Sequence[int], quotas: Mapping[str, int] | None, limit: int
) -> Mapping[str, Any]:
    """Requests and refusals by minute, and by resource group, the busiest group first.

    `quotas` are the organization's own, None if they are unknown; `limit` is that of all others. GraphQL calls have
    none: each token has its own.
    """
    groups = [
        {
            "group": group,
            "requests": sum(requests for requests, _ in counts.values()),
            "refused": sum(refused for _, refused in counts.values()),
            "busiest_minute": max(requests for requests, _ in counts.values()),
            "limit": quota_of(quotas, group, limit) if quotas is not None and group != GRAPHQL_GROUP else None,
        }
        for group, counts in use.items()
    ]

    def by_minute(which: int) -> Sequence[int]:
        return [sum(counts.get(minute, (0, 0))[which] for counts in use.values()) for minute in minutes]

    return {
        "requests": by_minute(0),
        "refused": by_minute(1),
        "groups": sorted(groups, key=lambda each: (-int(each["requests"] or 0), str(each["group"]))),
    }
