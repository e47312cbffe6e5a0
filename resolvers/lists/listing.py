"""A list: its columns, order, filters and paging, declared once.

One declaration serves the list of the whole organization (`projects`) and the same list below each of many parents
(`client { projects }`): a `PageReader` reads either.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Numeric, Table, cast
from sqlalchemy.sql.selectable import FromClause

from resolvers.context import Context
from resolvers.lists.comparisons import compared_value, is_comparable, is_indexed
from resolvers.lists.list_sql import DateRange, Filter, LastChange, PageColumn
from resolvers.lists.orders import Order, Orders
from resolvers.lists.page_arguments import INCLUDE_DELETED, PAGING, UPDATED_SINCE_ARGUMENT
from resolvers.lists.where import Where
from resolvers.period import TIMEZONE, range_arguments
from resolvers.relations.arguments import Argument
from resolvers.selected import TableRows
from resolvers.values.amounts import columns_of


@dataclass(eq=False)
class Listing(TableRows):
    """A list of rows of `table`, as it is declared.

    `resource` is the type of the rows in the schema, as `area.Type`; the list has `orders` and conditions then. `order`
    sorts it unless a request names one of these. `columns`, by default those of the table, are selected, unless a
    document needs fewer. `page_columns` are always selected, and computed for the rows of the page
    only. `content` are arguments for what rows show, which do not filter. `checks` run before the list is read, and
    raise Refusal. `has_include_deleted` adds this argument. `last_change` is the time of the last change, if it is not
    a column of the table; among `columns` it takes the place of `updated_at`. Else it is `polled_column`.
    `computed` are further values that conditions compare, of which rows show what is made otherwise.
    `like` is another list with rows of the same type, whose orders and conditions it has. `description` ends that of
    each field with the list: what its dates select, and its order. `noun` is what messages call a row.

    Tests find conditions and orders that no index serves (`tests/resolvers/lists/test_list_checks.py`).
    """

    table: FromClause
    columns: Sequence[ColumnElement[Any]] = ()
    _: KW_ONLY
    page_columns: Mapping[str, PageColumn] = field(default_factory=dict)
    filters: Sequence[Filter] = ()
    order: Order = ("created_at", "id")
    resource: str = ""
    has_include_deleted: bool = True
    date_range: DateRange | None = None
    content: Sequence[Argument] = ()
    checks: Sequence[Callable[[Context, Mapping[str, Any]], Awaitable[None]]] = ()
    last_change: LastChange | None = None
    polled_column: str = "updated_at"
    computed: Mapping[str, ColumnElement[Any]] = field(default_factory=dict)
    like: "Listing | None" = None
    description: str = ", by creation."
    noun: str = ""

    def __post_init__(self) -> None:
        super().__init__(str(getattr(self.table, "name", self.noun)))
        if isinstance(self.table, Table) and not self.columns:
            self.columns = columns_of(self.table)
        if self.last_change is not None:
            stored = [column for column in self.columns if column.key != "updated_at"]
            self.columns = [*stored, self.last_change.at.label("updated_at")]
        self.columns_by_name = {str(column.key): column for column in self.columns}
        self.filters_by_name = {filter.name: filter for filter in self.filters}
        date_range = self.date_range
        self.day_of = None if date_range is None else date_range.day_of
        self.max_days = None if date_range is None else date_range.max_days
        self.arguments: list[Argument] = [*PAGING, *self.filters, *self.content]
        self.compared: Mapping[str, ColumnElement[Any]] = {}
        self.orders: Orders | None = None
        self.own_where: Where | None = None
        if self.like is not None and self.like.own_where is not None:
            self.resource, self.orders = self.like.resource, self.like.orders
            own = {name: self.columns_by_name[name] for name in self.like.compared}
            self.compared = {
                name: cast(own[name], each.type) if isinstance(each.type, Numeric) else own[name]
                for name, each in self.like.compared.items()
            }
            self.own_where = self.like.own_where.over(self.compared, self.like.table, self.table)
        elif self.resource:
            self.compared = self._comparable()
            # A position needs the value, so rows are shown with it. An order by ids is of no use.
            shown = {name: each for name, each in self.compared.items() if name in self.columns_by_name}
            sorted_by = {name: each for name, each in shown.items() if each.type.python_type is not UUID}
            self.orders = Orders(self.row, sorted_by)
            self.own_where = Where(f"{self.row}Where", self.compared)
        if self.orders is not None and self.own_where is not None:
            self.arguments += [self.orders.argument, self.own_where.argument]
        if date_range is not None:
            self.arguments += range_arguments(
                required=date_range.is_required, max_days=date_range.max_days, default_days=date_range.default_days
            )
            self.arguments += [TIMEZONE] if date_range.is_local else []
        self.arguments += [] if "updated_since" in self.filters_by_name else [UPDATED_SINCE_ARGUMENT]
        self.arguments += [INCLUDE_DELETED] if self.has_include_deleted else []

    @property
    def row(self) -> str:
        """The name of the type of the rows in the schema."""
        return self.resource.rpartition(".")[2]

    @property
    def always_has_range(self) -> bool:
        """Whether the dates of every request restrict the rows."""
        range_ = self.date_range
        return range_ is not None and (range_.is_required or range_.default_days is not None)

    def _comparable(self) -> Mapping[str, ColumnElement[Any]]:
        """What conditions and orders compare, by name: the columns with comparisons, and what filters compare.

        Where neither a range nor the size of the table bounds the rows, these are the columns that an index finds.
        """
        hidden = {*(["date"] if self.day_of else []), *(["updated_at"] if self.last_change else [])}
        found = {filter.name: filter.compared for filter in self.filters if filter.compared is not None}
        found |= self.computed
        found |= {name: compared_value(each) for name, each in self.columns_by_name.items() if name not in hidden}
        is_bounded = self.always_has_range or getattr(self.table, "info", {}).get("is_small")
        return {name: each for name, each in found.items() if is_comparable(each) and (is_bounded or is_indexed(each))}
