"""How activity is found: usage of applications and of sites, and what looked suspicious."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Date, Text, cast, extract, func, null
from strawberry import Parent

from db.tables.activity import (
    SuspicionSeverity,
    SuspicionStatus,
    SuspicionType,
    app_usages,
    apps,
    domains,
    suspicious_activity_logs,
    url_usages,
)
from db.tables.columns import bind
from resolvers.lists.filters import exactly, identifier, identifiers, one_of, team
from resolvers.lists.list_sql import HIGH, LOW, Filter, Ranged
from resolvers.lists.listing import Listing
from resolvers.reports.app_usage import Usage
from resolvers.reports.url_usage import WITH_PAGES, Sites

APPS = Usage(
    app_usages,
    apps,
    "app_id",
    called=("app_name", "sessions_count", "first_used_at", "last_used_at"),
    named=exactly("app_name", apps.c.name, "Only this application, by its exact name."),
)
list_app_reports = APPS.everywhere()

SITES = Sites(
    url_usages,
    domains,
    "domain_id",
    called=("domain", "visits_count", "first_visited_at", "last_visited_at"),
    named=Filter(
        name="domain",
        type=str,
        # Hosts are the same in whatever case.
        where=domains.c.name == func.lower(bind("domain", Text())),
        description="Only this website, by its registrable domain in punycode.",
    ),
    content=[WITH_PAGES],
)
list_url_reports = SITES.everywhere()

_log = suspicious_activity_logs.c
SUSPICIOUS_ACTIVITY = Listing(
    suspicious_activity_logs,
    [
        *(column for column in _log if column.name != "organization_id"),
        cast(extract("epoch", _log.ended_at - _log.started_at), BigInteger).label("duration_seconds"),
        null().cast(Date).label("date"),
    ],
    filters=[
        identifiers(_log.id, "logs"),
        identifier("user_id", _log.user_id, "Only logs about this person."),
        team(_log.user_id),
        one_of("type", SuspicionType, _log.type, "Only these types."),
        one_of("severity", SuspicionSeverity, _log.severity, "Only these severities."),
        one_of("status", SuspicionStatus, _log.status, "Only these review statuses."),
        identifier("project_id", _log.project_id, "Only logs about time on this project."),
    ],
    ranged=Ranged(where=(_log.started_at >= LOW) & (_log.started_at < HIGH), day_of="started_at"),
)
list_suspicious_activity_logs = SUSPICIOUS_ACTIVITY.everywhere()


class Evidence(NamedTuple):
    """What a log was concluded from."""

    keyboard_seconds: int | None
    mouse_seconds: int | None
    active_seconds: int | None
    tracked_seconds: int | None
    app_names: Sequence[str]
    screenshot_ids: Sequence[str]


def evidence_of(root: Parent[Any]) -> Evidence:
    """The evidence of a log. Whoever wrote it need not have written every key."""
    found = root.evidence
    return Evidence(
        found.get("keyboard_seconds"),
        found.get("mouse_seconds"),
        found.get("active_seconds"),
        found.get("tracked_seconds"),
        found.get("app_names") or (),
        found.get("screenshot_ids") or (),
    )
