"""The rows of a resource as files: one COPY, whose lines go to one file, or to the file of their month."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from db.admin.engine import copying
from db.jobs.exporting.export_files import ExportFile, open_file
from db.jobs.exporting.export_format import ExportFormat
from db.jobs.exporting.exported_rows import MONTH_CHARACTERS, ExportedRows
from db.jobs.exporting.manifest import ManifestFile
from db.jobs.exporting.snapshot import Snapshot

MOST_BUFFERED = 1 << 26
"""Bytes of lines that the files of a resource keep in memory together."""

PROGRESS_ROWS = 1_000
"""Rows between two calls of `progress`."""

COPY_OUT = "COPY ({select}) TO STDOUT (FORMAT csv{options})"

# Neither character is in JSON text, so that COPY writes each row as it is.
RAW_LINES = ", QUOTE E'\\x01', DELIMITER E'\\x02'"


def copy_rows(
    snapshot: Snapshot,
    rows: ExportedRows,
    since: datetime | None,
    format_: ExportFormat,
    folder: Path,
    progress: Callable[[int], object],
    *,
    escapes_formulas: bool = False,
) -> Sequence[ManifestFile]:
    """Copy the rows that changed since a time into files. Without rows there is no file."""
    files: dict[str, ExportFile] = {}
    month = 0 if rows.month is None else MONTH_CHARACTERS
    # In a CSV line, a comma follows the month.
    start = month + (month > 0 and format_ is not ExportFormat.ndjson)
    statement = rows.statement(format_, is_since=since is not None, escapes_formulas=escapes_formulas)
    options = RAW_LINES if format_ is ExportFormat.ndjson else ""
    values = {**statement.constants, "organization_id": snapshot.organization_id, "updated_since": since}
    count = 0
    command = COPY_OUT.format(select=statement.sql, options=options)
    with copying(snapshot.connection, command, values) as copy:
        for data in copy:
            line = bytes(data)
            file = files.get(part := line[:month].decode())
            if file is None:
                file = files[part] = open_file(folder, rows, part, format_)
            file.add(line[start:])
            count += 1
            if count % PROGRESS_ROWS == 0:
                progress(PROGRESS_ROWS)
                _bound_memory(files)
    progress(count % PROGRESS_ROWS)
    return [files[part].close() for part in sorted(files)]


def _bound_memory(files: Mapping[str, ExportFile]) -> None:
    """Flush the fullest files while all of them together hold too much."""
    total = sum(file.buffered for file in files.values())
    for file in sorted(files.values(), key=lambda file: file.buffered, reverse=True):
        if total <= MOST_BUFFERED:
            return
        total -= file.buffered
        file.flush()
