"""The packaged tools: an array with one tool a line, those of the endpoints, readable without the server's libraries.

Covers `rest_facade/mcp/tool.py`.
"""

import os
import subprocess
import sys

import pytest

from rest_facade.mcp.tool import packaged_tools
from rest_facade.v1 import ENDPOINTS
from tests.generate.mcp_tools import FILE, current, tool_of

SERVER = """psycopg sqlalchemy strawberry graphql alembic redis cachetools resolvers schema rest_facade.rest.app
rest_facade.settings"""
"""What the command of the customer's side does without."""


def test_packaged_tools_are_up_to_date() -> None:
    assert FILE.read_bytes() == current(), "rest_facade/mcp/tools.json is out of date: run make generated"


def test_packaged_tools_equal_those_of_the_endpoints() -> None:
    assert list(packaged_tools()) == [tool_of(endpoint) for endpoint in ENDPOINTS]


@pytest.mark.process
def test_remote_command_runs_without_the_server() -> None:
    """The SDK itself brings Starlette and uvicorn. What is None in `sys.modules` cannot be imported."""
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({SERVER.split()}))\n"
        "from rest_facade.__main__ import main\n"
        "sys.argv = ['orgdata', 'mcp', '--url', 'http://127.0.0.1:9']; main()"
    )
    command, key = [sys.executable, "-c", program], {"ORGDATA_MCP_KEY": "orgd_mcp_00000000_"}
    ended = subprocess.run(
        command, env=os.environ | key, input="", capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
