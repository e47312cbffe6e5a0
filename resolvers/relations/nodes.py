"""Relations of the rows of a table; resolvers of rows by ids: of one row, or of several in the order of the ids."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Table, distinct, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.columns import in_organization
from resolvers.context import Context, SelectedBySource
from resolvers.errors import Invalid, NotFound
from resolvers.relations.arguments import Argument
from resolvers.relations.live import is_live
from resolvers.relations.relation import Relation, any_key
from resolvers.selected import RowSource
from resolvers.steps.batch import Batch, FirstStatement, query_field
from resolvers.steps.related_row import RowByKey

MAX_IDS = 100
"""The most ids of one request, as many as a page has rows."""

IDS = "ids"
"""The argument with several ids."""


def check_ids(ids: Sequence[UUID]) -> None:
    """Raise Invalid for more than MAX_IDS ids."""
    if len(ids) > MAX_IDS:
        raise Invalid(f"{IDS} must have at most {MAX_IDS} ids.")


def rows_by_id(table: Table, columns: Iterable[ColumnElement[Any]], noun: str, *where: ColumnElement[bool]) -> Relation:
    """The relation of the rows of a table by their ids, with these columns and `is_live`."""
    rows = select(*columns, is_live(table).label("is_live")).where(in_organization(table), *where)
    return Relation(table.c.id, rows, noun=noun)


def rows_behind(table: Table, columns: Iterable[ColumnElement[Any]], holder: Table, column: str) -> Relation:
    """The relation of the rows of a table whose ids are in a column of another table, by the id of the other row."""
    return Relation(
        holder.c.id,
        select(*columns)
        .select_from(holder.join(table, table.c.id == holder.c[column]))
        .where(in_organization(holder), in_organization(table)),
    )


def rows_below(
    parent: Column[Any], columns: Iterable[ColumnElement[Any]], *order: str, where: ColumnElement[bool] | None = None
) -> Relation:
    """The rows that refer to a parent by a column, sorted by the columns of `order`; by default those not deleted."""
    table = parent.table
    condition = table.c.deleted_at.is_(None) if where is None else where
    rows = select(*columns).where(in_organization(table), parent == any_key(), condition)
    return Relation(parent, rows.order_by(*(table.c[name] for name in order)), many=True)


def grouped_by(key: Column[Any], *where: ColumnElement[bool], **values: ColumnElement[Any]) -> Relation:
    """The relation of aggregates over the live rows with the same value in a column, by that value."""
    columns = (value.label(name) for name, value in values.items())
    rows = select(*columns).where(in_organization(key.table), is_live(key.table), *where)
    return Relation(key, rows, grouped=True)


def sorted_ids(column: Column[Any]) -> ColumnElement[Any]:
    """The aggregate of the ids in a column, sorted."""
    return func.array_agg(aggregate_order_by(column, column))


def distinct_ids(column: Column[Any]) -> ColumnElement[Any]:
    """The aggregate of the different ids in a column, sorted, without null."""
    return func.array_agg(distinct(column)).filter(column.is_not(None))


class LiveRows(Protocol):
    """What reads rows of `source` by their ids. `noun` is what messages call a row, with a capital letter."""

    noun: str

    @property
    def source(self) -> RowSource: ...

    async def live_rows(self, context: Context, keys: Sequence[Any]) -> Mapping[Any, Row | None]: ...

    def first_statement(self, selected: SelectedBySource, *needed: str) -> Statement: ...

    def __hash__(self) -> int: ...


def id_argument(noun: str) -> Argument:
    """The argument `id` of a field of one row."""
    return Argument(name="id", type=UUID, description=f"Id of the {noun.lower()}.", is_required=True)


def row_of_id(reader: LiveRows) -> Batch:
    """The step of the live row of an id. It raises NotFound if there is none."""

    @query_field(id_argument(reader.noun), of=RowByKey, rows=reader.source, first_statement=_first_statement(reader))
    async def row(context: Context, arguments: Mapping[str, Any]) -> Row:
        id_ = arguments["id"]
        row = (await reader.live_rows(context, [id_]))[id_]
        if row is None:
            raise NotFound(reader.noun)
        return row

    return row


def rows_of_ids(reader: LiveRows) -> Batch:
    """The step of the live row of each id, null where there is none. It raises Invalid above MAX_IDS."""
    description = f"Ids, at most {MAX_IDS}. The result has their order, and null for an id without a row."
    argument = Argument(
        name=IDS,
        type=list[UUID],
        description=description,
        is_required=True,
        check=lambda constants: check_ids(constants[IDS]),
    )

    @query_field(argument, rows=reader.source, first_statement=_first_statement(reader))
    async def rows(context: Context, arguments: Mapping[str, Any]) -> list[Row | None]:
        ids = arguments[IDS]
        check_ids(ids)
        rows = await reader.live_rows(context, ids)
        return [rows[id_] for id_ in ids]

    return rows


def _first_statement(reader: LiveRows) -> FirstStatement:
    return lambda selected, _: reader.first_statement(selected, "is_live")
