"""The place behind the last row of a page, from which the next page reads on at the cost of the first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy.sql.selectable import FromClause

from db.reading.connection import Row
from resolvers.errors import Invalid

LONGEST_TOTAL = 19
"""Digits: what PostgreSQL can count to."""


@dataclass(frozen=True, slots=True)
class Keyset:
    """The total as of the first page, and the values of the last row in the columns of the order."""

    count: int
    values: Mapping[str, Any]

    @classmethod
    def of(cls, row: Row, order: Sequence[str], count: int) -> "Keyset":
        """The position behind `row`."""
        return cls(count, {f"after_{name}": getattr(row, name) for name in order})

    def text(self) -> str:
        """`count,moment,id`, to be handed back as it is."""
        return ",".join([str(self.count), *map(_written, self.values.values())])

    @classmethod
    def parse(cls, text: str, order: Sequence[str], table: FromClause) -> "Keyset":
        """The position that `text()` gave. Raises Invalid for anything else."""
        count, *parts = text.split(",")
        try:
            total = _total(count)
            values = {
                f"after_{name}": _read(table.c[name].type.python_type, part)
                for name, part in zip(order, parts, strict=True)
            }
        except ValueError as error:
            raise Invalid("Invalid after.") from error
        return cls(total, values)


def _written(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _total(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < LONGEST_TOTAL):
        raise ValueError(f"{text} is no total")
    return int(text)


def _read(kind: type, text: str) -> Any:
    if kind is UUID:
        return UUID(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text} is no moment of the years 1 to 9999") from error
