"""A relation: what one statement finds for many parents.

    clients_by_id = Relation(select(...).where(mine(clients), clients.c.id == any_key()))
    client_of = clients_by_id.of("client_id")                     # the row
    client_name_of = clients_by_id.of("client_id", "name")        # one value of it
    lines_of = Collection(select(...).where(...).order_by(...)).of("id")    # rows, in that order

However many parents ask, and through however many fields, the statement runs once per turn of the event loop.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.columns import ORGANIZATION, bind
from resolvers.context import Context
from resolvers.relations.batching import ColumnDependencies, Resolver, batch_resolver

MOST_STATEMENTS = 64
"""Statements of one relation that are kept, one for each choice of columns. The oldest is forgotten."""

KEYS = bind("keys", ARRAY(Uuid()))


def any_key() -> ColumnElement[Any]:
    """What stands for the keys of a batch: compare a column with it."""
    return any_(KEYS)


class Relation:
    """Rows by key. The statement yields the key as its column `key`, and at most one row a key."""

    def __init__(self, select: Select[Any]) -> None:
        self._statement = _keyed(select)
        self.statement = self._statement(None)

    async def load(self, context: Context, key: Any) -> Row | None:
        """The row of one key; None where there is none."""
        return (await self.rows(context, [key]))[key]

    async def rows(
        self, context: Context, keys: Iterable[Any], columns: frozenset[str] | None = None
    ) -> Mapping[Any, Row | None]:
        """The row of each key, among others, with all its columns or with some."""

        async def batch(some: Sequence[Any]) -> Mapping[Any, Row]:
            return {row.key: row for row in await context.read(self._statement(columns), {KEYS.key: some})}

        return await context.load((self, columns), keys, batch)

    def of(self, key: str, attribute: str | None = None, *, default: Any = None) -> Resolver:
        """A resolver: the row whose key the parent holds in `key`, or one attribute of it.

        `default` is the answer where the parent holds no key, there is no row, or it holds a null.
        """

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            # Each key is looked up once: a UUID is slow to hash.
            places: dict[Any, int] = {}
            order = [places.setdefault(getattr(parent, key), len(places)) for parent in parents]
            rows = await self.rows(context, [some for some in places if some is not None], context.columns.get(self))
            found = [None if some is None else rows[some] for some in places]
            if attribute is not None:
                found = [None if row is None else getattr(row, attribute) for row in found]
            found = [default if value is None else value for value in found]
            return [found[place] for place in order]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self, attribute))


class Collection:
    """Rows by key, any number of them, in the order of the statement. It yields the key as its column `key`."""

    def __init__(self, select: Select[Any]) -> None:
        self._statement = _keyed(select)
        self.statement = self._statement(None)

    async def rows(
        self, context: Context, keys: Iterable[Any], columns: frozenset[str] | None = None
    ) -> Mapping[Any, Sequence[Row]]:
        """The rows of each key, among others, with all their columns or with some; none where there are none."""

        async def batch(some: Sequence[Any]) -> Mapping[Any, Sequence[Row]]:
            found: dict[Any, list[Row]] = {key: [] for key in some}
            for row in await context.read(self._statement(columns), {KEYS.key: some}):
                found[row.key].append(row)
            return found

        return await context.load((self, columns), keys, batch)

    def of(self, key: str) -> Resolver:
        """A resolver: the rows whose key the parent holds in `key`."""

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            keys = [getattr(parent, key) for parent in parents]
            rows = await self.rows(context, keys, context.columns.get(self))
            return [rows[value] for value in keys]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self))


def _keyed(select: Select[Any]) -> Callable[[frozenset[str] | None], Statement]:
    """The statement for all columns (None), or for some."""
    if "key" not in select.selected_columns or KEYS.key not in select.compile().params:
        raise ValueError(f"A relation selects a column called key, for the keys that it is given: {select}")
    all_columns = Statement(select)
    bound = {KEYS.key, ORGANIZATION.key}
    unknown = all_columns.parameter_names - all_columns.constants.keys() - bound
    if unknown:
        raise ValueError(
            f"A relation binds {', '.join(sorted(unknown))}, which has no value here; "
            f"{', '.join(sorted(bound))} would have one: {select}"
        )

    @lru_cache(MOST_STATEMENTS)
    def statement(columns: frozenset[str] | None) -> Statement:
        if columns is None:
            return all_columns
        kept = [column for name, column in select.selected_columns.items() if name == "key" or name in columns]
        return Statement(select.with_only_columns(*kept, maintain_column_froms=True))

    return statement
