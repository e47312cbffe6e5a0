"""Reader of a report's entries: one line, read and checked."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar

from db.jobs.importing.detailed_reports.dates import DateOrder, UndecidedOrder, date_order, read_date
from db.jobs.importing.detailed_reports.entry import (
    Entry,
    LineOfFile,
    Omission,
    OmittedLine,
    ReportedPerson,
    ReportedProject,
    ReportedWork,
)
from db.jobs.importing.detailed_reports.formats import Field
from db.jobs.importing.detailed_reports.intervals import (
    Duration,
    day_bounds,
    end_day,
    read_duration,
    read_time,
    utc_interval,
)
from db.jobs.importing.detailed_reports.report_file import ReportFile, ReportLine
from db.jobs.importing.rows import Problem
from db.jobs.importing.typed.text_forms import MAX_NAME, MAX_TEXT

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

_BILLABLE = {**dict.fromkeys(("yes", "1", "ja", "sí"), True), **dict.fromkeys(("no", "0", "nein", ""), False)}

_INTERVAL = (Field.start_date, Field.start_time, Field.end_date, Field.end_time, Field.duration)

_NAMES = Field.billable + 1
"""Number of the fields, the first ones, that say who and what an entry is of."""

_MOST_CACHED = 50_000
"""Different names that are kept."""

PersonAndWork = tuple[ReportedPerson, ReportedWork]

Instants = tuple[int, int, int | None]
"""Start, end, and the end of the day of an entry without a time of day: seconds of Unix time."""

T = TypeVar("T")


class EntryType(StrEnum):
    """The type of an entry in Clockify; entries of others are regular."""

    regular = "regular"
    break_ = "break"
    holiday = "holiday"
    time_off = "time off"


class EntryReader:
    """Reads the entries of one report."""

    def __init__(self, file: ReportFile, zone: tzinfo, order: DateOrder | None, *, durations: bool = False) -> None:
        self.file = file
        self._zone = zone
        self._order = order
        self._has_times = file.has(Field.start_time) and not durations
        self._has_emails = file.has(Field.email)
        self._has_end_dates = file.has(Field.end_date)
        self._names: dict[Sequence[str], PersonAndWork | Omission] = {}
        self._used: dict[tuple[str, date], int] = {}
        """How many seconds of each person's day the entries without times of day have so far."""
        self._line: ReportLine
        """The line that is read, and what is refused of it."""
        self._problems: list[Problem] = []

    def entries(self, advance: Callable[[int], object]) -> Iterator[Entry | OmittedLine | Problem]:
        """What each line has: several problems, if several of its values are refused."""
        name = self.file.source.name
        try:
            for item in self.file.lines(advance):
                if isinstance(item, Problem):
                    yield item
                    continue
                self._line, self._problems = item, []
                entry = self._entry((name, item.line))
                if self._problems:
                    yield from self._problems
                elif entry is not None:
                    yield entry
        except UndecidedOrder as undecided:
            yield from undecided.problems

    def _entry(self, place: LineOfFile) -> Entry | OmittedLine | None:
        texts = self._line.texts
        names = self._names.get(texts[:_NAMES])
        if names is None:
            names = self._read_names()
            if not self._problems and len(self._names) < _MOST_CACHED:
                self._names[texts[:_NAMES]] = names
        if isinstance(names, Omission):
            return OmittedLine(place, names)
        person, work = names
        note, tags = texts[Field.note], _tags(texts[Field.tags])
        if len(note) > MAX_TEXT:
            self._refuse(Field.note, f"has more than {MAX_TEXT} characters")
        if work.is_break:
            note, tags = "", ()
        if self._has_times and not texts[Field.end_date] and not texts[Field.end_time]:
            return OmittedLine(place, Omission.running)
        interval = self._interval(person.who)
        if interval is None:
            return None
        started_at, ended_at, day_end = interval
        if started_at == ended_at:
            return OmittedLine(place, Omission.without_length)
        return Entry(place, person, work, started_at, ended_at, note, tags, day_end)

    def _read_names(self) -> PersonAndWork | Omission:
        read = self._read
        email = read(Field.email, _email) if self._has_emails else None
        name: Any = read(Field.person, _name if self._has_emails else _known_name) or email
        entry_type = read(Field.type, _entry_type)
        if entry_type in (EntryType.holiday, EntryType.time_off):
            return Omission.time_off
        client, title = read(Field.client, _name), read(Field.project, _name)
        project = None if title is None else ReportedProject(client, title)
        task = read(Field.task, _name if self._line.texts[Field.project] else _no_task)
        is_billable = read(Field.billable, _is_billable)
        is_break = entry_type is EntryType.break_
        if is_break:
            project = task = None
            is_billable = False
        return ReportedPerson(email, name), ReportedWork(project, task, is_billable, is_break, not self._has_times)

    def _interval(self, who: str) -> Instants | None:
        texts = self._line.texts
        day = self._read(Field.start_date, self._date)
        duration = self._read(Field.duration, _duration)
        if not self._has_times:
            if duration is None and not texts[Field.duration]:
                self._problems.append(
                    self.file.problem(self._line.line, Field.duration, None, "is missing: fill it in")
                )
            if self._problems or duration is None:
                return None
            return self._placed(who, day, duration)
        start = self._read(Field.start_time, _time)
        at = self._read(Field.end_time, _time)
        last = self._read(Field.end_date, self._date) if self._has_end_dates else None
        if self._problems:
            return None
        try:
            end = last or end_day((day, start), at, duration), at
            started_at, ended_at = utc_interval((day, start), end, duration, self._zone)
        except ValueError as error:
            first_day, first, last_day, last_time, length = (texts[field] for field in _INTERVAL)
            written = f"{first_day} {first} to {f'{last_day} {last_time}'.strip()}, {length}".rstrip(", ")
            self._problems.append(self.file.problem(self._line.line, "", written, str(error)))
            return None
        return started_at, ended_at, None

    def _placed(self, who: str, day: date, duration: Duration) -> Instants | None:
        """The interval of an entry that has only a day and a duration, as if it were the only one of the day."""
        midnight, next_midnight = day_bounds(day, self._zone)
        used = self._used.get((who, day), 0) + duration.seconds
        if midnight + used > next_midnight:
            self._refuse(Field.duration, full_day(who, day))
            return None
        self._used[who, day] = used
        return midnight, midnight + duration.seconds, next_midnight

    def _date(self, text: str) -> date:
        day = _read_date(text, self._order)
        if day is None:
            self._order = date_order(self.file)
            day = _read_date(text, self._order)
        assert day is not None
        return day

    def _read(self, field: Field, function: Callable[[str], T]) -> T | Any:
        try:
            return function(self._line.texts[field])
        except ValueError as error:
            self._refuse(field, str(error))
            return None

    def _refuse(self, field: Field, reason: str) -> None:
        self._problems.append(self.file.problem(self._line.line, field, self._line.texts[field], reason))


