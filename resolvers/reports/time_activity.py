"""Time activity report: one row a member, with its days, and the projects and tasks of each day."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date
from typing import Any
from uuid import UUID

from sqlalchemy import and_

from db.tables.timesheets import break_times, timesheets
from db.values.json_array import JsonArray, nested_keys
from resolvers.context import Context
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageOfRows
from resolvers.people import members_by_id
from resolvers.period import Period
from resolvers.records.changes_sql import FEW
from resolvers.records.interval_sql import overlaps_range
from resolvers.relations.arguments import Argument
from resolvers.reports.record_changes_sql import members_with_changes
from resolvers.reports.report_members import TIMESHEETS_CAP, has_row, member_listing
from resolvers.reports.report_page import Totals, report_page, report_step
from resolvers.reports.time_totals_sql import ALL_TIME, ShownTime, time_totals
from resolvers.selected import ALL, RowSource, Selected
from resolvers.steps.batch import batched

TIME_ACTIVITY_ARGUMENTS = [
    Argument(name=name, type=UUID, description=f"Only time on {content}; members without {such_time} are listed too.")
    for name, content, such_time in (
        ("project_id", "this project", "time on it"),
        ("client_id", "projects of this client", "such time"),
        ("task_id", "this task", "time on it"),
    )
]

_SHEETS = (timesheets, overlaps_range(timesheets))
_BREAKS = (break_times, and_(overlaps_range(break_times), break_times.c.ended_at.is_not(None)))
HAS_ROW = has_row(_SHEETS, _BREAKS)
"""Whether a person has a row in the report."""

_EXPECTED = Selected(frozenset({"expected_weekly_seconds", "hired_on", "left_on", "removed_at"}))

TIME_ACTIVITY_ROWS = RowSource("time activity")
"""The source of rows of which a document selects columns, and keys of the days."""

NO_TIME = dict.fromkeys(ALL_TIME.columns, 0) | dict.fromkeys(("activity_percent", "first_started_at", "last_ended_at"))
"""The totals of a member without tracked time."""


def members_listing(few: int = FEW) -> Listing:
    """The list of the report's members. For `few` see `changes_sql.changed_members`."""
    return member_listing(
        *_SHEETS, changed=members_with_changes(few=few), content=TIME_ACTIVITY_ARGUMENTS, other_records=[_BREAKS]
    )


TIME_ACTIVITY_MEMBERS = members_listing()


async def _page(context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
    """One page of rows. Raises Invalid if a member has more timesheets in the period than the cap."""
    content = {argument.name: arguments.get(argument.name) for argument in TIME_ACTIVITY_ARGUMENTS}
    selected = context.selected.get(TIME_ACTIVITY_ROWS, ALL)
    shown = _shown(selected)

    def days(text: str) -> dict[str, Any]:
        return {} if shown.days is None else {"days": JsonArray(text, shown.days)}

    async def totals(values: Mapping[str, Any]) -> Totals:
        if shown == ShownTime(frozenset(), None):
            return {}
        rows = await context.fetch(time_totals(shown), {**values, **content})
        return {row.user_id: row._asdict() | days(row[-1]) for row in rows}

    none = NO_TIME | days("[]")
    return await report_page(TIME_ACTIVITY_MEMBERS, context, arguments, totals, none, selected, TIMESHEETS_CAP)


def _shown(selected: Selected) -> ShownTime:
    """What a document shows of time; all without a selection."""
    if selected.columns is None:
        return ALL_TIME
    return ShownTime(selected.columns & ALL_TIME.columns, nested_keys(selected.keys).get("days"))


# Before the first request of a list: it shows all.
time_totals(ALL_TIME)

list_time_activity = report_step(
    _page,
    lambda _: TIME_ACTIVITY_MEMBERS,
    TIME_ACTIVITY_MEMBERS.arguments,
    TIME_ACTIVITY_ROWS,
    first_statement=lambda selected, _: time_totals(_shown(selected.get(TIME_ACTIVITY_ROWS, ALL))),
)


@batched("user", "start_date", "end_date", "timezone")
async def expected_seconds(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[int | None]:
    """Expected time of each person in the range, in which a day is a seventh of a week."""
    found = await members_by_id.rows(context, (row["user"].user_id for row in rows), _EXPECTED)
    ranges = [(row["timezone"], row["start_date"], row["end_date"]) for row in rows]
    periods = {each: Period(*each) for each in ranges}
    return [_expected(found[row["user"].user_id], periods[each]) for row, each in zip(rows, ranges, strict=True)]


def _expected(member: Any, period: Period) -> int | None:
    """Expected time from the first to the last day of the employment: `left_on`, else that of the removal in UTC."""
    removed = None if member.removed_at is None else member.removed_at.astimezone(UTC).date()
    first, last = member.hired_on or date.min, member.left_on or removed or date.max
    weekly: int | None = member.expected_weekly_seconds
    return None if weekly is None else weekly * sum(first <= day.date <= last for day in period.days) // 7


@batched("user", "start_date", "end_date", "timezone", "tracked_seconds")
async def utilization_percent(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[int | None]:
    """Tracked time in percent of the expected time, rounded down."""
    expected = await expected_seconds.resolve(context, rows, {})
    return [100 * row["tracked_seconds"] // of if of else None for row, of in zip(rows, expected, strict=True)]
