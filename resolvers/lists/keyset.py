"""Keyset pagination: the position after the last row of a page, where the next page starts at the cost of the first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy.sql.selectable import FromClause

from db.reading.connection import Row
from resolvers.errors import Invalid

MAX_TOTAL = 2**31 - 1
"""The largest `count` of GraphQL's Int."""


@dataclass(frozen=True, slots=True)
class Keyset:
    """A position: the total as counted for the first page, and the last row's values of the order's columns."""

    count: int
    values: Mapping[str, Any]

    @classmethod
    def of(cls, row: Row, order: Sequence[str], count: int) -> "Keyset":
        """The position after `row`."""
        return cls(count, {f"after_{name}": getattr(row, name) for name in order})

    @classmethod
    def of_texts(cls, row: Row, order: Sequence[str], count: int, table: FromClause) -> "Keyset":
        """The position after `row`, which has the texts of the values: `after_` with the name of each column."""
        names = {f"after_{name}": table.c[name].type.python_type for name in order}
        return cls(count, {name: _parse_value(kind, getattr(row, name)) for name, kind in names.items()})

    def text(self) -> str:
        """`count,time,id`: what the client sends back as `after`."""
        return ",".join([str(self.count), *map(_value_text, self.values.values())])

    @classmethod
    def parse(cls, text: str, order: Sequence[str], table: FromClause) -> "Keyset":
        """The position that `text()` wrote. Raises Invalid for any other text."""
        count, *parts = text.split(",")
        try:
            total = _total(count)
            values = {
                f"after_{name}": _parse_value(table.c[name].type.python_type, part)
                for name, part in zip(order, parts, strict=True)
            }
        except ValueError as error:
            raise Invalid("Invalid after.") from error
        return cls(total, values)


def _value_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _total(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TOTAL)) and int(text) <= MAX_TOTAL):
        raise ValueError(f"{text} is not a total")
    return int(text)


def _parse_value(kind: type, text: str) -> Any:
    if kind is UUID:
        return UUID(text)
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"{text} has no offset")
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text} is not a time in the years 1 to 9999") from error
