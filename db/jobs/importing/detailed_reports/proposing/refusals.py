"""Refused files: those whose columns may lose or add time, whatever mapping is proposed. All raise OperatorError."""

import re
from functools import reduce
from operator import xor

from db.errors import OperatorError
from db.jobs.importing.detailed_reports.intervals import THOUSANDS, read_time
from db.jobs.importing.detailed_reports.mapping import BREAKS, LENGTHS, WORDS, Field
from db.jobs.importing.detailed_reports.proposing.header_words import (
    first_word,
    in_words,
    is_of_record,
    unaccented,
    words_in,
)
from db.jobs.importing.detailed_reports.proposing.sample import COLUMN_KINDS, FoundColumns, Sample, column_kind
from db.jobs.importing.detailed_reports.report_file import ReportFile, moment_parts

DAYS_OF_A_SHEET = 3
"""Columns of days, at least, of a sheet that has one for each."""

_QUARTERS = {"00", "25", "50"}

_ZONE = re.compile(r"(?<=\()\w+(?=\))|(?<![a-z])(?:utc|gmt)(?![a-z])")


def refuse_header(file: ReportFile) -> None:
    """Refuse a sheet with a column for each day, and a file without a line of names."""
    days = [
        name for name in file.names if column_kind([name]) == "date" or first_word(name) in WORDS["headers"]["weekday"]
    ]
    if len(days) >= DAYS_OF_A_SHEET:
        advice = "give each day a line, in Excel by Unpivot Columns"
        raise OperatorError(f"{file.source} has a column for each day ({', '.join(days[:DAYS_OF_A_SHEET])}): {advice}.")
    if {column_kind([name]) for name in file.names} & {*COLUMN_KINDS} - {"duration"}:
        raise OperatorError(f"{file.source} has no line of names: the first line says what columns have, and no days.")


def refuse_stamps(sample: Sample, found: FoundColumns) -> None:
    """Refuse files of stamps. Where words tell both times or a length, such values are the names of work."""
    lengths = [sample.names[found[field]].lower() for field in LENGTHS if field in found]
    is_timed = {Field.from_, Field.start} & {*found} and {Field.to, Field.end} & {*found}
    if is_timed or not {*lengths} <= {*WORDS["headers"]["of_clock"]}:
        return
    for name, values in zip(sample.names, sample.columns, strict=True):
        if {*WORDS["lines"]["stamp"]} >= {re.sub("[-_/]", " ", value.lower()) for value in values if value} > set():
            reason = f"has a line for each stamp ({name}): each line needs a start and an end."
            raise OperatorError(f"{sample.file.source} {reason}")


def refuse_types_without_name(sample: Sample, found: FoundColumns) -> None:
    index = found.get(Field.type)
    if index is not None and not sample.names[index]:
        reason = f"has no name of column {index + 1}, which tells breaks or leave: name it Type."
        raise OperatorError(f"{sample.file.source} {reason}")


def refuse_unclear_numbers(sample: Sample, found: FoundColumns) -> None:
    """Refuse columns of hours that may be parts of days, hours and minutes, or thousands.

    Lengths beside times of day are compared with these, and so are breaks beside both.
    """
    fields = {Field.break_, Field.duration}
    if {Field.to, Field.end} & {*found}:
        is_compared = {*LENGTHS} & {*found} and not sample.file.mapping.trusts_durations
        fields = set() if is_compared else {Field.break_}
    for field in fields & {*found} - {*sample.file.mapping.columns}:
        values = [*filter(None, sample.columns[found[field]])]
        parts = {match[1] for value in values if (match := re.match(r"\d*[.,](\d+)(?![\d.,])", value))}
        told = ""
        if any(re.fullmatch(r"0[.,]\d{4,}", value) for value in values) and all(value[0] in "0.," for value in values):
            told = "parts of days: format it as [h]:mm in the spreadsheet"
        elif {*map(len, parts)} == {2} and max(parts) < "60" and any(part[1] in "05" for part in parts - _QUARTERS):
            told = "hours and minutes: write 8:30 for 8.30"
        elif any(map(THOUSANDS.fullmatch, values)) and {".", ","} <= {*"".join(values)}:
            told = "thousands: write all numbers with one decimal separator"
        if told:
            name, advice = sample.names[found[field]], f"or give --map {field.key}=COLUMN for hours"
            raise OperatorError(f"{sample.file.source}: {name} may be {told}, {advice}.")


