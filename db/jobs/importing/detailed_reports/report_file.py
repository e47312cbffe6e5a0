"""The file of a report: its header and its lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple
from unicodedata import normalize

from db.jobs.importing.detailed_reports.mapping import (
    BREAKS,
    COMBINED_FIELDS,
    KEPT,
    LENGTHS,
    WORDS,
    ColumnMapping,
    Field,
    headers_in_words,
    recognized,
)
from db.jobs.importing.files.csv_rows import STANDS_TWICE, csv_records, width_reason
from db.jobs.importing.files.source import SourceFile
from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.rows import Advance, Problem

MOST_NAMES = 20
"""Columns that a sentence lists."""

NOTHING = "-"
"""What time trackers write for an empty value, and for no time. Lengths keep it: beside times it says nothing."""

NO_WORK = {*WORDS["types"]["break"], *WORDS["types"]["time_off"]}
WORK = {*WORDS["types"]["work"]}
"""What lines say of breaks and leave, and of work."""

_MEANT = tuple(NOTHING if field in LENGTHS else "" for field in Field)
"""What it is in each field."""

_WITHOUT_SECONDS = re.compile(r"(T\d\d:\d\d)(?=-\d)", re.ASCII)
"""A time before a negative offset, of which Java leaves out seconds that are zero."""

# A date, perhaps after its weekday, then a time such as 09:00:00.5+01:00, 9:00 AM or 090000Z.
_MOMENT = re.compile(r"(.*[^\s,-])(?:[\s,-]* |T)(\d{1,2}[:.]\d\d.*|\d{6}Z?)", re.ASCII)

# The end of a date: 2026-03-02, `2026. 03. 02.`, or 2026-03-02T00:00:00Z.
_DATED = re.compile(r"\d[.Z]?$", re.ASCII | re.IGNORECASE)


class ReportLine(NamedTuple):
    """One record of the report; with line breaks in a value it begins in `line`."""

    line: int
    texts: Sequence[str]
    """The text of each field, at its number. A field without a value is empty."""


@dataclass(frozen=True)
class ReportFile:
    """A report on disk, which is never in memory as a whole."""

    source: SourceFile
    mapping: ColumnMapping

    @cached_property
    def header(self) -> tuple[int, Sequence[str]]:
        """The line of the header, and the names of the columns. Raises UnreadableText."""
        line, names = next(self.records(), (0, []))
        return line, [normalize("NFC", name).strip() for name in names]

    @property
    def names(self) -> Sequence[str]:
        return self.header[1]

    @cached_property
    def columns(self) -> Sequence[Field | None]:
        """What each column holds; None for one that is not imported."""
        return self.mapping.fields(self.names)

    def has(self, field: Field) -> bool:
        return field in self.columns or COMBINED_FIELDS.get(field, field) in self.columns

    @property
    def kept(self) -> list[Field]:
        """The fields that the file does not have, so that stored values stay. Without projects there are no tasks."""
        lacks_projects = not self.has(Field.project)
        return [field for field in KEPT if not self.has(field) or (field is Field.task and lacks_projects)]

    def ignored(self) -> list[str]:
        """Columns that are not imported. Without projects there is no other work, without starts no break."""
        unread = {None} | (set() if self.has(Field.project) else {Field.client, Field.task})
        unread |= set() if self.has(Field.from_) else {Field.to, *BREAKS}
        return [name for name, field in zip(self.names, self.columns, strict=True) if field in unread and name]

    def further(self, left_out: Sequence[str]) -> list[str]:
        """Columns of lengths, breaks, types and units that are neither read nor known to be left out."""
        names = [name for name in self.ignored() if name not in left_out]
        told = zip(names, ColumnMapping("words", headers_in_words()).fields(names), strict=True)
        return [name for name, field in told if field in {*LENGTHS, *BREAKS, Field.type, Field.unit}]

    def header_problems(self) -> list[Problem]:
        """Columns that are missing or stand there twice, or what the file is instead."""
        try:
            columns, line = self.columns, self.header[0]
            has_lines = next(self.lines(), None) is not None
        except UnreadableText as error:
            return [self.problem(error.line, error.reason)]
        title = self.mapping.title
        export = f"export the detailed report of {title} as CSV" if title else "export it again, with a header"
        if not columns:
            return [self.problem(0, f"is empty: {export}")]
        if self.names[0][:1] in ("[", "{"):
            return [self.problem(line, "is JSON: export CSV, with one line for each entry")]
        lacking = self.mapping.missing(columns)
        other = recognized(self.names)
        fits_other = other is not None and len({*other.fields(self.names)}) > len({*columns})
        if other is not None and other.name != self.mapping.name and (lacking or (title and fits_other)):
            return [self.problem(line, f"looks like a report of {other.title}: give --from {other.name}")]
        problems = [
            self.problem(line, STANDS_TWICE, self.names[position])
            for position, field in enumerate(columns)
            if field is not None and field in columns[:position]
        ]
        if lacking:
            names = ", ".join(self.mapping.columns.get(field, [field.key])[0] for field in lacking)
            shown = ", ".join(filter(None, self.names[:MOST_NAMES]))
            language = f"{export}, in English, or " if title else ""
            advice = f"{language}say which columns they are: {' '.join(f'--map {each.key}=COLUMN' for each in lacking)}"
            advice += "; start=COLUMN has the time, too" if Field.date in lacking and not title else ""
            if lacking[0] in (Field.email, Field.person, Field.first_name):
                advice += "; person=COLUMN has full names; if all entries are of one person, who: --person EMAIL"
            if 2 * len([*filter(None, self.names)]) <= max(2, len(self.names)):
                advice = "the first line must have the names of the columns, separated by commas: delete what is above"
                advice += (
                    ", export CSV if this is another format, and divide lines into columns if quotes are around them"
                )
            problems.append(self.problem(line, f"does not have {names}, but {shown}: {advice}"))
        if not problems and not has_lines:
            reason = "has a header but no entries: choose other days in the time tracker, and export again"
            return [self.problem(line, reason)]
        return problems

    def records(self, advance: Advance = lambda _: None) -> Iterator[tuple[int, list[str]]]:
        """The line and the values of each record, the header first, and not again, unless it may begin another person.

        Raises UnreadableText.
        """
        with self.source.open_text(advance) as file:
            records = csv_records(file, is_spaced=True)
            for first, header in records:
                yield first, header
                for line, values in records:
                    # Files that were joined have the mark of UTF-8 before each header.
                    if self.mapping.person or values[1:] != header[1:] or values[0].strip('\ufeff"') != header[0]:
                        yield line, values

    def lines(self, advance: Advance = lambda _: None) -> Iterator[ReportLine | Problem]:
        """The lines after the header, and the problems of those that cannot be read. A line of totals is left out."""
        columns = list(self.columns)
        # The last value is an empty one, which stands for the columns that the file does not have.
        chosen = itemgetter(*(columns.index(field) if field in columns else -1 for field in Field))
        # Columns that no field reads, but that may tell that a line does not count.
        unread = [(index, self.names[index].lower()) for index, field in enumerate(columns) if field is None]
        types = [index for index, name in unread if name in headers_in_words()[Field.type]]
        deletions = [index for index, name in unread if name in WORDS["headers"]["of_deletion"]]
        kept = {*WORDS["billable"]["no"], *WORDS["lines"]["not_deleted"]}
        is_combined = any(field in columns for field in (*COMBINED_FIELDS.values(), Field.unit))
        width = max((index for index, name in enumerate(self.names, start=1) if name), default=0)
        records = self.records(advance)
        try:
            next(records, None)
            for line, record in records:
                values, further = record, "".join(record[width:]).strip()
                if len(values) >= width and not further and len(values) != len(columns):
                    values = [*values[:width], *[""] * (len(columns) - width)]
                # A number behind the last name is a part of another one, whose comma has divided the line.
                if len(values) == len(columns) and not further.isdigit():
                    for index in types:
                        if values[index].strip().lower() in NO_WORK:
                            reason = "is no work, and the column is not imported: give --map type=COLUMN, or delete it"
                            yield self.problem(line, reason, self.names[index], values[index])
                    for index in deletions:
                        if values[index].strip().lower() not in kept:
                            reason = "tells that the entry is deleted: delete the line, or the column if it counts"
                            yield self.problem(line, reason, self.names[index], values[index])
                    values.append("")
                    texts = tuple(map(str.strip, chosen(values)))
                    if NOTHING in texts:
                        pairs = zip(texts, _MEANT, strict=True)
                        texts = tuple(meant if text == NOTHING else text for text, meant in pairs)
                    if is_combined:
                        texts = _divided(texts)
                    if _DATED.search(texts[Field.date]) or not is_total(values):
                        yield ReportLine(line, texts)
                elif not is_total(values):
                    yield self.problem(line, width_reason(values, self.names[:width]))
        except UnreadableText as error:
            yield self.problem(error.line, error.reason)

    def problem(self, line: int, reason: str, column: Field | str = "", value: str | None = None) -> Problem:
        """A problem of this file. A field is named as the file names it."""
        if isinstance(column, Field):
            fields = [column, COMBINED_FIELDS.get(column, column), *(LENGTHS if column is Field.duration else ())]
            column = next((self.names[self.columns.index(each)] for each in fields if each in self.columns), "")
        return Problem(self.source.name, line, reason, column, value)


def _divided(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts with those that another column has: the date and the time of a moment, a name of parts, a unit."""
    found = list(texts)
    if texts[Field.start]:
        found[Field.date], found[Field.from_] = moment_parts(texts[Field.start])
    if texts[Field.end]:
        found[Field.end_date], found[Field.to] = moment_parts(texts[Field.end])
    if texts[Field.first_name] or texts[Field.last_name]:
        found[Field.person] = f"{texts[Field.first_name]} {texts[Field.last_name]}".strip()
    if texts[Field.duration] not in ("", NOTHING) and texts[Field.unit]:
        found[Field.duration] += f" {texts[Field.unit]}"
    return tuple(found)


def moment_parts(moment: str) -> tuple[str, str]:
    match = _MOMENT.fullmatch(_WITHOUT_SECONDS.sub(r"\1:00", moment))
    return (match[1], match[2]) if match else (moment, "")


def is_total(values: Sequence[str]) -> bool:
    return next((value.strip() for value in values if value.strip()), "").lower() in WORDS["lines"]["total"]
