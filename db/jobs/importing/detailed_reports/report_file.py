"""The file of a report: its header and its lines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from db.jobs.importing.detailed_reports.formats import COMBINED_FIELDS, Field, ReportFormat, format_of
from db.jobs.importing.files.csv_rows import csv_records, width_reason
from db.jobs.importing.files.source import SourceFile
from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.rows import Problem

WORDS_OF_TOTALS = frozenset({"total", "total:", "totals"})
"""The first value of a line that sums up the others."""


class ReportLine(NamedTuple):
    """One record of the report; with line breaks in a value it begins in `line`."""

    line: int
    texts: Sequence[str]
    """The text of each field, at its number. A field without a value is empty."""


@dataclass(frozen=True)
class ReportFile:
    """A report on disk, which is never in memory as a whole."""

    source: SourceFile
    format: ReportFormat

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the columns. Raises UnreadableText."""
        with self.source.open_text() as file:
            return [name.strip() for name in next(csv_records(file), (0, []))[1]]

    @cached_property
    def columns(self) -> Sequence[Field | None]:
        """What each column holds; None for one that is not imported."""
        names = {name.lower() for name in self.names}
        read: dict[Field, str] = {}
        for name, field in self.format.columns.items():
            if name.lower() in names:
                read.setdefault(field, name.lower())
        fields = {name: field for field, name in read.items()}
        return [fields.get(name.lower()) for name in self.names]

    def has(self, field: Field) -> bool:
        """Whether a column holds the field."""
        return field in self.columns or COMBINED_FIELDS.get(field, field) in self.columns

    def ignored(self) -> list[str]:
        """The names of the columns that are not imported."""
        return [name for name, field in zip(self.names, self.columns, strict=True) if field is None]

    def header_problems(self) -> list[Problem]:
        """Columns that are missing or stand there twice, or what the file is instead."""
        try:
            columns = self.columns
            has_lines = next(self.lines(), None) is not None
        except UnreadableText as error:
            return [self.problem(error.line, "", None, error.reason)]
        missing = [names[0] for field, names in self.format.needed.items() if field not in columns]
        title = self.format.title
        if not columns:
            return [self.problem(0, "", None, f"is empty: export the detailed report of {title} as CSV")]
        if missing and (other := format_of(self.names)) is not None:
            reason = f"looks like a report of {other.title}: give --from {other.tracker}"
            return [self.problem(1, "", None, reason)]
        problems = [
            self.problem(1, self.names[position], None, "stands twice in the header: rename or delete one")
            for position, field in enumerate(columns)
            if field is not None and field in columns[:position]
        ]
        if missing:
            lacks = f"does not have {', '.join(missing)}: export the detailed report of {title} as CSV, in English"
            problems.append(self.problem(1, "", None, lacks))
        if not problems and not has_lines:
            reason = "has a header but no entries: choose other days in the time tracker, and export again"
            return [self.problem(1, "", None, reason)]
        return problems

    def lines(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[ReportLine | Problem]:
        """The lines after the header, and the problems of those that cannot be read. A line of totals is left out."""
        columns = list(self.columns)
        # The last value is an empty one, which stands for the columns that the file does not have.
        chosen = itemgetter(*(columns.index(field) if field in columns else -1 for field in Field))
        is_combined = any(field in columns for field in COMBINED_FIELDS.values())
        placeholder = self.format.placeholder
        try:
            with self.source.open_text(advance) as file:
                records = csv_records(file)
                next(records, None)
                for line, values in records:
                    if len(values) == len(columns):
                        values.append("")
                        texts = tuple(map(str.strip, chosen(values)))
                        if placeholder and placeholder in texts:
                            texts = tuple("" if text == placeholder else text for text in texts)
                        if is_combined:
                            texts = _divided(texts)
                        if texts[Field.email] or texts[Field.start_date] or not _is_total(values):
                            yield ReportLine(line, texts)
                    elif not _is_total(values):
                        yield self.problem(line, "", None, width_reason(values, self.names))
        except UnreadableText as error:
            yield self.problem(error.line, "", None, error.reason)

    def problem(self, line: int, column: Field | str, value: str | None, reason: str) -> Problem:
        """A problem of this file. A field is named as the file names it."""
        if isinstance(column, Field):
            shown = column if column in self.columns else COMBINED_FIELDS.get(column, column)
            column = self.names[self.columns.index(shown)] if shown in self.columns else ""
        return Problem(self.source.name, line, column, value, reason)


def _divided(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts with those that another column has: the date and the time of a moment, a name from its parts."""
    found = list(texts)
    if texts[Field.start]:
        found[Field.start_date], _, found[Field.start_time] = texts[Field.start].partition(" ")
        found[Field.end_date], _, found[Field.end_time] = texts[Field.end].partition(" ")
    if texts[Field.first_name] or texts[Field.last_name]:
        found[Field.person] = f"{texts[Field.first_name]} {texts[Field.last_name]}".strip()
    return tuple(found)


def _is_total(values: Sequence[str]) -> bool:
    return next((value.strip() for value in values if value.strip()), "").lower() in WORDS_OF_TOTALS
