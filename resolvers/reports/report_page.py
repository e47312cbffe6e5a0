"""Pages of reports: members, what a report shows of each in a period, and whether that is final.

Records of time decide whether a row is final, also in reports of usage, so that their changes are changes of the row.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from db.reading.connection import Row
from resolvers.context import Context
from resolvers.lists.list_sql import PageContent, day_values
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageOfRows, PageReader
from resolvers.period import Period
from resolvers.relations.arguments import Argument
from resolvers.relations.relation import KEYS
from resolvers.reports.record_changes_sql import RECORD_STATES
from resolvers.reports.report_members import RecordCap
from resolvers.selected import ALL, RowSource, Selected
from resolvers.steps.batch import FirstStatement, for_all_parents
from resolvers.steps.page import PageCount, Report

Totals = Mapping[UUID, Mapping[str, Any]]
"""What a report shows of each user who has something in the period; `updated_at`, if it is there: when that changed."""

_OF_RECORDS = {"is_final", "updated_at"}
"""The columns that follow from the state of records."""


async def member_page(
    listing: Listing,
    context: Context,
    arguments: Mapping[str, Any],
    selected: Selected = ALL,
    content: PageContent = "rows",
) -> PageOfRows:
    """One page of a report's members. With `updated_since`, deleted members may be among them."""
    has_deleted = arguments.get("updated_since") is not None
    return await PageReader(listing).page(context, {**arguments, "include_deleted": has_deleted}, selected, content)


async def report_page(
    listing: Listing,
    context: Context,
    arguments: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], Awaitable[Totals]],
    none: Mapping[str, Any],
    selected: Selected = ALL,
    cap: RecordCap | None = None,
) -> PageOfRows:
    """One page of rows. Raises Invalid before it reads them if a member's `record_count` is over the cap.

    `read` gets the values of the users and days; `none` is what is shown of a user for whom it returns nothing.
    """
    page = await member_page(listing, context, arguments, Selected(None, is_counted=selected.is_counted))
    if cap is not None:
        cap.check(map(shown_records, page.results))
    if not page.results:
        return page
    period = page.period
    values = day_values(period) | {KEYS.key: shown_users(page.results)}
    users = {KEYS.key: [member.user_id for member in page.results]}
    if selected.columns is None or not selected.columns.isdisjoint(_OF_RECORDS):
        totals, states = await asyncio.gather(read(values), context.fetch(RECORD_STATES, values | users))
    else:
        totals, states = await read(values), []
    records = {record.user_id: record for record in states}
    rows = [
        _row(member, period, totals.get(member.user_id, none), records.get(member.user_id)) for member in page.results
    ]
    return replace(page, results=rows)


def _row(member: Row, period: Period, totals: Mapping[str, Any], record: Row | None) -> dict[str, Any]:
    """The row of one member, without what follows from its records if there are none.

    It changed when its records, its usage, the member, the team or the zone last did.
    """
    row = {**totals, "user": member, "start_date": period.start, "end_date": period.end, "timezone": period.zone}
    if record is not None:
        team_changed_at = getattr(member, "team_changed_at", None)
        others = (record.updated_at, totals.get("updated_at"), team_changed_at, period.zone_changed_at)
        row["is_final"] = record.is_final
        row["updated_at"] = max([member.updated_at, *(time for time in others if time is not None)])
    return row


def report_step(
    page: Callable[[Context, Mapping[str, Any]], Awaitable[PageOfRows]],
    members_of: Callable[[Mapping[str, Any]], Listing],
    arguments: Sequence[Argument],
    rows: RowSource | None = None,
    first_statement: FirstStatement | None = None,
) -> Report:
    """The step of a report over the whole organization.

    Where nothing but its `count` is selected, the members of `members_of(arguments)` are counted, and no time is read.
    """

    async def count(context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        return await member_page(members_of(arguments), context, arguments, content="count")

    return Report(
        for_all_parents(page),
        frozenset(),
        arguments,
        rows=rows,
        first_statement=first_statement,
        counting=PageCount(for_all_parents(count), frozenset(), arguments),
    )


def _is_shown(member: Row) -> bool:
    """Whether a report shows the records of a member: one who is not deleted, and is in the team that is asked for."""
    return member.deleted_at is None and getattr(member, "is_in_team", True)


def shown_users(rows: Sequence[Row]) -> list[UUID]:
    """The members whose records a report shows."""
    return [member.user_id for member in rows if _is_shown(member)]


def shown_records(member: Row) -> int:
    """How many records of a member a report shows."""
    return member.record_count if _is_shown(member) else 0
