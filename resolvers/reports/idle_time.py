"""Idle time, person by person: a page ends between people, never inside one."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import and_, exists, func, literal, or_, select
from strawberry import Info, Parent

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.people import members
from db.tables.timesheets import MAX_INTERVAL, idle_times, timesheets
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.keyset import Keyset
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.lists.page_limits import CURSOR
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.batching import Resolver
from resolvers.relations.relation import KEYS
from resolvers.reports.interval_sql import of_people, seconds, starts
from resolvers.reports.report_members import SINCE, TIMESHEETS, scope

PAGING = [
    Argument(
        name="limit",
        type=int,
        default=CURSOR.default,
        description=f"Maximum number of people on the page, 1 to {CURSOR.maximum}.",
    ),
    Argument(name="cursor", type=str, description="The `next_cursor` of the previous page."),
]


class Pagination(NamedTuple):
    """Where a page stands in the walk (spec, Paging envelopes)."""

    limit: int
    timesheets_cap: int
    users_returned: int
    timesheets_returned: int
    total_users: int
    has_more: bool
    next_cursor: str | None


class TimesheetIdleTime(NamedTuple):
    """One timesheet, with its idle times in their order."""

    id: UUID
    idle_times: Sequence[Row]


class UserIdleTime(NamedTuple):
    """One person, with the timesheets that started in the period in their order."""

    user: Row
    timesheets: Sequence[TimesheetIdleTime]


class IdleTimePage(NamedTuple):
    """Some people, and where they stand among all."""

    results: Sequence[UserIdleTime]
    pagination: Pagination


_own = and_(in_organization(timesheets), timesheets.c.user_id == members.c.user_id, starts(timesheets))
_idle_in_own = and_(in_organization(idle_times), idle_times.c.timesheet_id == timesheets.c.id)
MEMBERS = scope(
    counted=select(func.count()).where(_own, timesheets.c.deleted_at.is_(None)).scalar_subquery(),
    changed=or_(
        exists().where(_own, timesheets.c.updated_at >= SINCE),
        exists(
            select(literal(1))
            .select_from(timesheets.join(idle_times, _idle_in_own))
            .where(_own, idle_times.c.updated_at >= SINCE)
        ),
    ),
)

IDLE_TIMES = Statement(
    select(
        timesheets.c.user_id,
        timesheets.c.id.label("timesheet_id"),
        *(column for column in idle_times.c if column.name not in {"organization_id", "user_id", "timesheet_id"}),
        seconds(idle_times.c.started_at, idle_times.c.ended_at).label("duration_seconds"),
    )
    .select_from(
        timesheets.outerjoin(
            idle_times,
            and_(
                of_people(idle_times),
                idle_times.c.timesheet_id == timesheets.c.id,
                idle_times.c.started_at >= LOW,
                idle_times.c.started_at < HIGH + MAX_INTERVAL,
            ),
        )
    )
    .where(of_people(timesheets), starts(timesheets))
    .order_by(
        timesheets.c.user_id,
        timesheets.c.started_at,
        timesheets.c.id,
        idle_times.c.started_at,
        idle_times.c.id,
    )
)
"""The timesheets of people, each with its idle times, or with one row of nothing."""


async def _page(info: Info[Context, None], **arguments: Any) -> IdleTimePage:
    """One page. Raises Invalid where its first person alone has more timesheets than a page may hold."""
    limit = arguments["limit"]
    if limit > CURSOR.maximum:
        raise Invalid(f"limit cannot exceed {CURSOR.maximum}.", {"limit": [f"limit cannot exceed {CURSOR.maximum}."]})
    page, period = await MEMBERS.page(info.context, {**arguments, "page": 1, "after": arguments["cursor"]})
    people = _fitting(page.results)
    sheets: dict[UUID, list[TimesheetIdleTime]] = {person.user_id: [] for person in people}
    values = {KEYS.key: list(sheets), LOW.key: period.edges[0], HIGH.key: period.edges[-1]}
    rows = await info.context.read(IDLE_TIMES, values) if people else []
    for (user_id, timesheet_id), group in groupby(rows, lambda row: (row.user_id, row.timesheet_id)):
        sheets[user_id].append(TimesheetIdleTime(timesheet_id, [row for row in group if row.id is not None]))
    is_cut = len(people) < len(page.results)
    following = Keyset.of(people[-1], MEMBERS.order, page.count).text() if is_cut else page.next
    return IdleTimePage(
        [UserIdleTime(person, sheets[person.user_id]) for person in people],
        Pagination(
            limit=limit,
            timesheets_cap=TIMESHEETS.limit,
            users_returned=len(people),
            timesheets_returned=sum(map(len, sheets.values())),
            total_users=page.count,
            has_more=following is not None,
            next_cursor=following,
        ),
    )


def _fitting(people: Sequence[Row]) -> Sequence[Row]:
    """The first people whose timesheets fit on a page together. Raises Invalid if the very first ones don't."""
    TIMESHEETS.check(people[:1])
    total = 0
    for number, person in enumerate(people):
        total += person.counted
        if total > TIMESHEETS.limit:
            return people[:number]
    return people


list_idle_times: Resolver = declare(
    _page, [*PAGING, *(argument for argument in MEMBERS.arguments if argument.name not in {"page", "limit", "after"})]
)


def email_of(root: Parent[Any]) -> str:
    """An e-mail address is a string here, also where it was erased (spec, idle-time result)."""
    return root.email or ""
