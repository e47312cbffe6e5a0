"""Usage of sites, and of the pages of each of them."""

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
from resolvers.reports.app_usage import DAYS, PEOPLE, Names, Usage

MOST_PAGES = 200
"""Pages that are shown of one site on one day."""

WITH_PAGES = Argument(
    name="with_pages",
    type=bool,
    default=False,
    description="Also return the pages of each website; requires `user_id`.",
)


class Sites(Usage):
    """A report whose things have pages: shown if `with_pages` is true, else null."""

    blanks = (null().label("pages"), null().label("pages_truncated"))

    async def page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Refusal."""
        if arguments[WITH_PAGES.name] and arguments.get("user_id") is None:
            message = "detail=url is allowed only together with user_id."
            raise Invalid(message, {"detail": [message]})
        return await super().page(context, arguments)

    async def used(
        self, context: Context, names: Names, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Sequence[Row]:
        """As of any usage; the pages are read in the same round trip."""
        reading = super().used(context, names, values, arguments)
        if not arguments[WITH_PAGES.name]:
            return await reading
        rows, pages = await asyncio.gather(reading, context.read(self.pages(names), values))
        shown: dict[Any, list[Row]] = {}
        for page in pages:
            shown.setdefault((page.user_id, page.day, page.name), []).append(page)
        return [_with(row, shown.get((row.user_id, row.day, getattr(row, self.called[0])), [])) for row in rows]

    @cache  # noqa: B019 - a report lives as long as the program
    def pages(self, names: Names) -> Statement:
        """The pages of each thing and day, the longest used first; one more than are shown says that there are more."""
        used, things, page = self.sums(names, self.thing, "page_id"), self.things.c, url_pages.c
        order = (used.c.duration_seconds.desc(), collate(page.url, "C"), page.id)
        place = func.row_number().over(partition_by=(PEOPLE.c.user_id, DAYS.c.day, things.id), order_by=order)
        ranked = (
            select(PEOPLE.c.user_id, DAYS.c.day, things.name, page.url, page.title, *used.c, place.label("place"))
            .select_from(
                self.of_people(names, used).join(url_pages, and_(in_organization(url_pages), page.id == used.c.page_id))
            )
            .subquery("ranked")
        )
        return Statement(select(*ranked.c).where(ranked.c.place <= MOST_PAGES + 1).order_by(ranked.c.place))


def _with(row: Row, pages: Sequence[Row]) -> Row:
    return row._replace(pages=pages[:MOST_PAGES], pages_truncated=len(pages) > MOST_PAGES)
