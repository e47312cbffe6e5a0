"""What an import reads: rows of tables as texts, each with its file and line; and problems of rows.

Every source yields these: CSV, NDJSON and Parquet files, and the reports of other programs. A column is one of the
table, or a name by which the row or a reference is given instead of an id: `external_id`, `client_external_id`,
`user_email`. A value is text as in a CSV file; None is null. The rows of several tables may alternate: a client, then a
timesheet, then another client.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import orjson

Advance = Callable[[int], object]
"""Takes the number of bytes that were read, or of entries that were copied, since its last call."""

UUID_BYTES = 16

EXACT = 2**53
"""Whole numbers below it are floats without loss."""

MAX_COLUMNS = 1_000
"""Columns of a file. No table has a tenth of that."""

TOO_WIDE = f"has more than {MAX_COLUMNS} columns: delete the others"

LONGEST_NAME = 63
"""Characters of the name of a column, in PostgreSQL."""


class SourceTable(NamedTuple):
    """A file has rows of a table, perhaps none. Needed where `columns` are known before the first row.

    With `replace`, a table without rows is emptied; a table that no item names is left alone.
    """

    table: str
    file: str
    line: int
    columns: Sequence[str]


class SourceRow(NamedTuple):
    """A row of a table. A column that it leaves out keeps its stored value, whatever other rows have."""

    table: str
    file: str
    line: int
    values: Mapping[str, str | None]


class Problem(NamedTuple):
    """A line that is refused, or the value of its `column`, and why.

    The reason is a part of a sentence, such as "is not a date", without the value: problems with the same column and
    reason are of one kind, and of each kind only the first are reported.
    """

    file: str
    line: int
    reason: str
    column: str = ""
    value: str | None = None


class SourceQuery(NamedTuple):
    """The rows of a table that a query over staged rows has: typed values, and not texts.

    It selects `row`, `file`, which is a position in `files`, `line`, and the columns. The other queries read these rows
    in the staging table.
    """

    table: str
    files: Sequence[str]
    columns: Sequence[str]
    sql: str
    stale: str
    """Selects the `id` of each stored row that is to be deleted."""
    refused: str | None = None
    """Selects `row`, column, value and reason of what is refused."""
    is_correction: bool = False
    """Whether the rows replace earlier ones, so that a stored row like a new one has moved."""


SourceItem = SourceTable | SourceRow | SourceQuery | Problem


def row_of(item: Mapping[str, Any], table: str, file: str, line: int) -> SourceRow | Problem:
    """The row of typed values by column, or the problem of the first one without a text."""
    if len(item) > MAX_COLUMNS:
        return Problem(file, line, TOO_WIDE)
    if len(longest := max(item, key=len, default="")) > LONGEST_NAME:
        return Problem(file, line, "begins a name that no column has: delete it", longest[:LONGEST_NAME])
    values = {}
    for column, value in item.items():
        try:
            values[column] = text_of(value)
        except ValueError as error:
            return Problem(file, line, str(error), column)
    return SourceRow(table, file, line, values)


def text_of(value: Any) -> str | None:
    """The text of a typed value, as a CSV file would have it; None for null and for empty text.

    Raises ValueError for one that no column can hold, with the reason.
    """
    match value:
        case str():
            if "\0" in value:
                raise ValueError("has a NUL character: take it out")
            return value or None
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case int() | UUID():
            return str(value)
        case float():
            if not abs(value) < EXACT:
                raise ValueError("is a number whose digits may be lost: write it as text, or null")
            # Whole numbers with nulls among them are floats in pandas.
            return str(int(value)) if value.is_integer() else repr(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()
        case date():
            return value.isoformat()
        case bytes() if len(value) == UUID_BYTES:
            return str(UUID(bytes=value))
        case list() | dict():
            try:
                return orjson.dumps(value, default=text_of).decode()
            except orjson.JSONEncodeError as error:
                raise ValueError(f"is no JSON that a column can hold ({error})") from error
        case _:
            raise ValueError(f"is a {type(value).__name__}, which no column can hold")
