"""A relation: rows by key, which one statement reads for many parents.

    clients_by_id = Relation(clients.c.id, select(...).where(in_organization(clients)))
    client_of = clients_by_id.of("client_id")                     # the row
    client_name_of = clients_by_id.of("client_id", "name")        # one value of it
    lines_of = Collection(select(...).where(..., lines.c.invoice_id == any_key()).order_by(...)).of("id")

For all parents and fields that load in the same turn of the event loop, the statement runs once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import CTE, ColumnElement, FromClause, Label, Select, Uuid, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.columns import ORGANIZATION_ID, bind
from resolvers.context import Context, SelectedBySource
from resolvers.relations.batching import ColumnDependencies, Resolver, batch_resolver
from resolvers.relations.selected import Join, Selected, with_columns

MAX_STATEMENTS = 64
"""Statements of one relation that stay compiled, one for each set of columns; the least recently used is dropped."""

_numbers = count(1)

KEYS = bind("keys", ARRAY(Uuid()))
"""The keys of a batch."""


def any_key() -> ColumnElement[Any]:
    """The keys of a batch, to compare a column with."""
    return any_(KEYS)


class Relation:
    """One row by key, which its statement has as the column `key`.

    `rows` selects columns under conditions, without further clauses: at most one row for each `key`; with `grouped`,
    rows that are grouped by it. `noun` is what messages call a row.
    """

    def __init__(
        self, key: ColumnElement[Any], rows: Select[*tuple[Any, ...]], *, grouped: bool = False, noun: str = ""
    ) -> None:
        self.noun = noun
        self._unkeyed = rows.add_columns(key.label("key"))
        keyed = self._unkeyed.where(key == any_key())
        self.statement = _statements(keyed.group_by(key) if grouped else keyed)
        self.has_rows = not grouped
        self.columns_by_name: Mapping[str, ColumnElement[Any]] = _unlabelled(keyed)
        self._joins: dict[str, Join] = {}

    def join_by(self, key: str) -> Join:
        """The join of its row to a row that has the key in the column `key`."""
        if key not in self._joins:
            self._joins[key] = Join(self, key, f"j{next(_numbers)}_")
        return self._joins[key]

    def joined_to(
        self, source: FromClause, key: ColumnElement[Any], names: AbstractSet[str] | None
    ) -> tuple[FromClause, FromClause]:
        """See `JoinedRelation.joined_to`.

        Groups are made for all keys of a CTE together, else for each key apart: never for all keys of the organization.
        """
        columns = self._unkeyed.selected_columns.items()
        selected = [column for name, column in columns if names is None or name in names or name == "key"]
        rows = self._unkeyed.with_only_columns(*selected, maintain_column_froms=True)
        if self.has_rows:
            joined = rows.subquery()
            return joined, source.outerjoin(joined, joined.c.key == key)
        own = self.columns_by_name["key"]
        if isinstance(key.table, CTE):
            keys = func.array(select(key).scalar_subquery())
            groups = rows.where(own == any_(keys)).group_by(own).subquery()
            # Every group has its row. PostgreSQL expects ten keys, and would compare all with all; FULL forbids that.
            return groups, source.outerjoin(groups, groups.c.key == key, full=True)
        groups_of_key = rows.with_only_columns(*(column for column in selected if column.key != "key"))
        each = groups_of_key.where(own == key).correlate(key.table).lateral()
        return each, source.outerjoin(each, true())

    async def load(self, context: Context, key: Any, *needed: str) -> Row | None:
        """The row of one key; None if there is none.

        It has all columns, or, if columns are given as `needed`, those and what the document shows of the row.
        """
        selected = with_columns(context.selected.get(self), *needed) if needed else None
        return (await self.rows(context, [key], selected))[key]

    async def load_live(self, context: Context, key: Any, *needed: str) -> Row | None:
        """The same; None also for a row whose column `is_live` is false (`resolvers.relations.live`)."""
        row = await self.load(context, key, "is_live", *needed)
        return row if row is not None and row.is_live else None

    async def live_rows(self, context: Context, keys: Sequence[Any]) -> Mapping[Any, Row | None]:
        """The row of each key; None also for a row whose column `is_live` is false."""
        selected = with_columns(context.selected.get(self), "is_live")
        rows = await self.rows(context, keys, selected, is_alone=context.has_one_source)
        found = {key: rows[key] for key in keys}
        return {key: row if row is not None and row.is_live else None for key, row in found.items()}

    async def rows(
        self, context: Context, keys: Iterable[Any], selected: Selected | None = None, *, is_alone: bool = False
    ) -> Mapping[Any, Row | None]:
        """The row of each key, among others, with all columns (None) or with what is selected.

        `is_alone`: nothing else is read at the same time. Then no loader has to wait for other keys.
        """

        async def read(keys: Sequence[Any]) -> Mapping[Any, Row]:
            rows = await context.read(self.statement(selected), {KEYS.key: keys}, is_alone=is_alone)
            return {row.key: row for row in rows}

        if is_alone:
            wanted: dict[Any, Row | None] = dict.fromkeys(keys)
            wanted.update(await read([*wanted]) if wanted else {})
            return wanted
        return await context.load((self, selected), keys, read)

    def of(self, key: str, attribute: str | None = None, *, default: Any = None) -> Resolver:
        """A resolver of the row whose key is the parent's attribute `key`, or of one attribute of that row.

        `default` is the value if the key is null, the row is missing, or the value is null.
        """

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            # Each distinct key is looked up once: a UUID is slow to hash.
            indexes: dict[Any, int] = {}
            parent_indexes = [indexes.setdefault(value, len(indexes)) for value in keys_of(parents, key)]
            keys = [value for value in indexes if value is not None]
            rows = await self.rows(context, keys, context.selected.get(self))
            values = [None if value is None else rows[value] for value in indexes]
            if attribute is not None:
                values = [None if row is None else getattr(row, attribute) for row in values]
            values = [default if value is None else value for value in values]
            return [values[index] for index in parent_indexes]

        join = self.join_by(key) if attribute is not None or self.has_rows else None
        reads = ColumnDependencies(
            frozenset([key]), self, attribute, default=default, join=join, prepare=lambda each, _: self.prepare(each)
        )
        return batch_resolver(resolve, reads=reads)

    def prepare(self, selected: SelectedBySource, *needed: str) -> None:
        """Build the statements for what a document shows of the rows, and the columns that a resolver needs."""
        self.statement(with_columns(selected.get(self), *needed))


class Collection:
    """Rows by key, in the order of the statement, which selects the key as its column `key`."""

    def __init__(self, select: Select[Any]) -> None:
        self.statement = _statements(select)
        self.columns_by_name: Mapping[str, ColumnElement[Any]] = _unlabelled(select)

    async def rows(
        self, context: Context, keys: Iterable[Any], selected: Selected | None = None
    ) -> Mapping[Any, Sequence[Row]]:
        """The rows of each key, among others, with all columns (None) or with what is selected."""

        async def read(keys: Sequence[Any]) -> Mapping[Any, Sequence[Row]]:
            rows_by_key: dict[Any, list[Row]] = {key: [] for key in keys}
            for row in await context.read(self.statement(selected), {KEYS.key: keys}):
                rows_by_key[row.key].append(row)
            return rows_by_key

        return await context.load((self, selected), keys, read)

    def of(self, key: str) -> Resolver:
        """A resolver of the rows whose key is the parent's attribute `key`."""

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            keys = keys_of(parents, key)
            rows = await self.rows(context, keys, context.selected.get(self))
            return [rows[value] for value in keys]

        reads = ColumnDependencies(
            frozenset([key]), self, prepare=lambda selected, _: self.statement(selected.get(self))
        )
        return batch_resolver(resolve, reads=reads)


