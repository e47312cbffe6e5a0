"""Resolvers of raw time: manual time requests and clock records, each with the local day of its start."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import BigInteger, Boolean, ColumnElement, Integer, and_, case, cast, exists, func, or_, select

from db.reading.connection import Row
from db.tables.columns import bind, constant, in_organization
from db.tables.timesheets import (
    ClockStatus,
    ManualTimeAction,
    ManualTimeStatus,
    break_times,
    clock_records,
    idle_times,
    manual_requests,
    timesheets,
)
from db.tables.work import projects, tasks
from resolvers.context import Context
from resolvers.day_bounds import SECOND
from resolvers.lists.filters import exactly, flag, identifiers, one_of, person, through
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import HIGH, LOW, NOW, DateRange, Filter, was_near_in_another_zone
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import DATE, day_start_sql
from resolvers.people import known_team
from resolvers.period import MAX_RANGE_DAYS
from resolvers.records.interval_sql import end_of, seconds_between, started_in_range, starts_in_range, union_of_ranges
from resolvers.relations.live import is_live
from resolvers.relations.nodes import rows_below, rows_by_id
from resolvers.steps.batch import batched
from resolvers.values.amounts import columns_of

_run = timesheets.c
TIMESHEET_COLUMNS = columns_of(
    timesheets,
    is_running=_run.ended_at.is_(None),
    duration_seconds=seconds_between(_run.started_at, end_of(timesheets)),
)
timesheets_by_id = rows_by_id(timesheets, TIMESHEET_COLUMNS, "Timesheet")
timesheet_of = timesheets_by_id.of("timesheet_id")

_began_after_due_date = exists().where(
    in_organization(tasks), tasks.c.id == _run.task_id, day_start_sql(tasks.c.due_date, after=1) <= _run.started_at
)
TIMESHEETS = Listing(
    timesheets,
    TIMESHEET_COLUMNS,
    order=("started_at", "id"),
    description=" that started in the date range, by start. Without dates: the last 31 days.",
    resource="timesheets.Timesheet",
    date_range=DateRange(where=starts_in_range(timesheets), default_days=MAX_RANGE_DAYS, max_days=MAX_RANGE_DAYS),
    filters=[
        identifiers(_run.id, "timesheets"),
        *person(_run.user_id, "Only this person."),
        through(_run.project_id, projects.c.client_id, "Only time on this client's projects."),
        exactly(_run.project_id, "Only time on this project."),
        exactly(_run.task_id, "Only time on this task."),
        one_of(_run.kind, "Only these kinds."),
        flag(_run.is_billable, "Only time that is (true) or is not (false) billable; default: both."),
        replace(
            flag(
                _began_after_due_date,
                "Only time that began (true) or did not begin (false) after the day on which its task was due, in the "
                "organization's time zone; default: both.",
                name="is_after_due_date",
            ),
            is_published=False,
        ),
    ],
    checks=[known_team],
)
TIMESHEET_TOTALS = Groups(
    TIMESHEETS,
    ["duration_seconds", "input_seconds", "active_seconds"],
    day=_run.started_at,
    more={"is_after_due_date": _began_after_due_date},
)

# The index of running timesheets has the same condition.
_is_running = _run.ended_at.is_(None) & is_live(timesheets)
_running = rows_below(_run.user_id, TIMESHEET_COLUMNS, "started_at", "id", where=_is_running)
running_timesheets_of_member = _running.of("user_id")

_idle_seconds = seconds_between(idle_times.c.started_at, idle_times.c.ended_at)
IDLE_TIME_COLUMNS = columns_of(idle_times, duration_seconds=_idle_seconds)
idle_times_by_id = rows_by_id(idle_times, IDLE_TIME_COLUMNS, "Idle time")
idle_times_of_timesheet = rows_below(idle_times.c.timesheet_id, IDLE_TIME_COLUMNS, "started_at", "id").of("id")

_requested = seconds_between(manual_requests.c.started_at, manual_requests.c.ended_at)
_original = seconds_between(manual_requests.c.original_started_at, manual_requests.c.original_ended_at)
MANUAL_TIME_COLUMNS = columns_of(
    manual_requests,
    date=DATE,
    duration_seconds=_requested,
    delta_seconds=case(
        (manual_requests.c.action == ManualTimeAction.deleted.value, -_requested),
        else_=_requested - func.coalesce(_original, 0),
    ),
    review_seconds=seconds_between(manual_requests.c.requested_at, manual_requests.c.reviewed_at),
)
_waits = manual_requests.c.status == constant(ManualTimeStatus.pending.value)
MANUAL_TIMES = Listing(
    manual_requests,
    MANUAL_TIME_COLUMNS,
    order=("started_at", "id"),
    description=" that started in the date range, by start.",
    resource="timesheets.ManualTime",
    date_range=DateRange(
        where=starts_in_range(manual_requests),
        is_required=True,
        has_moved=started_in_range(manual_requests),
        day_of="started_at",
    ),
    filters=[
        *person(manual_requests.c.user_id, "Only this person."),
        exactly(manual_requests.c.project_id, "Only time on this project."),
        one_of(manual_requests.c.status, "Only these statuses."),
        one_of(manual_requests.c.action, "Only these actions."),
    ],
    checks=[known_team],
    computed={"waiting_seconds": case((_waits, seconds_between(manual_requests.c.requested_at, NOW)))},
)
MANUAL_TIME_TOTALS = Groups(
    MANUAL_TIMES,
    ["duration_seconds", "delta_seconds", "review_seconds", "waiting_seconds"],
    day=manual_requests.c.started_at,
)
manual_times_by_id = rows_by_id(manual_requests, MANUAL_TIME_COLUMNS, "Manual time entry")
# A timesheet has few requests, on days of their own: all of them, without a range.
manual_time_of_timesheet = rows_below(
    manual_requests.c.timesheet_id, MANUAL_TIME_COLUMNS, "started_at", "id", where=is_live(manual_requests)
).of("id")

_in, _out = clock_records.c.clock_in_at, clock_records.c.clock_out_at
_late = seconds_between(clock_records.c.scheduled_start_at, _in)
_early = seconds_between(_out, clock_records.c.scheduled_end_at)
CLOCK_RECORD_COLUMNS = columns_of(
    clock_records,
    date=DATE,
    elapsed_seconds=seconds_between(_in, _out),
    # greatest() ignores nulls: without a schedule the result must be null, not 0.
    late_seconds=case((_late.is_not(None), func.greatest(_late, 0, type_=_late.type))),
    early_leave_seconds=case((_early.is_not(None), func.greatest(_early, 0, type_=_early.type))),
)
_starts_in_range = and_(_in >= LOW, _in < HIGH)
# The index of open records has the same condition. A parameter would not match it.
_is_open = clock_records.c.status == constant(ClockStatus.open.value)


def _break_seconds_sql(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    """The seconds of a record in at least one of its breaks that have ended: what `break_seconds` makes of rows."""
    own = break_times.c
    begin = func.greatest(own.started_at, _in)
    end = func.least(own.ended_at, func.coalesce(_out, own.ended_at))
    of_record = and_(in_organization(break_times), own.clock_record_id == clock_records.c.id, is_live(break_times))
    union = select(union_of_ranges(begin, end)).where(of_record, own.ended_at.is_not(None), begin < end, *conditions)
    part = func.unnest(union.correlate(clock_records).scalar_subquery()).column_valued("part")
    length = func.sum(seconds_between(func.lower(part), func.upper(part)))
    return select(cast(func.coalesce(length, 0), BigInteger)).scalar_subquery()


_rest, _unpaid = _break_seconds_sql(), _break_seconds_sql(break_times.c.is_paid.is_(False))
CLOCK_RECORDS = Listing(
    clock_records,
    CLOCK_RECORD_COLUMNS,
    order=("clock_in_at", "id"),
    description=" that started in the date range, by clock-in. With `include_open=true` also earlier ones that are "
    "still open; with `status=open` all open ones.",
    resource="timesheets.ClockRecord",
    date_range=DateRange(
        where=_starts_in_range,
        where_with={"include_open": or_(_starts_in_range, and_(_is_open, _in < HIGH))},
        is_required=True,
        has_moved=started_in_range(clock_records),
        day_of="clock_in_at",
    ),
    filters=[
        *person(clock_records.c.user_id, "Only this person."),
        one_of(clock_records.c.status, "Only these statuses."),
        Filter(
            name="include_open",
            type=bool,
            where=or_(bind("include_open", Boolean()), _starts_in_range),
            where_with={
                "updated_since": or_(
                    bind("include_open", Boolean()),
                    _starts_in_range,
                    started_in_range(clock_records),
                    was_near_in_another_zone(_in),
                )
            },
            description="Also open records that began before the range (true): with `status=open` and today as the "
            "range, these are the people who are in now. Do not send it where you read range by range: an open record "
            "would be in each of them.",
        ),
    ],
    checks=[known_team],
    computed={"break_seconds": _rest, "worked_seconds": seconds_between(_in, _out) - _unpaid},
)
_is_late = case((_late.is_not(None), cast(_late > constant(0), Integer)))
CLOCK_RECORD_TOTALS = Groups(
    CLOCK_RECORDS,
    ["elapsed_seconds", "late_seconds", "early_leave_seconds", "break_seconds", "worked_seconds"],
    day=_in,
    shares={"late_percent": (_is_late, case((_late.is_not(None), constant(1))))},
)
clock_records_by_id = rows_by_id(clock_records, CLOCK_RECORD_COLUMNS, "Clock record")

BREAK_TIME_COLUMNS = [
    *(break_times.c[name] for name in ("id", "started_at", "ended_at", "is_paid")),
    seconds_between(break_times.c.started_at, break_times.c.ended_at).label("duration_seconds"),
]
break_times_by_id = rows_by_id(break_times, BREAK_TIME_COLUMNS, "Break")
breaks_of_records = rows_below(break_times.c.clock_record_id, BREAK_TIME_COLUMNS, "started_at", "id")


@batched("id", "clock_in_at", "clock_out_at")
async def break_seconds(context: Context, records: Sequence[Any], _: Mapping[str, Any]) -> Sequence[int]:
    """The seconds of a record's breaks that have ended, paid and unpaid."""
    breaks = await breaks_of_records.rows(context, [record.id for record in records])
    return [_seconds_inside(record, breaks[record.id]) for record in records]


@batched("id", "clock_in_at", "clock_out_at", "elapsed_seconds")
async def worked_seconds(context: Context, records: Sequence[Any], _: Mapping[str, Any]) -> Sequence[int | None]:
    """The elapsed seconds of a record without unpaid breaks; null while the record is open."""
    breaks = await breaks_of_records.rows(context, [record.id for record in records])
    return [
        None
        if record.elapsed_seconds is None
        else int(record.elapsed_seconds)
        - _seconds_inside(record, (rest for rest in breaks[record.id] if not rest.is_paid))
        for record in records
    ]


def _seconds_inside(record: Any, breaks: Iterable[Row]) -> int:
    """The seconds of the record in at least one of these breaks, which are in the order of their starts."""
    seconds, until = 0, record.clock_in_at
    for rest in breaks:
        if rest.ended_at is not None:
            begin = max(rest.started_at, until)
            until = max(until, min(rest.ended_at, record.clock_out_at or rest.ended_at))
            seconds += max(until - begin, timedelta()) // SECOND
    return seconds
