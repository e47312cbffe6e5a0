"""Rows of a Parquet file, with pyarrow, which the extra `parquet` installs. The line of a row is its number."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import BinaryIO

from db.jobs.importing.files.json_text import row_of
from db.jobs.importing.rows import Problem, SourceItem, SourceTable

BATCH = 4096
"""Rows that are decoded at once."""


def parquet_rows(file: BinaryIO, *, table: str, name: str) -> Iterator[SourceItem]:
    """The rows of a file of one table. `name` is that of the file in reports."""
    if find_spec("pyarrow") is None:
        yield Problem(name, 0, "", None, "needs the extra `parquet`: pip install '.[parquet]' in a checkout")
        return
    from pyarrow import ArrowException, parquet  # noqa: PLC0415 - an extra

    try:
        opened = parquet.ParquetFile(file)
        columns = opened.schema_arrow.names
        if len(set(columns)) < len(columns):
            yield Problem(name, 0, "", None, "has two columns with one name")
            return
        yield SourceTable(table, name, 0, columns)
        number = 0
        for batch in opened.iter_batches(BATCH):
            for item in batch.to_pylist():
                number += 1
                yield row_of(item, table, name, number)
    # pyarrow raises OSError and ValueError besides, for damaged files and for values that Python has no type for.
    except (ArrowException, OSError, ValueError) as error:
        yield Problem(name, 0, "", None, f"is not a readable Parquet file: {str(error).splitlines()[0]}")
