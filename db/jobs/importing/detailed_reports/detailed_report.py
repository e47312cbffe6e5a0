"""Detailed reports of another time tracker, as rows of tables.

The files are read three times, and never held in memory: for the order of their dates, for the people and the work that
they name, and for their entries.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.dates import DateOrder, date_order
from db.jobs.importing.detailed_reports.entries import Entry, EntryReader, OmittedLine
from db.jobs.importing.detailed_reports.formats import Field, ReportFormat
from db.jobs.importing.detailed_reports.known_work import KnownWork, known_work
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.detailed_reports.report_rows import ReportRows
from db.jobs.importing.detailed_reports.survey import Survey
from db.jobs.importing.files.source import source_files
from db.jobs.importing.rows import Problem, SourceRow


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
        self, connection: Connection, organization_id: UUID, advance: Callable[[int], object] = lambda _: None
    ) -> Iterator[SourceRow | Problem]:
        """The rows for an organization; or only the problems, if there are any.

        `advance` is called with the numbers of bytes that were read, of each file twice. The connection looks up what
        the organization has already, after the last problem and before the first row.
        """
        is_valid = True
        readers: list[EntryReader] = []
        for file in self.files:
            reader = open_report(file, self.zone, self.order)
            if isinstance(reader, list):
                is_valid = False
                yield from reader
            else:
                readers.append(reader)
        for item in _entries(readers, advance):
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
        unknown = [problem for file in self.files for problem in unknown_people(file, self.found, known)]
        if unknown:
            yield from unknown
            return
        day_zone = None if all(file.has(Field.start_time) for file in self.files) else self.zone
        rows = ReportRows(
            organization_id, self.format.tracker, self.found, known, replaces=self.replaces, day_zone=day_zone
        )
        yield from rows.work()
        for item in _entries(readers, advance):
            match item:
                case Entry():
                    yield from rows.time(item)
                case Problem():
                    # The file has changed.
                    yield item
        if self.replaces:
            yield from rows.deletions(connection, self.zone)

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


def open_report(file: ReportFile, zone: tzinfo, order: DateOrder | None) -> EntryReader | list[Problem]:
    """The reader of a report's entries, or the problems of the whole file."""
    found = file.header_problems() or order or date_order(file)
    return found if isinstance(found, list) else EntryReader(file, zone, found)


def unknown_people(file: ReportFile, found: Survey, known: KnownWork) -> Iterator[Problem]:
    """The people that a report names without an e-mail address, and whose name does not tell which member they are."""
    for person in found.people.values():
        count = known.namesakes.get(person.name, 0)
        if person.email is None and person.place[0] == file.source.name and count != 1:
            reason = (
                "is not the full name of a member, and the report has no e-mail addresses: import members.csv with"
                " email and full_name first"
                if count == 0
                else f"is the name of {count} members: give them names that differ, here and in the time tracker"
            )
            yield file.problem(person.place[1], Field.person, person.name, reason)


def _entries(
    readers: Sequence[EntryReader], advance: Callable[[int], object]
) -> Iterator[Entry | OmittedLine | Problem]:
    for reader in readers:
        yield from reader.entries(advance)
