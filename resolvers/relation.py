"""A relation: what one statement finds for many parents.

    clients_by_id = Relation(select(...).where(mine(clients), clients.c.id == any_key()))
    client_of = clients_by_id.of("client_id")                     # the row
    client_name_of = clients_by_id.of("client_id", "name")        # one value of it
    lines_of = Collection(select(...).where(...).order_by(...)).of("id")    # rows, in that order

However many parents ask, and through however many fields, the statement runs once per turn of the event loop.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_
from strawberry import Info, Parent

from db.database import Row
from db.statements import Statement
from db.tables import given
from resolvers.context import Context

Resolver = Callable[..., Awaitable[Any]]

KEYS = given("keys", ARRAY(Uuid()))


def any_key() -> ColumnElement[Any]:
    """What stands for the keys of a batch: compare a column with it."""
    return any_(KEYS)


class Relation:
    """Rows by key. The statement yields the key as its column `key`, and at most one row a key."""

    def __init__(self, select: Select[Any]) -> None:
        if "key" not in select.selected_columns or KEYS.key not in select.compile().params:
            raise ValueError(f"A relation selects a column called key, for the keys that it is given: {select}")
        self.statement = Statement(select)

    async def load(self, context: Context, key: Hashable) -> Row | None:
        """The row of one key; None where there is none."""

        async def batch(keys: list[Any]) -> list[Row | None]:
            rows = await context.read(self.statement, {KEYS.key: keys})
            found = {row.key: row for row in rows}
            return [found.get(key) for key in keys]

        return await context.loader(self, batch).load(key)

    def of(self, key: str, attribute: str | None = None, *, default: Any = None) -> Resolver:
        """A resolver: the row whose key the parent holds in `key`, or one attribute of it.

        `default` is the answer where the parent holds no key, there is no row, or it holds a null.
        """

        async def resolve(root: Parent[Any], info: Info[Context, None]) -> Any:
            value = getattr(root, key)
            row = None if value is None else await self.load(info.context, value)
            found = row if row is None or attribute is None else getattr(row, attribute)
            return default if found is None else found

        resolve.__name__ = f"{attribute or 'row'}_by_{key}"
        return resolve


class Collection:
    """Rows by key, any number of them, in the order of the statement. It yields the key as its column `key`."""

    def __init__(self, select: Select[Any]) -> None:
        if "key" not in select.selected_columns or KEYS.key not in select.compile().params:
            raise ValueError(f"A collection selects a column called key, for the keys that it is given: {select}")
        self.statement = Statement(select)

    async def load(self, context: Context, key: Hashable) -> Sequence[Row]:
        """The rows of one key; none where there are none."""

        async def batch(keys: list[Any]) -> list[Sequence[Row]]:
            found: dict[Any, list[Row]] = {key: [] for key in keys}
            for row in await context.read(self.statement, {KEYS.key: keys}):
                found[row.key].append(row)
            return list(found.values())

        rows: Sequence[Row] = await context.loader(self, batch).load(key)
        return rows

    def of(self, key: str) -> Resolver:
        """A resolver: the rows whose key the parent holds in `key`."""

        async def resolve(root: Parent[Any], info: Info[Context, None]) -> Any:
            return await self.load(info.context, getattr(root, key))

        resolve.__name__ = f"rows_by_{key}"
        return resolve
