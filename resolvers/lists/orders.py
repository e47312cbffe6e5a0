"""Orders of lists: those that a request can name, each of which an index supports; and positions in an order.

    PROJECT_ORDERS = Orders("work.Project", "created_at", "updated_at", "name", "due_date")

has the values `created_at_asc`, `created_at_desc` and so on. Every order ends in the key of the table, in the same
direction, so that no two rows have the same place, and a descending order reads the index backwards.
`tests/resolvers/lists/list_checks.py` refuses orders that no index supports.

A position is after the last row of a page (keyset pagination): the next page starts there at the cost of the first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, tuple_

from db.reading.connection import Row
from db.tables.columns import LAST_PLACE, DescribedEnum, sort_key
from resolvers.errors import Invalid
from resolvers.relations.arguments import Argument, declare_enum

ASCENDING, DESCENDING = "asc", "desc"

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

    def sorted(self, columns: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """The expressions of ORDER BY, of these columns."""
        keys = map(sort_key, columns)
        return [key.desc() for key in keys] if self.is_descending else list(keys)

    def follows(self, columns: Iterable[ColumnElement[Any]], last: Iterable[ColumnElement[Any]]) -> ColumnElement[bool]:
        """Whether a row with these columns is after the row whose keys are `last`."""
        keys, keys_of_last = tuple_(*map(sort_key, columns)), tuple_(*last)
        return keys < keys_of_last if self.is_descending else keys > keys_of_last


class Orders:
    """The orders of the lists of one resource: by each of the columns, in both directions.

    `resource` is the type of the rows in the schema, as `area.Type`.
    """

    def __init__(self, resource: str, *columns: str) -> None:
        self.resource = resource
        self.columns = columns
        values = {
            f"{column}_{suffix}": (f"{column}_{suffix}", f"By {column}, {direction}.")
            for column in columns
            for suffix, direction in ((ASCENDING, "ascending"), (DESCENDING, "descending"))
        }
        # mypy knows enumerations only by literal names.
        new_enumeration: Any = DescribedEnum
        self.enumeration: type[DescribedEnum] = new_enumeration(f"{resource.rpartition('.')[2]}Order", values)
        self.enumeration.__doc__ = ENUMERATION
        declare_enum(self.enumeration)
        self.argument = Argument(
            name="order_by",
            type=self.enumeration,
            description="Order of the rows, in place of the order that the field describes, and of that of "
            "`updated_since`.",
            is_published=False,
        )

    def page_order(self, value: str, key: str) -> PageOrder:
        """The order that a value of the enumeration names."""
        column, _, direction = value.rpartition("_")
        return PageOrder((column, key), is_descending=direction == DESCENDING, name=value)


MAX_TOTAL = 2**31 - 1
"""The largest `count` of GraphQL's Int."""

INVALID_AFTER = "Invalid after."

NULL = ""
"""The text of a null in a position."""


@dataclass(frozen=True, slots=True)
class Keyset:
    """A position: the total as counted for the first page, and the values of the order's columns in its last row."""

    count: int
    values: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str, order: PageOrder, table: FromClause) -> "Keyset":
        """The position that `position_after` wrote for this order, with the places of nulls. Raises Invalid for any
        other text.
        """
        prefix = "" if order.name is None else f"{order.name}:"
        count, _, rest = text.removeprefix(prefix).partition(",")
        # A text in the first value may have commas.
        parts = rest.rsplit(",", len(order.columns) - 1)
        try:
            total = _total(count if text.startswith(prefix) else "")
            values = {
                f"after_{name}": _parse_value(table.c[name], part)
                for name, part in zip(order.columns, parts, strict=True)
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
        text += f",{NULL if value is None else value.isoformat() if isinstance(value, datetime) else value}"
    return text


def _total(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TOTAL)) and int(text) <= MAX_TOTAL):
        raise Invalid(INVALID_AFTER)
    return int(text)


def _parse_value(column: ColumnElement[Any], text: str) -> Any:
    """The value of a column that `text` is; of null, the value that it is sorted as.

    Raises ValueError, or OverflowError for a time outside of the years 1 to 9999.
    """
    kind = column.type.python_type
    if kind is str:
        # What no text of PostgreSQL has: NUL, and halves of surrogate pairs, for which encode() raises ValueError.
        if b"\0" in text.encode():
            raise ValueError("a text has no NUL")
        return text
    if "," in text:
        raise ValueError(f"{text} is two values")
    if text == NULL and getattr(column, "nullable", False):
        return LAST_PLACE if kind is date else datetime.combine(LAST_PLACE, time(), UTC)
    if kind is UUID:
        return UUID(text)
    if kind is date:
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset")
    return moment.astimezone(UTC)
