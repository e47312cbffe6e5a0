"""SQL of finality: whether what a person did in a range is settled, so that only an edit of a record changes it.

It is not final while a timer, a break or a clock record is open that began before the end of the range, and while an
idle time or manual time of the range is pending. A timer or a break lasts at most MAX_INTERVAL, so one that began
longer than that before the range cannot reach it; a clock record may be open for any time. Each table has an index of
its unfinished rows, so that a look-up reads nearly nothing.

Whatever opens or closes such a record moves its `updated_at`, and reports count it as a change of the range: see
`resolvers.reports.record_changes_sql`. `last_record_change` is the latest such change for a person and a range.
"""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    DateTime,
    FromClause,
    Select,
    and_,
    case,
    cast,
    exists,
    func,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql import any_

from db.tables.columns import in_organization
from db.tables.payroll import payables
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
from resolvers.lists.local_day import SHIFTS_CHANGED_AT, day_start_sql
from resolvers.records.changes_sql import is_near, was_near
from resolvers.records.interval_sql import rows_of, starts_near_range
from resolvers.values.planner import FENCE

FINAL_RECORDS = (timesheets, idle_times, break_times, manual_requests, clock_records)
"""The tables whose records decide whether a range is final."""


def is_final(
    user_id: ColumnElement[object], low: ColumnElement[object] = LOW, high: ColumnElement[object] = HIGH
) -> ColumnElement[bool]:
    """Whether nothing of a person is open or pending in the range from `low` to `high`, by default the request's.

    `user_id` is a column of the statement around it.
    """
    idle, request, attendance = idle_times.c, manual_requests.c, clock_records.c
    near = {table: starts_near_range(table, low, high) for table in FINAL_RECORDS if table is not clock_records}
    in_range = or_(
        and_(near[manual_requests], request.ended_at > low),
        and_(request.original_started_at < high, request.original_ended_at > low),
    )
    unfinished = {
        timesheets: and_(timesheets.c.ended_at.is_(None), near[timesheets]),
        break_times: and_(break_times.c.ended_at.is_(None), near[break_times]),
        clock_records: and_(attendance.clock_out_at.is_(None), attendance.clock_in_at < high),
        idle_times: and_(idle.action == IdleAction.pending.value, near[idle_times], idle.ended_at > low),
        manual_requests: and_(request.status == ManualTimeStatus.pending.value, in_range),
    }
    found = (
        exists().where(rows_of(table, user_id), table.c.deleted_at.is_(None), condition).correlate_except(table)
        for table, condition in unfinished.items()
    )
    return ~or_(*found)


def last_record_change(
    user_id: ColumnElement[Any],
    low: ColumnElement[Any],
    high: ColumnElement[Any],
    since: ColumnElement[Any] | None = None,
) -> ColumnElement[Any]:
    """When a record that counts for the range of a person last changed, deleted ones included; null: never.

    Records that moved out of the range, or that became another person's, are among them. With `since`, only changes at
    or after that time are looked for.
    """
    changes: list[Select[Any]] = []
    for table in FINAL_RECORDS:
        own, before = table.c.user_id == user_id, was_near(table, low, high)
        was_own = and_(table.c.earlier_user_ids.is_not(None), user_id == any_(table.c.earlier_user_ids), before)
        last = latest = select(func.max(table.c.updated_at)).where(in_organization(table)).correlate_except(table)
        if since is not None:
            # ORDER BY leads PostgreSQL to the index of changes, see `changes_sql.has_change`.
            changed = select(table).where(in_organization(table), own, table.c.updated_at >= since)
            recent = changed.order_by(table.c.updated_at).offset(FENCE).correlate_except(table).subquery("recent")
            counts = or_(is_near(recent, low, high), was_near(recent, low, high))
            changes += [select(func.max(recent.c.updated_at)).where(counts)]
            changes += [latest.where(was_own, table.c.updated_at >= since)]
            continue
        if table is clock_records:
            # All earlier attendance counts. ORDER BY leads PostgreSQL to the last change of it.
            last = latest.with_only_columns(table.c.updated_at).order_by(table.c.updated_at.desc()).limit(1)
        here, moved = is_near(table, low, high), and_(table.c.earlier_from.is_not(None), before)
        changes += [last.where(own, here), latest.where(own, moved), latest.where(was_own)]
    return func.greatest(*(each.scalar_subquery() for each in changes), type_=DateTime(timezone=True))


# The period of a payable: its days in the organization's zone.
_low, _high = day_start_sql(payables.c.period_start), day_start_sql(payables.c.period_end, after=1)

PAYABLE_IS_FINAL: ColumnElement[bool] = case(
    (payables.c.is_final, is_final(payables.c.user_id, _low, _high)), else_=payables.c.is_final
)
"""Whether a payable is final: payroll closed its period, and nothing of the person is open or pending in it."""


