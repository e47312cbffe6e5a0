"""Orders: the enumeration of the orders by which the lists of a resource can be sorted. An index supports each of them.

    PROJECT_ORDERS = Orders("work.Project", "created_at", "updated_at", "name", "due_date")

has the values `created_at_asc`, `created_at_desc` and so on. Every order ends in the key of the table, in the same
direction, so that no two rows have the same place, and a descending order reads the index backwards.
`tests/resolvers/lists/list_checks.py` refuses orders that no index supports.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import strawberry
from sqlalchemy import ColumnElement, tuple_

from db.tables.columns import sort_key
from resolvers.relations.arguments import Argument

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
            f"{column}_{suffix}": f"By {column}, {direction}."
            for column in columns
            for suffix, direction in ((ASCENDING, "ascending"), (DESCENDING, "descending"))
        }
        # mypy knows enumerations only by literal names.
        new_enumeration: Any = StrEnum
        members = {value: value for value in values}
        name = f"{resource.rpartition('.')[2]}Order"
        declared: Any = strawberry.enum(new_enumeration(name, members), description=ENUMERATION)
        for value in declared.__strawberry_definition__.values:
            value.description = values[value.name]
        self.enumeration: type[StrEnum] = declared
        self.argument = Argument(
            name="order_by",
            type=self.enumeration,
            description="Order of the rows, in place of the order that the field describes, and of that of "
            "`updated_since`.",
        )

    def page_order(self, value: str, key: str) -> PageOrder:
        """The order that a value of the enumeration names."""
        column, _, direction = value.rpartition("_")
        return PageOrder((column, key), is_descending=direction == DESCENDING, name=value)
