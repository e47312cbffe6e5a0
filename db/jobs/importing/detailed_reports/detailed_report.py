"""Detailed reports of another time tracker, as rows of tables.

The files are read once, and never held in memory: their entries are staged in the database.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.entry import Entry, Omission, OmittedLine
from db.jobs.importing.detailed_reports.entry_reader import EntryReader, full_day
from db.jobs.importing.detailed_reports.entry_rows import EntryRows
from db.jobs.importing.detailed_reports.entry_stage import SHARED_TIME, EntryStage
from db.jobs.importing.detailed_reports.intervals import DAY_LENGTH, MAX_ENTRY
from db.jobs.importing.detailed_reports.mapping import BREAKS, KEPT, ColumnMapping, Field
from db.jobs.importing.detailed_reports.replaced_days import ReplacedDays, TimeSpan
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.detailed_reports.report_rows import ReportRows, named_first
from db.jobs.importing.files.source import source_files
from db.jobs.importing.rows import Advance, Problem, SourceItem, SourceQuery
from db.jobs.importing.statements import run
from db.tables.timesheets import break_times, timesheets

FIRST_SHOWN = 3
"""Entries that are shown."""


@dataclass
class DetailedReport:
    """A report to import, in any number of files."""

    paths: Sequence[Path]
    mapping: ColumnMapping
    zone: tzinfo
    durations: bool = False
    """Whether times of day say nothing, so that the entries of a day follow each other."""
    replaces: bool = False
    """Whether stored entries that the report no longer has are deleted."""
    days: ReplacedDays | None = None
    """Of which days, for all people. By default those that the files state, or have, for the people in them."""
    omitted: dict[Omission, tuple[int, int]] = field(default_factory=dict)
    """How many lines have no time, and the first of them. Known after `rows`."""
    told: list[str] = field(default_factory=list)
    """What is said of the entries, the people and the work. Known after `rows`."""
    preview: list[str] = field(default_factory=list)
    """The first entries, in words. Known after `rows`."""

    def __post_init__(self) -> None:
        """Raises OperatorError."""
        self.files = [ReportFile(source, self.mapping) for path in self.paths for source in source_files(path)]

    def rows(
        self,
        connection: Connection,
        organization_id: UUID,
        advance: Advance = lambda _: None,
        count: Advance = lambda _: None,
    ) -> Iterator[SourceItem]:
        """The rows for an organization; or only the problems, if there are any. `connection`: that of the import."""
        is_valid = True
        stage = EntryStage(connection)
        for item in stage.copy(self.entries(advance), count):
            if isinstance(item, Problem):
                is_valid = False
                yield item
            else:
                omitted, line = self.omitted.get(item.reason, (0, item.line))
                self.omitted[item.reason] = omitted + 1, line
        if not is_valid:
            return
        work = ReportRows(connection, organization_id, stage.named(), self.files)
        if unknown := list(work.unknown()):
            yield from unknown
            return
        yield from work.rows()
        stage.store_ids(work)
        yield from self._rows_of_entries(connection, organization_id, stage, work)

    def _rows_of_entries(
        self, connection: Connection, organization_id: UUID, stage: EntryStage, work: ReportRows
    ) -> Iterator[SourceQuery | Problem]:
        """The queries of timesheets and breaks, after those of people and work."""
        moments = stage.moments()
        days = self._replaced_days(moments) if self.replaces else None
        replaced = None if days is None else days.instants(self.zone)
        known = [*moments, *(replaced or ())]
        rows = EntryRows(
            [file.source.name for file in self.files],
            f"{organization_id}/{self.mapping.name}",
            [column for column, _ in (KEPT[field] for field in self.kept) if column],
            str(self.zone),
            TimeSpan(min(known, default=0) - DAY_LENGTH, max(known, default=0) + MAX_ENTRY),
            are_placed=self.are_placed,
            have_breaks=all(any(map(file.has, BREAKS)) for file in self.files),
            replaced=replaced,
            of_all_people=self.days is not None,
        )
        run(connection, rows.numbering)
        run(connection, "ANALYZE import_numbered")
        for number, line, who, moment in stage.full_days():
            yield self.files[number].problem(line, full_day(who, self._day(moment)), Field.duration)
        for statement, words in SHARED_TIME.items() if len(self.files) > 1 else ():
            if named := [f"{name} on {self._day(moment)}" for name, moment in stage.named_moments(statement)]:
                what = "day" if self.are_placed else "start"
                self.told.append(words.format(what=what, named=named_first([*dict.fromkeys(named)])))
        self.told += work.notes()
        if days is not None:
            own = [self._day(each) for each in moments]
            if own and (own[1] < days.first or days.last < own[0]):
                words = f"has entries of {own[0]} to {own[1]}, and --days gives {days}: give the days of the file"
                yield self.files[0].problem(self.files[0].header[0], words)
                return
            entries = f"the entries of {'the people in the files' if self.days is None else 'all people'}, {days}"
            words = f"Replaced: {entries}. Others stay; --days A..B gives the days."
            gone = f"Deleted: {entries}. People, clients, projects and tasks stay."
            self.told.append(words if self.files else gone)
        if known:
            yield from map(rows.query, (timesheets, break_times))

    def entries(self, advance: Advance = lambda _: None) -> Iterator[tuple[int, Entry | OmittedLine | Problem]]:
        """The number of each file with what its lines have, or the problems of the whole file."""
        is_first_readable = True
        for number, file in enumerate(self.files):
            problems = file.header_problems()
            if number == 0:
                is_first_readable = not problems
            elif is_first_readable:
                problems = problems or self._other_columns(file)
            for item in problems or EntryReader(file, self.zone, durations=self.durations).entries(advance):
                if isinstance(item, Entry) and len(self.preview) < FIRST_SHOWN:
                    self.preview.append(self._described(item))
                yield number, item

    @property
    def kept(self) -> Sequence[Field]:
        """The fields that the files do not have."""
        return self.files[0].kept if self.files else []

    def _other_columns(self, file: ReportFile) -> list[Problem]:
        """What a file has and the first one does not, or the other way round: stored values could not stay."""
        differing = [self.mapping.columns[field][0] for field in sorted({*file.kept} ^ {*self.kept})]
        # The first file has told the columns, so that a length that it does not have would be left out.
        differing += file.further(self.files[0].names)
        names = ", ".join(differing)
        reason = f"differs from {self.files[0].source.name} in having {names}: import each in a command of its own"
        return [file.problem(file.header[0], reason)] if differing else []

    @property
    def are_placed(self) -> bool:
        """Whether the entries of a day follow each other."""
        return self.durations or not all(file.has(Field.from_) for file in self.files)

    def _day(self, moment: int) -> date:
        return datetime.fromtimestamp(moment, self.zone).date()

    def _replaced_days(self, moments: Sequence[int]) -> ReplacedDays | None:
        if self.days is not None or not moments:
            return self.days
        own = ReplacedDays(self._day(moments[0]), self._day(moments[1]))
        named = [ReplacedDays.of_name(file.source.name, self.mapping.dates) for file in self.files]
        stated = [days for days in named if days is not None]
        if len(stated) < len(named):
            return own
        days = ReplacedDays(min(days.first for days in stated), max(days.last for days in stated))
        # The name of a file that has other days says something else.
        return days if days.first <= own.first and own.last <= days.last else own

    def notes(self) -> list[str]:
        """What was not imported or replaced, and how texts were read, in sentences. Known after `rows`."""
        notes = [note for file in self.files if (note := file.source.note()) is not None]
        notes += self.told
        if columns := dict.fromkeys(name for file in self.files for name in file.ignored()):
            notes.append(f"Columns that are not imported: {', '.join(columns)}.")
        if kept := [f"{field.key} ({KEPT[field][1]})" for field in self.kept if field in self.mapping.columns]:
            words = "Stored values stay, since the file has no columns for them; new rows get"
            notes.append(f"{words}: {', '.join(kept)}.")
        if Field.type in self.mapping.columns and not all(file.has(Field.type) for file in self.files):
            notes.append("No entry is a break or time off, since the file has no column for it.")
        for reason, (count, line) in self.omitted.items():
            lines = f"{count:,} lines were" if count > 1 else "1 line was"
            notes.append(f"{lines} left out: the entry {reason.value} (line {line}).")
        return notes

    def _described(self, entry: Entry) -> str:
        start, end = (datetime.fromtimestamp(each, self.zone) for each in (entry.started_at, entry.ended_at))
        minutes = (entry.ended_at - entry.started_at) // 60
        project, work = entry.work.project, entry.work
        words = [entry.person.who, *((project.client, project.name) if project else ()), work.task, entry.note]
        kind = ", a break" if work.is_break else ""
        # An entry that has a duration alone is placed behind the earlier ones of its day, which are not read here.
        times = f"{start:%Y-%m-%d %H:%M} to {end:%H:%M}" if entry.day_end is None else f"{start:%Y-%m-%d}"
        return f"{times} ({minutes // 60}:{minutes % 60:02}{kind}) {', '.join(word for word in words if word)}"
