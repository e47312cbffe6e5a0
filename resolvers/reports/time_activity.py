"""Time activity report: one row a member, with its days, and the projects and tasks of each day."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Table, and_, false, func, or_, select, union_all
from sqlalchemy.sql.selectable import FromClause
from strawberry import Info

from db.reading.connection import Row
from db.reading.json_array import JsonArray
from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.timesheets import ManualTimeStatus, break_times, idle_times, manual_requests, timesheets
from resolvers.context import Context
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.lists.listing import PageOfRows
from resolvers.period import Period
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.batching import Resolver
from resolvers.relations.relation import KEYS, any_key
from resolvers.reports.changes_sql import has_change, has_recent_change
from resolvers.reports.day_slices_sql import DATES, HIGHS, LOWS
from resolvers.reports.interval_sql import overlaps_range, starts_near_range
from resolvers.reports.report_members import TIMESHEETS, member_listing, page_within_cap
from resolvers.reports.time_totals_sql import DAY_KEYS, TIME_TOTALS, TOTALS

ARGUMENTS = [
    Argument(
        name="project_id", type=UUID, description="Only time on this project; members without any are listed too."
    ),
    Argument(
        name="client_id",
        type=UUID,
        description="Only time on projects of this client; members without any are listed too.",
    ),
    Argument(name="task_id", type=UUID, description="Only time on this task; members without any are listed too."),
]

EMPTY_TOTALS = (
    dict.fromkeys((*TOTALS, "days_worked"), 0)
    | dict.fromkeys(("activity_percent", "first_started_at", "last_ended_at"))
    | {"days": "[]"}
)
"""The totals of a member without tracked time."""


def _request_touches(requests: FromClause) -> ColumnElement[bool]:
    """Whether the interval of a request, or the one before an edit, overlaps the range."""
    original = and_(requests.c.original_started_at < HIGH, requests.c.original_ended_at > LOW)
    return or_(overlaps_range(requests), original)


RECORD_TABLES: dict[Table, tuple[ColumnElement[bool], ColumnElement[bool]]] = {
    timesheets: (overlaps_range(timesheets), timesheets.c.ended_at.is_(None)),
    idle_times: (overlaps_range(idle_times), false()),
    break_times: (overlaps_range(break_times), false()),
    manual_requests: (
        _request_touches(manual_requests),
        manual_requests.c.status == ManualTimeStatus.pending.value,
    ),
}
"""The tables whose records contribute to a row: which records belong to the period, and which are not final.

Deleted records count as changes. The filters by project, client and task do not apply: a record may move into them.
"""

_records = union_all(
    *(
        select(table.c.user_id, table.c.updated_at, and_(is_open, table.c.deleted_at.is_(None)).label("is_open")).where(
            in_organization(table), table.c.user_id == any_key(), in_period
        )
        for table, (in_period, is_open) in RECORD_TABLES.items()
    )
).subquery("records")

RECORD_STATES = Statement(
    select(
        _records.c.user_id,
        func.max(_records.c.updated_at).label("updated_at"),
        (~func.bool_or(_records.c.is_open)).label("is_final"),
    ).group_by(_records.c.user_id)
)
"""When the records of each user last changed, and whether all are final."""

MEMBERS = member_listing(
    timesheets,
    overlaps_range(timesheets),
    changed=or_(
        *(
            has_change(table, "started_at", starts_near_range(table), overlaps_range)
            for table in (timesheets, idle_times, break_times)
        ),
        has_recent_change(manual_requests, _request_touches),
    ),
    content=ARGUMENTS,
    other_records=[(break_times, and_(overlaps_range(break_times), break_times.c.ended_at.is_not(None)))],
)


async def _page(info: Info[Context, None], **arguments: Any) -> PageOfRows:
    """One page of rows. Raises Invalid if a member has more timesheets in the period than the cap."""
    page, period = await page_within_cap(MEMBERS, TIMESHEETS, info.context, arguments)
    if not page.results:
        return page
    days = period.days.values()
    range_of_users = {
        KEYS.key: [member.user_id for member in page.results],
        LOW.key: period.bounds[0],
        HIGH.key: period.bounds[-1],
    }
    days_of_range = {
        DATES.key: [day.date for day in days],
        LOWS.key: [day.low for day in days],
        HIGHS.key: [day.high for day in days],
    }
    content = {argument.name: arguments.get(argument.name) for argument in ARGUMENTS}
    totals, records = await asyncio.gather(
        info.context.read(TIME_TOTALS, range_of_users | days_of_range | content),
        info.context.read(RECORD_STATES, range_of_users),
    )
    totals_by_user = {row.user_id: row for row in totals}
    records_by_user = {record.user_id: record for record in records}
    rows = [
        _row(member, period, totals_by_user.get(member.user_id), records_by_user.get(member.user_id))
        for member in page.results
    ]
    return replace(page, results=rows)


def _row(member: Row, period: Period, totals: Row | None, record: Row | None) -> dict[str, Any]:
    """The row of one member."""
    row: dict[str, Any] = EMPTY_TOTALS if totals is None else totals._asdict()
    return row | {
        "user": member,
        "start_date": period.start,
        "end_date": period.end,
        "timezone": period.zone,
        "is_final": record is None or record.is_final,
        "updated_at": record and record.updated_at,
        "days": JsonArray(row["days"], DAY_KEYS),
    }


list_time_activity: Resolver = declare(_page, MEMBERS.arguments)
