"""A pytest plugin that selects what a new resource can break: the tests over whole lists of declarations.

They are the tests that are parametrized with something of its name, those of a generated file and, in modules that
import a list of all tables, endpoints, types or commands, the tests without parameters. Property tests draw from such
lists in `make test`.
"""

import inspect
import os
from typing import Any

import pytest

NEW_RESOURCE = "NEW_RESOURCE"
"""The environment variable with the name of the resource, in small letters."""

OUT_OF_DATE = "run make generated"
"""What a test says of a generated file."""

LISTS = {"AREAS", "BELONGINGS", "COMMANDS", "CONTRACT", "ENDPOINTS", "FAMILIES", "GRAPHQL_SCHEMA", "SCHEMA", "metadata"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    name = os.environ[NEW_RESOURCE]
    chosen = [item for item in items if is_chosen(item, name)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


def is_chosen(item: Any, name: str) -> bool:
    """Whether a test is over a whole list or of a generated file, or has a parameter of this name."""
    if OUT_OF_DATE in inspect.getsource(item.function):
        return True
    parameters = getattr(item, "callspec", None)
    if parameters is not None:
        return name in parameters.id.lower()
    return bool(LISTS & vars(item.module).keys()) and item.get_closest_marker("hypothesis") is None
