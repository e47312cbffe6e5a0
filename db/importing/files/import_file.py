"""The files of an import. Each has rows of one table, which its name says: `teams.csv`, `timesheets-2026-03.csv.gz`."""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from db.importing.files.csv_rows import csv_rows
from db.importing.files.ndjson_rows import ndjson_rows
from db.importing.files.parquet_rows import parquet_rows
from db.importing.rows import Problem, SourceItem

READERS: dict[str, Callable[..., Iterator[SourceItem]]] = {
    ".csv": csv_rows,
    ".ndjson": ndjson_rows,
    ".jsonl": ndjson_rows,
    ".parquet": parquet_rows,
}
GZIP = ".gz"

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

    def rows(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[SourceItem]:
        """The rows of the file. `advance` is called with the number of bytes that were read from the disk."""
        name = str(self.path)
        try:
            with ExitStack() as stack:
                file: BinaryIO = stack.enter_context(_Metered(self.path, advance))
                if self.is_compressed:
                    file = stack.enter_context(io.BufferedReader(gzip.GzipFile(fileobj=file), BUFFER))
                yield from READERS[self.format](file, table=self.table, name=name)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            yield Problem(name, 0, "", None, f"is not whole gzip data: {error}")
        except OSError as error:
            yield Problem(name, 0, "", None, f"cannot be read: {error.strerror or error}")


def find_files(paths: Sequence[Path], tables: Collection[str]) -> list[ImportFile]:
    """The files that the paths name, and those in the folders among them. Raises FileError.

    In a folder, hidden files and those of other formats are left out.
    """
    found = []
    for path in paths:
        if path.is_dir():
            entries = sorted(entry for entry in path.iterdir() if entry.is_file() and _NAME.fullmatch(entry.name))
            if not entries:
                raise FileError(f"The folder {path} has no file of the formats {', '.join(READERS)}.")
            found += [_import_file(entry, tables) for entry in entries]
        elif path.exists():
            found.append(_import_file(path, tables))
        else:
            raise FileError(f"There is no file {path}.")
    return found


def _import_file(path: Path, tables: Collection[str]) -> ImportFile:
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise FileError(f"{path} has none of the formats {', '.join(READERS)}, which may be followed by {GZIP}.")
    if match["table"] not in tables:
        raise FileError(f"{path} names no table. A file is called TABLE.csv, with one of {', '.join(sorted(tables))}.")
    if match["format"] == ".parquet" and match["gzip"]:
        raise FileError(f"{path} must not be compressed: Parquet files are compressed inside.")
    return ImportFile(path, match["table"], match["format"], is_compressed=match["gzip"] is not None)


class _Metered(io.BufferedReader):
    """A file that reports how many bytes were read."""

    def __init__(self, path: Path, advance: Callable[[int], object]) -> None:
        super().__init__(_MeteredFile(path, advance), BUFFER)


class _MeteredFile(io.FileIO):
    def __init__(self, path: Path, advance: Callable[[int], object]) -> None:
        super().__init__(path)
        self._advance = advance

    def readinto(self, buffer: object, /) -> int | None:
        count = super().readinto(buffer)  # type: ignore[arg-type]
        self._advance(count or 0)
        return count
