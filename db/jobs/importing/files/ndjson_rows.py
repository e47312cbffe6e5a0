"""Rows of an NDJSON file: one JSON object a line, whose keys are columns."""

from collections.abc import Iterator
from typing import TextIO

import orjson

from db.jobs.importing.files.text_lines import TextLines
from db.jobs.importing.rows import Problem, SourceItem, SourceTable, row_of

ONE_A_LINE = "write each object on a line of its own"


def ndjson_rows(file: TextIO, *, table: str, name: str) -> Iterator[SourceItem]:
    """The rows of a file of one table. `name` is that of the file in reports. Raises UnreadableText."""
    yield SourceTable(table, name, 1, ())
    lines = TextLines(file)
    for line in lines:
        lines.begin_record()
        if line.isspace():
            lines.leave_out()
        else:
            yield _row(line, lines.number, table, name)


def _row(line: str, number: int, table: str, name: str) -> SourceItem:
    try:
        item = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Problem(name, number, f"is not one JSON object ({error.msg}): {ONE_A_LINE}")
    if not isinstance(item, dict):
        return Problem(name, number, f"is not a JSON object: {ONE_A_LINE}", "", line.strip())
    return row_of(item, table, name, number)
