"""Rows of a CSV file: a header of column names, quotes, and line ends of any system. An empty field is null.

The first lines tell commas, semicolons, tabs and pipes apart.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TextIO

from db.jobs.importing.files.text_lines import MAX_EMPTY, MAX_EMPTY_BEFORE, TextLines, UnreadableText
from db.jobs.importing.rows import MAX_COLUMNS, Problem, SourceItem, SourceRow, SourceTable

DELIMITERS = ",;\t|"

SAMPLE = 4
"""Lines at the beginning by which the separator is found."""

_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)

UNCLOSED_QUOTE = "unexpected end of data"

TWICE = "write a quote inside a value twice"

STANDS_TWICE = "stands twice in the header: rename or delete one"


def csv_records(file: TextIO, *, is_spaced: bool = False) -> Iterator[tuple[int, list[str]]]:
    """The records of a file, each with the number of its first line. Lines of nothing but separators are left out.

    Raises UnreadableText. Memory stays flat: the bound of a line holds for a record too. `is_spaced`: quotes may follow
    a space behind the separator.
    """
    lines = TextLines(file)
    sample = []
    for line in islice(lines, SAMPLE):
        sample.append(line)
        lines.begin_record()
    # Spreadsheets may name the separator in a line before the header.
    named = _SEPARATOR.fullmatch(sample[0]) if sample else None
    before = sample[:1] if named else []
    del sample[: len(before)]
    separator = named[1] if named else _delimiter(sample)
    reader = csv.reader(chain(sample, lines), delimiter=separator, strict=True, skipinitialspace=is_spaced)
    first, most_empty = 1 + len(before), MAX_EMPTY_BEFORE
    try:
        for fields in reader:
            if _has_values(fields):
                is_header = most_empty == MAX_EMPTY_BEFORE
                if is_header and len(fields) > MAX_COLUMNS:
                    reason = f"has {len(fields)} columns; at most {MAX_COLUMNS} are read: delete the others"
                    raise UnreadableText(first, reason)
                yield first, fields
                most_empty = MAX_EMPTY
            else:
                lines.leave_out(most_empty)
            first = 1 + len(before) + reader.line_num
            lines.begin_record()
    except csv.Error as error:
        raise UnreadableText(first, _reason(str(error))) from error


def _reason(error: str) -> str:
    """Better words for an error of the CSV reader."""
    if error == UNCLOSED_QUOTE:
        return f"has a quote that is not closed: close it, or {TWICE}"
    return f"has text after a closing quote: {TWICE}" if "expected after" in error else f"is not CSV: {error}"


def _has_values(fields: Sequence[str]) -> bool:
    """Whether a record is more than the separators that spreadsheets leave behind."""
    return bool("".join(fields).strip(f" {DELIMITERS}"))


def _delimiter(sample: Sequence[str]) -> str:
    """The separator that divides the header into most fields, and the first records into as many, if one does."""

    def score(delimiter: str) -> tuple[bool, int]:
        widths: list[int] = []
        is_whole = True
        try:
            reader = csv.reader(sample, delimiter=delimiter, strict=True)
            widths.extend(len(fields) for fields in reader if _has_values(fields))
        except csv.Error as error:
            # The last record may go on after the sample.
            is_whole = str(error) == UNCLOSED_QUOTE
        return is_whole and {*widths} == {*widths[:1]} - {1}, widths[0] if widths else 0

    return max(DELIMITERS, key=score)


def width_reason(values: Sequence[str], header: Sequence[str]) -> str:
    """Why a record is refused that has fewer values than the header, or more."""
    if len(values) < len(header):
        return f"has {len(values)} of {len(header)} values: complete the line, or delete it"
    return f"has {len(values)} values, and the header has {len(header)}: put values with separators in quotes"


def csv_rows(file: TextIO, *, table: str, name: str) -> Iterator[SourceItem]:
    """The rows of a file of one table. `name` is that of the file in reports. Raises UnreadableText."""
    records = csv_records(file)
    line, header = next(records, (0, []))
    columns = [column.strip() for column in header]
    if problems := list(_problems_of_header(columns, name, line)):
        yield from problems
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
            yield Problem(name, line, width_reason(fields, columns))


def _problems_of_header(columns: list[str], name: str, line: int) -> Iterator[Problem]:
    if not any(columns):
        yield Problem(name, 1, "is empty: a CSV file begins with the names of its columns")
    if columns and columns[0][:1] in ("[", "{"):
        yield Problem(name, line, "is JSON: write one object a line, in a file whose name ends in .ndjson")
    elif "" in columns and any(columns):
        reason = f"has no name for column {columns.index('') + 1}: give it one, or delete it"
        yield Problem(name, line, reason)
    for column in sorted(column for column, count in Counter(columns).items() if count > 1):
        yield Problem(name, line, STANDS_TWICE, column)
