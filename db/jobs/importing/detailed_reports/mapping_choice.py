"""Choice of a mapping: that of a time tracker or a file, with the columns of `--map`, or one that a header proposes."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from db.jobs.importing.detailed_reports.mapping import (
    ColumnMapping,
    DateOrder,
    MappingError,
    find_mapping,
    recognized,
    trackers,
)
from db.jobs.importing.detailed_reports.proposal import looks_like, proposed
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.files.source import source_files
from db.jobs.importing.files.text_lines import UnreadableText


@dataclass
class MappingChoice:
    name: str
    """A time tracker, a TOML file, or a new name."""
    columns: Sequence[str]
    """FIELD=COLUMN, each."""
    person: str | None = None
    timezone: str | None = None
    dates: DateOrder | None = None
    trusts_durations: bool = False
    is_proposed: bool = False
    """Whether the mapping is a guess. Known after `of`."""
    looks: str = ""
    """The guess in words."""

    def of(self, paths: Sequence[Path]) -> ColumnMapping:
        """The mapping to read the files with. Raises MappingError and FileError."""
        mapping = find_mapping(self.name)
        if mapping is None and self.name.endswith(".toml"):
            raise MappingError(f"There is no file {self.name}.")
        mapping = mapping or ColumnMapping(self.name)
        pairs = {key: column for key, _, column in (pair.partition("=") for pair in self.columns)}
        mapping = replace(
            mapping.mapped(pairs),
            person=(self.person or mapping.person).lower(),
            timezone=self.timezone or mapping.timezone,
            dates=self.dates or mapping.dates,
            trusts_durations=self.trusts_durations or mapping.trusts_durations,
        )
        if not paths:
            return mapping
        file = ReportFile(source_files(paths[0])[0], mapping)
        try:
            absent = [column for column in pairs.values() if column.lower() not in map(str.lower, file.names)]
            if absent and file.names:
                raise MappingError(f"{file.source} has no column {absent[0]}, but {', '.join(file.names)}.")
            return mapping if mapping.columns else self._proposed(file)
        except UnreadableText as error:
            raise MappingError(f"{file.source} {error.reason}.") from error

    def _proposed(self, file: ReportFile) -> ColumnMapping:
        if (tracker := recognized(file.names)) is not None:
            known = ", ".join(each.name for each in trackers())
            raise MappingError(
                f"There is no mapping {self.name} (known are {known}), and {file.source} looks like a report of"
                f" {tracker.title}: give --from {tracker.name}."
            )
        self.is_proposed = True
        mapping = proposed(file)
        self.looks = looks_like(ReportFile(file.source, mapping))
        self._options = [f"--map {shlex.quote(f'{key}={column}')}" for key, column in mapping.options()]
        return mapping

    def advice(self) -> list[str]:
        """What to do with a proposal."""
        if not self.is_proposed:
            return []
        options = " ".join(self._options)
        keep = f"The mapping {self.name} is a proposal. To keep it as {self.name}.toml and import with it, add --save"
        return [f"{keep}; to change it, give its columns: {options}"]
