"""A pytest plugin that runs the tests that read the wall clock, and no others."""

import pytest

from tests.dates.readers import clock_readers


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = clock_readers()
    left_out = [item for item in items if item.nodeid.partition("[")[0] not in names]
    items[:] = [item for item in items if item.nodeid.partition("[")[0] in names]
    config.hook.pytest_deselected(items=left_out)
