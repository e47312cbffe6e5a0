"""Entries of a report: one line, read and checked."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import orjson

from db.jobs.importing.detailed_reports.dates import DateOrder, read_date
from db.jobs.importing.detailed_reports.formats import Field
from db.jobs.importing.detailed_reports.intervals import Duration, end_day, read_duration, read_time, utc_interval
from db.jobs.importing.detailed_reports.report_file import ReportFile, ReportLine
from db.jobs.importing.rows import Problem
from db.jobs.importing.typed.text_forms import MAX_NAME, MAX_TEXT

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

_BILLABLE = {"yes": True, "1": True, "no": False, "0": False, "": False}

_INTERVAL = (Field.start_date, Field.start_time, Field.end_date, Field.end_time, Field.duration)

LineOfFile = tuple[str, int]
"""A file and a line."""

T = TypeVar("T")


class EntryType(StrEnum):
    """The type of an entry in Clockify; entries of others are regular."""

    regular = "regular"
    break_ = "break"
    holiday = "holiday"
    time_off = "time off"


class Omission(StrEnum):
    """Why a line has no time to import."""

    running = "is still running"
    without_length = "has no length"
    time_off = "is a holiday or time off"


class ReportedProject(NamedTuple):
    """A project by its name and that of its client."""

    client: str | None
    name: str


class Entry(NamedTuple):
    """A tracked interval, or a break."""

    place: LineOfFile
    email: str | None
    person: str
    """The name; the e-mail address if there is none."""
    project: ReportedProject | None
    task: str | None
    is_billable: bool
    is_break: bool
    started_at: datetime
    ended_at: datetime
    texts: Mapping[str, str | None]
    """The note and the tags as columns of the row, as far as the report has them."""
    day_start: datetime | None = None
    """The start of the day of an entry without times of day; these follow each other from then on."""

    @property
    def who(self) -> str:
        """What the person is known by: the e-mail address, or the name where the report has no addresses."""
        return self.email or self.person

    @property
    def known_at(self) -> datetime:
        """The time by which the entry is known again."""
        return self.day_start or self.started_at


class OmittedLine(NamedTuple):
    """A line that has no time to import."""

    place: LineOfFile
    reason: Omission


class EntryReader:
    """Reads the entries of one report, as often as needed."""

    def __init__(self, file: ReportFile, zone: tzinfo, order: DateOrder | None) -> None:
        self._file = file
        self._zone = zone
        self._order = order
        self._has_times = file.has(Field.start_time)
        self._has_emails = file.has(Field.email)
        self._texts = [each for each in (("note", Field.note, _note), ("tags", Field.tags, _tags)) if file.has(each[1])]
        self._used: dict[tuple[str, date], timedelta] = {}
        """How much of each person's day the entries without times of day have so far."""

    def entries(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[Entry | OmittedLine | Problem]:
        """What each line has: several problems, if several of its values are refused."""
        self._used.clear()
        for item in self._file.lines(advance):
            if isinstance(item, Problem):
                yield item
                continue
            problems: list[Problem] = []
            entry = self._entry(item, problems)
            if problems:
                yield from problems
            elif isinstance(entry, Omission):
                yield OmittedLine((self._file.source.name, item.line), entry)
            elif entry is not None:
                yield entry

    def _entry(self, item: ReportLine, problems: list[Problem]) -> Entry | Omission | None:
        line, texts = item

        def read(field: Field, function: Callable[[str], T]) -> T | Any:
            try:
                return function(texts[field])
            except ValueError as error:
                problems.append(self._file.problem(line, field, texts[field], str(error)))
                return None

        email = read(Field.email, _email) if self._has_emails else None
        person: Any = read(Field.person, _name if self._has_emails else _known_name) or email
        entry_type = read(Field.type, _entry_type)
        if entry_type in (EntryType.holiday, EntryType.time_off):
            return Omission.time_off
        is_break = entry_type is EntryType.break_
        client, name = read(Field.client, _name), read(Field.project, _name)
        project = None if name is None else ReportedProject(client, name)
        task = read(Field.task, _name if texts[Field.project] else _no_task)
        is_billable = read(Field.billable, _is_billable)
        columns = {column: read(field, function) for column, field, function in self._texts}
        if is_break:
            project, task, is_billable, columns = None, None, False, {}
        if self._has_times and not texts[Field.end_date] and not texts[Field.end_time]:
            return Omission.running
        interval = self._interval(line, texts, email or person, problems, read)
        if interval is None:
            return None
        started_at, ended_at, day_start = interval
        if started_at == ended_at:
            return Omission.without_length
        place = self._file.source.name, line
        return Entry(
            place, email, person, project, task, is_billable, is_break, started_at, ended_at, columns, day_start
        )

    def _interval(
        self, line: int, texts: Mapping[Field, str], who: str, problems: list[Problem], read: Callable[..., Any]
    ) -> tuple[datetime, datetime, datetime | None] | None:
        """Start and end; and the start of the day, if the report has no times of day."""
        day, duration = read(Field.start_date, self._date), read(Field.duration, _duration)
        if not self._has_times:
            if duration is None and not texts[Field.duration]:
                problems.append(self._file.problem(line, Field.duration, None, "is missing: fill it in"))
            if problems:
                return None
            return self._placed(line, texts, who, day, duration, problems)
        start, at = (day, read(Field.start_time, _time)), read(Field.end_time, _time)
        last = read(Field.end_date, self._date) if self._file.has(Field.end_date) else None
        if problems:
            return None
        try:
            end = last or end_day(start, at, duration), at
            return *utc_interval(start, end, duration, self._zone), None
        except ValueError as error:
            first_day, first, last_day, last_time, length = (texts[field] for field in _INTERVAL)
            written = f"{first_day} {first} to {f'{last_day} {last_time}'.strip()}, {length}".rstrip(", ")
            problems.append(self._file.problem(line, "", written, str(error)))
            return None

    def _placed(
        self, line: int, texts: Mapping[Field, str], who: str, day: date, duration: Duration, problems: list[Problem]
    ) -> tuple[datetime, datetime, datetime] | None:
        """An interval for a duration: after the earlier ones of the person's day, which begin with the day."""
        midnight, next_midnight = (
            datetime.combine(day + timedelta(days=days), time(), self._zone).astimezone(UTC) for days in (0, 1)
        )
        started_at = midnight + self._used.get((who, day), timedelta())
        ended_at = started_at + timedelta(seconds=duration.seconds)
        if ended_at > next_midnight:
            reason = f"makes more hours than {who} has on {day}: correct the entries of the day, and export again"
            problems.append(self._file.problem(line, Field.duration, texts[Field.duration], reason))
            return None
        self._used[who, day] = ended_at - midnight
        return started_at, ended_at, midnight

    def _date(self, text: str) -> date:
        return _read_date(text, self._order)


# A report repeats its values many times.
_cached = lru_cache(maxsize=100_000)
_read_date, _time = _cached(read_date), _cached(read_time)


@_cached
def _email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError("is not an e-mail address: write the address by which the person is known")
    return text.lower()


@_cached
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
def _note(text: str) -> str | None:
    if len(text) > MAX_TEXT:
        raise ValueError(f"has more than {MAX_TEXT} characters")
    return text or None


@_cached
def _tags(text: str) -> str:
    """The tags as a JSON array."""
    return orjson.dumps([tag.strip() for tag in dict.fromkeys(text.split(",")) if tag.strip()]).decode()


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
