"""`make bench` needs no development dependency: every module of it is imported without them."""

import subprocess
import sys

import pytest

from bench.processes import ROOT, clean_environment

pytestmark = pytest.mark.process

DEVELOPMENT = ("pytest", "hypothesis", "httpx2", "mypy", "schemathesis", "jsonschema", "playwright", "requests")

PROGRAM = """
import importlib, pathlib, sys
for name in sys.argv[1:]:
    sys.modules[name] = None  # an import of it fails
for path in sorted(pathlib.Path("bench").rglob("*.py")):
    if path.name != "__init__.py" and not {".node", "soak"} & set(path.parts):
        importlib.import_module(".".join(path.with_suffix("").parts))
"""


def test_bench_imports_without_development_dependencies() -> None:
    command = [sys.executable, "-c", PROGRAM, *DEVELOPMENT]
    run = subprocess.run(command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
