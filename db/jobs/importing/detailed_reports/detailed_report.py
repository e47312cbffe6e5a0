"""Detailed reports of another time tracker, as rows of tables.

The files are read once, and never held in memory: their entries are staged in the database.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.dates import DateOrder
from db.jobs.importing.detailed_reports.entry import Entry, OmittedLine, Survey
from db.jobs.importing.detailed_reports.entry_reader import EntryReader, full_day
from db.jobs.importing.detailed_reports.entry_rows import entry_query
from db.jobs.importing.detailed_reports.entry_stage import EntryStage
from db.jobs.importing.detailed_reports.formats import Field, ReportFormat
from db.jobs.importing.detailed_reports.intervals import DAY_LENGTH, MAX_ENTRY
from db.jobs.importing.detailed_reports.replaced_days import ReplacedDays, TimeSpan
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.detailed_reports.report_rows import ReportRows
from db.jobs.importing.files.source import source_files
from db.jobs.importing.rows import Problem, SourceItem
from db.tables.timesheets import break_times, timesheets

NAMED_DAYS = 10
"""People and days that a sentence names."""


@dataclass
class DetailedReport:
    """A report to import, in any number of files."""

    paths: Sequence[Path]
    format: ReportFormat
    zone: tzinfo
    order: DateOrder | None = None
    durations: bool = False
    """Whether times of day say nothing, so that the entries of a day follow each other."""
    replaces: bool = False
    """Whether stored entries that the report no longer has are deleted."""
    days: ReplacedDays | None = None
    """Of which days, for all people. By default those that the files state, or have, for the people in them."""
    found: Survey = field(default_factory=Survey)
    """Known after `rows`."""
    sharing: Sequence[tuple[str, int]] = ()
    """The people and the moments of entries that differ, and are of several files. Known after `rows`."""
    replaced: ReplacedDays | None = None
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
        names = [file.source.name for file in self.files]
        stage = EntryStage(connection)
        numbered = ((number, item) for number, file in enumerate(self.files) for item in self._items(file, advance))
        for problem in stage.copy(numbered, self.found, count):
            is_valid = False
            yield problem
        if not is_valid:
            return
        stage.survey(self.found, names)
        work = ReportRows(connection, organization_id, self.found)
        unknown = [problem for file in self.files for problem in work.unknown_people(file)]
        if unknown:
            yield from unknown
            return
        yield from work.rows()
        optional = self._shared({Field.note: "note", Field.billable: "is_billable"})
        content = ["project_id", "task_id", "seconds", *optional]
        stage.number(work, content, are_placed=self.are_placed, are_of_one_file=len(self.files) < 2)
        for number, line, who, moment in stage.full_days():
            yield self.files[number].problem(line, Field.duration, None, full_day(who, self._day(moment)))
        self.sharing = stage.of_several_files()
        columns = {field.name for file in self.files for field in (Field.note, Field.tags) if file.has(field)}
        moments = stage.moments()
        self.replaced = self._replaced_days(moments) if self.replaces else None
        replaced = None if self.replaced is None else self.replaced.instants(self.zone)
        known = [*moments, *(replaced or ())]
        for table in (timesheets, break_times):
            if known:
                yield entry_query(
                    table,
                    names,
                    f"{organization_id}/{self.format.tracker}",
                    columns,
                    str(self.zone),
                    are_placed=self.are_placed,
                    near=TimeSpan(min(known) - DAY_LENGTH, max(known) + MAX_ENTRY),
                    replaced=replaced,
                    of_all_people=self.days is not None,
                )

    def entries(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[Entry | OmittedLine | Problem]:
        """What the lines have, or the problems of a whole file."""
        for file in self.files:
            yield from self._items(file, advance)

    def _items(self, file: ReportFile, advance: Callable[[int], object]) -> Iterator[Entry | OmittedLine | Problem]:
        problems = file.header_problems()
        yield from problems or EntryReader(file, self.zone, self.order, durations=self.durations).entries(advance)

    @property
    def are_placed(self) -> bool:
        """Whether the entries of a day follow each other."""
        return self.durations or not all(file.has(Field.start_time) for file in self.files)

    def _shared(self, names: Mapping[Field, str]) -> Iterator[str]:
        """The names of the fields that all files have."""
        return (name for field, name in names.items() if all(file.has(field) for file in self.files))

    def _day(self, moment: int) -> date:
        return datetime.fromtimestamp(moment, self.zone).date()

    def _replaced_days(self, moments: Sequence[int]) -> ReplacedDays | None:
        if self.days is not None or not moments:
            return self.days
        own = ReplacedDays(self._day(moments[0]), self._day(moments[1]))
        named = [ReplacedDays.of_name(file.source.name, self.order) for file in self.files]
        stated = [days for days in named if days is not None]
        if len(stated) < len(named):
            return own
        days = ReplacedDays(min(days.first for days in stated), max(days.last for days in stated))
        # The name of a file that has other days says something else.
        return days if days.first <= own.first and own.last <= days.last else own

    def notes(self) -> list[str]:
        """What was not imported or replaced, and how texts were read, in sentences. Known after `rows`."""
        notes = [note for file in self.files if (note := file.source.note()) is not None]
        if self.sharing:
            shown = ", ".join(f"{name} on {self._day(moment)}" for name, moment in self.sharing[:NAMED_DAYS])
            more = f", and {len(self.sharing) - NAMED_DAYS} more" if len(self.sharing) > NAMED_DAYS else ""
            what = "day" if self.are_placed else "start"
            notes.append(f"Entries of several files share person and {what}, and differ: all count, {shown}{more}.")
        if self.replaced is not None:
            whose = "all people" if self.days is not None else "the people in the files"
            notes.append(f"Replaced: the entries of {whose}, {self.replaced}. Others stay; --days A..B gives the days.")
        columns = dict.fromkeys(name for file in self.files for name in file.ignored())
        if columns:
            notes.append(f"Columns that are not imported: {', '.join(columns)}.")
        for reason, omitted in self.found.omitted.items():
            lines = f"{omitted.count:,} lines were" if omitted.count > 1 else "1 line was"
            notes.append(f"{lines} left out: the entry {reason.value} (line {omitted.first_place[1]}).")
        return notes
