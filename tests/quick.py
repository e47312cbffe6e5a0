"""`make test-quick`: the tests of the modules that changed since the last commit, and those of all lists.

Modules or tests can be named instead: make test-quick ARGS=resolvers/people.py
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.coverage import recorded_tests

ROOT = Path(__file__).parents[1]
ALWAYS = (
    *("tests/test_contract.py", "tests/test_filters.py", "tests/test_layers.py", "tests/test_tables.py"),
    *("tests/test_distributable.py", "tests/schema/test_schema.py", "tests/schema/values/test_values.py"),
)
"""What is tried for every list, field, filter and table: a declaration runs when its module is imported, in no test."""

AREAS = ("db/tables", "resolvers", "schema", "rest_facade/v1")
"""The folders that have a module of each area."""

DOCSTRING = re.compile(r'r?""".*?"""', re.DOTALL)
COVERS = re.compile(r"\b[Cc]overs((?:[\s,]|and\b|`[^`]+`)+)")

MARKED = "not clients and not fault and not pgbouncer and not replicas and not citus and not bench and not timing"
"""The tests of `make test` and of `make test-processes`."""


def main() -> int:
    paths = [argument for argument in sys.argv[1:] if (ROOT / argument.partition("::")[0]).exists()]
    options = [argument for argument in sys.argv[1:] if argument not in paths]
    chosen = sorted({test for path in paths or changed() for test in covering_tests(ROOT, path)} | {*ALWAYS})
    print("\n".join(["Every other test is left out (make test). These run:", *chosen]), flush=True)  # noqa: T201
    return pytest.main(["-n", "auto", "--dist", "worksteal", "-m", MARKED, *options, *chosen])


def changed() -> list[str]:
    """The files that differ from the last commit, or that git does not know."""
    both = (["git", "diff", "--name-only", "--relative", "HEAD"], ["git", "ls-files", "--others", "--exclude-standard"])
    outputs = (subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True) for command in both)
    return [name for output in outputs for name in output.stdout.splitlines() if (ROOT / name).exists()]


def covering_tests(root: Path, path: str) -> Iterator[str]:
    """The test modules of a module: the mirrored ones, those that run its functions, those whose docstring names it."""
    if path.startswith("tests/"):
        if Path(path.partition("::")[0]).name.startswith("test_") or (root / path).is_dir():
            yield path
        return
    module = Path(path)
    folders = AREAS if str(module.parent) in AREAS else [str(module.parent)]
    mirrors = {mirror_of(Path(folder, module.name)) for folder in folders}
    yield from sorted(str(mirror) for mirror in mirrors if (root / mirror).is_file())
    yield from (test for test in recorded_tests().get(path, ()) if (root / test).is_file())
    for test, covered in covered_by_docstrings(root).items():
        if {path, *(f"{folder}/" for folder in Path(path).parents)} & covered:
            yield str(test.relative_to(root))


def mirror_of(module: Path) -> Path:
    """Where the tests of a module are, unless a docstring says otherwise."""
    return Path("tests", module.parent, f"test_{module.name}")


def covered_by_docstrings(root: Path) -> dict[Path, set[str]]:
    """What each test module covers besides its own module, as its docstring says: Covers `db/sample/demo/work/`."""
    covered = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        docstring = DOCSTRING.match(path.read_text())
        sentences = COVERS.findall(docstring[0]) if docstring else []
        covered[path] = {name for sentence in sentences for name in re.findall(r"`([^`]+)`", sentence)}
    return covered


if __name__ == "__main__":
    sys.exit(main())
