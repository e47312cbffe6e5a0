"""Rows of a CSV file: commas, quotes, a header of column names, and line ends of any system. An empty field is null."""

import csv
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from db.jobs.importing.files.text_lines import TextLines, UnreadableText
from db.jobs.importing.rows import Problem, SourceItem, SourceRow, SourceTable

MAX_COLUMNS = 1_000
"""Columns of a file. No table has a tenth of that."""


def csv_records(file: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    """The records of a file, each with the number of its first line. Empty lines are left out.

    Raises UnreadableText. Memory stays flat: the bound of a line holds for a record too.
    """
    lines = TextLines(file)
    reader = csv.reader(lines, strict=True)
    first = 1
    try:
        for fields in reader:
            if fields:
                yield first, fields
            first = lines.number + 1
            lines.begin_record()
    except csv.Error as error:
        raise UnreadableText(first, f"is not CSV: {error}") from error


def csv_rows(file: BinaryIO, *, table: str, name: str) -> Iterator[SourceItem]:
    """The rows of a file of one table. `name` is that of the file in reports."""
    try:
        records = csv_records(file)
        line, header = next(records, (0, []))
        columns = [column.strip() for column in header]
        problems = list(_problems_of_header(columns, name, line))
        yield from problems
        if problems:
            return
        yield SourceTable(table, name, line, columns)
        for line, fields in records:
            if len(fields) == len(columns):
                # None for empty fields: most have text, so that this is quicker than a choice for each.
                values: dict[str, str | None] = dict(zip(columns, fields, strict=True))
                if "" in fields:
                    values = {column: value or None for column, value in values.items()}
                yield SourceRow(table, name, line, values)
            else:
                count = f"{len(fields)} field{'s' * (len(fields) != 1)}"
                yield Problem(name, line, "", count, f"does not have the {len(columns)} fields of the header")
    except UnreadableText as error:
        yield Problem(name, error.line, "", None, error.reason)


def _problems_of_header(columns: list[str], name: str, line: int) -> Iterator[Problem]:
    if not columns:
        yield Problem(name, 1, "", None, "is empty: a CSV file begins with the names of its columns")
    if len(columns) > MAX_COLUMNS:
        yield Problem(name, line, "", None, f"has {len(columns)} columns; at most {MAX_COLUMNS} are read")
        return
    for column in sorted(column for column, count in Counter(columns).items() if count > 1):
        yield Problem(name, line, column, None, "stands twice in the header")
