"""A detailed report of another time tracker, as rows of tables.

The file is read three times, and never held in memory: for the order of its dates, for the people and the work that it
names, and for its entries.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.dates import DateOrder, date_order
from db.jobs.importing.detailed_reports.entries import Entry, EntryReader, OmittedLine
from db.jobs.importing.detailed_reports.formats import ReportFormat
from db.jobs.importing.detailed_reports.known_work import known_work
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.detailed_reports.report_rows import ReportRows
from db.jobs.importing.detailed_reports.survey import Survey
from db.jobs.importing.rows import Problem, SourceRow


@dataclass
class DetailedReport:
    """A report to import."""

    path: Path
    format: ReportFormat
    zone: tzinfo
    order: DateOrder | None = None
    replaces: bool = False
    """Whether stored entries that the report no longer has are deleted."""
    ignored_columns: list[str] = field(default_factory=list)
    """The names of columns that are not imported. Known after `rows`, as is `found`."""
    found: Survey = field(default_factory=Survey)

    def rows(self, connection: Connection, organization_id: UUID) -> Iterator[SourceRow | Problem]:
        """The rows for an organization; or only the problems, if there are any.

        The connection looks up what the organization has already, after the last problem and before the first row.
        """
        file = ReportFile(self.path, self.format)
        reader = open_report(file, self.zone, self.order)
        if isinstance(reader, list):
            yield from reader
            return
        self.ignored_columns = [name for name, field in zip(file.names, file.columns, strict=True) if field is None]
        is_valid = True
        for item in reader.entries():
            match item:
                case Entry():
                    self.found.add(item)
                case OmittedLine():
                    self.found.omit(item)
                case Problem():
                    is_valid = False
                    yield item
        if not is_valid:
            return
        known = known_work(connection, organization_id, self.found)
        rows = ReportRows(
            organization_id, self.format.tracker, self.path.name, self.found, known, replaces=self.replaces
        )
        yield from rows.work()
        for item in reader.entries():
            match item:
                case Entry():
                    yield from rows.time(item)
                case Problem():
                    # The file has changed.
                    yield item
        if self.replaces:
            yield from rows.deletions(connection, self.zone)

    def notes(self) -> list[str]:
        """What was not imported, in sentences. Known after `rows`."""
        notes = []
        if self.ignored_columns:
            notes.append(f"Columns that are not imported: {', '.join(self.ignored_columns)}.")
        for reason, omitted in self.found.omitted.items():
            lines = f"{omitted.count:,} lines were" if omitted.count > 1 else "1 line was"
            notes.append(f"{lines} left out: the entry {reason.value} (line {omitted.first_line}).")
        return notes


def open_report(file: ReportFile, zone: tzinfo, order: DateOrder | None) -> EntryReader | list[Problem]:
    """The reader of a report's entries, or the problems of the whole file."""
    found = file.header_problems() or order or date_order(file)
    return found if isinstance(found, list) else EntryReader(file, zone, found)
