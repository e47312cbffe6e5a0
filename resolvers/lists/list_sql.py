"""The statements of a list: one for each shape, built once. Parents, totals and pages side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    DateTime,
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

from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from resolvers.relations.arguments import Argument
from resolvers.relations.relation import KEYS

LIMIT = bind("limit", BigInteger())
OFFSET = bind("offset", BigInteger())

# The ends of a range: instants where its days are local ones, half-open; else calendar days, inclusive.
LOW, HIGH = bind("low", DateTime(timezone=True)), bind("high", DateTime(timezone=True))
FIRST, LAST = bind("low", Date()), bind("high", Date())

# The day that it is in the organization's zone: `Listing` gives it to the statements that name it.
TODAY = bind("today", Date())

Order = tuple[str, ...]


class ListVariant(NamedTuple):
    """What makes two statements of one list different. Everything else is a value."""

    parent: ColumnElement[Any] | None = None
    filters: frozenset[str] = frozenset()
    polling: bool = False
    deleted: bool = False
    after: bool = False
    ranged: bool = False
    columns: frozenset[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Filter(Argument):
    """An argument of a list that adds a condition when it is given.

    The condition names its value as `bind(name, ...)`; `otherwise` is the condition while the argument is absent.
    """

    where: ColumnElement[bool]
    otherwise: ColumnElement[bool] | None = None


@dataclass(frozen=True, kw_only=True)
class Ranged:
    """How a list can be narrowed to days: by instants (LOW, HIGH) if they are local ones, else by FIRST and LAST.

    `day_of` is the column whose local day each row shows as `date`.
    """

    where: ColumnElement[bool]
    is_local: bool = True
    is_required: bool = False
    day_of: str | None = None


class ListParts(Protocol):
    """What a statement needs to know of a list."""

    table: FromClause
    columns: Sequence[ColumnElement[Any]]
    filters: Mapping[str, Filter]
    order: Order
    where: ColumnElement[bool] | None
    ranged: Ranged | None


def order_of(listed: ListParts, *, polling: bool) -> Order:
    """The columns of the order; changes are read in the order in which they were made."""
    return ("updated_at", listed.order[-1]) if polling else listed.order


def statement_of(listed: ListParts, shape: ListVariant) -> Statement:
    """One page, or one page under each of many parents, with its total unless a position already carries that.

    A parent with an empty page keeps one row of nothing, which says the total.
    """
    order = order_of(listed, polling=shape.polling)
    conditions = [in_organization(listed.table), *_conditions(listed, shape)]
    parents: FromClause | None = None
    key: ColumnElement[Any] = null()
    if shape.parent is not None:
        parents = func.unnest(KEYS).table_valued(column("key", Uuid())).render_derived("parents")
        key = parents.c.key
        conditions.append(shape.parent == key)
    sort = [listed.table.c[name] for name in order]
    page = select(*_columns(listed, shape, order)).where(and_(*conditions)).order_by(*sort)
    if shape.after:
        last = [bind(f"after_{name}", listed.table.c[name].type) for name in order]
        return _joined(parents, None, page.where(tuple_(*sort) > tuple_(*last)).limit(LIMIT), order, key)
    counted = select(func.count().label("list_total")).select_from(listed.table).where(and_(*conditions))
    total = counted.correlate(parents).lateral("counted") if parents is not None else counted.subquery("counted")
    # Past the end nothing is left to skip over: the total says so before the first row is read.
    page = page.limit(case((total.c.list_total > OFFSET, LIMIT), else_=literal(0, BigInteger()))).offset(OFFSET)
    return _joined(parents, total, page, order, key)


def _columns(listed: ListParts, shape: ListVariant, order: Order) -> Sequence[ColumnElement[Any]]:
    """The columns that are asked for, and those without which there is no next page and no local day."""
    if shape.columns is None:
        return listed.columns
    day_of = listed.ranged.day_of if listed.ranged is not None else None
    needed = {*shape.columns, *order, *(("date", day_of) if day_of is not None else ())}
    return [column for column in listed.columns if column.key in needed]


def _conditions(listed: ListParts, shape: ListVariant) -> list[ColumnElement[bool]]:
    conditions = [] if listed.where is None else [listed.where]
    for filter in listed.filters.values():
        if filter.name in shape.filters:
            conditions.append(filter.where)
        elif filter.otherwise is not None:
            conditions.append(filter.otherwise)
    if shape.ranged and listed.ranged is not None:
        conditions.append(listed.ranged.where)
    if not shape.deleted:
        conditions.append(listed.table.c.deleted_at.is_(None))
    if shape.polling:
        changed = listed.table.c.updated_at
        conditions.append(changed >= bind("updated_since", changed.type))
    return conditions


def _joined(
    parents: FromClause | None,
    total: FromClause | None,
    page: Select[Any],
    order: Order,
    key: ColumnElement[Any],
) -> Statement:
    outer = [source for source in (parents, total) if source is not None]
    rows = page.correlate(*outer).lateral("page") if outer else page.subquery("page")
    sources: Any = None
    for source in outer:
        sources = source if sources is None else sources.join(source, true())
    sources = rows if sources is None else sources.outerjoin(rows, true())
    # Names that no table has: an invoice has a total of its own.
    counted = total.c.list_total if total is not None else null().label("list_total")
    query = select(key.label("list_parent"), counted, *rows.c).select_from(sources)
    return Statement(query.order_by(*(rows.c[name] for name in order)))
