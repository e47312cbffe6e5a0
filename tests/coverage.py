"""Coverage of modules by files of tests: `coverage.txt`, for `make test-quick`. `make coverage` records it.

Its lines are modules, each with the files of tests that run its functions. Where many do, those stand there that run
the fewest functions of others, until two files run each function.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import pytest

FILE = Path(__file__).with_name("coverage.txt")
ROOT = Path(__file__).parents[1]
PACKAGES = tuple(f"{ROOT / package}/" for package in ("db", "resolvers", "schema", "rest_facade"))

FILES_EACH = 2
"""Files of tests that run a function."""

LONGEST = 1 / 40
"""Share of the time of all tests from which on a file is left out."""

COMMAND = "-m pytest -q -n auto --dist worksteal --hypothesis-profile few -p tests.coverage".split()

Coverage = Mapping[str, Mapping[str, set[str]]]
"""Names of functions by module and by file of tests."""

_run: dict[int, CodeType] = {}
_recorded: defaultdict[str, set[str]] = defaultdict(set)
_seconds: defaultdict[str, float] = defaultdict(float)


def main() -> int:
    with TemporaryDirectory() as folder:
        command = [sys.executable, *COMMAND, f"--record-coverage={folder}"]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        parts = [json.loads(path.read_text()) for path in Path(folder).glob("*.json")]
    functions: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    seconds: defaultdict[str, float] = defaultdict(float)
    for part in parts:
        for test, each in part["seconds"].items():
            seconds[test] += each
        for test, names in part["functions"].items():
            for name in names:
                functions[name.partition(":")[0]][test].add(name)
    most = LONGEST * sum(seconds.values())
    chosen = chosen_tests(functions, left_out={test for test, each in seconds.items() if each > most})
    FILE.write_text("".join(f"{module}: {' '.join(tests)}\n" for module, tests in sorted(chosen.items()) if tests))
    return code


def chosen_tests(functions: Coverage, left_out: set[str]) -> Mapping[str, list[str]]:
    """The files of tests of each module, the most particular ones first."""
    sizes: Counter[str] = Counter()
    for tests in functions.values():
        sizes.update({test: len(names) for test, names in tests.items()})
    chosen: dict[str, list[str]] = {}
    for module, tests in functions.items():
        runs: Counter[str] = Counter()
        chosen[module] = []
        for test in sorted(tests.keys() - left_out, key=lambda test: (sizes[test], test)):
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


def _trace(frame: FrameType, event: str, argument: object) -> None:
    # By identity: a code object is compared, and hashed, by its content.
    _run.setdefault(id(frame.f_code), frame.f_code)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    _run.clear()
    threading.settrace(_trace)
    # Again for each test: some of them trace for themselves.
    sys.settrace(_trace)
    start = time.monotonic()
    try:
        return (yield)
    finally:
        test = item.nodeid.partition("::")[0]
        _seconds[test] += time.monotonic() - start
        codes = [code for code in list(_run.values()) if code.co_filename.startswith(PACKAGES)]
        _recorded[test] |= {f"{code.co_filename[len(f'{ROOT}/') :]}:{code.co_qualname}" for code in codes}


def pytest_sessionfinish(session: pytest.Session) -> None:
    sys.settrace(None)
    folder: Path | None = session.config.getoption("--record-coverage")
    worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
    if folder is not None and _recorded:
        functions = {test: sorted(names) for test, names in _recorded.items()}
        (folder / f"{worker}.json").write_text(json.dumps({"functions": functions, "seconds": _seconds}))


if __name__ == "__main__":
    sys.exit(main())
