"""Sample of a file: its header and first rows, of which a mapping is proposed, and what the values of a column are."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from db.jobs.importing.detailed_reports.dates import dates_by_order
from db.jobs.importing.detailed_reports.intervals import read_duration, read_end_time, read_time
from db.jobs.importing.detailed_reports.mapping import Field
from db.jobs.importing.detailed_reports.report_file import NOTHING, ReportFile, is_total, moment_parts
from db.jobs.importing.detailed_reports.values import read_email

SAMPLE_ROWS = 500
"""Rows that are looked at."""


class Sample(NamedTuple):
    """The header of a file, and the values of each column in its first rows."""

    file: ReportFile
    names: Sequence[str]
    columns: Sequence[Sequence[str]]
    kinds: Sequence[str]
    """What the values of each column are: one of COLUMN_KINDS, text or empty."""
    kinds_of_some: Sequence[str]
    """The kind of the first value that is no text: lines refuse others, where the name of the column tells a time."""


FoundColumns = dict[Field, int]
"""The column of each field."""


def read_sample(file: ReportFile) -> Sample:
    """Raises UnreadableText."""
    names, records = file.names, islice(file.records(), 1, 1 + SAMPLE_ROWS)
    # Rows of another length are refused later: a second table, or a title.
    rows = [[*map(str.strip, row)] for _, row in records if len(row) == len(names) and not is_total(row)]
    columns = [["" if row[index] == NOTHING else row[index] for row in rows] for index in range(len(names))]
    return Sample(file, names, columns, [*map(column_kind, columns)], [*map(kind_of_some, columns)])


def column_kind(values: Sequence[str]) -> str:
    values = [value for value in values if value]
    for kind, read in COLUMN_KINDS.items() if values else ():
        with suppress(ValueError):
            for value in values:
                read(value)
            return kind
    return TEXT if values else EMPTY


def kind_of_some(values: Sequence[str]) -> str:
    kinds = (column_kind([value]) for value in values if value)
    return next((kind for kind in kinds if kind != TEXT), column_kind(values))


def _moment(text: str) -> None:
    day, at = moment_parts(text)
    dates_by_order(day)
    read_time(at)


EMPTY, TEXT = "empty", "text"

COLUMN_KINDS: Mapping[str, Callable[[str], object]] = {
    "email": read_email,
    "number": lambda text: float(text.replace(",", ".")),
    "date": dates_by_order,
    "moment": _moment,
    "time": read_end_time,
    "duration": read_duration,
}
"""What all values of a column may be, besides empty and text, and what raises ValueError for others: the first fits."""
