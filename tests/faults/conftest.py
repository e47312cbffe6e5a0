"""Fixtures of the fault tests: a folder that every user can read, a Redis, and a key."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.factories.rows import Rows
from tests.faults.store import Store
from tests.helpers.folders import open_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A Redis of this test alone."""
    with Store(tmp_path) as store:
        yield store


@pytest.fixture
def key(rows: Rows) -> str:
    return rows.partner_key(rows.organization())
