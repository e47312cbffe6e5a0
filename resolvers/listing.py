"""A list: what it selects, in which order, and by what it can be filtered.

One declaration serves a list of the whole organization (`projects`) and the same list under each of many parents
(`client { projects }`), each in one statement that yields the page and the total.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any, NamedTuple

import strawberry
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Uuid,
    and_,
    case,
    column,
    func,
    literal,
    null,
    select,
    true,
    tuple_,
)
from sqlalchemy.sql.selectable import FromClause
from strawberry import Info, Parent
from strawberry.parent import StrawberryParent

from db.database import Row
from db.statements import Statement
from db.tables import given, mine
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.position import Position
from resolvers.relation import KEYS, Resolver

LIMIT = given("limit", BigInteger())
OFFSET = given("offset", BigInteger())

# Spec, Limits: the standard page size. Lists of the report tier are asked for less by the facade.
DEFAULT_LIMIT = 50
LARGEST_LIMIT = 100

# What `Parent[Any]` stands for; spelled out, since here it is a value and not an annotation.
ANY_PARENT = Annotated[Any, StrawberryParent()]


@dataclass(frozen=True, slots=True)
class PageOfRows:
    """One page: the total over all pages, its rows, and the position behind its last row if more follow."""

    count: int
    results: Sequence[Row]
    next: str | None


@dataclass(frozen=True, kw_only=True)
class Filter:
    """One argument of a list: its GraphQL type, what it means, and the condition that it adds when it is given.

    The condition names its value as `given(name, ...)`; `convert` turns the argument into that value. `otherwise`
    is the condition that holds while the argument is absent.
    """

    name: str
    type: Any
    where: ColumnElement[bool]
    description: str
    otherwise: ColumnElement[bool] | None = None
    convert: Callable[[Any], Any] | None = None

    def value(self, given: Any) -> Any:
        if self.convert is not None:
            return self.convert(given)
        if isinstance(given, list):
            return [item.value if isinstance(item, Enum) else item for item in given]
        return given.value if isinstance(given, Enum) else given


class Shape(NamedTuple):
    """What makes two statements of one list different. Everything else is a value."""

    parent: ColumnElement[Any] | None
    filters: frozenset[str]
    polling: bool
    deleted: bool
    after: bool


class Listing:
    """Checks itself when it is built: its order must end in a unique key, its filters must differ in name."""

    def __init__(
        self,
        table: FromClause,
        columns: Sequence[ColumnElement[Any]],
        *,
        filters: Sequence[Filter] = (),
        order: tuple[str, str] = ("created_at", "id"),
        polled: bool = True,
        restorable: bool = True,
        where: ColumnElement[bool] | None = None,
    ) -> None:
        names = [filter.name for filter in filters]
        if len(set(names)) != len(names):
            raise ValueError(f"Filters of {table} share a name: {sorted(names)}")
        if table.c[order[-1]] not in set(table.primary_key):
            raise ValueError(f"The order of {table} must end in a key of it, not in {order[-1]}.")
        self.table = table
        self.columns = tuple(columns)
        self.filters = {filter.name: filter for filter in filters}
        self.order = order
        self.polled = polled
        self.restorable = restorable
        self.where = where

    def everywhere(self) -> Resolver:
        """A resolver of the list over the whole organization."""

        async def resolve(info: Info[Context, None], **arguments: Any) -> PageOfRows:
            return await self._load(info.context, None, None, arguments)

        return self._declare(resolve, [])

    def under(self, parent: ColumnElement[Any], key: str = "id") -> Resolver:
        """A resolver of the rows whose column `parent` holds what the parent object holds in `key`."""

        async def resolve(root: Parent[Any], info: Info[Context, None], **arguments: Any) -> PageOfRows:
            return await self._load(info.context, parent, getattr(root, key), arguments)

        return self._declare(resolve, [Parameter("root", Parameter.POSITIONAL_OR_KEYWORD, annotation=ANY_PARENT)])

    def _declare(self, resolve: Resolver, parent: list[Parameter]) -> Resolver:
        """Give a resolver the arguments of this list, as Strawberry reads them: from its signature."""
        resolve.__signature__ = Signature(  # type: ignore[attr-defined]
            [*parent, Parameter("info", Parameter.POSITIONAL_OR_KEYWORD, annotation=Info[Context, None])]
            + [Parameter(name, Parameter.KEYWORD_ONLY, default=d, annotation=a) for name, a, d in self._arguments()]
        )
        return resolve

    def _arguments(self) -> list[tuple[str, Any, Any]]:
        described = [
            ("page", int, 1, "The page, from 1 on."),
            ("limit", int, DEFAULT_LIMIT, "Rows of a page at most."),
            (
                "after",
                str | None,
                None,
                "A position that the page before gave as next; then page is not looked at.",
            ),
            *((f.name, f.type | None, None, f.description) for f in self.filters.values()),
        ]
        if self.polled:
            described.append(
                (
                    "updated_since",
                    datetime | None,
                    None,
                    "Rows that changed at or after this moment, in that order.",
                )
            )
        if self.restorable:
            described.append(("include_deleted", bool, False, "Soft-deleted rows too; their deleted_at is set."))
        return [
            (name, Annotated[kind, strawberry.argument(description=text)], default)
            for name, kind, default, text in described
        ]

    async def _load(
        self, context: Context, parent: ColumnElement[Any] | None, key: Any, arguments: Mapping[str, Any]
    ) -> PageOfRows:
        """Share one statement among all parents that ask with the same arguments."""
        if arguments["page"] < 1:
            raise Invalid("page must be >= 1.")
        if not 1 <= arguments["limit"] <= LARGEST_LIMIT:
            raise Invalid(f"limit must be from 1 to {LARGEST_LIMIT}.")
        if parent is None:
            return (await self._read(context, None, [None], arguments))[None]
        name: Hashable = (self, parent, _frozen(arguments))

        async def batch(keys: list[Any]) -> list[PageOfRows]:
            pages = await self._read(context, parent, keys, arguments)
            return [pages[key] for key in keys]

        page: PageOfRows = await context.loader(name, batch).load(key)
        return page

    async def _read(
        self, context: Context, parent: ColumnElement[Any] | None, keys: list[Any], arguments: Mapping[str, Any]
    ) -> dict[Any, PageOfRows]:
        page, limit = arguments["page"], arguments["limit"]
        given = {name: value for name in self.filters if (value := arguments.get(name)) is not None}
        since = arguments.get("updated_since")
        order = ("updated_at", self.order[-1]) if since is not None else self.order
        position = Position.parse(arguments["after"], order, self.table) if arguments["after"] else None
        shape = Shape(
            parent,
            frozenset(given),
            since is not None,
            bool(arguments.get("include_deleted")),
            position is not None,
        )
        values = {name: self.filters[name].value(value) for name, value in given.items()}
        # One row more than asked for says whether a page follows.
        values |= {"limit": limit + 1, "offset": (page - 1) * limit}
        if since is not None:
            values["updated_since"] = since
        if position is not None:
            values |= position.values
        if parent is not None:
            values[KEYS.key] = keys
        rows = await context.read(self.statement(shape), values)
        grouped: dict[Any, list[Row]] = {key: [] for key in keys}
        for row in rows:
            grouped[row.parent].append(row)
        return {key: self._page(group, order, limit, position) for key, group in grouped.items()}

    def _page(self, rows: list[Row], order: tuple[str, str], limit: int, position: Position | None) -> PageOfRows:
        count = position.count if position is not None else rows[0].total
        # An empty page still says its total, in one row of nothing.
        if rows and getattr(rows[0], order[-1]) is None:
            rows = []
        more = len(rows) > limit
        rows = rows[:limit]
        return PageOfRows(count, rows, Position.of(rows[-1], order, count).text() if more else None)

    @cache  # noqa: B019 - a listing lives as long as the program
    def statement(self, shape: Shape) -> Statement:
        """The statement of a shape, built once."""
        table = self.table
        order = ("updated_at", self.order[-1]) if shape.polling else self.order
        conditions = [mine(table), *self._conditions(shape)]
        parents: FromClause | None = None
        if shape.parent is not None:
            parents = func.unnest(KEYS).table_valued(column("key", Uuid())).render_derived("parents")
            conditions.append(shape.parent == parents.c.key)
        key = parents.c.key if parents is not None else null()
        sort = [table.c[name] for name in order]
        page = select(*self.columns).where(and_(*conditions)).order_by(*sort)
        if shape.after:
            last = [given(f"after_{name}", table.c[name].type) for name in order]
            page = page.where(tuple_(*sort) > tuple_(*last)).limit(LIMIT)
            return self._joined(parents, None, page, order, key)
        counted = select(func.count().label("total")).select_from(table).where(and_(*conditions))
        if parents is not None:
            counted = counted.correlate(parents)
        total = counted.lateral("counted") if parents is not None else counted.subquery("counted")
        # Past the end nothing is left to skip over: the total says so before the first row is read.
        page = page.limit(case((total.c.total > OFFSET, LIMIT), else_=literal(0, BigInteger()))).offset(OFFSET)
        return self._joined(parents, total, page, order, key)

    def _conditions(self, shape: Shape) -> list[ColumnElement[bool]]:
        conditions = [] if self.where is None else [self.where]
        for filter in self.filters.values():
            if filter.name in shape.filters:
                conditions.append(filter.where)
            elif filter.otherwise is not None:
                conditions.append(filter.otherwise)
        if not shape.deleted:
            conditions.append(self.table.c.deleted_at.is_(None))
        if shape.polling:
            since = self.table.c.updated_at
            conditions.append(since >= given("updated_since", since.type))
        return conditions

    def _joined(
        self,
        parents: FromClause | None,
        total: Any,
        page: Select[Any],
        order: tuple[str, str],
        key: ColumnElement[Any],
    ) -> Statement:
        """Parents, totals and pages side by side; a parent with an empty page keeps one row."""
        outer = [source for source in (parents, total) if source is not None]
        rows = page.correlate(*outer).lateral("page") if outer else page.subquery("page")
        sources: Any = None
        for source in outer:
            sources = source if sources is None else sources.join(source, true())
        sources = rows if sources is None else sources.outerjoin(rows, true())
        counted = total.c.total if total is not None else null().label("total")
        query = select(key.label("parent"), counted, *rows.c).select_from(sources)
        return Statement(query.order_by(*(rows.c[name] for name in order)))


def _frozen(arguments: Mapping[str, Any]) -> Hashable:
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in sorted(arguments.items())
    )
