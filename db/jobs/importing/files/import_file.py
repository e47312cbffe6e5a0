"""The files of an import. Each has rows of one table, which its name says: `teams.csv`, `timesheets-2026-03.csv.gz`."""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from db.jobs.exporting.manifest import computed_fields
from db.jobs.importing.files.csv_rows import csv_rows
from db.jobs.importing.files.ndjson_rows import ndjson_rows
from db.jobs.importing.files.parquet_rows import parquet_rows
from db.jobs.importing.rows import Problem, SourceItem, SourceRow, SourceTable

READERS: dict[str, Callable[..., Iterator[SourceItem]]] = {
    ".csv": csv_rows,
    ".ndjson": ndjson_rows,
    ".jsonl": ndjson_rows,
    ".parquet": parquet_rows,
}
GZIP = ".gz"

ORGANIZATIONS_FILE = "organizations"
"""The file of an export with the organization itself, which an import is given by its id."""

_NAME = re.compile(
    rf"(?P<table>[a-z_]+)([-.].*)?(?P<format>{'|'.join(map(re.escape, READERS))})(?P<gzip>{re.escape(GZIP)})?",
    re.DOTALL,
)

BUFFER = 1 << 18
"""Bytes that are read from the disk at once."""


class FileError(Exception):
    """A path cannot be imported; the message says why."""


@dataclass(frozen=True)
class ImportFile:
    path: Path
    table: str
    format: str
    is_compressed: bool
    ignored: frozenset[str] = frozenset()
    """Columns that are ignored: an export has fields that are no columns."""

    def rows(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[SourceItem]:
        """The rows of the file. `advance` is called with the number of bytes that were read from the disk."""
        name = str(self.path)
        try:
            with ExitStack() as stack:
                file: BinaryIO = stack.enter_context(io.BufferedReader(_MeteredFile(self.path, advance), BUFFER))
                if self.is_compressed:
                    file = stack.enter_context(io.BufferedReader(gzip.GzipFile(fileobj=file), BUFFER))
                items = READERS[self.format](file, table=self.table, name=name)
                yield from _without(items, self.ignored) if self.ignored else items
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            yield Problem(name, 0, "", None, f"is not whole gzip data: {error}")
        except OSError as error:
            yield Problem(name, 0, "", None, f"cannot be read: {error.strerror or error}")


def find_files(paths: Sequence[Path], tables: Collection[str]) -> list[ImportFile]:
    """The files that the paths name, and those in the folders among them. Raises FileError.

    In a folder, hidden files and those of other formats are left out; of an export, also the organization itself.
    """
    found = []
    for path in paths:
        if path.is_dir():
            computed = computed_fields(path)
            matches = {entry: _NAME.fullmatch(entry.name) for entry in sorted(path.iterdir()) if entry.is_file()}
            entries = [
                entry
                for entry, match in matches.items()
                if match and not (computed and match["table"] == ORGANIZATIONS_FILE)
            ]
            if not entries:
                raise FileError(f"The folder {path} has no file of the formats {', '.join(READERS)}.")
            found += [_import_file(entry, tables, computed) for entry in entries]
        elif path.exists():
            found.append(_import_file(path, tables, computed_fields(path.parent)))
        else:
            raise FileError(f"There is no file {path}.")
    return found


def _import_file(path: Path, tables: Collection[str], computed: Mapping[str, frozenset[str]]) -> ImportFile:
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise FileError(f"{path} has none of the formats {', '.join(READERS)}, which may be followed by {GZIP}.")
    if match["table"] not in tables:
        raise FileError(f"{path} names no table. A file is called TABLE.csv, with one of {', '.join(sorted(tables))}.")
    if match["format"] == ".parquet" and match["gzip"]:
        raise FileError(f"{path} must not be compressed: Parquet files are compressed inside.")
    is_compressed = match["gzip"] is not None
    return ImportFile(path, match["table"], match["format"], is_compressed, computed.get(match["table"], frozenset()))


def _without(items: Iterable[SourceItem], columns: frozenset[str]) -> Iterator[SourceItem]:
    """The items without some columns."""
    for item in items:
        if isinstance(item, SourceRow):
            values = {column: value for column, value in item.values.items() if column not in columns}
            yield item._replace(values=values)
        elif isinstance(item, SourceTable):
            yield item._replace(columns=[column for column in item.columns if column not in columns])
        else:
            yield item


class _MeteredFile(io.FileIO):
    """A file that reports how many bytes were read."""

    def __init__(self, path: Path, advance: Callable[[int], object]) -> None:
        super().__init__(path)
        self._advance = advance

    def readinto(self, buffer: object, /) -> int | None:
        count = super().readinto(buffer)  # type: ignore[arg-type]
        self._advance(count or 0)
        return count
