"""`make test-quick`: the tests that it chooses for a changed file. Covers `tests/coverage.py`."""

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.coverage import Recorder, chosen_tests
from tests.quick import ROOT, covering_tests


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("db/low/a.py", ["tests/db/low/test_a.py"]),
        ("db/low/b.py", ["tests/db/test_all.py"]),
        ("db/low/deep/c.py", ["tests/db/test_all.py", "tests/test_deep.py"]),
        ("db/d.py", []),
        ("resolvers/people.py", ["tests/resolvers/test_people.py", "tests/rest_facade/v1/test_people.py"]),
        ("tests/db/low/test_a.py", ["tests/db/low/test_a.py"]),
        ("tests/db/low/test_a.py::test_one", ["tests/db/low/test_a.py::test_one"]),
        ("tests/db", ["tests/db"]),
        ("tests/factories.py", []),
        ("README.md", []),
    ],
)
def test_changed_file_chooses_its_tests(path: str, tests: list[str], tmp_path: Path) -> None:
    for name, text in {
        "tests/db/low/test_a.py": "",
        "tests/db/test_all.py": '"""All. Covers `db/low/b.py` and `db/low/deep/c.py`."""',
        "tests/resolvers/test_people.py": "",
        "tests/rest_facade/v1/test_people.py": "",
        "tests/test_deep.py": '"""Deep. Also covers\n`db/low/deep/`, not `db/d.py`."""',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(covering_tests(tmp_path, path)) == tests


def test_particular_tests_are_chosen_until_two_run_each_block() -> None:
    blocks = {
        "db/a.py": {"test_all": {"f", "g"}, "test_f": {"f"}, "test_g": {"g"}, "test_wide": {"f", "g"}},
        "db/b.py": {"test_wide": {"h", "i"}},
    }
    assert chosen_tests(blocks) == {"db/a.py": ["test_f", "test_g", "test_all"], "db/b.py": ["test_wide"]}


SOURCE = """
def sign(number):
    '''Docstring.'''
    if number < 0:
        return "minus"
    return "plus" if number else None

double = lambda number: 2 * number
"""


def test_recorded_code_tells_which_blocks_run() -> None:
    run: set[str] = set()
    names: dict[str, Any] = {"record_block": run.add}
    exec(compile(ast.fix_missing_locations(Recorder("a.py").visit(ast.parse(SOURCE))), "a.py", "exec"), names)
    assert run == set()
    assert names["sign"].__doc__ == "Docstring."
    assert names["sign"](1) == "plus"
    assert run == {"a.py:3:4", "a.py:6:11"}
    assert names["sign"](0) is None
    assert names["sign"](-1) == "minus"
    assert run == {"a.py:3:4", "a.py:5:8", "a.py:6:11", "a.py:6:33"}
    assert names["double"](2) == 4
    assert run == {"a.py:3:4", "a.py:5:8", "a.py:6:11", "a.py:6:33", "a.py:8:24"}


def test_module_of_this_tree_has_tests() -> None:
    chosen = list(covering_tests(ROOT, "db/reading/pool.py"))
    assert "tests/db/reading/test_pool.py" in chosen
    assert "tests/db/reading/test_database.py" in chosen, "recorded"
