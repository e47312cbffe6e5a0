"""The generated client in Python, with the examples beside it."""

import shutil
from pathlib import Path

from tests.clients.tools import PYTHON, run, tool
from tests.helpers.repository import ROOT

EXAMPLES = ROOT / "examples"


def generate_python(folder: Path) -> None:
    generate = (tool(PYTHON, "openapi-python-client"), "generate", "--path", "openapi.json", "--meta", "none")
    run(*generate, "--output-path", "orgdata_client", folder=folder)
    for file in (EXAMPLES / "python").glob("*.py"):
        shutil.copy(file, folder)
