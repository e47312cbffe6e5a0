"""Usage reports of applications and of sites: one row a member, with its days and the usages of each day."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, Table

from db.reading.connection import Row
from db.reading.json_array import JsonArray
from db.reading.statement import Statement
from db.tables.activity import Productivity
from resolvers.context import Context
from resolvers.lists.filters import one_of
from resolvers.lists.list_sql import HIGH, LOW, Filter
from resolvers.lists.listing import Listing, PageOfRows
from resolvers.period import Period
from resolvers.relations.arguments import Argument, bind_value
from resolvers.relations.batching import Resolver
from resolvers.relations.relation import KEYS
from resolvers.reports import report_members as report
from resolvers.reports.day_slices_sql import DATES, HIGHS, LOWS
from resolvers.reports.record_changes_sql import RECORD_STATES, members_with_changes
from resolvers.reports.usage_changes_sql import has_changed_usage, in_range, renamed_users
from resolvers.reports.usage_totals_sql import PROJECT_ID, USAGE_SUMS, FilterNames, UsageNames, UsageTotals

PROJECT_ARGUMENT = Argument(name=PROJECT_ID, type=UUID, description="Only usage during time on this project.")

NO_USAGE: dict[str, Any] = dict.fromkeys(USAGE_SUMS, 0) | {"updated_at": None}
"""The totals of a member without usage."""


class UsageReport:
    """A report over the slots of `table`, by a catalog of applications or sites.

    The column `catalog_id` of `table` is the id of a row in `catalog`. `name_filter` filters by name. `content` are
    further arguments of the report.
    """

    def __init__(
        self,
        table: Table,
        catalog: Table,
        catalog_id: str,
        *,
        names: UsageNames,
        name_filter: Filter,
        content: Sequence[Argument] = (),
    ) -> None:
        filters = [
            name_filter,
            one_of("productivity", Productivity, catalog.c.productivity, "Only these productivity ratings."),
        ]
        self.table, self.sql = table, UsageTotals(table, catalog, catalog_id, names, filters)
        self.content = [PROJECT_ARGUMENT, *filters]
        self.arguments = [*self.content, *content]
        self.members = self.listing()

    def listing(self, *others: Select[Any]) -> Listing:
        """The list of the report's members. `others` select further people whose row changed."""
        renamed = renamed_users(self.table, self.sql.catalog_id, self.sql.catalog)
        changed = members_with_changes(has_changed_usage(self.table), others=[renamed, *others])
        return report.member_listing(self.table, in_range(self.table), changed, self.arguments)

    def of_organization(self) -> Resolver:
        """A resolver of the report over the whole organization."""
        return report.report_resolver(self.page, self.members_of, self.members.arguments)

    async def page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Refusal."""
        listing = self.members_of(arguments)
        page, period = await report.page_within_cap(listing, report.LOGS, context, arguments)
        if not page.results:
            return page
        names = frozenset(each.name for each in self.content if arguments.get(each.name) is not None)
        days = period.days.values()
        values = {
            KEYS.key: report.shown_users(page.results),
            DATES.key: [day.date for day in days],
            LOWS.key: [day.low for day in days],
            HIGHS.key: [day.high for day in days],
            LOW.key: period.bounds[0],
            HIGH.key: period.bounds[-1],
            **{name: bind_value(arguments[name]) for name in names},
        }
        users = {KEYS.key: [member.user_id for member in page.results]}
        totals, records = await asyncio.gather(
            self.totals(context, names, values, arguments), context.read(RECORD_STATES, values | users)
        )
        records_by_user = {record.user_id: record for record in records}
        none = NO_USAGE | {"days": self._days(None)}
        rows = [
            _row(member, period, totals.get(member.user_id, none), records_by_user[member.user_id])
            for member in page.results
        ]
        return replace(page, results=rows)

    def members_of(self, arguments: Mapping[str, Any]) -> Listing:
        """The list of members that these arguments ask for. Raises Invalid."""
        return self.members

    async def totals(
        self, context: Context, names: FilterNames, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Mapping[UUID, dict[str, Any]]:
        """The totals of each user with usage, and the days, filtered by the filters `names`."""
        rows = await context.read(self.statement(names), values)
        return {row.user_id: row._asdict() | {"days": self._days(row.days)} for row in rows}

    @cache  # noqa: B019 - a report lives as long as the program
    def statement(self, names: FilterNames) -> Statement:
        """The statement of `totals`."""
        return self.sql.statement(names)

    def _days(self, text: str | None) -> JsonArray:
        return JsonArray(text or "[]", self.sql.day_keys)


def _row(member: Row, period: Period, totals: Mapping[str, Any], record: Row) -> dict[str, Any]:
    """The row of one member. Records of time decide whether it is final, so that their changes are changes of it."""
    return {
        **totals,
        "user": member,
        "start_date": period.start,
        "end_date": period.end,
        "timezone": period.zone,
        "is_final": record.is_final,
        "updated_at": report.last_change(member, period, record.updated_at, totals["updated_at"]),
    }
