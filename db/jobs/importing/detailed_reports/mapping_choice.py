"""Choice of a mapping: the one that is named, or a proposal by the header and the first rows of a company's own file.

The words are in `words.toml`. The values decide where words do not: whether `Start` is a date, a time, or both, and
which columns are dates and times if no word tells.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import chain, islice
from operator import contains, xor
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import combining, normalize

from db.errors import OperatorError
from db.jobs.importing.detailed_reports.dates import UndecidedOrder, date_order, dates_by_order
from db.jobs.importing.detailed_reports.entry import Omission
from db.jobs.importing.detailed_reports.entry_reader import BREAK, ENTRY_TYPES, read_email
from db.jobs.importing.detailed_reports.intervals import read_duration, read_end_time, read_time
from db.jobs.importing.detailed_reports.mapping import (
    BREAKS,
    FIELDS,
    LENGTHS,
    LONGEST_BREAK,
    WORDS,
    ColumnMapping,
    Field,
    find_mapping,
    headers_in_words,
    recognized,
    trackers,
)
from db.jobs.importing.detailed_reports.report_file import NOTHING, ReportFile, ReportLine, is_total, moment_parts
from db.jobs.importing.files.source import source_files
from db.jobs.importing.files.text_lines import UnreadableText

SAMPLE_ROWS = 500
"""Rows that are looked at."""

LINES_WITH_A_DATE = 1_000
"""Lines of which one must have a date, for its order to be shown: a small packed file may have millions without."""

DAYS_OF_A_SHEET = 3
"""Columns of days, at least, of a sheet that has one for each."""

_BETWEEN_WORDS = re.compile("(?<=[a-z])(?=[A-Z])")

_BETWEEN = re.compile(r"[\s_.:*]+")

_IN_BRACKETS = re.compile(r"\s*[(\[]([^)\]]*)[)\]]\s*")

_LENGTH_UNITS = "|".join(chain(*(words for unit, words in WORDS["units"].items() if unit != "other")))

_UNIT_AT_END = re.compile(rf"(?:[ _]in)?[ _]({_LENGTH_UNITS})\.?$", re.IGNORECASE)


def chosen_mapping(name: str, columns: Sequence[str], paths: Sequence[Path], **settings: Any) -> ColumnMapping:
    """The mapping to read the files with, by its name: a time tracker, a TOML file, or a new name.

    `columns` are of the form FIELD=COLUMN; they and the settings that are given win. Raises OperatorError.
    """
    known = find_mapping(name)
    if known is None and name.endswith(".toml"):
        raise OperatorError(f"There is no file {name}.")
    pairs = {key: column for key, _, column in (pair.partition("=") for pair in columns)}
    if len(pairs) < len(columns):
        raise OperatorError("--map gives a field twice: add up its columns in the file first.")
    if len({*pairs.values()}) < len(pairs):
        raise OperatorError("--map gives a column to two fields: one of dates and times is start, or end.")
    for key, column in pairs.items():
        if key in FIELDS and (told := _with_unit(FIELDS[key], column, ())) is not FIELDS[key]:
            raise OperatorError(f"{column} has {told.key}: give --map {told.key}=COLUMN.")
    given = {key: value for key, value in settings.items() if value}
    mapping = replace((known or ColumnMapping(name)).mapped(pairs), **given)
    if mapping.person and _kind([mapping.person]) != "email":
        raise OperatorError(f"--person {mapping.person} is no e-mail address: give the one of a member.")
    if not paths:
        return mapping
    file = ReportFile(source_files(paths[0])[0], mapping)
    try:
        absent = [column for column in pairs.values() if column.lower() not in map(str.lower, file.names)]
        if absent and file.names:
            raise OperatorError(f"{file.source} has no column {absent[0]}, but {', '.join(filter(None, file.names))}.")
        if known is not None or (pairs and not mapping.missing(mapping.fields(file.names))):
            return mapping
        if not pairs and (tracker := recognized(file.names)) is not None:
            raise OperatorError(
                f"There is no mapping {name} (known are {', '.join(each.name for each in trackers())}), and"
                f" {file.source} looks like a report of {tracker.title}: give --from {tracker.name}."
            )
        guess = proposed(file)
        others = {field: names for field, names in guess.columns.items() if not {*names} & {*pairs.values()}}
        return replace(guess, columns={**others, **mapping.columns}, is_proposed=True)
    except UnreadableText as error:
        place = f"{file.source}:{error.line}" if error.line else file.source
        raise OperatorError(f"{place} {error.reason}.") from error


def advice_on(mapping: ColumnMapping) -> str:
    options = " ".join(f"--map {shlex.quote(f'{key}={column}')}" for key, column in mapping.options())
    keep = f"The mapping {mapping.name} is a proposal. To keep it as {mapping.name}.toml and import with it, add --save"
    others = ", ".join(each.key for each in Field if each not in mapping.columns)
    return f"{keep}; to change it, give its columns: {options}; other fields are {others}"


class Sample(NamedTuple):
    """The header of a file, and the values of each column in its first rows."""

    file: ReportFile
    names: Sequence[str]
    columns: Sequence[Sequence[str]]
    kinds: Sequence[str]
    """What the values of each column are: one of COLUMN_KINDS, text or empty."""
    kinds_of_some: Sequence[str]
    """The kind of the first value that is no text: lines refuse others, where the name of the column tells a time."""


FoundColumns = dict[Field, int]
"""The column of each field."""


def proposed(file: ReportFile) -> ColumnMapping:
    """The mapping of a file as far as its header and first rows show it. Raises UnreadableText and OperatorError."""
    days = [name for name in file.names if _kind([name]) == "date" or _first_word(name) in WORDS["headers"]["weekday"]]
    if len(days) >= DAYS_OF_A_SHEET:
        advice = "give each day a line, in Excel by Unpivot Columns"
        raise OperatorError(f"{file.source} has a column for each day ({', '.join(days[:DAYS_OF_A_SHEET])}): {advice}.")
    if {_kind([name]) for name in file.names} & {*COLUMN_KINDS} - {"duration"}:
        raise OperatorError(f"{file.source} has no line of names: the first line says what columns have, and no days.")
    names, records = file.names, islice(file.records(), 1, 1 + SAMPLE_ROWS)
    # Rows of another length are refused later: a second table, or a title.
    rows = [[*map(str.strip, row)] for _, row in records if len(row) == len(names) and not is_total(row)]
    columns = [["" if row[index] == NOTHING else row[index] for row in rows] for index in range(len(names))]
    sample = Sample(file, names, columns, [*map(_kind, columns)], [*map(_kind_of_some, columns)])
    found = FoundColumns()
    for rule in PROPOSAL_RULES:
        rule(sample, found)
    return file.mapping.mapped({field.key: names[index] for field, index in sorted(found.items())})


def _refuse_stamps(sample: Sample, _: FoundColumns) -> None:
    for name, values in zip(sample.names, sample.columns, strict=True):
        if {*WORDS["lines"]["stamp"]} >= {value.lower() for value in values} > set():
            reason = f"has a line for each stamp ({name}): each line needs a start and an end."
            raise OperatorError(f"{sample.file.source} {reason}")


def _find_by_words(sample: Sample, found: FoundColumns) -> None:
    for kinds in (sample.kinds, sample.kinds_of_some):
        for field, index in _by_words(sample, kinds):
            if index not in found.values() and (kinds is sample.kinds or field >= Field.date):
                found.setdefault(field, index)


def _find_by_values(sample: Sample, found: FoundColumns) -> None:
    for field, kind in _unfound(found):
        for index, name in enumerate(sample.names):
            if sample.kinds[index] == kind and name and index not in found.values() and not _is_of_record(name):
                found[field] = index
                break


def _find_unreadable_times(sample: Sample, found: FoundColumns) -> None:
    """Take columns by their words alone: lines refuse what is no time, which says more than that there is no column."""
    lacking = set() if {Field.date, Field.start} & {*found} else {Field.date}
    lacking |= set() if {Field.to, Field.end, *LENGTHS} & {*found} else {Field.from_, Field.to, *LENGTHS}
    for field, index in _by_words(sample, [EMPTY] * len(sample.names)) if lacking else ():
        if field in lacking and index not in found.values():
            found.setdefault(field, index)


def _find_types(sample: Sample, found: FoundColumns) -> None:
    """Take a column only if it tells breaks or time off from work: one of types by its name, or by all its values.

    One of types by its name is also taken if all its values are work, and no other column tells more.
    """
    named, taken = found.pop(Field.type, None), {*found.values()} - {found.get(Field.tags)}
    for index, values in sorted(enumerate(sample.columns), key=lambda column: column[0] != named):
        texts = [value.lower() for value in values if value]
        kinds = {ENTRY_TYPES.get(text, text) for text in texts}
        is_told = {None} < kinds <= {None, BREAK, Omission.time_off}
        if index == named:
            is_told = any(ENTRY_TYPES.get(part) for text in texts for part in (text, *text.split()))
        if is_told and index not in taken:
            found[Field.type] = index
            break
        if index == named and kinds == {None}:
            found[Field.type] = index
    if found.get(Field.tags) == found.get(Field.type):
        found.pop(Field.tags, None)


def _leave_out_other_units(sample: Sample, found: FoundColumns) -> None:
    """Leave out a column of units that has those of a company, or where durations have their own."""
    if Field.unit in found:
        told = {value.lower().rstrip(".") for value in sample.columns[found[Field.unit]]}
        length = found.get(Field.duration)
        if not told & {*chain(*WORDS["units"].values())} or length is None or sample.kinds[length] != "number":
            del found[Field.unit]


def _leave_out_empty_times(sample: Sample, found: FoundColumns) -> None:
    if Field.from_ in found and {*LENGTHS} & {*found} and sample.kinds[found[Field.from_]] == EMPTY:
        del found[Field.from_]
        found.pop(Field.to, None)


def _refuse_parts_of_days(sample: Sample, found: FoundColumns) -> None:
    is_given = Field.duration in sample.file.mapping.columns
    if Field.duration not in found or is_given or {Field.from_, Field.start} & {*found}:
        return
    numbers = [value.replace(",", ".") for value in sample.columns[found[Field.duration]]]
    if any(re.fullmatch(r"0\.\d{4,}", number) for number in numbers) and all(number < "1" for number in numbers):
        raise OperatorError(
            f"{sample.file.source}: {sample.names[found[Field.duration]]} may be parts of days: format it as [h]:mm in"
            " the spreadsheet, or give --map duration=COLUMN for hours."
        )


def _refuse_another_zone(sample: Sample, found: FoundColumns) -> None:
    for name in (sample.names[found[field]] for field in (Field.from_, Field.start) if field in found):
        if {"utc", "gmt"} & _words(name) and not sample.file.mapping.timezone:
            raise OperatorError(f"{sample.file.source} has times of UTC ({name}): give --timezone UTC.")


def _refuse_several_times(sample: Sample, found: FoundColumns) -> None:
    """Refuse columns of further times, such as `Von 2` or `Pause von` besides `Von`."""
    if {Field.from_, Field.to} & {*sample.file.mapping.columns} or _are_lengths_trusted(sample, found):
        return
    own = [_words(sample.names[found[field]]) for field in (Field.from_, Field.to) if field in found]
    # What tells the start from the end: not "clock" of "clock in" and "clock out".
    telling: set[str] = reduce(xor, own, set()) if len(own) > 1 else set()
    for index, name in enumerate(sample.names):
        is_time = sample.kinds_of_some[index] == "time" and telling & _words(name) and not _is_of_record(name)
        if index not in found.values() and (is_time or (name and _words(name) in own)):
            reason = f"has several times in one line ({name}): give each a line of its own"
            raise OperatorError(
                f"{sample.file.source} {reason}, or say which count: --map from=COLUMN --map to=COLUMN."
            )


def _leave_out_counts(sample: Sample, found: FoundColumns) -> None:
    """Leave out a column such as `Breaks` that may count them, instead of their hours: it is refused if it is not 0."""
    index = found.get(Field.break_)
    if index is None or not sample.names[index].lower().endswith(("breaks", "pausen")):
        return
    if all(value.isdigit() for value in sample.columns[index] if value):
        del found[Field.break_]


def _refuse_unclear_breaks(sample: Sample, found: FoundColumns) -> None:
    """Refuse columns that may have breaks between the times of a line, where no word tells the one that has them."""
    known = {*found, *sample.file.mapping.columns}
    if {*BREAKS} & known or not {Field.from_, Field.start} & known or _are_lengths_trusted(sample, found):
        return
    for index, name in enumerate(sample.names):
        text = _unaccented(name)
        is_break = "paid" not in _words(name) and any(part in text for part in WORDS["headers"]["of_break"])
        is_length = sample.kinds_of_some[index] in ("number", "duration", "time", "moment")
        if is_break and is_length and any(value.strip("0:.,") for value in sample.columns[index]):
            raise OperatorError(
                f"{sample.file.source} may have breaks in {name}: give a column of their length with --map break=COLUMN"
                " or break_minutes=COLUMN, --trust-durations for a column of work alone, or delete it if it has none."
            )


def _are_lengths_trusted(sample: Sample, found: FoundColumns) -> bool:
    mapping = sample.file.mapping
    return mapping.trusts_durations and not {*LENGTHS}.isdisjoint({*found, *mapping.columns})


def _first_word(name: str) -> str:
    return re.split(r"[\W\d_]", _unaccented(name), maxsplit=1)[0]


def _words(name: str) -> set[str]:
    return {*re.findall(r"[^\W\d_]+", _unaccented(name))}


def _is_of_record(name: str) -> bool:
    return any(part in name.lower() for part in WORDS["headers"]["of_record"])


def _prefer_moments(_: Sample, found: FoundColumns) -> None:
    if Field.start in found:
        found.pop(Field.date, None)
        found.pop(Field.from_, None)


def _take_for_projects(_: Sample, found: FoundColumns) -> None:
    """Take tasks or clients for projects, which they belong to, where there are none."""
    for field in (Field.task, Field.client):
        if Field.project not in found and field in found:
            found[Field.project] = found.pop(field)


def _tell_last_names(sample: Sample, found: FoundColumns) -> None:
    """Take `Name` beside `Vorname` for last names, unless it has the first names, too."""
    if {Field.person, Field.first_name} <= {*found} and Field.last_name not in found:
        first_names, names = (sample.columns[found[field]] for field in (Field.first_name, Field.person))
        if all(map(contains, names, first_names)):
            del found[Field.first_name]
        else:
            found[Field.last_name] = found.pop(Field.person)


PROPOSAL_RULES = (
    _refuse_stamps,
    _find_by_words,
    _find_by_values,
    _find_unreadable_times,
    _find_types,
    _leave_out_other_units,
    _leave_out_empty_times,
    _refuse_parts_of_days,
    _refuse_another_zone,
    _refuse_several_times,
    _leave_out_counts,
    _refuse_unclear_breaks,
    _prefer_moments,
    _take_for_projects,
    _tell_last_names,
)
"""What finds the columns of a file, leaves some out, and refuses files, in this order."""


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


def _by_words(sample: Sample, kinds: Sequence[str]) -> Iterator[tuple[Field, int]]:
    """Each field and a column that may have it, the surest first."""
    named = [_BETWEEN_WORDS.sub(" ", name) for name in sample.names]
    whole = [_unaccented(name) for name in sample.names]
    plain = [_BETWEEN.sub(" ", _IN_BRACKETS.sub(" ", _unaccented(name))).strip() for name in named]
    bare = [_UNIT_AT_END.sub("", name) for name in plain]
    for field, words in headers_in_words().items():
        is_length = field in LENGTHS or field in BREAKS
        headers = (whole, plain, bare) if field in (Field.duration, Field.break_) else (whole, plain)
        for word in map(_unaccented, words):
            for index, kind in enumerate(kinds):
                if is_length and not _is_of_length(named[index]) and whole[index] != word:
                    continue
                if any(names[index] == word for names in headers):
                    told = field if kind == EMPTY else BY_KIND.get(field, {kind: field}).get(kind)
                    if told is not None:
                        yield _with_unit(told, named[index], sample.columns[index]), index


def _is_of_length(name: str) -> bool:
    """Whether the brackets of a header have a unit or a format, and tell no other length, such as a planned one."""
    texts = (text.removeprefix("in ").rstrip(".") for text in _IN_BRACKETS.findall(_unaccented(name)))
    known = {*chain(*WORDS["units"].values()), *WORDS["headers"]["of_length"]}
    return all(text in known or re.fullmatch("h+:mm(:ss)?", text) for text in texts)


def _unaccented(text: str) -> str:
    return "".join(each for each in normalize("NFKD", text.lower()) if not combining(each))


def _with_unit(field: Field, name: str, values: Sequence[str]) -> Field:
    """The field, by the unit in the header: `Dauer (min)`, `Dauer in Min.`; of breaks, by their numbers."""
    written = "".join(_IN_BRACKETS.findall(name) or _UNIT_AT_END.findall(name)).lower().rstrip(".")
    unit = next((unit for unit, words in WORDS["units"].items() if written in words), None)
    if field is Field.duration and unit == "other":
        raise OperatorError(f"{name} has neither hours, minutes nor seconds: convert it in the file.")
    if field is Field.duration:
        return FIELDS.get(unit or "", field)
    if field is Field.break_ and unit == "seconds":
        return Field.break_seconds
    if field is Field.break_:
        longest = max((int(value) for value in values if value.isdigit()), default=0)
        return Field.break_minutes if unit == "minutes" or longest > LONGEST_BREAK else field
    return field


def _unfound(found: FoundColumns) -> Iterator[tuple[Field, str]]:
    """What no word has told, and the kind of its values."""
    if not {Field.email, Field.person, Field.first_name} & {*found}:
        yield Field.email, "email"
    if not {Field.date, Field.start} & {*found}:
        yield from ((Field.date, "date"), (Field.start, "moment"))
        if not {*LENGTHS} & {*found}:
            yield Field.end, "moment"
    if not {Field.start, *LENGTHS} & {*found}:
        yield from ((field, "time") for field in (Field.from_, Field.to) if field not in found)


def _kind(values: Sequence[str]) -> str:
    values = [value for value in values if value]
    for kind, read in COLUMN_KINDS.items() if values else ():
        with suppress(ValueError):
            for value in values:
                read(value)
            return kind
    return TEXT if values else EMPTY


def _kind_of_some(values: Sequence[str]) -> str:
    kinds = (_kind([value]) for value in values if value)
    return next((kind for kind in kinds if kind != TEXT), _kind(values))


def _moment(text: str) -> None:
    day, at = moment_parts(text)
    dates_by_order(day)
    read_time(at)


EMPTY, TEXT = "empty", "text"

COLUMN_KINDS: Mapping[str, Callable[[str], object]] = {
    "email": read_email,
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
    Field.date: {"date": Field.date, "number": Field.date, "moment": Field.start},
    Field.end_date: {"date": Field.end_date, "moment": Field.end},
    Field.from_: {"time": Field.from_, "number": Field.from_, "moment": Field.start, "date": Field.date},
    Field.to: {"time": Field.to, "number": Field.to, "moment": Field.end, "date": Field.end_date},
    **{each: dict.fromkeys(("number", "duration", "time"), each) for each in (*LENGTHS, Field.break_)},
}
"""What a column is by the kind of its values, if its word says the first field; other fields are texts of any kind."""
