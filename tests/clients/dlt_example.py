"""Runs `examples/dlt` in the environment that `make test-clients` makes for it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.repository import ROOT

EXAMPLE = ROOT / "examples" / "dlt"
TABLES = Path(__file__).with_name("dlt_tables.py")
"""Prints the tables of a database that a load filled."""

PYTHON = ROOT / ".venv" / "dlt" / "bin" / "python"


def run_example(key: str, *command: str | Path, folder: Path = EXAMPLE) -> Any:
    """The JSON that a script prints last. It says nothing else."""
    if not PYTHON.exists():
        pytest.skip("dlt is not installed: `make test-clients` installs it.")
    variables, words = {**os.environ, "SERVICE_API_KEY": key}, [PYTHON, *command]
    done = subprocess.run(words, cwd=folder, env=variables, timeout=300, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout.splitlines()[-1])
