"""The file of a report: its header and its records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from db.jobs.importing.detailed_reports.formats import Field, ReportFormat
from db.jobs.importing.files.csv_rows import csv_records
from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.rows import Problem


class Record(NamedTuple):
    """One line of the report; with line breaks in a value it begins in `line`."""

    line: int
    values: Sequence[str]


@dataclass(frozen=True)
class Header:
    """Where the columns of a file are."""

    names: Sequence[str]
    positions: dict[Field, int]

    def name(self, field: Field) -> str:
        """The name that the file gives to a column."""
        return self.names[self.positions[field]] if field in self.positions else ""

    def ignored(self) -> list[str]:
        """The names of the columns that are not imported."""
        return [name for position, name in enumerate(self.names) if position not in self.positions.values()]


@dataclass(frozen=True)
class ReportFile:
    """A report on disk. It is read several times, so that it never has to be in memory."""

    path: Path
    format: ReportFormat

    def header(self) -> tuple[Header, list[Problem]]:
        """The header, and its problems: columns that are missing or stand there twice."""
        try:
            with self.path.open("rb") as file:
                line, names = next(csv_records(file), (1, []))
        except UnreadableText as error:
            return Header([], {}), [self.problem(error.line, "", None, error.reason)]
        names = [name.strip() for name in names]
        fields = {name.lower(): field for field, names in self.format.columns.items() for name in names}
        positions: dict[Field, int] = {}
        problems = []
        for position, name in enumerate(names):
            field = fields.get(name.lower())
            if field is not None and field in positions:
                problems.append(self.problem(line, name, None, "stands twice in the header"))
            elif field is not None:
                positions[field] = position
        for field, possible_names in self.format.columns.items():
            if field not in positions and field not in self.format.optional:
                reason = f"is missing: a detailed report of {self.format.title}, exported as CSV in English, has it"
                problems.append(self.problem(line, possible_names[0], None, reason))
        return Header(names, positions), problems

    def records(self) -> Iterator[Record | Problem]:
        """The lines after the header, and the problems of those that cannot be read."""
        try:
            with self.path.open("rb") as file:
                records = csv_records(file)
                width = len(next(records)[1])
                for line, values in records:
                    if len(values) == width:
                        yield Record(line, values)
                    else:
                        reason = f"does not have the {width} values of the header"
                        yield self.problem(line, "", f"{len(values)} values", reason)
        except UnreadableText as error:
            yield self.problem(error.line, "", None, error.reason)

    def problem(self, line: int, column: str, value: str | None, reason: str) -> Problem:
        """A problem of this file."""
        return Problem(self.path.name, line, column, value, reason)
