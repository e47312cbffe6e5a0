"""Detailed reports of another time tracker, as rows of tables.

The files are read once, and never held in memory: their entries are staged in the database.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.dates import DateOrder
from db.jobs.importing.detailed_reports.entry import Entry, OmittedLine, Survey
from db.jobs.importing.detailed_reports.entry_reader import EntryReader
from db.jobs.importing.detailed_reports.entry_rows import entry_query
from db.jobs.importing.detailed_reports.entry_stage import EntryStage
from db.jobs.importing.detailed_reports.formats import Field, ReportFormat
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.detailed_reports.report_rows import ReportRows
from db.jobs.importing.files.source import source_files
from db.jobs.importing.rows import Problem, SourceItem


@dataclass
class DetailedReport:
    """A report to import, in any number of files."""

    paths: Sequence[Path]
    format: ReportFormat
    zone: tzinfo
    order: DateOrder | None = None
    replaces: bool = False
    """Whether stored entries that the report no longer has are deleted."""
    found: Survey = field(default_factory=Survey)
    """Known after `rows`."""

    def __post_init__(self) -> None:
        """Raises FileError."""
        self.files = [ReportFile(source, self.format) for path in self.paths for source in source_files(path)]

    def rows(
        self,
        connection: Connection,
        organization_id: UUID,
        advance: Callable[[int], object] = lambda _: None,
        count: Callable[[int], object] = lambda _: None,
    ) -> Iterator[SourceItem]:
        """The rows for an organization; or only the problems, if there are any.

        `advance` is called with the numbers of bytes that were read, and `count` with those of entries. The connection
        has the transaction of the import.
        """
        is_valid = True
        names = list(dict.fromkeys(file.source.name for file in self.files))
        stage = EntryStage(connection, names)
        for problem in stage.copy(self.entries(advance), self.found, count):
            is_valid = False
            yield problem
        if not is_valid:
            return
        stage.survey(self.found)
        work = ReportRows(connection, organization_id, self.found)
        unknown = [problem for file in self.files for problem in work.unknown_people(file)]
        if unknown:
            yield from unknown
            return
        yield from work.rows()
        stage.resolve(work)
        columns = {field.name for file in self.files for field in (Field.note, Field.tags) if file.has(field)}
        has_times = all(file.has(Field.start_time) for file in self.files)
        source, zone = f"{organization_id}/{self.format.tracker}", str(self.zone) if self.replaces else None
        for table in stage.tables(replaces=self.replaces):
            yield entry_query(table, names, source, columns, has_times=has_times, replaced_in=zone)

    def entries(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[Entry | OmittedLine | Problem]:
        """What the lines have, or the problems of a whole file."""
        for file in self.files:
            problems = file.header_problems()
            yield from problems or EntryReader(file, self.zone, self.order).entries(advance)

    def notes(self) -> list[str]:
        """What was not imported, and how texts were read, in sentences. Known after `rows`."""
        notes = [note for file in self.files if (note := file.source.note()) is not None]
        columns = dict.fromkeys(name for file in self.files for name in file.ignored())
        if columns:
            notes.append(f"Columns that are not imported: {', '.join(columns)}.")
        for reason, omitted in self.found.omitted.items():
            lines = f"{omitted.count:,} lines were" if omitted.count > 1 else "1 line was"
            notes.append(f"{lines} left out: the entry {reason.value} (line {omitted.first_place[1]}).")
        return notes
