"""A relation: rows by key, which one statement reads for many parents.

    clients_by_id = Relation(clients.c.id, select(...).where(in_organization(clients)))
    client_of = clients_by_id.of("client_id")                     # the row
    client_name_of = clients_by_id.of("client_id", "name")        # one value of it
    teams_of_member = teams_by_id.of_ids("user_id", held_by=_teams_of_members, array="team_ids")
    lines = Relation(lines.c.invoice_id, select(...).where(lines.c.invoice_id == any_key()).order_by(...), many=True)

For all parents and fields that load in the same turn of the event loop, the statement runs once.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from itertools import chain, count
from typing import Any
from uuid import UUID

from sqlalchemy import CTE, ColumnElement, FromClause, Label, Select, Uuid, column, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_
from sqlalchemy.sql.selectable import TableValuedAlias

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.columns import bind
from resolvers.context import Context, SelectedBySource
from resolvers.selected import ALL, Join, JoinedRelation, Selected, with_columns
from resolvers.steps.batch import Batch
from resolvers.steps.related_row import JoinedAttribute, JoinedRow, RelatedRow

MAX_STATEMENTS = 512
"""Statements of all relations that stay compiled, one for each selection; the least recently used is dropped."""

_numbers = count(1)

KEYS = bind("keys", ARRAY(Uuid()))
"""The keys of a batch."""


def any_key() -> ColumnElement[Any]:
    """The keys of a batch, to compare a column with."""
    return any_(KEYS)


def id_rows(ids: ColumnElement[Any], name: str, alias: str) -> TableValuedAlias:
    """The ids of an array as rows with one column."""
    return func.unnest(ids).table_valued(column(name, Uuid())).render_derived(alias)


class Relation(JoinedRelation):
    """Rows by key, which its statement has as the column `key`: the row of each key, or with `many`, all of its rows.

    `rows` selects columns under conditions, without further clauses: at most one row for each `key`; with `grouped`,
    rows that are grouped by it; with `many`, rows that it restricts by `any_key` and sorts. It binds nothing else
    (`tests/resolvers/test_selected.py`). `noun` is what messages call a row.
    """

    def __init__(
        self,
        key: ColumnElement[Any],
        rows: Select[*tuple[Any, ...]],
        *,
        grouped: bool = False,
        many: bool = False,
        noun: str = "",
    ) -> None:
        super().__init__(noun or f"rows by {key}")
        self.noun, self.source = noun, self
        self.is_many = many
        self.has_rows = not grouped
        self._unkeyed = rows.add_columns(key.label("key"))
        keyed = self._unkeyed if many else self._unkeyed.where(key == any_key())
        self._select = keyed.group_by(key) if grouped else keyed
        columns = keyed.selected_columns.items()
        self.columns_by_name: Mapping[str, ColumnElement[Any]] = {
            name: column.element if isinstance(column, Label) else column for name, column in columns
        }

    @lru_cache(MAX_STATEMENTS)  # noqa: B019 - a relation lives as long as the program
    def statement(self, selected: Selected) -> Statement:
        """The statement for what is selected, compiled at its first use."""
        query = self._select
        if selected != ALL:
            columns = query.selected_columns.items()
            shown = selected.columns
            own = [column for name, column in columns if shown is None or name in shown or name == "key"]
            (source,) = query.get_final_froms()
            joined, source = selected.join(self.columns_by_name, source)
            query = query.with_only_columns(*own, *joined, maintain_column_froms=True)
            query = query.select_from(source) if joined else query
        return Statement(query)

    @cache  # noqa: B019 - a relation lives as long as the program
    def join_by(self, key: str) -> Join:
        """The join of its row to a row that has the key in the column `key`."""
        return Join(self, key, f"j{next(_numbers)}_")

    def joined_to(
        self, source: FromClause, key: ColumnElement[Any], names: AbstractSet[str] | None
    ) -> tuple[FromClause, FromClause]:
        """See `JoinedRelation`.

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
        selected = with_columns(context.selected.get(self, ALL), *needed) if needed else ALL
        row: Row | None = (await self.rows(context, [key], selected))[key]
        return row

    async def load_live(self, context: Context, key: Any, *needed: str) -> Row | None:
        """The same; None also for a row whose column `is_live` is false (`resolvers.relations.live`)."""
        row = await self.load(context, key, "is_live", *needed)
        return row if row is not None and row.is_live else None

    async def live_rows(self, context: Context, keys: Sequence[Any]) -> Mapping[Any, Row | None]:
        """The row of each key; None also for a row whose column `is_live` is false."""
        selected = with_columns(context.selected.get(self, ALL), "is_live")
        rows = await self.rows(context, keys, selected, is_alone=context.has_one_source)
        return {key: row if (row := rows[key]) is not None and row.is_live else None for key in keys}

    async def rows(
        self, context: Context, keys: Iterable[Any], selected: Selected = ALL, *, is_alone: bool = False
    ) -> Mapping[Any, Any]:
        """The row of each key, or None, with what is selected, among others; with `many`, the rows of each key.

        `is_alone`: nothing else is read at the same time. Then no loader has to wait for other keys.
        """

        async def read(keys: Sequence[Any]) -> Mapping[Any, Any]:
            rows = await context.fetch(self.statement(selected), {KEYS.key: keys}, is_alone=is_alone)
            if not self.is_many:
                return {row.key: row for row in rows}
            rows_by_key: dict[Any, list[Row]] = {key: [] for key in keys}
            for row in rows:
                rows_by_key[row.key].append(row)
            return rows_by_key

        if is_alone:
            wanted: dict[Any, Any] = dict.fromkeys(keys)
            wanted.update(await read([*wanted]) if wanted else {})
            return wanted
        return await context.load((self, selected), keys, read)

    def of(self, key: str, attribute: str | None = None, *, default: Any = None) -> RelatedRow:
        """The step of the row or rows whose key is the parent's attribute `key`, or of one attribute of the row.

        `default` is the value if the key is null, the row is missing, or the value is null.
        """

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            keys = keys_of(parents, key)
            known = [each for each in keys if each is not None]
            rows = await self.rows(context, known, context.selected.get(self, ALL))
            values = [None if each is None else rows[each] for each in keys]
            if attribute is not None:
                values = [None if row is None else getattr(row, attribute) for row in values]
            return [default if value is None else value for value in values]

        joined: JoinedRow | JoinedAttribute | None = None
        if not self.is_many and (attribute is not None or self.has_rows):
            join = self.join_by(key)
            joined = JoinedRow(join)
            if attribute is not None:
                joined = JoinedAttribute(join.prefix + attribute, join, attribute, default=default)
        return RelatedRow(
            resolve,
            frozenset([key]),
            rows=self,
            first_statement=lambda each, _: self.first_statement(each),
            column=attribute,
            joined=joined,
        )

    def of_ids(self, key: str, held_by: "Relation | None" = None, array: str = "") -> Batch:
        """The step of the rows whose ids are in an array, in its order; ids without a row are left out.

        The array is the parent's attribute `key`, or the attribute `array` of the row of `held_by` with that key.
        """

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
            arrays = keys_of(parents, key)
            if held_by is not None:
                known = [each for each in arrays if each is not None]
                held = await held_by.rows(context, known, Selected(frozenset([array])))
                arrays = [None if each is None else getattr(held[each], array, None) for each in arrays]
            ids = [each or () for each in arrays]
            rows = await self.rows(context, chain(*ids), context.selected.get(self, ALL))
            return [[row for id_ in each if (row := rows[id_]) is not None] for each in ids]

        return Batch(resolve, frozenset([key]), rows=self)

    def first_statement(self, selected: SelectedBySource, *needed: str) -> Statement:
        """The statement for what a document shows of the rows, and the columns that a resolver needs."""
        return self.statement(with_columns(selected.get(self, ALL), *needed))


def keys_of(parents: Sequence[Any], name: str) -> list[Any]:
    """The attribute `name` of each parent. In a JSON object, ids are texts, and an array of ids is one of texts."""
    if not parents or type(parents[0]) is not dict:
        return [getattr(parent, name) for parent in parents]
    return [_id(parent.get(name)) for parent in parents]


def _id(value: Any) -> Any:
    if isinstance(value, list):
        return [_id(each) for each in value]
    return UUID(value) if isinstance(value, str) else value
