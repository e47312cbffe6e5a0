"""Activity: usage reports of applications and sites, and the list of suspicious activity logs."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table, Text, Uuid, and_, case, exists, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_

from db.tables.activity import Productivity, app_usages, apps, domains, suspicious_activity_logs, url_usages
from db.tables.columns import bind, constant, in_organization
from db.tables.people import members
from db.tables.timesheets import timesheets
from resolvers.lists.filters import exactly, identifiers, one_of, person, through
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import HIGH, LOW, DateRange, Filter
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import DATE
from resolvers.people import known_team
from resolvers.records.interval_sql import seconds_between, slots_in_range
from resolvers.relations.nodes import rows_by_id
from resolvers.reports.usage_report import UsageReport
from resolvers.reports.usage_report_sql import UsageNames
from resolvers.steps.computed import computed
from resolvers.values.amounts import columns_of

APP_USAGE = UsageReport(
    app_usages,
    apps,
    "app_id",
    names=UsageNames("apps", "app_name", "sessions_count", "first_used_at", "last_used_at"),
    name_filter=exactly(apps.c.name, "Only this application, by its exact name.", name="app_name"),
)

URL_USAGE = UsageReport(
    url_usages,
    domains,
    "domain_id",
    names=UsageNames("sites", "domain", "visits_count", "first_visited_at", "last_visited_at"),
    name_filter=Filter(
        name="domain",
        type=str,
        # Host names are case-insensitive.
        where=domains.c.name == func.lower(bind("domain", Text())),
        description="Only this website, by its registrable domain in punycode.",
    ),
    has_pages=True,
)

_log = suspicious_activity_logs.c
SUSPICIOUS_ACTIVITY_LOG_COLUMNS = columns_of(
    suspicious_activity_logs, duration_seconds=seconds_between(_log.started_at, _log.ended_at), date=DATE
)
logs_by_id = rows_by_id(suspicious_activity_logs, SUSPICIOUS_ACTIVITY_LOG_COLUMNS, "Suspicious activity log")
SUSPICIOUS_ACTIVITY = Listing(
    suspicious_activity_logs,
    SUSPICIOUS_ACTIVITY_LOG_COLUMNS,
    description=", by creation. `start_date` and `end_date` select by local day of the start.",
    resource="activity.SuspiciousActivityLog",
    filters=[
        identifiers(_log.id, "logs"),
        *person(_log.user_id, "Only logs about this person."),
        one_of(_log.type, "Only these types."),
        one_of(_log.severity, "Only these severities."),
        one_of(_log.status, "Only these review statuses."),
        exactly(_log.project_id, "Only logs about time on this project."),
    ],
    date_range=DateRange(where=(_log.started_at >= LOW) & (_log.started_at < HIGH), day_of="started_at"),
)


SUSPICIOUS_ACTIVITY_TOTALS = Groups(SUSPICIOUS_ACTIVITY, ["duration_seconds", "deducted_seconds"], day=_log.started_at)


def _usage(table: Table, catalog: Table, name: str, row: str) -> Groups:
    """The groups of usage in slots, of which there is no list, by applications or sites and their ratings."""
    own = table.c
    of_catalog = next(each for each in own if each.references(catalog.c.id))
    # With the people, an index finds the slots of the range. Those of deleted people are in no report, either.
    live = select(members.c.user_id).where(in_organization(members), members.c.deleted_at.is_(None))
    people = func.array(live.scalar_subquery(), type_=ARRAY(Uuid()))
    listing = Listing(
        table,
        columns_of(table, date=DATE),
        order=("slot_at", "timesheet_id"),
        resource=f"activity.{row}Slot",
        filters=[
            *person(own.user_id, "Only this person."),
            through(own.timesheet_id, timesheets.c.project_id, "Only usage during time on this project."),
            Filter(
                name="productivity",
                type=list[Productivity],
                where=exists()
                .where(
                    in_organization(catalog),
                    catalog.c.id == of_catalog,
                    catalog.c.productivity == any_(bind("productivity", ARRAY(Text()))),
                )
                .correlate(table),
                description="Only usage of applications or sites with these ratings.",
            ),
        ],
        date_range=DateRange(
            where=and_(own.user_id == any_(people), slots_in_range(table)), is_required=True, day_of="slot_at"
        ),
        checks=[known_team],
    )
    rated = {name: catalog.c.name, "category": catalog.c.category, "productivity": catalog.c.productivity}
    is_unproductive = catalog.c.productivity == constant(Productivity.unproductive.value)
    rated_so = of_catalog.in_(select(catalog.c.id).where(in_organization(catalog), is_unproductive))
    unproductive = (case((rated_so, own.duration_seconds), else_=constant(0)), own.duration_seconds)
    sums, shares = ["duration_seconds", "active_seconds"], {"unproductive_percent": unproductive}
    return Groups(listing, sums, day=own.slot_at, more=rated, shares=shares, row=row)


APP_USAGE_TOTALS = _usage(app_usages, apps, "app_name", "AppUsage")
URL_USAGE_TOTALS = _usage(url_usages, domains, "domain", "SiteUsage")


@computed("evidence")
def evidence_of(root: Any) -> Mapping[str, Any]:
    """The evidence of a log: the stored JSON, which may lack any key or have null, with its lists."""
    evidence: Mapping[str, Any] = root.evidence
    return {**evidence, **{name: evidence.get(name) or [] for name in ("app_names", "screenshot_ids")}}
