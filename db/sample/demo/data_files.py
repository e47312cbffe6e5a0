"""The data files of a sample organization: one for each table, a row a line as JSON, packed by gzip if it is long."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Table

from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.jobs.importing.restored_lines import column_names

ENDINGS = (".ndjson", ".ndjson.gz")


@dataclass(frozen=True)
class DataFile:
    """The rows of one file: as they stand there, and as objects."""

    path: Path
    lines: Sequence[bytes]
    rows: Sequence[Mapping[str, Any]]

    @property
    def columns(self) -> set[str]:
        """The columns of the rows. One that no row has is left to its default."""
        return set().union(*self.rows)


def read_files(folder: Path) -> Mapping[Table, DataFile]:
    """The files of a folder by table, in the order in which their rows can be inserted. Raises ValueError."""
    paths: dict[str, Path] = {}
    for path in sorted(folder.glob("*.*")):
        name, dot, ending = path.name.partition(".")
        if dot + ending not in ENDINGS or name in paths:
            raise ValueError(f"{path}: a table has one file, which is named after it and ends in {ENDINGS}.")
        paths[name] = path
    tables = {table.name: table for table in EXPORTED_TABLES}
    for name in paths.keys() - tables.keys():
        raise ValueError(f"{paths[name]}: no table of an organization is named {name}.")
    return {table: _read_file(paths[name], table) for name, table in tables.items() if name in paths}


def _read_file(path: Path, table: Table) -> DataFile:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    lines = content.splitlines(keepends=True)
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise ValueError(f"{path}, line {number}: this is not JSON: {error}.") from error
    file = DataFile(path, lines, rows)
    unknown = file.columns - {*column_names(table)}
    if unknown:
        raise ValueError(f"{path}: {table.name} has no column {', '.join(sorted(unknown))}.")
    return file
