"""The files of a resource: lines that the database made, with their number and digest, whole once they are closed."""

import io
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Boolean, Date, DateTime, Integer, Numeric

from db.errors import OperatorError
from db.jobs.exporting.exported_rows import ExportedField, ExportedRows
from db.jobs.exporting.manifest import ExportFormat, ManifestFile

BUFFERED = 1 << 18
"""Bytes of lines that are written at once."""

ROW_GROUP = 1 << 23
"""Bytes of lines, as CSV, of which one row group of a Parquet file is made."""


class ExportFile:
    """A file of lines, each a row of one resource. `buffered` are the bytes that are in memory, `most` at most."""

    most = BUFFERED

    def __init__(self, path: Path, resource: str, header: bytes = b"") -> None:
        self._path = path
        self._resource = resource
        self._file = path.open("xb")
        self._file.write(header)
        self._lines: list[bytes] = []
        self._rows = 0
        self.buffered = 0

    def add(self, line: bytes) -> None:
        """Add the line of one row, as COPY wrote it."""
        self._lines.append(line)
        self.buffered += len(line)
        if self.buffered >= self.most:
            self.flush()

    def flush(self) -> None:
        """Write the lines that are in memory."""
        if self._lines:
            self._write(b"".join(self._lines))
        self._rows += len(self._lines)
        self._lines.clear()
        self.buffered = 0

    def close(self) -> ManifestFile:
        """Finish the file, and describe it."""
        self.flush()
        self._finish()
        self._file.close()
        with self._path.open("rb") as written:
            digest = file_digest(written, "sha256").hexdigest()
            size = written.tell()
        return ManifestFile(file=self._path.name, resource=self._resource, rows=self._rows, bytes=size, sha256=digest)

    def _write(self, lines: bytes) -> None:
        """Write whole lines."""
        self._file.write(lines)

    def _finish(self) -> None:
        """Write what comes after all rows."""


class ParquetFile(ExportFile):
    """A Parquet file, with pyarrow, which the extra `parquet` installs. Its lines are CSV, which pyarrow parses."""

    most = ROW_GROUP

    def __init__(self, path: Path, rows: ExportedRows) -> None:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415 - an extra

        super().__init__(path, rows.name)
        self._types = {field.name: _arrow_type(field) for field in rows.fields}
        self._writer = parquet.ParquetWriter(self._file, pa.schema(list(self._types.items())))

    def _write(self, lines: bytes) -> None:
        from pyarrow import csv as arrow_csv  # noqa: PLC0415 - an extra

        table = arrow_csv.read_csv(
            io.BytesIO(lines),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(lines) + 1, column_names=list(self._types)),
            arrow_csv.ParseOptions(newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=self._types,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["true"],
                false_values=["false"],
            ),
        )
        self._writer.write_table(table)

    def _finish(self) -> None:
        self._writer.close()


def _arrow_type(field: ExportedField) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    match field.type:
        case Boolean():
            return pa.bool_()
        case Integer() | BigInteger():
            return pa.int64()
        case Numeric() as number:
            return pa.decimal128(number.precision or 19, number.scale or 0)
        case DateTime():
            return pa.timestamp("us", tz="UTC")
        case Date():
            return pa.date32()
        case _:
            return pa.string()


def check_format(format_: ExportFormat) -> None:
    """Raises OperatorError if files of a format cannot be written."""
    if format_ is ExportFormat.parquet and find_spec("pyarrow") is None:
        raise OperatorError("Parquet needs the extra `parquet`: pip install '.[parquet]' in a checkout.")


def open_file(folder: Path, rows: ExportedRows, part: str, format_: ExportFormat) -> ExportFile:
    """A new file of a resource; `part` is the month of its rows, if they are divided."""
    path = folder / f"{rows.name}{f'-{part}' if part else ''}.{format_}"
    if format_ is ExportFormat.parquet:
        return ParquetFile(path, rows)
    names = ",".join(field.name for field in rows.fields)
    return ExportFile(path, rows.name, f"{names}\n".encode() if format_ is ExportFormat.csv else b"")
