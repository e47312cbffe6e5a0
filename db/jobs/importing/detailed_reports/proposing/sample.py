"""Sample of a file: its header and first rows, of which a mapping is proposed."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from db.jobs.importing.detailed_reports.mapping import Field
from db.jobs.importing.detailed_reports.proposing.column_kinds import column_kind, kind_of_some
from db.jobs.importing.detailed_reports.report_file import NOTHING, ReportFile, is_total

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
