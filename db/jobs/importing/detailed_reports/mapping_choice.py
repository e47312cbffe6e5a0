"""Choice of a mapping: the one that is named, or a proposal."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from db.errors import OperatorError
from db.jobs.importing.detailed_reports.dates import UndecidedOrder, date_order
from db.jobs.importing.detailed_reports.mapping import FIELDS, ColumnMapping, Field, find_mapping, recognized, trackers
from db.jobs.importing.detailed_reports.proposing.header_words import with_unit
from db.jobs.importing.detailed_reports.proposing.proposal import proposed
from db.jobs.importing.detailed_reports.proposing.refusals import refuse_unclear_breaks
from db.jobs.importing.detailed_reports.proposing.sample import column_kind, read_sample
from db.jobs.importing.detailed_reports.report_file import ReportFile, ReportLine
from db.jobs.importing.files.source import source_files
from db.jobs.importing.files.text_lines import UnreadableText

LINES_WITH_A_DATE = 1_000
"""Lines of which one must have a date, for its order to be shown: a small packed file may have millions without."""


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
        if key in FIELDS and (told := with_unit(FIELDS[key], column, ())) is not FIELDS[key]:
            raise OperatorError(f"{column} has {told.key}: give --map {told.key}=COLUMN.")
    given = {key: value for key, value in settings.items() if value}
    mapping = replace((known or ColumnMapping(name)).mapped(pairs), **given)
    if mapping.person and column_kind([mapping.person]) != "email":
        raise OperatorError(f"--person {mapping.person} is no e-mail address: give the one of a member.")
    if not paths:
        return mapping
    file = ReportFile(source_files(paths[0])[0], mapping)
    try:
        absent = [column for column in pairs.values() if column.lower() not in map(str.lower, file.names)]
        if absent and file.names:
            raise OperatorError(f"{file.source} has no column {absent[0]}, but {', '.join(filter(None, file.names))}.")
        if known is not None:
            if not known.title and (further := file.further(known.left_out)):
                reason = f"{file.source} has {further[0]}, which {known.name}.toml neither reads nor leaves out"
                raise OperatorError(f"{reason}: give --map FIELD={further[0]}, or add it to left_out in that file.")
            return mapping
        if not pairs and (tracker := recognized(file.names)) is not None:
            raise OperatorError(
                f"There is no mapping {name} (known are {', '.join(each.name for each in trackers())}), and"
                f" {file.source} looks like a report of {tracker.title}: give --from {tracker.name}."
            )
        if pairs and not mapping.missing(file.columns):
            refuse_unclear_breaks(read_sample(file), {})
        else:
            guess = proposed(file)
            others = {field: names for field, names in guess.columns.items() if not {*names} & {*pairs.values()}}
            mapping = replace(guess, columns={**others, **mapping.columns}, is_proposed=True)
        return replace(mapping, left_out=ReportFile(file.source, mapping).ignored())
    except UnreadableText as error:
        place = f"{file.source}:{error.line}" if error.line else file.source
        raise OperatorError(f"{place} {error.reason}.") from error


def advice_on(mapping: ColumnMapping) -> str:
    options = " ".join(f"--map {shlex.quote(f'{each.key}={names[0]}')}" for each, names in mapping.columns.items())
    keep = f"The mapping {mapping.name} is a proposal. To keep it as {mapping.name}.toml and import with it, add --save"
    others = ", ".join(each.key for each in Field if each not in mapping.columns)
    return f"{keep}; to change it, give its columns: {options}; other fields are {others}"


def looks_like(file: ReportFile) -> str:
    """The mapping of a file in words, with the order of its dates. Raises UnreadableText."""
    lines = islice(file.lines(), LINES_WITH_A_DATE)
    dates = (line.texts[Field.date] for line in lines if isinstance(line, ReportLine) and line.texts[Field.date])
    order = _order(next(dates, ""), file)
    words = [
        f"{field.key} = {names[0]}{f', {order}' if order and field in (Field.date, Field.start) else ''}"
        for field, names in file.mapping.columns.items()
    ]
    return f"looks like: {'; '.join(words)}"


def _order(text: str, file: ReportFile) -> str:
    if not text[:2].isdigit() or "/" not in text[:3]:
        return "ymd" if text[:4].isdigit() else "dmy" if "." in text else ""
    try:
        return file.mapping.dates or date_order(file)
    except UndecidedOrder:
        return "dmy or mdy: give --dates"
