"""How an import reads a file."""

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from db.jobs.importing.files.import_file import ImportFile
from db.jobs.importing.files.source import SourceFile
from db.jobs.importing.rows import SourceItem


def read_file(data: bytes, table: str, name: str) -> list[SourceItem]:
    """What a file has; `name` says its format, and is the one that problems show."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path(name).write_bytes(data)
        return list(ImportFile(SourceFile(Path(name)), table, Path(name).suffix).rows())
