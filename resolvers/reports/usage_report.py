"""Usage reports of applications and of sites: one row a member, with its days and the usages of each day.

The report of sites optionally has the pages of each site.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Select, Table, select

from db.tables.activity import url_pages
from db.tables.columns import in_organization
from db.values.json_array import JsonArray
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.filters import one_of
from resolvers.lists.list_sql import SINCE, Filter
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageOfRows
from resolvers.records.changes_sql import has_change, members_with, renamed_users
from resolvers.records.interval_sql import slots_in_range
from resolvers.relations.arguments import Argument, bind_value
from resolvers.reports.record_changes_sql import members_with_changes
from resolvers.reports.report_members import LOGS, member_listing
from resolvers.reports.report_page import Totals, report_page, report_step
from resolvers.reports.usage_report_sql import PROJECT_ID, USAGE_SUMS, UsageNames, UsageSql

WITH_PAGES = Argument(
    name="with_pages",
    type=bool,
    default=False,
    description="Also return the pages of each website; requires `user_id`.",
)

PROJECT_ARGUMENT = Argument(name=PROJECT_ID, type=UUID, description="Only usage during time on this project.")

NO_USAGE: dict[str, Any] = dict.fromkeys((*USAGE_SUMS, "record_count"), 0) | {"updated_at": None}
"""The totals of a member without usage."""


class UsageReport:
    """A report over the slots of `table`, by a catalog of applications or sites.

    The column `catalog_id` of `table` is the id of a row in `catalog`. `name_filter` filters by name. `has_pages`: the
    report has the pages of each site, which are null unless `with_pages` is true.
    """

    def __init__(
        self,
        table: Table,
        catalog: Table,
        catalog_id: str,
        *,
        names: UsageNames,
        name_filter: Filter,
        has_pages: bool = False,
    ) -> None:
        filters = [name_filter, one_of(catalog.c.productivity, "Only these productivity ratings.")]
        self.sql = UsageSql(table, catalog, catalog_id, names, filters)
        self.content = [PROJECT_ARGUMENT, *filters]
        self.arguments = [*self.content, *([WITH_PAGES] if has_pages else [])]
        self.members = self._listing()
        self.of_organization = report_step(self._page, self._members_of, self.members.arguments)
        """The step of the report over the whole organization."""
        self._members_with_pages: Listing | None = None
        if has_pages:
            # A request about one person reads that person's usage, and needs no index of pages.
            page = url_pages.c
            changed = select(page.id).where(in_organization(url_pages), page.report_changed_at >= SINCE)
            renamed = members_with([table.c.page_id], slots_in_range(table), table.c.slot_at, changed)
            self._members_with_pages = self._listing(renamed)

    def _listing(self, *others: Select[Any]) -> Listing:
        """The list of the report's members. `others` select further people whose row changed."""
        table, in_range = self.sql.table, slots_in_range(self.sql.table)
        renamed = renamed_users(table, self.sql.catalog_id, self.sql.catalog)
        own = has_change(table, "slot_at", in_range, slots_in_range)
        changed = members_with_changes(own, others=[renamed, *others])
        return member_listing(table, in_range, changed, self.arguments, has_count=False)

    async def _page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Invalid if one has more slots in the period than the cap, and other Refusals."""
        content = {each.name: arguments.get(each.name) for each in self.content}
        values = {name: bind_value(value, name) for name, value in content.items() if value is not None}
        with_pages = bool(arguments.get(WITH_PAGES.name))
        statement = self.sql.statement(frozenset(values), with_pages=with_pages)
        keys = self.sql.day_keys(with_pages=with_pages)

        async def totals(days: Mapping[str, Any]) -> Totals:
            rows = await context.fetch(statement, {**days, **values})
            return {row.user_id: row._asdict() | {"days": JsonArray(row.days or "[]", keys)} for row in rows}

        none = NO_USAGE | {"days": JsonArray("[]", keys)}
        page = await report_page(self._members_of(arguments), context, arguments, totals, none)
        # Counted with the sums: to count them before takes an eighth of a report.
        LOGS.check(row["record_count"] for row in page.results)
        return page

    def _members_of(self, arguments: Mapping[str, Any]) -> Listing:
        """The list of members that these arguments ask for. Raises Invalid for pages of more than one person."""
        if not arguments.get(WITH_PAGES.name) or self._members_with_pages is None:
            return self.members
        if arguments.get("user_id") is None:
            message = "detail=url is allowed only together with user_id."
            raise Invalid(message, {"detail": [message]})
        return self._members_with_pages
