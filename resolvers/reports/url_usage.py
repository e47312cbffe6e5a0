"""Usage report of sites, optionally with the pages of each site."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import and_, collate, func, select

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.activity import url_pages, url_usages
from db.tables.columns import in_organization
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.listing import Listing
from resolvers.relations.arguments import Argument
from resolvers.reports.app_usage import UsageReport
from resolvers.reports.usage_changes_sql import catalog_changes, shows_renamed
from resolvers.reports.usage_totals_sql import DAYS, USERS, FilterNames

MAX_PAGES = 200
"""The most pages of one site and day in a report."""

WITH_PAGES = Argument(
    name="with_pages",
    type=bool,
    default=False,
    description="Also return the pages of each website; requires `user_id`.",
)


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
            row["days"] = row["days"][:]
            for day in row["days"]:
                for site in day["sites"]:
                    found = pages_by_site.get((user_id, day["date"], site["domain"]), [])
                    site.update(pages=found[:MAX_PAGES], pages_truncated=len(found) > MAX_PAGES)
        return rows

    @cache  # noqa: B019 - a report lives as long as the program
    def pages(self, names: FilterNames) -> Statement:
        """The pages of each site and day, the longest used first: MAX_PAGES, and one more if some are left out."""
        sums, catalog, page = self.sql.sums(names, self.sql.catalog_id, "page_id"), self.sql.catalog.c, url_pages.c
        order = (sums.c.duration_seconds.desc(), collate(page.url, "C"), page.id)
        rank = func.row_number().over(partition_by=(USERS.c.user_id, DAYS.c.date, catalog.id), order_by=order)
        shown = (sums.c[name] for name in ("duration_seconds", self.sql.names.times))
        ranked = (
            select(USERS.c.user_id, DAYS.c.date, catalog.name, page.url, page.title, *shown, rank.label("rank"))
            .select_from(
                self.sql.joined(sums).join(url_pages, and_(in_organization(url_pages), page.id == sums.c.page_id))
            )
            .where(self.sql.is_shown(names, sums))
            .subquery("ranked")
        )
        return Statement(select(*ranked.c).where(ranked.c.rank <= MAX_PAGES + 1).order_by(ranked.c.rank))
