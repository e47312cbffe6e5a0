"""Entries of a report: one line, read and checked."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from db.jobs.importing.detailed_reports.dates import DateOrder, read_date
from db.jobs.importing.detailed_reports.formats import Field
from db.jobs.importing.detailed_reports.intervals import Duration, read_duration, read_time, utc_interval
from db.jobs.importing.detailed_reports.report_file import ReportFile, ReportLine
from db.jobs.importing.rows import Problem

MAX_NAME = 255
"""Characters of a name, at most."""

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

_INTERVAL = (Field.start_date, Field.start_time, Field.end_date, Field.end_time, Field.duration)

LineOfFile = tuple[str, int]
"""A file and a line."""

T = TypeVar("T")


class EntryType(StrEnum):
    """The type of an entry in Clockify; entries of Toggl Track are regular."""

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
    email: str
    person: str
    project: ReportedProject | None
    task: str | None
    is_billable: bool
    is_break: bool
    started_at: datetime
    ended_at: datetime


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

    def entries(self) -> Iterator[Entry | OmittedLine | Problem]:
        """What each line has: several problems, if several of its values are refused."""
        for item in self._file.lines():
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

        email = read(Field.email, _email)
        person = read(Field.person, _name) or email
        entry_type = read(Field.type, _entry_type)
        if entry_type in (EntryType.holiday, EntryType.time_off):
            return Omission.time_off
        is_break = entry_type is EntryType.break_
        client, name = read(Field.client, _name), read(Field.project, _name)
        project = None if name is None else ReportedProject(client, name)
        task = read(Field.task, _name if texts[Field.project] else _no_task)
        is_billable = read(Field.billable, _is_billable)
        if is_break:
            project, task, is_billable = None, None, False
        start = read(Field.start_date, self._date), read(Field.start_time, _time)
        if not texts[Field.end_date] and not texts[Field.end_time]:
            return Omission.running
        end = read(Field.end_date, self._date), read(Field.end_time, _time)
        duration = read(Field.duration, _duration)
        if problems:
            return None
        try:
            started_at, ended_at = utc_interval(start, end, duration, self._zone)
        except ValueError as error:
            written = "{} {} to {} {}, {}".format(*(texts[field] for field in _INTERVAL))
            problems.append(self._file.problem(line, "", written.rstrip(", "), str(error)))
            return None
        if started_at == ended_at:
            return Omission.without_length
        place = self._file.source.name, line
        return Entry(place, email, person, project, task, is_billable, is_break, started_at, ended_at)

    def _date(self, text: str) -> date:
        return _read_date(text, self._order)


# A report repeats its values many times.
_cached = lru_cache(maxsize=100_000)
_read_date, _time = _cached(read_date), _cached(read_time)


@_cached
def _email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError("is not an e-mail address, and the person is known by it")
    return text.lower()


@_cached
def _name(text: str) -> str | None:
    """A name without control characters, or None."""
    name = _CONTROL_CHARACTERS.sub(" ", text).strip()
    if len(name) > MAX_NAME:
        raise ValueError(f"has more than {MAX_NAME} characters")
    return name or None


def _no_task(text: str) -> None:
    if text:
        raise ValueError("is a task without a project")


def _entry_type(text: str) -> EntryType:
    try:
        return EntryType(text.lower().replace("_", " ") or EntryType.regular)
    except ValueError:
        raise ValueError("is not Regular, Break, Holiday or Time off: export the report in English") from None


def _is_billable(text: str) -> bool:
    if text.lower() not in ("yes", "no", ""):
        raise ValueError("is neither Yes nor No: export the report in English")
    return text.lower() == "yes"


@_cached
def _duration(text: str) -> Duration | None:
    return read_duration(text) if text else None
