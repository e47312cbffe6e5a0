"""A list: its columns, order, filters and paging, declared once.

One declaration makes resolvers of a list of the whole organization (`projects`) and of the same list below each of
many parents (`client { projects }`). Either reads pages and totals in one statement.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from strawberry import Info

from db.reading.connection import Row
from resolvers.context import Context, SelectedBySource
from resolvers.lists.list_pages import ListPages, PageOfRows
from resolvers.lists.list_sql import Link, ListParent
from resolvers.lists.page_arguments import PAGING, below_parent, hashable
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.batching import (
    BatchResolver,
    ColumnDependencies,
    Resolver,
    batch_resolver,
    depends_on,
    for_all_parents,
)
from resolvers.relations.relation import keys_of


class Listing(ListPages):
    """The resolvers of a list. Tests find conditions and orders that could not run."""

    def of_organization(self) -> Resolver:
        """A resolver of the list over the whole organization."""
        self.parents.append(None)

        async def resolve(info: Info[Context, None], **arguments: Any) -> PageOfRows:
            pages, _ = await self.pages(info.context, None, [None], arguments, info.context.selected.get(self))
            return pages[None]

        resolver: Resolver = declare(resolve, self.arguments)
        return depends_on(self._reads(None, frozenset(), for_all_parents(self.count)))(resolver)

    def of_parent(self, parent: str | Link) -> Resolver:
        """A resolver of the rows whose column `parent` refers to the parent object, or that a link connects with it.

        All parents with the same arguments share one statement.
        """
        connection, key = self._connection(parent)
        self.parents.append(connection)
        counting = self._below(connection, key, is_count=True)
        reads = self._reads(connection, frozenset([key]), counting)
        return batch_resolver(self._below(connection, key), below_parent(self.arguments), reads)

    def totals_of_organization(self) -> Resolver:
        """A resolver of the totals of all rows, with the arguments that find rows."""

        async def resolve(info: Info[Context, None], **arguments: Any) -> Sequence[Row]:
            pages, _ = await self.pages(info.context, None, [None], self._defaults | arguments, None, is_total=True)
            return pages[None].results

        resolver: Resolver = declare(resolve, self._finding)
        return depends_on(ColumnDependencies(frozenset(), max_days=self._max_days))(resolver)

    def totals_of_parent(self, parent: str | Link) -> Resolver:
        """A resolver of the totals of the rows below each parent, in one statement for all parents."""
        connection, key = self._connection(parent)
        below = self._below(connection, key, is_total=True)

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
            return [page.results for page in await below(context, roots, {**self._defaults, **arguments})]

        reads = ColumnDependencies(frozenset([key]), max_days=self._max_days)
        return batch_resolver(resolve, self._finding, reads)

    def row_of(self, key: str) -> Resolver:
        """A resolver of the live row whose id is the attribute `key` of the parent. A relation reads rows at less cost;
        this is for rows with values that only a list binds.
        """

        async def resolve(context: Context, roots: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            ids = keys_of(roots, key)
            rows = await self.live_rows(context, [id_ for id_ in ids if id_ is not None])
            return [None if id_ is None else rows[id_] for id_ in ids]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self))

    async def live_rows(self, context: Context, keys: Sequence[Any]) -> Mapping[Any, Row | None]:
        """The live row of each id; None for an id without one."""
        own = self.table.c[self.order[-1]]

        async def read(keys: Sequence[Any]) -> Mapping[Any, Row | None]:
            pages, _ = await self.pages(context, own, keys, self._defaults | {"limit": 1}, context.selected.get(self))
            return {key: page.results[0] if page.results else None for key, page in pages.items()}

        return await context.load((self, own), keys, read)

    def prepare(self, selected: SelectedBySource, *_: str) -> None:
        """Build the statement of `live_rows` for what a document shows of the rows."""
        self._prepare(self.table.c[self.order[-1]], selected, self._defaults)

    def _connection(self, parent: str | Link) -> tuple[ListParent, str]:
        """What connects rows with parents, and the attribute of a parent to which it refers."""
        connection = self.table.c[parent] if isinstance(parent, str) else parent
        column = connection.parent if isinstance(connection, Link) else connection
        (stored,) = column.base_columns
        return connection, stored.info.get("references", ".id").partition(".")[2]

    def _below(self, parent: ListParent, key: str, **options: bool) -> BatchResolver:
        """The pages below each of many parents, in one statement; `options` are those of `pages`."""

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
            async def read(keys: Sequence[Any]) -> Mapping[Any, PageOfRows]:
                selected = None if options else context.selected.get(self)
                return (await self.pages(context, parent, keys, arguments, selected, **options))[0]

            root_keys = keys_of(roots, key)
            pages = await context.load((self, parent, hashable(arguments), *options), root_keys, read)
            return [pages[root_key] for root_key in root_keys]

        return resolve

    def _reads(
        self, parent: ListParent | None, attributes: frozenset[str], counting: BatchResolver
    ) -> ColumnDependencies:
        prepare = partial(self._prepare, parent)
        return ColumnDependencies(
            attributes, self, within="results", counting=counting, prepare=prepare, max_days=self._max_days
        )

    def _prepare(self, parent: ListParent | None, selected: SelectedBySource, arguments: Mapping[str, Any]) -> None:
        self.query(self.variant(parent, arguments, selected.get(self)))

    @property
    def _max_days(self) -> int | None:
        return None if self.date_range is None else self.date_range.max_days

    @property
    def _defaults(self) -> dict[str, Any]:
        """The arguments of a request that gives none."""
        return {argument.name: argument.default for argument in self.arguments}

    @property
    def _finding(self) -> Sequence[Argument]:
        """The arguments that find rows: all but those of pages."""
        unused = {"order_by", "updated_since", *(argument.name for argument in PAGING)}
        return [argument for argument in self.arguments if argument.name not in unused]
