"""Choice of a mapping: the one that is named, or a proposal by the header and the first rows of a company's own file.

The words are in `words.toml`. The values decide where words do not: whether `Start` is a date, a time, or both, and
which columns are dates and times if no word tells.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

from db.jobs.importing.detailed_reports.dates import UndecidedOrder, date_order, dates_by_order
from db.jobs.importing.detailed_reports.entry_reader import ENTRY_TYPES
from db.jobs.importing.detailed_reports.intervals import read_duration, read_end_time, read_time
from db.jobs.importing.detailed_reports.mapping import (
    LENGTHS,
    LONGEST_BREAK,
    WORDS,
    ColumnMapping,
    Field,
    MappingError,
    find_mapping,
    read_mapping,
    recognized,
    trackers,
)
from db.jobs.importing.detailed_reports.report_file import ReportFile, ReportLine, is_total, moment_parts
from db.jobs.importing.files.source import source_files
from db.jobs.importing.files.text_lines import UnreadableText

SAMPLE_ROWS = 50
"""Rows that are looked at."""

LINES_WITH_A_DATE = 1_000
"""Lines of which one must have a date, for its order to be shown: a small packed file may have millions without."""

_IN_BRACKETS = re.compile(r"\s*[(\[]([^)\]]*)[)\]]\s*")

# Columns with the time at which a row was written, or is due: they are no time of work.
_OF_RECORD = re.compile("creat|updat|modif|chang|erstellt|ändert|due|fällig", re.IGNORECASE)

_OTHER_UNITS = ("ms", "d", "day", "days", "tage", "pt", "mt")

# A line for each stamp has no length.
_STAMPS = {"in", "out", "kommen", "gehen", "clock in", "clock out", "check in", "check out", "start", "stop"}

_UNITS = {Field.minutes: ("min", "minutes", "minuten", "mins", "m"), Field.seconds: ("s", "sec", "seconds", "sekunden")}


def chosen_mapping(name: str, columns: Sequence[str], paths: Sequence[Path], **settings: Any) -> ColumnMapping:
    """The mapping to read the files with, by its name: a time tracker, a TOML file, or a new name.

    `columns` are of the form FIELD=COLUMN; they and the settings that are given win. Raises MappingError and FileError.
    """
    known = find_mapping(name)
    if known is None and name.endswith(".toml"):
        raise MappingError(f"There is no file {name}.")
    pairs = {key: column for key, _, column in (pair.partition("=") for pair in columns)}
    if len(pairs) < len(columns):
        raise MappingError("--map gives a field twice: add up its columns in the file first.")
    given = {key: value for key, value in settings.items() if value}
    mapping = replace((known or ColumnMapping(name)).mapped(pairs), **given)
    if mapping.person and _kind([mapping.person]) != "email":
        raise MappingError(f"--person {mapping.person} is no e-mail address: give the one of a member.")
    if not paths:
        return mapping
    file = ReportFile(source_files(paths[0])[0], mapping)
    try:
        absent = [column for column in pairs.values() if column.lower() not in map(str.lower, file.names)]
        if absent and file.names:
            raise MappingError(f"{file.source} has no column {absent[0]}, but {', '.join(filter(None, file.names))}.")
        if known is not None or (pairs and not mapping.missing(mapping.fields(file.names))):
            return mapping
        if not pairs and (tracker := recognized(file.names)) is not None:
            raise MappingError(
                f"There is no mapping {name} (known are {', '.join(each.name for each in trackers())}), and"
                f" {file.source} looks like a report of {tracker.title}: give --from {tracker.name}."
            )
        guess = proposed(file)
        others = {field: names for field, names in guess.columns.items() if not {*names} & {*pairs.values()}}
        return replace(guess, columns={**others, **mapping.columns}, is_proposed=True)
    except UnreadableText as error:
        place = f"{file.source}:{error.line}" if error.line else file.source
        raise MappingError(f"{place} {error.reason}.") from error


def advice_on(mapping: ColumnMapping) -> str:
    options = " ".join(f"--map {shlex.quote(f'{key}={column}')}" for key, column in mapping.options())
    keep = f"The mapping {mapping.name} is a proposal. To keep it as {mapping.name}.toml and import with it, add --save"
    others = ", ".join(each.key for each in Field if each not in mapping.columns)
    return f"{keep}; to change it, give its columns: {options}; other fields are {others}"


def proposed(file: ReportFile) -> ColumnMapping:
    """The mapping of a file as far as its header and its first rows show it. Raises UnreadableText and MappingError."""
    if {_kind([name]) for name in file.names} & {*COLUMN_KINDS} - {"duration"}:
        raise MappingError(f"{file.source} has no line of names: the first line says what columns have, and no days.")
    names, records = file.names, islice(file.records(), 1, 1 + SAMPLE_ROWS)
    # Rows of another length are refused later: a second table, or a title.
    rows = [row for _, row in records if len(row) == len(names) and not is_total(row)]
    kinds = [_kind([row[index].strip() for row in rows]) for index in range(len(names))]
    for index, name in enumerate(names):
        if _STAMPS >= {row[index].strip().lower() for row in rows} > set():
            raise MappingError(f"{file.source} has a line for each stamp ({name}): each line needs a start and an end.")
    found: dict[Field, int] = {}
    for field, index in _by_words(names, kinds, rows):
        if field not in found and index not in found.values():
            found[field] = index
    for field, kind in _unfound(found):
        for index, name in enumerate(names):
            if kinds[index] == kind and name and index not in found.values() and not _OF_RECORD.search(name):
                found[field] = index
                break
    if not {Field.to, Field.end, *LENGTHS} & {*found}:
        # Values that are no times are refused by their lines, which says more than that there is no such column.
        for field, index in _by_words(names, [EMPTY] * len(names), rows):
            if field in (Field.from_, Field.to, *LENGTHS) and index not in found.values():
                found.setdefault(field, index)
    if Field.type in found:
        types = {row[found[Field.type]].strip().lower() for row in rows} - {""}
        if not (any(map(ENTRY_TYPES.get, types)) or (types and types <= {*ENTRY_TYPES})):
            del found[Field.type]
    if {Field.from_, *LENGTHS} & {*found} > {Field.from_} and kinds[found[Field.from_]] == EMPTY:
        found = {field: index for field, index in found.items() if field not in (Field.from_, Field.to)}
    if (
        Field.duration in found
        and not {Field.from_, Field.start} & {*found}
        and Field.duration not in file.mapping.columns
    ):
        numbers = [row[found[Field.duration]].strip().replace(",", ".") for row in rows]
        if any(re.fullmatch(r"0\.\d{4,}", number) for number in numbers) and all(number < "1" for number in numbers):
            words = (
                "may be parts of days: format it as [h]:mm in the spreadsheet, or give --map duration=COLUMN for hours"
            )
            raise MappingError(f"{file.source}: {names[found[Field.duration]]} {words}.")
    times = {names[found[field]].rstrip(" _0123456789") for field in (Field.from_, Field.to) if field in found}
    for index, name in enumerate(names):
        if index not in found.values() and name not in times and name.rstrip(" _0123456789") in times:
            raise MappingError(f"{file.source} has several times in one line ({name}): give each a line of its own.")
    if Field.start in found:
        found = {field: index for field, index in found.items() if field not in (Field.date, Field.from_)}
    # Tasks and clients are those of a project.
    for field in (Field.task, Field.client):
        if Field.project not in found and field in found:
            found[Field.project] = found.pop(field)
    return file.mapping.mapped({field.key: names[index] for field, index in sorted(found.items())})


def looks_like(file: ReportFile) -> str:
    """The mapping of a file in words, with the order of its dates. Raises UnreadableText."""
    lines = islice(file.lines(), LINES_WITH_A_DATE)
    dates = (line.texts[Field.date] for line in lines if isinstance(line, ReportLine) and line.texts[Field.date])
    order = _order(next(dates, ""), file)
    words = [
        f"{key} = {column}{f', {order}' if order and key in ('date', 'start') else ''}"
        for key, column in file.mapping.options()
    ]
    return f"looks like: {'; '.join(words)}"


def _order(text: str, file: ReportFile) -> str:
    if not text[:2].isdigit() or "/" not in text[:3]:
        return "ymd" if text[:4].isdigit() else "dmy" if "." in text else ""
    try:
        return file.mapping.dates or date_order(file)
    except UndecidedOrder:
        return "dmy or mdy: give --dates"


def _by_words(names: Sequence[str], kinds: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[tuple[Field, int]]:
    """Each field and a column that may have it, the surest first."""
    whole = [_unaccented(name) for name in names]
    plain = [_IN_BRACKETS.sub(" ", name.replace("_", " ")).strip() for name in whole]
    for field, words in read_mapping(WORDS).columns.items():
        for word in words:
            for index, name in enumerate(names):
                if _unaccented(word) in (whole[index], plain[index]):
                    kind = kinds[index]
                    told = field if kind == EMPTY else BY_KIND.get(field, {kind: field}).get(kind)
                    if told is not None:
                        yield _with_unit(told, name, index, rows), index


def _unaccented(text: str) -> str:
    return "".join(each for each in normalize("NFKD", text.lower()) if not combining(each))


def _with_unit(field: Field, name: str, index: int, rows: Sequence[Sequence[str]]) -> Field:
    """The field, by the unit in brackets of the header: `Dauer (min)`; of breaks, by their numbers."""
    unit = "".join(_IN_BRACKETS.findall(name)).lower().rstrip(".")
    if field is Field.duration and unit in _OTHER_UNITS:
        raise MappingError(f"{name} has neither hours, minutes nor seconds: convert it in the file.")
    if field is Field.duration:
        return next((each for each, words in _UNITS.items() if unit in words), field)
    if field is Field.break_:
        numbers = [int(row[index]) for row in rows if row[index].strip().isdigit()]
        are_minutes = unit in _UNITS[Field.minutes] or max(numbers, default=0) > LONGEST_BREAK
        return Field.break_minutes if are_minutes else field
    return field


def _unfound(found: dict[Field, int]) -> Iterator[tuple[Field, str]]:
    """What no word has told, and the kind of its values."""
    if not {Field.email, Field.person, Field.first_name} & {*found}:
        yield Field.email, "email"
    if not {Field.date, Field.start} & {*found}:
        yield from ((Field.date, "date"), (Field.start, "moment"))
        if not {*LENGTHS} & {*found}:
            yield Field.end, "moment"
    if not {Field.from_, Field.start, Field.duration, Field.minutes, Field.seconds} & {*found}:
        yield from ((Field.from_, "time"), (Field.to, "time"))


def _kind(values: Sequence[str]) -> str:
    values = [value for value in values if value]
    for kind, read in COLUMN_KINDS.items() if values else ():
        with suppress(ValueError):
            for value in values:
                read(value)
            return kind
    return TEXT if values else EMPTY


def _moment(text: str) -> None:
    day, at = moment_parts(text)
    dates_by_order(day)
    read_time(at)


def _address(text: str) -> None:
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", text):
        raise ValueError


EMPTY, TEXT = "empty", "text"

COLUMN_KINDS: Mapping[str, Callable[[str], object]] = {
    "email": _address,
    "number": lambda text: float(text.replace(",", ".")),
    "date": dates_by_order,
    "moment": _moment,
    "time": read_end_time,
    "duration": read_duration,
}
"""What all values of a column may be, besides empty and text, and what raises ValueError for others: the first fits."""

BY_KIND: Mapping[Field, Mapping[str, Field]] = {
    Field.email: {"email": Field.email},
    Field.person: dict.fromkeys((*COLUMN_KINDS, TEXT), Field.person) | {"email": Field.email},
    Field.date: {"date": Field.date, "number": Field.date, TEXT: Field.date, "moment": Field.start},
    Field.end_date: {"date": Field.end_date},
    Field.from_: {"time": Field.from_, "number": Field.from_, "moment": Field.start, "date": Field.date},
    Field.to: {"time": Field.to, "number": Field.to, "moment": Field.end, "date": Field.end_date},
    **{each: dict.fromkeys(("number", "duration", "time"), each) for each in (*LENGTHS, Field.break_)},
}
"""What a column is by the kind of its values, if its word says the first field; other fields are texts of any kind."""
