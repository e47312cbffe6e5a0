"""The list of stored objects has whole lines, whatever ends the commands that append to it."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from db.errors import OperatorError
from db.jobs.retention.stored_objects import StoredObject, list_objects

FIRST, SECOND = (StoredObject("screenshots", "object_key", UUID(int=number), f"{number}.jpg") for number in (1, 2))


def keys(path: Path) -> list[str]:
    return [json.loads(line)["key"] for line in path.read_text().splitlines()]


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file can become larger than `size`."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_full_disk_leaves_earlier_lines_alone(tmp_path: Path) -> None:
    path = tmp_path / "objects.ndjson"
    list_objects(path, [FIRST])
    with full_disk(path.stat().st_size + 20), pytest.raises(OperatorError, match="cannot be written: File too large"):
        list_objects(path, [SECOND])
    list_objects(path, [SECOND])
    assert keys(path) == ["1.jpg", "2.jpg"]


def test_line_of_a_killed_run_swallows_none(tmp_path: Path) -> None:
    path = tmp_path / "objects.ndjson"
    path.write_text('{"table": "scre')
    list_objects(path, [FIRST])
    begun, line = path.read_text().splitlines()
    assert (begun, json.loads(line)["key"]) == ('{"table": "scre', "1.jpg")
