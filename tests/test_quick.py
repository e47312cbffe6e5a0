"""`make test-quick`: the tests that it chooses for a changed file. Covers `tests/coverage.py`."""

from pathlib import Path

import pytest

from tests.coverage import chosen_tests
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


def test_particular_tests_are_chosen_until_two_run_each_function() -> None:
    functions = {
        "db/a.py": {
            "test_all": {"f", "g"},
            "test_f": {"f"},
            "test_g": {"g"},
            "test_slow": {"f"},
            "test_wide": {"f", "g"},
        },
        "db/b.py": {"test_wide": {"h", "i"}},
    }
    assert chosen_tests(functions, left_out={"test_slow"}) == {
        "db/a.py": ["test_f", "test_g", "test_all"],
        "db/b.py": ["test_wide"],
    }


def test_module_of_this_tree_has_tests() -> None:
    chosen = list(covering_tests(ROOT, "db/reading/pool.py"))
    assert "tests/db/reading/test_pool.py" in chosen
    assert "tests/db/reading/test_database.py" in chosen, "recorded"
