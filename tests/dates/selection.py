"""A pytest plugin that runs the tests that read the wall clock, and no others."""

from itertools import groupby

import pytest

from tests.dates.readers import clock_readers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, default=1000, help="at most so many cases of each test, evenly chosen")


def function_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names, most = clock_readers(), config.getoption("--cases")
    kept = []
    for name, group in groupby(items, function_of):
        if name in names:
            cases = list(group)
            kept += cases[:: max(1, -(-len(cases) // most))]
    left_out = set(items).difference(kept)
    items[:] = kept
    config.hook.pytest_deselected(items=list(left_out))
