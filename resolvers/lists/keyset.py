"""Keyset pagination: the position after the last row of a page, where the next page starts at the cost of the first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlalchemy.sql.selectable import FromClause

from db.reading.connection import Row
from db.tables.columns import LAST_PLACE
from resolvers.errors import Invalid
from resolvers.lists.orders import PageOrder

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


def check_position(text: str | None) -> None:
    """Raise Invalid for a text that is no position of any list."""
    head, comma, _ = (text or "0,").partition(",")
    try:
        _total(head.rpartition(":")[2] if comma else "")
    except ValueError as error:
        raise Invalid(INVALID_AFTER) from error


def position_after(row: Row, order: PageOrder, count: int) -> str:
    """`count,time,id`, or `order:count,value,id`: the position after a row, which the client sends back as `after`."""
    text = str(count) if order.name is None else f"{order.name}:{count}"
    for name in order.columns:
        value = getattr(row, name)
        text += f",{NULL if value is None else value.isoformat() if isinstance(value, datetime) else value}"
    return text


def _total(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TOTAL)) and int(text) <= MAX_TOTAL):
        raise ValueError(f"{text} is not a total")
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
