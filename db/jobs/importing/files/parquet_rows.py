"""Rows of a Parquet file, with pyarrow, which the extra `parquet` installs. The line of a row is its number.

A file of 600 bytes may stand for gigabytes: its dictionaries repeat values, and its pages are compressed. So the
process gets an address space that is only a little larger while a batch is decoded, and pyarrow fails beyond it.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.rows import MAX_COLUMNS, TOO_WIDE, SourceItem, SourceTable, row_of

BATCH = 64
"""Rows that are decoded at once."""

MAX_VALUE = 1 << 20
"""Bytes of the longest text, as in the line of a CSV file."""

MAX_DECODED = 96 << 20
"""Bytes that decoding a batch may take: BATCH rows of MAX_VALUE, and half as much again."""

MAX_LIST = 10_000
"""Entries of a list in the metadata, such as columns and groups of rows. pyarrow aborts the process beyond memory."""


def parquet_rows(file: BinaryIO, *, table: str, name: str) -> Iterator[SourceItem]:
    """The rows of a file of one table. `name` is that of the file in reports. Raises UnreadableText."""
    if find_spec("pyarrow") is None:
        raise UnreadableText(0, "needs the extra `parquet`: pip install '.[parquet]' in a checkout")
    import pyarrow as pa  # noqa: PLC0415 - an extra
    from pyarrow import parquet  # noqa: PLC0415 - an extra

    # The others reserve an address space beforehand.
    pa.set_memory_pool(pa.system_memory_pool())
    number = 0
    try:
        with _bounded_memory():
            opened = parquet.ParquetFile(file, pre_buffer=False, thrift_container_size_limit=MAX_LIST)
            columns = opened.schema_arrow.names
        if len(columns) > MAX_COLUMNS:
            raise UnreadableText(0, TOO_WIDE)
        with _bounded_memory():
            batches = opened.iter_batches(BATCH, use_threads=False)
        if len(set(columns)) < len(columns):
            raise UnreadableText(0, "has two columns with one name")
        yield SourceTable(table, name, 0, columns)
        while (batch := _next_batch(batches)) is not None:
            for item in batch:
                number += 1
                if any(isinstance(value, str | bytes) and len(value) > MAX_VALUE for value in item.values()):
                    raise UnreadableText(number, f"has a value of more than {MAX_VALUE:,} bytes")
                yield row_of(item, table, name, number)
    except (MemoryError, pa.ArrowMemoryError) as error:
        reason = f"has a batch of {BATCH} rows that takes more than {MAX_DECODED >> 20} MB"
        raise UnreadableText(number + 1, reason) from error
    # pyarrow raises OSError and ValueError besides, for damaged files and for values that Python has no type for.
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = f"is not a whole Parquet file ({str(error).splitlines()[0]}): export it again"
        raise UnreadableText(0, reason) from error


def _next_batch(batches: Iterator[Any]) -> list[dict[str, Any]] | None:
    with _bounded_memory():
        batch = next(batches, None)
        if batch is None:
            return None
        if batch.nbytes > MAX_DECODED:
            raise MemoryError
        return list(batch.to_pylist())


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Let the address space of the process grow by MAX_DECODED at most. On systems without /proc it is not bounded."""
    usage = Path("/proc/self/statm")
    if not usage.exists():
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(usage.read_text().split()[0]) * resource.getpagesize() + MAX_DECODED
    if before == resource.RLIM_INFINITY or limit < before:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
