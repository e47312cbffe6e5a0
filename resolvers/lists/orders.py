"""Orders of lists: by each column with comparisons, in both directions; and positions in an order.

They are `created_at_asc`, `created_at_desc` and so on. Every order ends in the key of the table, in the same direction,
so that no two rows have the same place, and a descending order reads the index backwards.

A position is after the last row of a page (keyset pagination): the next page starts there at the cost of the first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Boolean, Case, ColumnElement, DateTime, Select, Text, cast, collate, false, func, tuple_
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import ColumnClause

from db.reading.connection import Row
from db.tables.columns import DescribedEnum, bind, constant, sort_key
from resolvers.day_bounds import EPOCH
from resolvers.errors import Invalid
from resolvers.lists.comparisons import BOUND_TYPES
from resolvers.relations.arguments import Argument, new_enum
from resolvers.values.amounts import parse_decimal, parse_long

ASCENDING, DESCENDING, NULLS_LAST = "_asc", "_desc", "_desc_nulls_last"

DIRECTIONS = {ASCENDING: "ascending", DESCENDING: "descending", NULLS_LAST: "descending, null last"}

ENUMERATION = (
    "Order of a list. Rows with the same value are sorted by id, and text by code points. Null is after every value: "
    "last in an ascending order, first in a descending one."
)

Order = tuple[str, ...]
"""The columns that sort a list by default, the last of which is a key."""


class PageOrder(NamedTuple):
    """How a page is sorted: by columns, the last of which is unique, all of them in the same direction.

    `name` is the order that the request names; None for the usual one.
    """

    columns: Order
    is_descending: bool = False
    name: str | None = None

    def keys(self, columns: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """What rows with these columns are sorted by."""
        return [key for column in columns for key in self._keys(column, column)]

    def sorted(self, keys: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """The expressions of ORDER BY, of these keys."""
        return [key.desc() for key in keys] if self.is_descending else list(keys)

    def follows(self, columns: Sequence[ColumnElement[Any]]) -> ColumnElement[bool]:
        """Whether a row with these columns is after the row whose values are bound: see `Keyset.values`."""
        last: list[ColumnElement[Any]] = []
        for name, column in zip(self.columns, columns, strict=True):
            kind: Any = BOUND_TYPES.get(column.type.python_type, column.type)
            # PostgreSQL does not find the type of a value that it first sees in IS NULL.
            last += self._keys(column, cast(bind(f"after_{name}", kind), kind))
        keys, keys_of_last = tuple_(*self.keys(columns)), tuple_(*last)
        return keys < keys_of_last if self.is_descending else keys > keys_of_last

    def _keys(self, column: ColumnElement[Any], value: ColumnElement[Any]) -> list[ColumnElement[Any]]:
        """The keys of a value of a column, of which the first says, where no value would do, whether it is null."""
        is_null_last = self.name is not None and self.name.endswith(NULLS_LAST)
        is_time = issubclass(column.type.python_type, date) and isinstance(column, ColumnClause)
        if self.name is None or not may_be_null(column) or (is_time and not is_null_last):
            return [sort_key(column, value)]
        place = value.is_not(None) if is_null_last else value.is_(None)
        key = func.coalesce(value, _ANY_VALUE[column.type.python_type])
        return [place, collate(key, "C") if isinstance(column.type, Text) else key]


_ANY_VALUE: Mapping[type, ColumnElement[Any]] = {
    str: constant(""),
    bool: false(),
    int: constant(0),
    Decimal: constant(0),
    date: constant(EPOCH),
    datetime: cast(constant(EPOCH), DateTime(timezone=True)),
}
"""What stands beside each null, so that nulls are equal."""


def may_be_null(value: ColumnElement[Any]) -> bool:
    """Whether a value may be null, by the columns in it."""
    for part in visitors.iterate(value):
        if isinstance(part, Select) or (isinstance(part, Case) and part.else_ is None):
            return True
        if isinstance(part, ColumnClause) and getattr(part, "nullable", not part.is_literal):
            return True
    return False


class Orders:
    """The orders of the lists of one resource, whose rows have the type `row` in the schema.

    There is one for each of the columns in both directions, and where it may be null, one with null last.
    """

    def __init__(self, row: str, columns: Mapping[str, ColumnElement[Any]]) -> None:
        self.columns = columns
        values = {
            f"{name}{suffix}": f"By {name}, {direction}."
            for name, column in columns.items()
            for suffix, direction in DIRECTIONS.items()
            if suffix != NULLS_LAST or (may_be_null(column) and not isinstance(column.type, Boolean))
        }
        self.enumeration: type[DescribedEnum] = new_enum(f"{row}Order", ENUMERATION, values)
        self.argument = Argument(
            name="order_by",
            type=self.enumeration,
            description="Order of the rows, in place of the order that the field describes, and of that of "
            "`updated_since`.",
            is_published=False,
        )

    def page_order(self, value: str, key: str) -> PageOrder:
        """The order that a value of the enumeration names."""
        suffix = next(each for each in (NULLS_LAST, DESCENDING, ASCENDING) if value.endswith(each))
        return PageOrder((value.removesuffix(suffix), key), is_descending=suffix != ASCENDING, name=value)


MAX_TOTAL = 2**31 - 1
"""The largest `count` of GraphQL's Int."""

