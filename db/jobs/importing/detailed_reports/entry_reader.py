"""Reader of a report's entries: one line, read and checked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, tzinfo
from typing import Any, TypeVar

from db.jobs.importing.detailed_reports.dates import UndecidedOrder, date_order, read_date
from db.jobs.importing.detailed_reports.entry import (
    UNKNOWN_CLIENT,
    Entry,
    Omission,
    OmittedLine,
    ReportedPerson,
    ReportedProject,
    ReportedWork,
)
from db.jobs.importing.detailed_reports.intervals import (
    Duration,
    TimeOfDay,
    day_bounds,
    end_day,
    read_end_time,
    read_time,
    utc_interval,
    written_hours,
)
from db.jobs.importing.detailed_reports.mapping import BREAKS, LENGTHS, WORDS, Field
from db.jobs.importing.detailed_reports.report_file import NOTHING, ReportFile, ReportLine
from db.jobs.importing.detailed_reports.values import (
    LENGTH_READERS,
    read_billable,
    read_email,
    read_known_name,
    read_name,
    read_tags,
    read_type,
    refuse_task,
)
from db.jobs.importing.rows import Advance, Problem
from db.jobs.importing.typed.text_forms import MAX_TEXT

_BREAK = ReportedWork(None, None, is_billable=False, is_break=True, is_manual=False)
"""What a break is of."""

_MOST_CACHED = 50_000
"""Different names that are kept."""

PersonAndWork = tuple[ReportedPerson, ReportedWork]

Instants = tuple[int, int, int, int | None]
"""Start, end, end of the break after it, and the end of the day of an entry without times: seconds of Unix time."""

T = TypeVar("T")


class EntryReader:
    def __init__(self, file: ReportFile, zone: tzinfo, *, durations: bool = False) -> None:
        self.file = file
        self._zone = zone
        self._order = file.mapping.dates
        self._are_placed = durations or not file.has(Field.from_)
        """Whether times of day say nothing, but how long an entry is."""
        self._has_emails = file.has(Field.email) or bool(file.mapping.person)
        self._has_end_dates = file.has(Field.end_date)
        self._has_lengths = any(map(file.has, LENGTHS))
        self._names: dict[Sequence[str], PersonAndWork | Omission] = {}
        self._named = ""
        """The first person whom the lines name, although all entries are of a given one."""
        self._used: dict[tuple[str, date], int] = {}
        """How many seconds of each person's day the entries without times of day have so far."""
        self._line: ReportLine
        """The line that is read, and what is refused of it."""
        self._problems: list[Problem] = []

    def entries(self, advance: Advance) -> Iterator[Entry | OmittedLine | Problem]:
        """What each line has: several problems, if several of its values are refused."""
        try:
            for item in self.file.lines(advance):
                if isinstance(item, Problem):
                    yield item
                    continue
                self._line, self._problems = item, []
                found = self._entries(item.line)
                yield from self._problems or found
        except UndecidedOrder as undecided:
            yield from undecided.problems

    def _entries(self, line: int) -> Sequence[Entry | OmittedLine]:
        """The entry of the line, and its break; or why it has none."""
        texts = self._line.texts
        if not any(texts):
            return [OmittedLine(line, Omission.without_length)]
        # Sums of a day have its date.
        told = texts[: Field.duration if self.file.mapping.person else Field.date]
        length = next((texts[field] for field in LENGTHS if texts[field]), "")
        if length and not any(told):
            reason = "has no person, or no date: delete the line if it sums up others, or complete it"
            self._problems.append(self.file.problem(line, reason, Field.duration, length))
            return []
        # The fields before the note say who and what an entry is of.
        names = self._names.get(texts[: Field.note])
        if names is None:
            names = self._read_names()
            if not self._problems and len(self._names) < _MOST_CACHED:
                self._names[texts[: Field.note]] = names
        if isinstance(names, Omission):
            if texts[Field.date]:
                self._read(Field.date, self._date)
            return [OmittedLine(line, names)]
        person, work = names
        note, tags = texts[Field.note], read_tags(texts[Field.tags])
        if len(note) > MAX_TEXT:
            self._refuse(Field.note, f"has more than {MAX_TEXT} characters")
        if work.is_break:
            note, tags = "", ()
        interval = self._interval(person.who)
        if interval is None:
            return []
        if isinstance(interval, Omission):
            return [OmittedLine(line, interval)]
        started_at, ended_at, resumed_at, day_end = interval
        if started_at == ended_at:
            return [OmittedLine(line, Omission.without_length)]
        entry = Entry(line, person, work, started_at, ended_at, note, tags, day_end)
        return [entry, *([Entry(line, person, _BREAK, ended_at, resumed_at, "", ())] if resumed_at > ended_at else [])]

    def _read_names(self) -> PersonAndWork | Omission:
        read = self._read
        email = self.file.mapping.person.lower() or (read(Field.email, read_email) if self._has_emails else None)
        if self.file.mapping.person:
            named = self._line.texts[Field.email].lower() or self._line.texts[Field.person]
            self._named = self._named or named
            if named not in ("", self._named):
                field = Field.email if self._line.texts[Field.email] else Field.person
                advice = "leave it out, or give --map project=COLUMN, or task=COLUMN, if these are no people"
                self._refuse(field, f"is not {self._named}, and all entries are of --person: {advice}")
        name: Any = read(Field.person, read_name if self._has_emails else read_known_name) or email
        entry_type = read(Field.type, read_type)
        if entry_type == Omission.time_off.name:
            return Omission.time_off
        client = read(Field.client, read_name) if self.file.has(Field.client) else UNKNOWN_CLIENT
        title = read(Field.project, read_name)
        project = None if title is None else ReportedProject(client, title)
        reader = read_name if self._line.texts[Field.project] else refuse_task
        task = read(Field.task, reader) if self.file.has(Field.project) else None
        is_billable = read(Field.billable, read_billable) if self.file.has(Field.billable) else None
        work = ReportedWork(project, task, is_billable, is_break=False, is_manual=self._are_placed)
        if entry_type == "break":
            work = _BREAK._replace(is_manual=self._are_placed)
        return ReportedPerson(email, name), work

    def _interval(self, who: str) -> Instants | Omission | None:
        texts = self._line.texts
        day = self._read(Field.date, self._date)
        duration, pause = self._length(LENGTHS), self._length(BREAKS)
        paused = pause.seconds if pause else 0
        written = {texts[field] for field in LENGTHS} - {""}
        if self._are_placed and self._has_lengths and (written or not texts[Field.from_]):
            if not written:
                problem = self.file.problem(self._line.line, "is missing: fill it in", Field.duration)
                self._problems.append(problem)
            has_days = texts[Field.end_date] and not texts[Field.from_]
            if has_days and self._read(Field.end_date, self._date) not in (day, None):
                self._refuse(Field.end_date, f"is another day than {day}: give each day a line")
            if self._problems:
                return None
            return self._placed(who, day, 0 if duration is None else duration.seconds)
        is_ended = bool(texts[Field.to] or texts[Field.end_date])
        if not (texts[Field.from_] or is_ended or (written - {NOTHING} and (duration is None or duration.seconds))):
            return Omission.without_length
        if written == {NOTHING} and self.file.mapping.trusts_durations:
            return Omission.without_length
        if duration is not None and not texts[Field.from_] and not self._problems:
            self._refuse(
                Field.from_, "is missing: fill it in, or give --durations, by which only lengths of entries count"
            )
            return None
        start = self._read(Field.from_, read_time)
        at: TimeOfDay | None = self._read(Field.to, read_end_time) if is_ended else None
        last = self._read(Field.end_date, self._date) if is_ended and self._has_end_dates else None
        if self._problems:
            return None
        if not is_ended and not (duration and duration.seconds):
            return Omission.running if self.file.has(Field.to) else Omission.without_length
        try:
            length = None if duration is None else duration.seconds + paused
            end = None if at is None else (last or end_day((day, start), at, length, texts[Field.duration]), at)
            started_at, ended_at, resumed_at = utc_interval(
                (day, start), end, duration, paused, self._zone, trusts_duration=self.file.mapping.trusts_durations
            )
        except ValueError as error:
            first_day, first, last_day, last_time = texts[Field.date : Field.duration]
            lengths = ", ".join(text for text in texts[Field.duration : Field.break_seconds + 1] if text)
            interval = f"{first_day} {first} to {f'{last_day} {last_time}'.strip()}, {lengths}".rstrip(", ")
            self._problems.append(self.file.problem(self._line.line, str(error), "", interval))
            return None
        if self._are_placed:
            return self._placed(who, day, ended_at - started_at)
        return started_at, ended_at, resumed_at, None

    def _length(self, fields: Mapping[Field, int]) -> Duration | None:
        """The length that several columns have the parts of, such as hours and minutes, or that each of them has."""
        given = [field for field in fields if self._line.texts[field] not in ("", NOTHING)]
        found = [(field, self._read(field, LENGTH_READERS[field])) for field in given]
        known = [(field, each) for field, each in found if each is not None]
        known = [(field, each) for field, each in known if each.seconds] or known[:1]
        if len(known) < 2:
            return known[0][1] if known else None
        lengths: list[Duration] = [each for _, each in known]
        units = [fields[field] for field, _ in known]
        are_whole = all(each.seconds % unit == 0 for each, unit in zip(lengths, units[:-1], strict=False))
        if are_whole and all(each.seconds < unit for each, unit in zip(lengths[1:], units, strict=False)):
            return Duration(sum(each.seconds for each in lengths), max(each.unit for each in lengths))
        first = lengths[0]
        for field, each in known[1:]:
            if abs(each.seconds - first.seconds) >= max(each.unit, first.unit):
                reason = f"is neither a part of {written_hours(first.seconds)} nor as long: delete one of the columns"
                self._refuse(field, reason)
        # Where none has seconds, whole minutes say more than hundredths of hours.
        return min(reversed(lengths), key=lambda each: each.unit > 1)

    def _placed(self, who: str, day: date, seconds: int) -> Instants | None:
        """The interval of an entry of which the day and the length count, as if it were the only one of the day."""
        midnight, next_midnight = day_bounds(day, self._zone)
        before = self._used.get((who, day), 0)
        if seconds == before > 0 and self._line.texts[Field.project].lower() in WORDS["lines"]["total"]:
            self._refuse(Field.project, "sums up the lines of its day: delete it, or give the project another name")
        used = before + seconds
        if midnight + used > next_midnight:
            self._refuse(Field.duration, full_day(who, day))
            return None
        self._used[who, day] = used
        ended_at = midnight + seconds
        return midnight, ended_at, ended_at, next_midnight

    def _date(self, text: str) -> date:
        if not text:
            raise ValueError("is missing: fill it in, or delete the line if it sums up others")
        day = read_date(text, self._order)
        if day is None:
            self._order = date_order(self.file)
            day = read_date(text, self._order)
        assert day is not None
        return day

    def _read(self, field: Field, function: Callable[[str], T]) -> T | Any:
        try:
            return function(self._line.texts[field])
        except ValueError as error:
            self._refuse(field, str(error))
            return None

    def _refuse(self, field: Field, reason: str) -> None:
        self._problems.append(self.file.problem(self._line.line, reason, field, self._line.texts[field]))


def full_day(who: str, day: date) -> str:
    """Why an entry does not fit into its day."""
    return f"makes more hours than {who} has on {day}: give each day a line, correct it, or give --map minutes=COLUMN"
