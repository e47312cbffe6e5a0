"""Fixture: a running demo."""

from collections.abc import Iterator
from signal import SIGTERM

import pytest

from tests.helpers.folders import open_folder
from tests.rest_facade.commands.demo_process import Demo, demo


@pytest.fixture(scope="module")
def running() -> Iterator[Demo]:
    with open_folder() as folder, demo(folder / "data") as running:
        yield running
        running.end(SIGTERM)
