"""A list: its columns, order, filters and paging, declared once.

One declaration makes resolvers of a list of the whole organization (`projects`) and of the same list below each of
many parents (`client { projects }`). Either reads pages and totals in one statement.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from db.reading.connection import Row
from resolvers.context import Context, SelectedBySource
from resolvers.lists.list_pages import PageOfRows, query_of, read_pages
from resolvers.lists.list_sql import Link, ListParent, ListParts
from resolvers.lists.page_arguments import PAGING, below_parent
from resolvers.period import Period
from resolvers.relations.batching import BatchResolver, ColumnDependencies, Resolver, batch_resolver
from resolvers.relations.relation import keys_of
from resolvers.relations.selected import ALL, Selected


class Listing(ListParts):
    """The pages of a list, and their resolvers. Tests find conditions and orders that could not run."""

    def of(self, parent: str | Link | None = None) -> Resolver:
        """A resolver of the list: of the organization, or of the rows whose column `parent` refers to the parent
        object, or that a link connects with it. All parents with the same arguments share one statement.
        """
        connection, keys = self._connection(parent)
        self.parents.append(connection)
        reads = ColumnDependencies(
            frozenset(keys),
            self,
            within="results",
            counting=self._pages_of(connection, keys, is_count=True),
            prepare=lambda selected, arguments: query_of(self, connection, arguments, selected.get(self, ALL)),
            max_days=self.max_days,
        )
        arguments = self.arguments if connection is None else below_parent(self.arguments)
        return batch_resolver(self._pages_of(connection, keys), arguments, reads)

    def totals_of(self, parent: str | Link | None = None) -> Resolver:
        """A resolver of the totals of all rows of the organization or of each parent, with the arguments that find
        rows: all but those of pages.
        """
        connection, keys = self._connection(parent)
        pages_of = self._pages_of(connection, keys, is_total=True)

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
            return [page.results for page in await pages_of(context, roots, {**self._defaults, **arguments})]

        unused = {"order_by", "updated_since", *(argument.name for argument in PAGING)}
        finding = [argument for argument in self.arguments if argument.name not in unused]
        return batch_resolver(resolve, finding, ColumnDependencies(frozenset(keys), max_days=self.max_days))

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
            pages, _ = await read_pages(
                self, context, own, keys, self._defaults | {"limit": 1}, context.selected.get(self, ALL)
            )
            return {key: page.results[0] if page.results else None for key, page in pages.items()}

        return await context.load((self, own), keys, read)

    def prepare(self, selected: SelectedBySource, *_: str) -> None:
        """Build the statement of `live_rows` for what a document shows of the rows."""
        query_of(self, self.table.c[self.order[-1]], self._defaults, selected.get(self, ALL))

    async def page(
        self, context: Context, arguments: Mapping[str, Any], selected: Selected = ALL, *, is_count: bool = False
    ) -> tuple[PageOfRows, Period]:
        """One page of the whole organization, and the period of its date range. Raises Refusal.

        Rows have what is selected and the columns of the order; with `is_count`, they are counted only.
        """
        pages, period = await read_pages(self, context, None, [None], arguments, selected, is_count=is_count)
        return pages[None], period

    @property
    def _defaults(self) -> dict[str, Any]:
        """The arguments of a request that gives none."""
        return {argument.name: argument.default for argument in self.arguments}

    def _connection(self, parent: str | Link | None) -> tuple[ListParent | None, Sequence[str]]:
        """What connects rows with parents, and the attribute of a parent to which it refers."""
        if parent is None:
            return None, []
        connection = self.table.c[parent] if isinstance(parent, str) else parent
        column = connection.parent if isinstance(connection, Link) else connection
        (stored,) = column.base_columns
        return connection, [stored.info.get("references", ".id").partition(".")[2]]

    def _pages_of(self, parent: ListParent | None, key: Sequence[str], **options: bool) -> BatchResolver:
        """The pages of the organization, or below each of many parents, in one statement; `options` are those of
        `read_pages`.
        """

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
            selected = ALL if options else context.selected.get(self, ALL)
            if parent is None:
                pages, _ = await read_pages(self, context, None, [None], arguments, selected, **options)
                return [pages[None]] * len(roots)

            async def read(keys: Sequence[Any]) -> Mapping[Any, PageOfRows]:
                return (await read_pages(self, context, parent, keys, arguments, selected, **options))[0]

            root_keys = keys_of(roots, *key)
            pages = await context.load((self, parent, repr(arguments), *options), root_keys, read)
            return [pages[root_key] for root_key in root_keys]

        return resolve