def full_day(who: str, day: date) -> str:
    """Why an entry does not fit into its day."""
    return f"makes more hours than {who} has on {day}: correct the entries of the day, and export again"


# A report repeats its values many times.
_cached = lru_cache(maxsize=100_000)
_read_date, _time = _cached(read_date), _cached(read_time)


def _email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError("is not an e-mail address: write the address by which the person is known")
    return text.lower()


def _name(text: str) -> str | None:
    """A name without control characters, or None."""
    name = _CONTROL_CHARACTERS.sub(" ", text).strip()
    if len(name) > MAX_NAME:
        raise ValueError(f"has more than {MAX_NAME} characters")
    return name or None


def _known_name(text: str) -> str:
    name = _name(text)
    if name is None:
        raise ValueError(
            "is missing: the report has no e-mail addresses, so that each line needs the name of the person"
        )
    return name


@_cached
def _tags(text: str) -> Sequence[str]:
    return tuple(tag.strip() for tag in dict.fromkeys(text.split(",")) if tag.strip())


def _no_task(text: str) -> None:
    if text:
        raise ValueError("is a task without a project")


def _entry_type(text: str) -> EntryType:
    try:
        return EntryType(text.lower().replace("_", " ") or EntryType.regular)
    except ValueError:
        raise ValueError("is not Regular, Break, Holiday or Time off: export the report in English") from None


def _is_billable(text: str) -> bool:
    if text.lower() not in _BILLABLE:
        raise ValueError("is neither Yes nor No: export the report in English")
    return _BILLABLE[text.lower()]


@_cached
def _duration(text: str) -> Duration | None:
    return read_duration(text) if text else None