INVALID_AFTER = "Invalid after."

NULL, TEXT_MARK = "", "="
"""The text of a null in a position, and what stands before a text, which may be empty."""


@dataclass(frozen=True, slots=True)
class Keyset:
    """A position: the total as counted for the first page, and the values of the order's columns in its last row."""

    count: int
    values: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str, order: PageOrder, columns: Sequence[ColumnElement[Any]]) -> "Keyset":
        """The position that `position_after` wrote for this order of these columns. Raises Invalid for other texts."""
        prefix = "" if order.name is None else f"{order.name}:"
        count, _, rest = text.removeprefix(prefix).partition(",")
        # A text in the first value may have commas.
        parts = rest.rsplit(",", len(order.columns) - 1)
        try:
            total = _total(count if text.startswith(prefix) else "")
            values = {
                f"after_{name}": _parse_value(column, part)
                for name, column, part in zip(order.columns, columns, parts, strict=True)
            }
        except (ValueError, OverflowError) as error:
            raise Invalid(INVALID_AFTER) from error
        return cls(total, values)


def check_page(arguments: Mapping[str, Any], maximum: int) -> None:
    """Raise Invalid for a `page` or a `limit` out of bounds."""
    if arguments["page"] < 1:
        raise Invalid("page must be >= 1.")
    if not 1 <= arguments["limit"] <= maximum:
        raise Invalid(f"limit must be from 1 to {maximum}.")


def check_position(text: str | None) -> None:
    """Raise Invalid for a text that is no position of any list."""
    head, comma, _ = (text or "0,").partition(",")
    _total(head.rpartition(":")[2] if comma else "")


def position_after(row: Row, order: PageOrder, count: int) -> str:
    """`count,time,id`, or `order:count,value,id`: the position after a row, which the client sends back as `after`."""
    text = str(count) if order.name is None else f"{order.name}:{count}"
    for name in order.columns:
        value = getattr(row, name)
        mark = TEXT_MARK if isinstance(value, str) else ""
        text += f",{NULL if value is None else value.isoformat() if isinstance(value, datetime) else f'{mark}{value}'}"
    return text


def _total(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TOTAL)) and int(text) <= MAX_TOTAL):
        raise Invalid(INVALID_AFTER)
    return int(text)


def _parse_value(column: ColumnElement[Any], text: str) -> Any:
    """The value of a column that `text` is. Raises ValueError; OverflowError for a time of no year from 1 to 9999."""
    kind = column.type.python_type
    if text == NULL and may_be_null(column):
        return None
    if kind is str:
        # What no text of PostgreSQL has: NUL, and halves of surrogate pairs, for which encode() raises ValueError.
        if b"\0" in text.encode() or not text.startswith(TEXT_MARK):
            raise ValueError("no text")
        return text.removeprefix(TEXT_MARK)
    if "," in text:
        raise ValueError(f"{text} is two values")
    return _PARSERS[kind](text)


def parse_moment(text: str) -> datetime:
    """A moment that a position or a cursor has. Raises ValueError, and OverflowError as `_parse_value`."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset")
    return moment.astimezone(UTC)


_PARSERS: Mapping[type, Callable[[str], Any]] = {
    UUID: UUID,
    date: date.fromisoformat,
    datetime: parse_moment,
    bool: ("False", "True").index,
    int: parse_long,
    Decimal: lambda text: parse_decimal(text.removeprefix(TEXT_MARK)),
}
