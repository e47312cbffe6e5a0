"""Fixtures of the fault tests: a folder that every user can read, and a Redis."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.store import Store


@pytest.fixture
def folder() -> Iterator[Path]:
    """A new folder that every user can reach, which pytest's `tmp_path` is not."""
    with tempfile.TemporaryDirectory(prefix="orgdata-fault-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A Redis of this test alone."""
    with Store(tmp_path) as store:
        yield store
