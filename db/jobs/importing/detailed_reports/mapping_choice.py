"""Choice of a mapping: that of a time tracker or a file, with the columns of `--map`, or one that a header proposes."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from db.jobs.importing.detailed_reports.mapping import ColumnMapping, MappingError, find_mapping, recognized, trackers
from db.jobs.importing.detailed_reports.proposal import proposed
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.files.source import source_files
from db.jobs.importing.files.text_lines import UnreadableText


def chosen_mapping(name: str, columns: Sequence[str], paths: Sequence[Path], **settings: Any) -> ColumnMapping:
    """The mapping to read the files with, by its name: a time tracker, a TOML file, or a new name.

    `columns` are of the form FIELD=COLUMN; they and the settings that are given win. Raises MappingError and FileError.
    """
    known = find_mapping(name)
    if known is None and name.endswith(".toml"):
        raise MappingError(f"There is no file {name}.")
    pairs = {key: column for key, _, column in (pair.partition("=") for pair in columns)}
    given = {key: value for key, value in settings.items() if value}
    mapping = replace((known or ColumnMapping(name)).mapped(pairs), **given)
    if not paths:
        return mapping
    file = ReportFile(source_files(paths[0])[0], mapping)
    try:
        absent = [column for column in pairs.values() if column.lower() not in map(str.lower, file.names)]
        if absent and file.names:
            raise MappingError(f"{file.source} has no column {absent[0]}, but {', '.join(file.names)}.")
        if mapping.columns:
            return mapping
        if (tracker := recognized(file.names)) is not None:
            raise MappingError(
                f"There is no mapping {name} (known are {', '.join(each.name for each in trackers())}), and"
                f" {file.source} looks like a report of {tracker.title}: give --from {tracker.name}."
            )
        return replace(proposed(file), is_proposed=True)
    except UnreadableText as error:
        raise MappingError(f"{file.source} {error.reason}.") from error


def advice_on(mapping: ColumnMapping) -> str:
    """What to do with a proposal."""
    options = " ".join(f"--map {shlex.quote(f'{key}={column}')}" for key, column in mapping.options())
    keep = f"The mapping {mapping.name} is a proposal. To keep it as {mapping.name}.toml and import with it, add --save"
    return f"{keep}; to change it, give its columns: {options}"
