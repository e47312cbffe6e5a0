"""The moved clock of `make test-dates`, and the list of the tests that read the clock.

Covers `tests/dates/`.
"""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.dates.readers import clock_readers
from tests.dates.shift import clock_at, compiled_shift
from tests.helpers.repository import ROOT

CLOCK = re.compile(r"\bdatetime\.now\(|\bdate\.today\(|\btime\.time\(")
ELSEWHERE = ("citus", "clients", "faults", "pgbouncer", "replicas")
"""Folders whose tests do not run in `make test`, so that they are not recorded."""

ASKED = """
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from subprocess import check_output

import psycopg

from db.sample.embedded.server import Server

print(datetime.now(UTC).date(), check_output(["date", "-u", "+%F"], text=True).strip())
with tempfile.TemporaryDirectory() as name:
    Path(name).chmod(0o755)
    with Server(Path(name)) as server, psycopg.connect(server.url("postgres")) as connection:
        print(connection.execute("SELECT now()::date").fetchone()[0])
"""


@pytest.mark.process
@pytest.mark.skipif(shutil.which("gcc") is None, reason="There is no gcc on PATH, which compiles clock_shift.c.")
@pytest.mark.parametrize("moment", [datetime(2030, 5, 15, 8, tzinfo=UTC), datetime(2025, 2, 3, 4, tzinfo=UTC)])
def test_processes_and_embedded_server_have_the_moved_clock(moment: datetime) -> None:
    with compiled_shift() as library:
        command = [sys.executable, "-c", ASKED]
        said = subprocess.run(
            command, cwd=ROOT, env=clock_at(moment, library), capture_output=True, text=True, check=True
        )
    assert said.stdout.split() == [f"{moment:%F}"] * 3


def functions_of(path: Path) -> Iterator[tuple[str, str]]:
    """The name of each test function of a module, and its text; without those that only `-m` selects."""
    text = path.read_text()
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and "pytestmark" in lines[node.lineno - 1] and ".long" not in ast.unparse(node):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            marks = {lines[each.lineno - 1] for each in node.decorator_list}
            if "@pytest.mark.process" not in marks:
                yield f"{path.relative_to(ROOT)}::{node.name}", "\n".join(lines[node.lineno - 1 : node.end_lineno])


def test_listed_tests_exist_and_direct_readers_are_listed() -> None:
    modules = [path for path in (ROOT / "tests").rglob("test_*.py") if path.parts[-2] not in ELSEWHERE]
    found = dict(pair for path in modules for pair in functions_of(path))
    sentence = "make clock-readers writes tests/dates/readers.txt anew"
    assert clock_readers() - found.keys() == set(), sentence
    assert {name for name, text in found.items() if CLOCK.search(text)} - clock_readers() == set(), sentence
