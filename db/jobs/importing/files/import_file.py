"""The files of an import. Each has rows of one table, which its name says: `teams.csv`, `timesheets-2026-03.csv.gz`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from db.errors import OperatorError
from db.jobs.exporting.manifest import computed_fields
from db.jobs.importing.detailed_reports.mapping import ColumnMapping, recognized
from db.jobs.importing.detailed_reports.mapping_choice import looks_like
from db.jobs.importing.detailed_reports.proposing.proposal import proposed
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.files.csv_rows import csv_rows
from db.jobs.importing.files.ndjson_rows import ndjson_rows
from db.jobs.importing.files.parquet_rows import parquet_rows
from db.jobs.importing.files.source import SourceFile, source_files
from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.rows import Advance, Problem, SourceItem, SourceRow, SourceTable

CSV, PARQUET = ".csv", ".parquet"

READERS: dict[str, Callable[..., Iterator[SourceItem]]] = {
    CSV: csv_rows,
    ".ndjson": ndjson_rows,
    ".jsonl": ndjson_rows,
    PARQUET: parquet_rows,
}

ORGANIZATIONS_FILE = "organizations"
"""The file of an export with the organization itself, which an import is given by its id."""

_FORMAT = rf"(?P<format>{'|'.join(map(re.escape, READERS))})(?P<gzip>\.gz)?$"
_NAME = re.compile(rf"(?P<table>[a-z_]+)([-. (].*)?{_FORMAT}", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class ImportFile:
    source: SourceFile
    table: str
    format: str
    ignored: frozenset[str] = frozenset()
    """Columns that are ignored: an export has fields that are no columns."""

    def note(self) -> str | None:
        """What the text was read as, if it is not UTF-8. Known after `rows`."""
        return None if self.format == PARQUET else self.source.note()

    def rows(self, advance: Advance = lambda _: None) -> Iterator[SourceItem]:
        """The rows of the file."""
        name = str(self.source)
        opening = self.source.open if self.format == PARQUET else self.source.open_text
        try:
            with opening(advance) as file:
                items = READERS[self.format](file, table=self.table, name=name)
                yield from _without(items, self.ignored) if self.ignored else items
        except UnreadableText as error:
            yield Problem(name, error.line, error.reason)


def find_files(paths: Sequence[Path]) -> list[ImportFile]:
    """The files that the paths name, and those in the folders among them. Raises OperatorError.

    In a folder, hidden files and those of other formats are left out; of an export, also the organization itself.
    """
    found = []
    for path in paths:
        computed = computed_fields(path if path.is_dir() else path.parent)
        sources = _files_in(path, is_export=bool(computed)) if path.is_dir() else source_files(path, is_read_once=True)
        found += [_import_file(source, computed) for source in sources]
    return found


def _files_in(folder: Path, *, is_export: bool) -> Sequence[SourceFile]:
    matches = {entry: _NAME.fullmatch(entry.name) for entry in sorted(folder.iterdir()) if entry.is_file()}
    sources = [
        SourceFile(entry)
        for entry, match in matches.items()
        if match and not (is_export and match["table"] == ORGANIZATIONS_FILE)
    ]
    if not sources:
        raise OperatorError(f"The folder {folder} has no file of the formats {', '.join(READERS)}.")
    return sources


def _import_file(source: SourceFile, computed: Mapping[str, frozenset[str]]) -> ImportFile:
    match = _NAME.fullmatch(source.name)
    table = match["table"].lower() if match else ""
    is_csv = match is not None and match["format"].lower() == CSV and source.path.is_file()
    if is_csv and (words := _report_in_words(source, table)):
        raise OperatorError(f"{source} {words}.")
    if match is None or table not in IMPORT_TABLES:
        known = ", ".join(sorted(IMPORT_TABLES))
        advice = (
            "is not named after a table: if it has time entries, add --from NAME, a name of your own; else rename it"
            f" to TABLE.csv, where TABLE is one of {known}"
        )
        if not re.search(_FORMAT, source.name, re.IGNORECASE):
            formats = ", ".join(READERS)
            advice = f"does not end in one of {formats}: name it after its table and format, such as teams.csv"
        raise OperatorError(f"{source} {_report_in_words(source, table) or advice}.")
    if match["format"].lower() == PARQUET and match["gzip"]:
        raise OperatorError(f"{source} must not be compressed: unpack it. Parquet files are compressed inside.")
    return ImportFile(source, table, match["format"].lower(), computed.get(table, frozenset()))


def _report_in_words(source: SourceFile, table: str) -> str | None:
    """What a file of time entries looks like, and how to import it; None for one with columns of the table."""
    file = ReportFile(source, ColumnMapping("csv"))
    try:
        if table in IMPORT_TABLES and not IMPORT_TABLES[table].names.isdisjoint(file.names):
            return None
        if (tracker := recognized(file.names)) is not None:
            return f"looks like a report of {tracker.title}: add --from {tracker.name}"
        file = ReportFile(source, proposed(file))
        if file.mapping.missing(file.columns):
            return None
        return f"has time entries, and {looks_like(file)}: add --from NAME, a name that you give to this mapping"
    except (UnreadableText, OperatorError):
        return None


def _without(items: Iterable[SourceItem], columns: frozenset[str]) -> Iterator[SourceItem]:
    for item in items:
        if isinstance(item, SourceRow):
            values = {column: value for column, value in item.values.items() if column not in columns}
            yield item._replace(values=values)
        elif isinstance(item, SourceTable):
            yield item._replace(columns=[column for column in item.columns if column not in columns])
        else:
            yield item
