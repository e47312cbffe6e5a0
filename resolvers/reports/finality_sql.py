"""SQL of finality: whether what a person did in a range is settled, so that only an edit of a record changes it.

It is not final while a timer, a break or a clock record is open that began before the end of the range, and while an
idle time or manual time of the range is pending. A timer or a break lasts at most MAX_INTERVAL, so one that began
longer than that before the range cannot reach it; a clock record may be open for any time. Each table has an index of
its unfinished rows, so that a look-up reads nearly nothing.

Whatever opens or closes such a record moves its `updated_at`, and reports count it as a change of the range: see
`resolvers.reports.record_changes_sql`.
"""

from sqlalchemy import ColumnElement, Table, and_, exists, or_

from db.tables.columns import in_organization
from db.tables.timesheets import (
    MAX_INTERVAL,
    IdleAction,
    ManualTimeStatus,
    break_times,
    clock_records,
    idle_times,
    manual_requests,
    timesheets,
)
from resolvers.lists.list_sql import HIGH, LOW


def is_final(
    user_id: ColumnElement[object], low: ColumnElement[object] = LOW, high: ColumnElement[object] = HIGH
) -> ColumnElement[bool]:
    """Whether nothing of a person is open or pending in the range from `low` to `high`, by default the request's.

    `user_id` is a column of the statement around it.
    """

    def begins_near(table: Table) -> ColumnElement[bool]:
        return and_(table.c.started_at < high, table.c.started_at > low - MAX_INTERVAL)

    idle, request = idle_times.c, manual_requests.c
    unfinished = {
        timesheets: and_(timesheets.c.ended_at.is_(None), begins_near(timesheets)),
        break_times: and_(break_times.c.ended_at.is_(None), begins_near(break_times)),
        clock_records: and_(clock_records.c.clock_out_at.is_(None), clock_records.c.clock_in_at < high),
        idle_times: and_(idle.action == IdleAction.pending.value, begins_near(idle_times), idle.ended_at > low),
        manual_requests: and_(
            request.status == ManualTimeStatus.pending.value,
            or_(
                and_(begins_near(manual_requests), request.ended_at > low),
                and_(request.original_started_at < high, request.original_ended_at > low),
            ),
        ),
    }
    found = (
        exists()
        .where(in_organization(table), table.c.user_id == user_id, table.c.deleted_at.is_(None), condition)
        .correlate_except(table)
        for table, condition in unfinished.items()
    )
    return ~or_(*found)
