"""Usage reports of applications and of sites: one row a member, with its days and the usages of each day.

That of sites optionally has the pages of each site.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, Table, and_, collate, func, select

from db.reading.connection import Row
from db.reading.json_array import JsonArray
from db.reading.statement import Statement
from db.tables.activity import url_pages, url_usages
from db.tables.columns import in_organization
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.filters import one_of
from resolvers.lists.list_sql import Filter
from resolvers.lists.listing import Listing, PageOfRows
from resolvers.relations.arguments import Argument, bind_value
from resolvers.relations.batching import Resolver
from resolvers.reports.record_changes_sql import members_with_changes
from resolvers.reports.report_members import LOGS, member_listing
from resolvers.reports.report_page import Totals, report_page, report_resolver
from resolvers.reports.usage_changes_sql import (
    catalog_changes,
    has_changed_usage,
    in_range,
    renamed_users,
    shows_renamed,
)
from resolvers.reports.usage_totals_sql import DAYS, PROJECT_ID, USAGE_SUMS, USERS, FilterNames, UsageNames, UsageTotals

MAX_PAGES = 200
"""The most pages of one site and day in a report."""

WITH_PAGES = Argument(
    name="with_pages",
    type=bool,
    default=False,
    description="Also return the pages of each website; requires `user_id`.",
)

PROJECT_ARGUMENT = Argument(name=PROJECT_ID, type=UUID, description="Only usage during time on this project.")

NO_USAGE: dict[str, Any] = dict.fromkeys(USAGE_SUMS, 0) | {"updated_at": None}
"""The totals of a member without usage."""


class UsageReport(UsageTotals):
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
        filters = [name_filter, one_of(catalog.c.productivity, "Only these productivity ratings.")]
        super().__init__(table, catalog, catalog_id, names, filters)
        self.content = [PROJECT_ARGUMENT, *filters]
        self.arguments = [*self.content, *content]
        self.members = self.listing()

    def listing(self, *others: Select[Any]) -> Listing:
        """The list of the report's members. `others` select further people whose row changed."""
        renamed = renamed_users(self.table, self.catalog_id, self.catalog)
        changed = members_with_changes(has_changed_usage(self.table), others=[renamed, *others])
        return member_listing(self.table, in_range(self.table), changed, self.arguments)

    def of_organization(self) -> Resolver:
        """A resolver of the report over the whole organization."""
        return report_resolver(self.page, self.members_of, self.members.arguments)

    async def page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Refusal."""
        content = {each.name: arguments.get(each.name) for each in self.content}
        values = {name: bind_value(value) for name, value in content.items() if value is not None}

        async def totals(days: Mapping[str, Any]) -> Totals:
            return await self.totals(context, frozenset(values), {**days, **values}, arguments)

        none = NO_USAGE | {"days": self._days(None)}
        return await report_page(self.members_of(arguments), LOGS, context, arguments, totals, none)

    def members_of(self, arguments: Mapping[str, Any]) -> Listing:
        """The list of members that these arguments ask for. Raises Invalid."""
        return self.members

    async def totals(
        self, context: Context, names: FilterNames, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Mapping[UUID, dict[str, Any]]:
        """The totals of each user with usage, and the days, filtered by the filters `names`."""
        rows = await context.read(self.statement(names), values)
        return {row.user_id: row._asdict() | {"days": self._days(row.days)} for row in rows}

    def _days(self, text: str | None) -> JsonArray:
        return JsonArray(text or "[]", self.day_keys)


class UrlUsageReport(UsageReport):
    """A usage report of sites. Their `pages` are null unless `with_pages` is true."""

    page_changes = catalog_changes(url_usages, "page_id", url_pages)
    """When the pages of each user last changed."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.members_with_pages = self.listing(shows_renamed(url_usages, "page_id", url_pages))

    def members_of(self, arguments: Mapping[str, Any]) -> Listing:
        """The list of members that these arguments ask for. Raises Invalid for pages of more than one person."""
        if not arguments[WITH_PAGES.name]:
            return self.members
        if arguments.get("user_id") is None:
            message = "detail=url is allowed only together with user_id."
            raise Invalid(message, {"detail": [message]})
        return self.members_with_pages

    async def totals(
        self, context: Context, names: FilterNames, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Mapping[UUID, dict[str, Any]]:
        """The totals of every usage report; the pages are read in the same round trip."""
        totals = super().totals(context, names, values, arguments)
        if not arguments[WITH_PAGES.name]:
            return await totals
        rows: Mapping[UUID, dict[str, Any]]
        rows, pages, changes = await asyncio.gather(
            totals, context.read(self.pages(names), values), context.read(self.page_changes, values)
        )
        pages_by_site: dict[Any, list[Row]] = {}
        for page in pages:
            pages_by_site.setdefault((page.user_id, page.date.isoformat(), page.name), []).append(page)
        for change in changes:
            row = rows[change.user_id]
            row["updated_at"] = max(row["updated_at"], change.updated_at)
        for user_id, row in rows.items():
            row["days"] = list(row["days"])
            for day in row["days"]:
                for site in day["sites"]:
                    found = pages_by_site.get((user_id, day["date"], site["domain"]), [])
                    site.update(pages=found[:MAX_PAGES], pages_truncated=len(found) > MAX_PAGES)
        return rows

    @cache  # noqa: B019 - a report lives as long as the program
    def pages(self, names: FilterNames) -> Statement:
        """The pages of each site and day, the longest used first: MAX_PAGES, and one more if some are left out."""
        sums, catalog, page = self.sums(names, self.catalog_id, "page_id"), self.catalog.c, url_pages.c
        order = (sums.c.duration_seconds.desc(), collate(page.url, "C"), page.id)
        rank = func.row_number().over(partition_by=(USERS.c.user_id, DAYS.c.date, catalog.id), order_by=order)
        shown = (sums.c[name] for name in ("duration_seconds", self.names.times))
        ranked = (
            select(USERS.c.user_id, DAYS.c.date, catalog.name, page.url, page.title, *shown, rank.label("rank"))
            .select_from(self.joined(sums).join(url_pages, and_(in_organization(url_pages), page.id == sums.c.page_id)))
            .where(self.is_shown(names, sums))
            .subquery("ranked")
        )
        return Statement(select(*ranked.c).where(ranked.c.rank <= MAX_PAGES + 1).order_by(ranked.c.rank))
