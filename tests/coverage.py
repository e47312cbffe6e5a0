"""Coverage of modules by files of tests: `coverage.txt`, for `make test-quick`. `make coverage` records it.

Its lines are modules, each with the files of tests that run its functions. Where many do, those stand there that run
the fewest blocks of others, until two files run each block. While it records, modules are compiled with a call at the
start of each block: a tracer would see the calls of all libraries.
"""

import ast
import builtins
import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType
from typing import Any

import pytest

FILE = Path(__file__).with_name("coverage.txt")
ROOT = Path(__file__).parents[1]
PACKAGES = tuple(f"{ROOT / package}/" for package in ("db", "resolvers", "schema", "rest_facade"))

FILES_EACH = 2
"""Files of tests that run a block."""

LONGEST = 10
"""Seconds of the processor from which on a file is left out."""

RECORD = ROOT / "build" / "coverage.json"
"""What each file of tests ran when it was last recorded."""

COMMAND = "-m pytest -q -n auto --dist worksteal --hypothesis-profile few -p tests.coverage".split()

Coverage = Mapping[str, Mapping[str, set[str]]]
"""First lines of blocks by module and by file of tests."""

_run: set[str] = set()
_blocks: defaultdict[str, set[str]] = defaultdict(set)
_seconds: defaultdict[str, float] = defaultdict(float)


def main() -> int:
    named = sys.argv[1:]
    record = json.loads(RECORD.read_text()) if named and RECORD.exists() else {}
    with TemporaryDirectory() as folder:
        command = [sys.executable, *COMMAND, f"--record-coverage={folder}", *named]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        parts = [json.loads(path.read_text()) for path in Path(folder).glob("*.json")]
    for test in {test for part in parts for test in part}:
        of_processes = [part[test] for part in parts if test in part]
        names = {name for each in of_processes for name in each["blocks"]}
        record[test] = {"seconds": sum(each["seconds"] for each in of_processes), "blocks": sorted(names)}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record))
    blocks: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for test, each in record.items():
        for name in each["blocks"] if each["seconds"] < LONGEST else ():
            blocks[name.partition(":")[0]][test].add(name)
    tests_of: defaultdict[str, list[str]] = defaultdict(list, chosen_tests(blocks))
    for module, tests in recorded_tests().items() if named else ():
        tests_of[module] += [test for test in tests if test not in record]
    FILE.write_text("".join(f"{module}: {' '.join(tests)}\n" for module, tests in sorted(tests_of.items()) if tests))
    return code


def chosen_tests(blocks: Coverage) -> Mapping[str, list[str]]:
    """The files of tests of each module, the most particular ones first."""
    sizes: Counter[str] = Counter()
    for tests in blocks.values():
        sizes.update({test: len(names) for test, names in tests.items()})
    chosen: dict[str, list[str]] = {}
    for module, tests in blocks.items():
        runs: Counter[str] = Counter()
        chosen[module] = []
        for test in sorted(tests, key=lambda test: (sizes[test], test)):
            if any(runs[name] < FILES_EACH for name in tests[test]):
                chosen[module].append(test)
                runs.update(tests[test])
    return chosen


def recorded_tests() -> Mapping[str, list[str]]:
    """The files of tests by module, as they were recorded."""
    lines = (line.partition(": ") for line in FILE.read_text().splitlines())
    return {module: tests.split() for module, _, tests in lines}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-coverage", type=Path, help="folder for what each process of pytest recorded")


class Recorder(ast.NodeTransformer):
    """Puts a call at the start of each block of functions and of conditions, which records that it runs."""

    def __init__(self, path: str) -> None:
        self.path = path

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.Module | ast.ClassDef):
            return node
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, ast.expr):
                setattr(node, name, ast.BoolOp(ast.Or(), [self.call(block), block]))
            elif block:
                # Behind the docstring.
                index = isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant)
                block.insert(index, ast.Expr(self.call(block[0])))
        return node

    def call(self, start: ast.stmt | ast.expr) -> ast.Call:
        name = ast.Name("record_block", ast.Load())
        return ast.Call(name, [ast.Constant(f"{self.path}:{start.lineno}:{start.col_offset}")], [])


def recorded_code(loader: SourceFileLoader, name: str) -> CodeType | None:
    """The code of a module: that of the four packages with records of its blocks."""
    if not loader.path.startswith(PACKAGES):
        return _get_code(loader, name)
    tree = Recorder(loader.path.removeprefix(f"{ROOT}/")).visit(ast.parse(loader.get_data(loader.path)))
    return compile(ast.fix_missing_locations(tree), loader.path, "exec")


_get_code = SourceFileLoader.get_code


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Before the first of them imports the four packages."""
    builtins.record_block = _run.add  # type: ignore[attr-defined]
    SourceFileLoader.get_code = recorded_code  # type: ignore[method-assign, assignment]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    _run.clear()
    start = time.process_time()
    try:
        return (yield)
    finally:
        test = item.nodeid.partition("::")[0]
        _seconds[test] += time.process_time() - start
        _blocks[test] |= _run


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder: Path | None = session.config.getoption("--record-coverage")
    worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
    if folder is not None and _blocks:
        recorded = {test: {"seconds": _seconds[test], "blocks": sorted(names)} for test, names in _blocks.items()}
        (folder / f"{worker}.json").write_text(json.dumps(recorded))


if __name__ == "__main__":
    sys.exit(main())
