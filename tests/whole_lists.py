"""A pytest plugin that selects what a new resource can break: the tests over whole lists of declarations.

They are the tests that are parametrized with something of its name, those of a generated file and, of those without
parameters, the tests that mention a list of all tables, endpoints, types or commands, themselves or through what they
use of the tests. Property tests draw from such
lists in `make test`.
"""

import ast
import inspect
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

NEW_RESOURCE = "NEW_RESOURCE"
"""The environment variable with the name of the resource, in small letters."""

OUT_OF_DATE = "run make generated"
"""What a test says of a generated file."""

LISTS = {
    *("ALL_TOOLS", "AREAS", "BELONGINGS", "COMMANDS", "CONTRACT", "ENDPOINTS", "EXPORTED_TABLES", "FAMILIES"),
    *("GRAPHQL_SCHEMA", "SCHEMA", "metadata", "written_tables"),
}

TESTS = Path(__file__).parent
SCENERY = {TESTS / "conftest.py", TESTS / "world.py"}
"""What makes databases and rows of all tables for most tests, whatever they are about."""
PLANS = TESTS / "test_plans.py"

Name = tuple[Path, str]
"""A module and a name in it."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the modules whose tests are over no list: to import them takes longer than to run the others.

    Plans are those of a database without a row of the new resource: they say nothing of it.
    """
    if not collection_path.match("test_*.py") or OUT_OF_DATE in collection_path.read_text():
        return None
    tests = [(collection_path, name) for name in used_names(collection_path) if name.startswith("test_")]
    return None if collection_path != PLANS and any(map(mentions_list, tests)) else True


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
    return item.get_closest_marker("hypothesis") is None and mentions_list((item.path, item.function.__name__))


def mentions_list(name: Name) -> bool:
    """Whether a function or constant of the tests mentions a whole list, or uses another one that does."""
    seen: set[Name] = set()
    left = [name]
    while left:
        path, text = name = left.pop()
        if text in LISTS:
            return True
        if name not in seen and path.is_relative_to(TESTS) and path not in SCENERY:
            seen.add(name)
            left += used_names(path).get(text, ())
    return False


@cache
def used_names(path: Path) -> Mapping[str, set[Name]]:
    """What each name that a module of the tests defines or imports uses; fixtures of its folder included."""
    found: defaultdict[str, set[Name]] = defaultdict(set)
    fixtures = path.with_name("conftest.py")
    if fixtures != path and fixtures.exists():
        found |= {name: {(fixtures, name)} for name in used_names(fixtures)}
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            module = TESTS.parent.joinpath(*statement.module.split(".")).with_suffix(".py")
            if module.exists():
                found |= {alias.asname or alias.name: {(module, alias.name)} for alias in statement.names}
        for name in defined_names(statement):
            found[name] |= {(path, used) for used in read_names(statement)}
    return found


def defined_names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Assign(targets=targets):
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def read_names(statement: ast.stmt) -> Iterator[str]:
    """The names in it, arguments included: they are the fixtures of a test."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