def _changed_at(records: ColumnElement[Any]) -> ColumnElement[Any]:
    """When a payable last changed, if the records of its period did at that time."""
    stored = payables.c.updated_at
    changed = func.greatest(stored, records, SHIFTS_CHANGED_AT, type_=stored.type)
    return case((payables.c.is_final, changed), else_=stored)


PAYABLE_CHANGED_AT = _changed_at(last_record_change(payables.c.user_id, _low, _high))
"""When a payable last changed, with the records and the zone that decide whether it is final.

Those decide nothing before payroll closes the period, which is a change of the payable itself.
"""


def payable_changes(since: ColumnElement[Any]) -> FromClause:
    """PAYABLE_CHANGED_AT as the column `updated_at` of one row for each payable; before `since`, any time before."""
    period = select(_low.label("low"), _high.label("high")).correlate(payables).offset(FENCE).subquery("period")
    changed = _changed_at(last_record_change(payables.c.user_id, period.c.low, period.c.high, since))
    changes = select(changed.label("updated_at")).select_from(period)
    return changes.correlate(payables).offset(FENCE).lateral("changes")


def _changes(since: ColumnElement[Any]) -> FromClause:
    """The changes of records of all people since a time: the person, and `from` and `until`, between which are the
    ranges for which the record counts or counted: those that begin before `until` and end after `from`.

    It is another form of `is_near` and `was_near`, which a join with ranges can use.
    """
    changes = []
    places: list[tuple[ColumnElement[Any], ColumnElement[Any], ColumnElement[Any]]]
    for table in FINAL_RECORDS:
        columns = table.c
        start = columns.clock_in_at if table is clock_records else columns.started_at
        places = [(columns.user_id, start, start), (columns.user_id, columns.earlier_from, columns.earlier_until)]
        if "original_started_at" in columns:
            places.append((columns.user_id, columns.original_started_at, columns.original_started_at))
        places.append((func.unnest(columns.earlier_user_ids), columns.earlier_from, columns.earlier_until))
        for person, first, last in places:
            # While attendance is open, no later range is final.
            until = cast("infinity", first.type) if table is clock_records else last + MAX_INTERVAL
            counts = first.is_not(None) if person is columns.user_id else columns.earlier_user_ids.is_not(None)
            changes.append(
                select(
                    person.label("user_id"), first.label("from"), until.label("until"), columns.updated_at.label("at")
                ).where(in_organization(table), columns.updated_at >= since, counts)
            )
    return union_all(*changes).subquery("changes")


def _overlaps(changes: FromClause, low: ColumnElement[Any], high: ColumnElement[Any]) -> ColumnElement[bool]:
    return and_(changes.c["from"] < high, changes.c.until > low)


def all_payable_changes(since: ColumnElement[Any]) -> FromClause:
    """The same, of the payables of all members: it reads each changed record once."""
    period = (
        select(payables.c.id, payables.c.user_id, _low.label("low"), _high.label("high"))
        .where(in_organization(payables), payables.c.is_final)
        .offset(FENCE)
        .subquery("period")
    )
    changes = _changes(since)
    counts = and_(changes.c.user_id == period.c.user_id, _overlaps(changes, period.c.low, period.c.high))
    followed = (
        select(period.c.id, func.max(changes.c.at).label("at"))
        .select_from(period.join(changes, counts))
        .group_by(period.c.id)
        .subquery("followed")
    )
    has_other_days = and_(payables.c.is_final, since <= SHIFTS_CHANGED_AT)
    # A list uses it for its total and for its page: a common table expression is read once.
    changed_payables = (
        select(payables.c.id, _changed_at(followed.c.at).label("updated_at"))
        .select_from(payables.outerjoin(followed, followed.c.id == payables.c.id))
        .where(
            in_organization(payables), or_(payables.c.updated_at >= since, followed.c.at.is_not(None), has_other_days)
        )
        .cte("changed_payables")
    )
    own = select(changed_payables.c.updated_at).where(changed_payables.c.id == payables.c.id)
    return own.correlate(payables).lateral("changes_of_all")


def has_changed_payable(user_id: ColumnElement[Any], since: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a person has a payable, closed by payroll, that changed since a time by records or the zone."""
    # The fence keeps PostgreSQL from looking for each period in an index of other times.
    changes = _changes(since)
    recent = (
        select(changes).where(changes.c.user_id == user_id).offset(FENCE).correlate_except(changes).lateral("recent")
    )
    own = and_(in_organization(payables), payables.c.user_id == user_id, payables.c.is_final)
    has_changed = or_(recent.c.at.is_not(None), since <= SHIFTS_CHANGED_AT)
    found = exists().select_from(payables.outerjoin(recent, _overlaps(recent, _low, _high))).where(own, has_changed)
    return found.correlate_except(payables, recent)
