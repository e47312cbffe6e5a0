"""The file of a report: its header and its lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from db.jobs.importing.detailed_reports.formats import Field, ReportFormat
from db.jobs.importing.files.csv_rows import csv_records
from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.rows import Problem


class ReportLine(NamedTuple):
    """One record of the report; with line breaks in a value it begins in `line`. A field without a value is empty."""

    line: int
    texts: Mapping[Field, str]


@dataclass(frozen=True)
class ReportFile:
    """A report on disk. It is read several times, so that it never has to be in memory."""

    path: Path
    format: ReportFormat

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the columns. Raises UnreadableText."""
        with self.path.open("rb") as file:
            return [name.strip() for name in next(csv_records(file), (0, []))[1]]

    @cached_property
    def columns(self) -> Sequence[Field | None]:
        """What each column holds; None for one that is not imported."""
        fields = {name.lower(): field for field, names in self.format.columns.items() for name in names}
        return [fields.get(name.lower()) for name in self.names]

    def header_problems(self) -> list[Problem]:
        """Columns that are missing or stand there twice."""
        try:
            columns = self.columns
        except UnreadableText as error:
            return [self.problem(error.line, "", None, error.reason)]
        problems = [
            self.problem(1, self.names[position], None, "stands twice in the header")
            for position, field in enumerate(columns)
            if field is not None and field in columns[:position]
        ]
        reason = f"is missing: a detailed report of {self.format.title}, exported as CSV in English, has it"
        missing = [field for field in self.format.columns if field not in {*columns, *self.format.optional}]
        return problems + [self.problem(1, self.format.columns[field][0], None, reason) for field in missing]

    def lines(self) -> Iterator[ReportLine | Problem]:
        """The lines after the header, and the problems of those that cannot be read."""
        empty = dict.fromkeys(Field, "")
        positions = [(position, field) for position, field in enumerate(self.columns) if field is not None]
        try:
            with self.path.open("rb") as file:
                records = csv_records(file)
                width = len(next(records)[1])
                for line, values in records:
                    if len(values) != width:
                        reason = f"does not have the {width} values of the header"
                        yield self.problem(line, "", f"{len(values)} values", reason)
                        continue
                    texts = {field: values[position].strip() for position, field in positions}
                    if self.format.placeholder in texts.values():
                        texts = {field: text for field, text in texts.items() if text != self.format.placeholder}
                    yield ReportLine(line, {**empty, **texts})
        except UnreadableText as error:
            yield self.problem(error.line, "", None, error.reason)

    def problem(self, line: int, column: Field | str, value: str | None, reason: str) -> Problem:
        """A problem of this file. A field is named as the file names it."""
        if isinstance(column, Field):
            column = self.names[self.columns.index(column)] if column in self.columns else ""
        return Problem(self.path.name, line, column, value, reason)
