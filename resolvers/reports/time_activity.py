"""Time activity report: one row a member, with its days, and the projects and tasks of each day."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import and_

from db.reading.connection import Row
from db.reading.json_array import JsonArray
from db.tables.timesheets import break_times, timesheets
from resolvers.context import Context
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.lists.listing import Listing, PageOfRows
from resolvers.period import Period
from resolvers.relations.arguments import Argument
from resolvers.relations.batching import Resolver
from resolvers.relations.relation import KEYS
from resolvers.reports.changes_sql import FEW
from resolvers.reports.day_slices_sql import DATES, HIGHS, LOWS
from resolvers.reports.interval_sql import overlaps_range
from resolvers.reports.record_changes_sql import RECORD_STATES, members_with_changes
from resolvers.reports.report_members import (
    TIMESHEETS_CAP,
    last_change,
    member_listing,
    page_within_cap,
    report_resolver,
    shown_users,
)
from resolvers.reports.time_totals_sql import DAY_KEYS, TIME_TOTALS, TOTALS

TIME_ACTIVITY_ARGUMENTS = [
    Argument(
        name="project_id",
        type=UUID,
        description="Only time on this project; members without time on it are listed too.",
    ),
    Argument(
        name="client_id",
        type=UUID,
        description="Only time on projects of this client; members without such time are listed too.",
    ),
    Argument(
        name="task_id", type=UUID, description="Only time on this task; members without time on it are listed too."
    ),
]

NO_TIME = (
    dict.fromkeys((*TOTALS, "days_worked"), 0)
    | dict.fromkeys(("activity_percent", "first_started_at", "last_ended_at"))
    | {"days": "[]"}
)
"""The totals of a member without tracked time."""


def members_listing(few: int = FEW) -> Listing:
    """The list of the report's members. For `few` see `changes_sql.changed_members`."""
    return member_listing(
        timesheets,
        overlaps_range(timesheets),
        changed=members_with_changes(few=few),
        content=TIME_ACTIVITY_ARGUMENTS,
        other_records=[(break_times, and_(overlaps_range(break_times), break_times.c.ended_at.is_not(None)))],
    )


TIME_ACTIVITY_MEMBERS = members_listing()


async def _page(context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
    """One page of rows. Raises Invalid if a member has more timesheets in the period than the cap."""
    page, period = await page_within_cap(TIME_ACTIVITY_MEMBERS, TIMESHEETS_CAP, context, arguments)
    if not page.results:
        return page
    days = period.days.values()
    users = {KEYS.key: [member.user_id for member in page.results]}
    shown = {KEYS.key: shown_users(page.results)}
    ends = {LOW.key: period.bounds[0], HIGH.key: period.bounds[-1]}
    days_of_range = {
        DATES.key: [day.date for day in days],
        LOWS.key: [day.low for day in days],
        HIGHS.key: [day.high for day in days],
    }
    content = {argument.name: arguments.get(argument.name) for argument in TIME_ACTIVITY_ARGUMENTS}
    totals, records = await asyncio.gather(
        context.read(TIME_TOTALS, shown | ends | days_of_range | content),
        context.read(RECORD_STATES, users | ends | days_of_range),
    )
    totals_by_user = {row.user_id: row for row in totals}
    records_by_user = {record.user_id: record for record in records}
    rows = [
        _row(member, period, totals_by_user.get(member.user_id), records_by_user[member.user_id])
        for member in page.results
    ]
    return replace(page, results=rows)


def _row(member: Row, period: Period, totals: Row | None, record: Row) -> dict[str, Any]:
    """The row of one member."""
    row: dict[str, Any] = NO_TIME if totals is None else totals._asdict()
    return row | {
        "user": member,
        "start_date": period.start,
        "end_date": period.end,
        "timezone": period.zone,
        "is_final": record.is_final,
        "updated_at": last_change(member, period, record.updated_at),
        "days": JsonArray(row["days"], DAY_KEYS),
    }


list_time_activity: Resolver = report_resolver(_page, lambda _: TIME_ACTIVITY_MEMBERS, TIME_ACTIVITY_MEMBERS.arguments)
