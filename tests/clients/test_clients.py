"""The document as authors of clients meet it: linters pass it, generators take it, their clients read all responses.

`make test-clients` runs these and nothing else does: they need node, and packages that are fetched.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.clients.tools import HERE, NODE, PYTHON, TSC, run, tool
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients


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
