"""The document as authors of clients meet it: linters pass it, generators take it, their clients read all responses.

`make test-clients` runs these and nothing else does: they need node, and packages that are fetched.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.rest_facade.commands.test_demo import Demo

pytestmark = pytest.mark.clients

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
NODE = ROOT / "build" / "clients" / "node_modules" / ".bin"
PYTHON = ROOT / ".venv" / "clients" / "bin"
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


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_bytes(orjson.dumps(openapi(ENDPOINTS, base_url="http://127.0.0.1:8000")))
    return file


def test_redocly_passes_it(document: Path) -> None:
    said = run(tool(NODE, "redocly"), "lint", "--config", HERE / "redocly.yaml", document, folder=document.parent)
    assert "Your API description is valid." in said


def test_spectral_passes_it(document: Path) -> None:
    options = ("lint", "--fail-severity", "hint", "--ruleset", HERE / "spectral.yaml")
    assert "No results" in run(tool(NODE, "spectral"), *options, document, folder=document.parent)


TSC = ("--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--skipLibCheck")


def typescript_lines(document: Path, running: Demo) -> list[str]:
    """What the client in TypeScript prints."""
    folder = document.parent / "typescript"
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(NODE.parent)
    shutil.copy(HERE / "use.ts", folder)
    run(tool(NODE, "openapi-typescript"), document, "--output", "types.d.ts", folder=folder)
    run(tool(NODE, "tsc"), *TSC, "use.ts", folder=folder)
    details = running.details
    return run("node", "use.js", details["public"], details["partner_key"], folder=folder).splitlines()


def python_lines(document: Path, running: Demo) -> list[str]:
    """What the client in Python prints."""
    folder, details = document.parent, running.details
    generate = (tool(PYTHON, "openapi-python-client"), "generate", "--path", document, "--meta", "none")
    said = run(*generate, "--output-path", folder / "orgdata_client", "--fail-on-warning", folder=folder)
    assert "Warning" not in said
    command: list[str | Path] = [PYTHON / "python", HERE / "use.py", folder, details["public"], details["partner_key"]]
    return run(*command, folder=folder).splitlines()


@pytest.mark.parametrize("lines", [python_lines, typescript_lines])
def test_generated_client_reads_lists_arrays_and_errors(
    lines: Callable[[Path, Demo], list[str]], document: Path, running: Demo
) -> None:
    found = {words[0]: words[1:] for words in map(str.split, lines(document, running))}
    assert found.pop("settings")
    assert found == {
        "members": running.members(),
        "chosen": running.members()[:2],
        "walked": found["walked"],
        "refused": ["400", "limit", "cannot", "exceed", "100."],
        "limited": ["429", "RATE_LIMIT_EXCEEDED"],
    }
    assert set(running.members()) <= set(found["walked"])
    assert len(set(found["walked"])) == len(found["walked"])
