"""Usage report of sites, optionally with the pages of each site."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import and_, collate, func, null, select

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.activity import url_pages
from db.tables.columns import in_organization
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.listing import PageOfRows
from resolvers.relations.arguments import Argument
from resolvers.reports.app_usage import DAYS, USERS, FilterNames, UsageReport

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

    empty_columns = (null().label("pages"), null().label("pages_truncated"))

    async def page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Refusal."""
        if arguments[WITH_PAGES.name] and arguments.get("user_id") is None:
            message = "detail=url is allowed only together with user_id."
            raise Invalid(message, {"detail": [message]})
        return await super().page(context, arguments)

    async def usages(
        self, context: Context, names: FilterNames, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Sequence[Row]:
        """The rows of every usage report; the pages are read in the same round trip."""
        sites = super().usages(context, names, values, arguments)
        if not arguments[WITH_PAGES.name]:
            return await sites
        rows, pages = await asyncio.gather(sites, context.read(self.pages(names), values))
        pages_by_site: dict[Any, list[Row]] = {}
        for page in pages:
            pages_by_site.setdefault((page.user_id, page.day, page.name), []).append(page)
        return [
            _with_pages(row, pages_by_site.get((row.user_id, row.day, getattr(row, self.field_names[0])), []))
            for row in rows
        ]

    @cache  # noqa: B019 - a report lives as long as the program
    def pages(self, names: FilterNames) -> Statement:
        """The pages of each site and day, the longest used first: MAX_PAGES, and one more if some are left out."""
        sums, catalog, page = self.sums(names, self.catalog_id, "page_id"), self.catalog.c, url_pages.c
        order = (sums.c.duration_seconds.desc(), collate(page.url, "C"), page.id)
        rank = func.row_number().over(partition_by=(USERS.c.user_id, DAYS.c.day, catalog.id), order_by=order)
        ranked = (
            select(USERS.c.user_id, DAYS.c.day, catalog.name, page.url, page.title, *sums.c, rank.label("rank"))
            .select_from(
                self.joined(names, sums).join(url_pages, and_(in_organization(url_pages), page.id == sums.c.page_id))
            )
            .subquery("ranked")
        )
        return Statement(select(*ranked.c).where(ranked.c.rank <= MAX_PAGES + 1).order_by(ranked.c.rank))


def _with_pages(row: Row, pages: Sequence[Row]) -> Row:
    return row._replace(pages=pages[:MAX_PAGES], pages_truncated=len(pages) > MAX_PAGES)
