"""The packaged tools: an array with one tool a line, those of the endpoints, readable without the server's libraries.

Covers `rest_facade/mcp/tool.py`.
"""

import subprocess
import sys

import pytest

from rest_facade.mcp.tool import packaged_tools
from rest_facade.v1 import ENDPOINTS
from tests.generate.mcp_tools import FILE, current, tool_of

SERVER = "psycopg sqlalchemy strawberry graphql alembic redis cachetools"
"""Libraries that the command of the customer's side does without."""


def test_packaged_tools_are_up_to_date() -> None:
    assert FILE.read_bytes() == current(), "rest_facade/mcp/tools.json is out of date: run make generated"


def test_packaged_tools_equal_those_of_the_endpoints() -> None:
    assert list(packaged_tools()) == [tool_of(endpoint) for endpoint in ENDPOINTS]


@pytest.mark.process
def test_remote_command_imports_nothing_of_the_server() -> None:
    """The SDK itself brings Starlette and uvicorn."""
    program = (
        "import sys, rest_facade.__main__, rest_facade.commands.mcp.stdio, rest_facade.mcp.remote\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        f"print(sorted(names & set('{SERVER} resolvers schema'.split())))\n"
        "print(sorted(name for name in sys.modules if name in ('rest_facade.rest.app', 'rest_facade.settings')))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert shown.stdout == "[]\n[]\n"