def keys_of(parents: Sequence[Any], name: str) -> list[Any]:
    """The attribute `name` of each parent. In a JSON object, ids are texts, and an array of ids is one of texts."""
    if not parents or type(parents[0]) is not dict:
        return [getattr(parent, name) for parent in parents]
    return [_id(parent.get(name)) for parent in parents]


def _id(value: Any) -> Any:
    if isinstance(value, list):
        return [_id(each) for each in value]
    return UUID(value) if isinstance(value, str) else value


def _statements(select: Select[Any]) -> Callable[[Selected | None], Statement]:
    """The statement for all columns (None) or for some, compiled at its first use.

    It raises ValueError for a select that cannot run by key.
    """

    @lru_cache(MAX_STATEMENTS)
    def statement(selected: Selected | None) -> Statement:
        made = Statement(select if selected is None else _selecting(selected))
        bound = {KEYS.key, ORGANIZATION_ID.key}
        unknown = made.parameter_names - made.constants.keys() - bound
        if unknown:
            raise ValueError(
                f"A relation binds {', '.join(sorted(unknown))}, which has no value here; "
                f"{', '.join(sorted(bound))} would have one: {select}"
            )
        if "key" not in select.selected_columns or KEYS.key not in made.parameter_names:
            raise ValueError(f"A relation selects a column called key, for the keys that it binds: {select}")
        return made

    def _selecting(selected: Selected) -> Select[Any]:
        shown = [
            column
            for name, column in select.selected_columns.items()
            if selected.columns is None or name in selected.columns or name == "key"
        ]
        (source,) = select.get_final_froms()
        joined, source = selected.join(_unlabelled(select), source)
        some = select.with_only_columns(*shown, *joined, maintain_column_froms=True)
        return some.select_from(source) if joined else some

    return statement


def _unlabelled(query: Select[Any]) -> dict[str, ColumnElement[Any]]:
    """The columns of a select by name, for use in its expressions."""
    columns = query.selected_columns.items()
    return {name: column.element if isinstance(column, Label) else column for name, column in columns}
