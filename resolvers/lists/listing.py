"""A list: what it selects, in which order, and by what it can be filtered.

One declaration serves a list of the whole organization (`projects`) and the same list under each of many parents
(`client { projects }`), each in one statement that yields the page and the total.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.sql.selectable import FromClause
from strawberry import Info

from db.reading.connection import Row
from db.reading.statement import Statement
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.keyset import Keyset
from resolvers.lists.list_checks import check_list
from resolvers.lists.list_sql import TODAY, Filter, ListVariant, Order, Ranged, order_of, statement_of
from resolvers.lists.page_limits import STANDARD
from resolvers.period import ZONE, Period, ends, period_of, today_of
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.batching import ColumnDependencies, Resolver, batch_resolver, depends_on
from resolvers.relations.relation import KEYS

MOST_STATEMENTS = 2048
"""Statements of all lists that are kept, one for each shape. The one that was not used for longest is forgotten."""

PAGING = [
    Argument(name="page", type=int, default=1, description="Number of the page, from 1."),
    Argument(
        name="limit",
        type=int,
        default=STANDARD.default,
        description=f"Maximum number of rows on the page, 1 to {STANDARD.maximum}.",
    ),
    Argument(
        name="after", type=str, description="Position from `next` of the previous page; takes precedence over `page`."
    ),
]
POLLED = Argument(
    name="updated_since", type=datetime, description="Only rows changed at or after this time, sorted by updated_at."
)
RESTORABLE = Argument(
    name="include_deleted", type=bool, default=False, description="Also return deleted rows; their deleted_at is set."
)

Precondition = Callable[[Context, Mapping[str, Any]], Awaitable[None]]
"""What must hold before a list is read; raises a Refusal."""


@dataclass(frozen=True, slots=True)
class PageOfRows:
    """One page: the total over all pages, its rows, and the position behind its last row if more follow."""

    count: int
    results: Sequence[Row]
    next: str | None


class Listing:
    """Checks itself when it is built: its order must end in a unique key, its arguments must differ in name.

    `where` always holds; `polled` lists take `updated_since`, `restorable` ones `include_deleted`; `content` are
    arguments that decide what rows show, not which; `checks` are made before anything is read.
    """

    def __init__(
        self,
        table: FromClause,
        columns: Sequence[ColumnElement[Any]],
        *,
        filters: Sequence[Filter] = (),
        order: Order = ("created_at", "id"),
        polled: bool = True,
        restorable: bool = True,
        where: ColumnElement[bool] | None = None,
        ranged: Ranged | None = None,
        content: Sequence[Argument] = (),
        checks: Sequence[Precondition] = (),
    ) -> None:
        self.table = table
        self.columns: Sequence[ColumnElement[Any]] = tuple(columns)
        self.filters: Mapping[str, Filter] = {filter.name: filter for filter in filters}
        self.order = order
        self.where = where
        self.ranged = ranged
        self.checks = checks
        self.arguments: list[Argument] = [*PAGING, *filters, *content]
        if ranged is not None:
            self.arguments += [*ends(required=ranged.is_required), *([ZONE] if ranged.is_local else [])]
        self.arguments += [POLLED] if polled else []
        self.arguments += [RESTORABLE] if restorable else []
        check_list(self, has_updated_since=polled)

    def everywhere(self) -> Resolver:
        """A resolver of the list over the whole organization."""

        async def resolve(info: Info[Context, None], **arguments: Any) -> PageOfRows:
            return (await self.page(info.context, arguments, info.context.columns.get(self)))[0]

        resolver: Resolver = declare(resolve, self.arguments)
        return depends_on(ColumnDependencies(frozenset(), self, within="results"))(resolver)

    def under(self, parent: ColumnElement[Any], key: str = "id") -> Resolver:
        """A resolver of the rows whose column `parent` holds what the parent object holds in `key`.

        All parents that ask with the same arguments share one statement.
        """

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
            async def batch(some: Sequence[Any]) -> Mapping[Any, PageOfRows]:
                period = await self._prepare(context, arguments)
                return await self._read(context, parent, some, arguments, period, context.columns.get(self))

            keys = [getattr(root, key) for root in roots]
            pages = await context.load((self, parent, _frozen(arguments)), keys, batch)
            return [pages[each] for each in keys]

        return batch_resolver(resolve, self.arguments, ColumnDependencies(frozenset([key]), self, within="results"))

    async def page(
        self, context: Context, arguments: Mapping[str, Any], columns: frozenset[str] | None = None
    ) -> tuple[PageOfRows, Period]:
        """One page over the whole organization, and the period that it is about. Raises Refusal.

        Its rows have all columns, or `columns` and those of the order.
        """
        period = await self._prepare(context, arguments)
        pages = await self._read(context, None, [None], arguments, period, columns)
        return pages[None], period

    async def _prepare(self, context: Context, arguments: Mapping[str, Any]) -> Period:
        """Refuse what must not be read, and find out which days are meant; all of it in one round trip."""
        if arguments["page"] < 1:
            raise Invalid("page must be >= 1.")
        if not 1 <= arguments["limit"] <= STANDARD.maximum:
            raise Invalid(f"limit must be from 1 to {STANDARD.maximum}.")
        checks = [check(context, arguments) for check in self.checks]
        if self.ranged is None:
            await asyncio.gather(*checks)
            return Period("UTC", None, None)
        needs_zone = self.ranged.is_local and (
            self.ranged.day_of is not None or arguments.get("start_date") is not None
        )
        zoned = arguments if needs_zone else {**arguments, "timezone": "UTC"}
        period, _ = await asyncio.gather(period_of(context, zoned), asyncio.gather(*checks))
        return period

    async def _read(
        self,
        context: Context,
        parent: ColumnElement[Any] | None,
        keys: Sequence[Any],
        arguments: Mapping[str, Any],
        period: Period,
        columns: frozenset[str] | None,
    ) -> dict[Any, PageOfRows]:
        limit = arguments["limit"]
        since = arguments.get("updated_since") if "updated_since" not in self.filters else None
        order = order_of(self, polling=since is not None)
        position = Keyset.parse(arguments["after"], order, self.table) if arguments["after"] else None
        filters = {name: value for name in self.filters if (value := arguments.get(name)) is not None}
        shape = ListVariant(
            parent,
            frozenset(filters),
            since is not None,
            bool(arguments.get("include_deleted")),
            position is not None,
            period.start is not None,
            columns,
        )
        # One row more than asked for says whether a page follows.
        values = {"limit": limit + 1, "offset": (arguments["page"] - 1) * limit, "updated_since": since}
        values |= {KEYS.key: keys} | {name: plain(value) for name, value in filters.items()}
        values |= position.values if position is not None else {}
        if self.ranged is not None and period.start is not None:
            values |= bounds(self.ranged, period)
        statement = self.statement(shape)
        if TODAY.key in statement.parameter_names:
            values[TODAY.key] = await today_of(context, {})
        rows = await context.read(statement, values)
        grouped: dict[Any, list[Row]] = {key: [] for key in keys}
        for row in rows:
            grouped[row.list_parent].append(row)
        return {key: self._page(group, order, limit, position, period) for key, group in grouped.items()}

    def _page(self, rows: list[Row], order: Order, limit: int, position: Keyset | None, period: Period) -> PageOfRows:
        count = position.count if position is not None else rows[0].list_total
        # An empty page still says its total, in one row of nothing.
        if rows and getattr(rows[0], order[-1]) is None:
            rows = []
        more = len(rows) > limit
        rows = rows[:limit]
        last = Keyset.of(rows[-1], order, count).text() if more else None
        if self.ranged is not None and self.ranged.day_of is not None:
            moment = self.ranged.day_of
            rows = [row._replace(date=period.day_of(getattr(row, moment))) for row in rows]
        return PageOfRows(count, rows, last)

    @lru_cache(MOST_STATEMENTS)  # noqa: B019 - a listing lives as long as the program
    def statement(self, shape: ListVariant) -> Statement:
        """The statement of a shape, built when it is first needed."""
        return statement_of(self, shape)


def bounds(ranged: Ranged, period: Period) -> dict[str, Any]:
    """The ends of a period, as the condition of a range names them."""
    if ranged.is_local:
        return {"low": period.edges[0], "high": period.edges[-1]}
    return {"low": period.start, "high": period.end}


def plain(value: Any) -> Any:
    """An argument as a statement takes it: members of enumerations by their values."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def _frozen(arguments: Mapping[str, Any]) -> Hashable:
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in sorted(arguments.items())
    )