def refuse_another_zone(sample: Sample, found: FoundColumns) -> None:
    names = [sample.names[found[field]] for field in (Field.from_, Field.start) if field in found]
    if sample.file.mapping.timezone or not names:
        return
    zone = next((zone for zone in _ZONE.findall(names[0].lower()) if zone in WORDS["headers"]["zones"]), "").upper()
    if zone:
        raise OperatorError(f"{sample.file.source} has times of {zone} ({names[0]}): give --timezone UTC or AREA/CITY.")
    starts = found.get(Field.start, -1)
    starts_are_read = starts >= 0 and sample.kinds[starts] == "moment"
    if starts_are_read and all(read_time(moment_parts(each)[1]).zone for each in sample.columns[starts] if each):
        return
    for name, values in zip(sample.names, sample.columns, strict=True):
        if any(values) and any(f" {in_words(name)}".endswith(f" {zone}") for zone in WORDS["headers"]["of_zone"]):
            reason = f"has the zone of each line ({name}), which is not read: give --timezone, and other zones apart"
            raise OperatorError(f"{sample.file.source} {reason}.")


def refuse_several_times(sample: Sample, found: FoundColumns) -> None:
    """Refuse columns of further times, such as `Von 2` or `Pause von` besides `Von`."""
    if {Field.from_, Field.to} & {*sample.file.mapping.columns} or _are_lengths_trusted(sample, found):
        return
    own = [words_in(sample.names[found[field]]) for field in (Field.from_, Field.to) if field in found]
    # What tells the start from the end: not "clock" of "clock in" and "clock out".
    telling: set[str] = reduce(xor, own, set()) if len(own) > 1 else set()
    for index, name in enumerate(sample.names):
        is_time = sample.kinds_of_some[index] == "time" and telling & words_in(name) and not is_of_record(name)
        if index not in found.values() and (is_time or (name and words_in(name) in own)):
            reason = f"has several times in one line ({name}): give each a line of its own"
            raise OperatorError(
                f"{sample.file.source} {reason}, or say which count: --map from=COLUMN --map to=COLUMN."
            )


def refuse_unclear_breaks(sample: Sample, found: FoundColumns) -> None:
    """Refuse columns that may have breaks between the times of a line, where neither words nor a length tell which."""
    given = {*sample.file.mapping.columns}
    is_known = {*BREAKS} & given or ({*BREAKS} & {*found} and {*LENGTHS} & {*found, *given})
    if is_known or not {Field.from_, Field.start} & {*found, *given} or _are_lengths_trusted(sample, found):
        return
    for index, name in enumerate(sample.names):
        text = unaccented(name)
        # Without a length of work to compare, any other length may be one of a break.
        is_length = sample.kinds[index] in ("time", "duration") and not ({*LENGTHS} & {*found, *given})
        is_told = any(part in text for part in WORDS["headers"]["of_break"])
        is_break = "paid" not in words_in(name) and (is_told or (is_length and not is_of_record(name)))
        is_read = index in found.values() or sample.file.columns[index] is not None
        values = sample.columns[index] if is_break and not is_read else ()
        if any(re.search("[1-9]", value) or value.lower() in WORDS["billable"]["yes"] for value in values):
            raise OperatorError(
                f"{sample.file.source} may have breaks in {name}: give a column of their length with --map break=COLUMN"
                " or break_minutes=COLUMN, of work alone with duration=COLUMN or --trust-durations, or delete it."
            )


def _are_lengths_trusted(sample: Sample, found: FoundColumns) -> bool:
    mapping = sample.file.mapping
    return mapping.trusts_durations and not {*LENGTHS}.isdisjoint({*found, *mapping.columns})
