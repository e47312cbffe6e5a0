"""The list of stored objects to delete: a file with one JSON object a line.

The service has only the keys of images, not the images. A command that makes a row forget a key lists it first, and the
operator deletes the object from the store. Each line has `table`, `column`, `id` (of the row) and `key`, which is a URL
where the column has one.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Table

from db.errors import OperatorError
from db.jobs.retention.erasure_sql import erased_columns


@dataclass(frozen=True)
class StoredObject:
    """An object that no row needs any more."""

    table: str
    column: str
    id: UUID
    key: str


def object_columns(table: Table) -> list[str]:
    """The columns with keys of stored objects."""
    return [column.name for column, erasure in erased_columns(table) if erasure.is_object]


def stored_objects(table: Table, rows: Iterable[Sequence[Any]]) -> list[StoredObject]:
    """The objects of rows, each of which is an id and the keys in `object_columns`; null has no object."""
    return [
        StoredObject(table.name, column, UUID(str(id_)), key)
        for id_, *keys in rows
        for column, key in zip(object_columns(table), keys, strict=True)
        if key is not None
    ]


def list_objects(path: Path, objects: Iterable[StoredObject]) -> None:
    """Append the objects to a file that its owner alone can read. When this returns, they are on the disk.

    Call it before the transaction is committed: afterwards no row knows the keys. Another command that appends to the
    file waits. Raises OperatorError, and then the file has none of them.
    """
    lines = "".join(json.dumps(asdict(stored), default=str, ensure_ascii=False) + "\n" for stored in objects)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            # A run that was killed may have left a line without its end.
            begun = b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""
            try:
                _write_all(file, begun + lines.encode())
            except OSError:
                with suppress(OSError):
                    file.truncate(size)
                raise
    except OSError as error:
        raise OperatorError(f"{path} cannot be written: {error.strerror}.") from error


def _write_all(file: FileIO, content: bytes) -> None:
    """Write all of the content, and wait until it is on the disk."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())
