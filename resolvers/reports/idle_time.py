"""Idle-time report: timesheets with their idle times, by user. A page always holds whole users."""

from collections.abc import Mapping
from itertools import accumulate, groupby
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, literal, select
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.timesheets import MAX_INTERVAL, idle_times, timesheets
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.lists.orders import PageOrder, position_after
from resolvers.lists.page_arguments import CURSOR_LIMITS
from resolvers.period import MAX_RANGE_DAYS
from resolvers.records.changes_sql import ChangedRecords, changed_members
from resolvers.records.interval_sql import live_rows_of_users, seconds_between, starts_in_range
from resolvers.relations.arguments import Argument
from resolvers.relations.relation import KEYS
from resolvers.reports.report_members import TIMESHEETS_CAP, member_listing
from resolvers.reports.report_page import member_page, shown_records, shown_users
from resolvers.reports.walk_cursor import arguments_of_walk, cursor_text
from resolvers.steps.batch import query_field
from resolvers.steps.computed import computed
from resolvers.values.planner import FENCE

CURSOR_PAGING = [
    Argument(
        name="limit",
        type=int,
        default=CURSOR_LIMITS.default,
        description=f"Maximum number of people on the page, 1 to {CURSOR_LIMITS.maximum}.",
    ),
    Argument(
        name="cursor",
        type=str,
        description="The `next_cursor` of the previous page. It has the days, time zone and filters of the first page: "
        "send it alone, or with the same values again.",
    ),
]


_idle_near_range = and_(idle_times.c.started_at >= LOW, idle_times.c.started_at < HIGH + MAX_INTERVAL)


def _timesheet_in_range(idle: FromClause) -> ColumnElement[bool]:
    """Whether the timesheet of an idle time starts in the range."""
    own = and_(in_organization(timesheets), timesheets.c.id == idle.c.timesheet_id, starts_in_range(timesheets))
    return exists(select(timesheets.c.id).where(own).correlate(idle).offset(FENCE))


IDLE_TIME_MEMBERS = member_listing(
    timesheets,
    starts_in_range(timesheets),
    changed=changed_members(
        [
            ChangedRecords.frequent(timesheets, starts_in_range(timesheets), starts_in_range),
            ChangedRecords.frequent(idle_times, _idle_near_range, _timesheet_in_range),
        ]
    ),
    # The specification walks this list with the cursor alone (spec, Cursor list).
    default_days=MAX_RANGE_DAYS,
)

# A series makes PostgreSQL expect many rows: it would look up the idle times of each timesheet apart.
_rows = select(*idle_times.c, func.generate_series(literal(1), literal(1)).label("number"))
_idle = _rows.where(live_rows_of_users(idle_times), _idle_near_range).subquery("idle")

IDLE_TIMES = Statement(
    select(
        timesheets.c.user_id,
        timesheets.c.id.label("timesheet_id"),
        *(column for column in _idle.c if column.name not in {"organization_id", "user_id", "timesheet_id", "number"}),
        seconds_between(_idle.c.started_at, _idle.c.ended_at).label("duration_seconds"),
    )
    .select_from(timesheets.outerjoin(_idle, _idle.c.timesheet_id == timesheets.c.id))
    .where(live_rows_of_users(timesheets), starts_in_range(timesheets))
    .order_by(timesheets.c.user_id, timesheets.c.started_at, timesheets.c.id, _idle.c.started_at, _idle.c.id)
)
"""The timesheets of users, one row an idle time; a timesheet without idle time is one row of nulls."""


@query_field(
    *CURSOR_PAGING,
    *(argument for argument in IDLE_TIME_MEMBERS.arguments if argument.name not in {"page", "limit", "after"}),
)
async def list_idle_times(context: Context, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """One page. Raises Invalid if its first user alone has more timesheets than a page may hold.

    The error has the cursor of the page behind that user, if there is one.
    """
    limit = arguments["limit"]
    if limit > CURSOR_LIMITS.maximum:
        message = f"limit cannot exceed {CURSOR_LIMITS.maximum}."
        raise Invalid(message, {"limit": [message]})
    walk = arguments_of_walk(arguments, arguments["cursor"])
    page = await member_page(IDLE_TIME_MEMBERS, context, {**walk, "page": 1})
    period = page.period
    counts = [shown_records(user) for user in page.results]
    if counts and counts[0] > TIMESHEETS_CAP.limit:
        refusal = TIMESHEETS_CAP.refusal(counts[0])
        if len(page.results) > 1 or page.next is not None:
            behind = position_after(page.results[0], PageOrder(IDLE_TIME_MEMBERS.order), page.count)
            refusal.extensions["next_cursor"] = cursor_text(walk, period, behind)
        raise refusal
    users = [
        user for user, total in zip(page.results, accumulate(counts), strict=True) if total <= TIMESHEETS_CAP.limit
    ]
    sheets: dict[UUID, list[dict[str, Any]]] = {user.user_id: [] for user in users}
    values = {KEYS.key: shown_users(users), LOW.key: period.bounds[0], HIGH.key: period.bounds[-1]}
    rows = await context.fetch(IDLE_TIMES, values) if users else []
    for (user_id, id_), group in groupby(rows, lambda row: (row.user_id, row.timesheet_id)):
        sheets[user_id].append({"id": id_, "idle_times": [row for row in group if row.id is not None]})
    is_cut = len(users) < len(page.results)
    following = position_after(users[-1], PageOrder(IDLE_TIME_MEMBERS.order), page.count) if is_cut else page.next
    pagination = {
        "limit": limit,
        "timesheets_cap": TIMESHEETS_CAP.limit,
        "users_returned": len(users),
        "timesheets_returned": sum(map(len, sheets.values())),
        "total_users": page.count,
        "has_more": following is not None,
        "next_cursor": None if following is None else cursor_text(walk, period, following),
    }
    results = [{"user": user, "timesheets": sheets[user.user_id]} for user in users]
    return {"results": results, "pagination": pagination}


@computed("email")
def email_of(root: Any) -> str:
    """The e-mail address, or an empty string if it was erased (spec, Timesheet idle-time result)."""
    return root.email or ""
