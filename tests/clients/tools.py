"""Tools of authors of clients: where they are installed, and what one prints."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.repository import ROOT

HERE = Path(__file__).parent
NODE = ROOT / "build" / "clients" / "node_modules" / ".bin"
PYTHON = ROOT / ".venv" / "clients" / "bin"

TSC = ("--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--skipLibCheck")

TIMEOUT = 300
"""Seconds that one tool may take."""

# The linter asks for newer versions of itself otherwise, and counts who uses it.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def run(*command: str | Path, folder: Path) -> str:
    """What a command says. It must end well."""
    path = f"{PYTHON}:{os.environ['PATH']}"
    variables, words = {**os.environ, **QUIET, "PATH": path}, [*map(str, command)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "timeout": TIMEOUT, "text": True}
    done: subprocess.CompletedProcess[str] = subprocess.run(words, cwd=folder, env=variables, check=False, **pipes)
    assert done.returncode == 0, done.stdout
    return done.stdout


def tool(folder: Path, name: str) -> Path:
    if not (folder / name).exists():
        needed = "node" if folder == NODE else "its packages"
        pytest.skip(f"{name} is not installed: without {needed} this is not tried. `make test-clients` installs it.")
    return folder / name
