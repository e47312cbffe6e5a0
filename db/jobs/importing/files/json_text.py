"""Rows of typed values, as a CSV file would have their texts."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson

from db.jobs.importing.rows import Problem, SourceRow

UUID_BYTES = 16


class UnusableValue(Exception):
    """A value that no column can hold; the message says why."""


def row_of(item: Mapping[str, Any], table: str, file: str, line: int) -> SourceRow | Problem:
    """The row of an object whose keys are columns, or the problem of its first value without a text."""
    values = {}
    for column, value in item.items():
        try:
            values[column] = text_of(value)
        except UnusableValue as error:
            return Problem(file, line, column, None, str(error))
    return SourceRow(table, file, line, values)


def text_of(value: Any) -> str | None:
    """The text of a value; None for null and for empty text. Raises UnusableValue."""
    match value:
        case str():
            if "\0" in value:
                raise UnusableValue("has a NUL character: take it out")
            return value or None
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case int() | UUID():
            return str(value)
        case float():
            return repr(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()
        case date():
            return value.isoformat()
        case bytes() if len(value) == UUID_BYTES:
            return str(UUID(bytes=value))
        case list() | dict():
            return orjson.dumps(value, default=text_of).decode()
        case _:
            raise UnusableValue(f"is a {type(value).__name__}, which no column can hold")
