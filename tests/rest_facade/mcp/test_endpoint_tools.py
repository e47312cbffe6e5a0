"""The tools of the endpoints, as they are packaged: short descriptions, and JSON Schemas of arguments.

Covers `rest_facade/mcp/tool.py`.
"""

import os
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from rest_facade.mcp.arguments import ADDED_BY_HOSTS
from rest_facade.mcp.tool import flattened, packaged_tools
from rest_facade.v1 import ENDPOINTS
from tests.contract import ITEMS
from tests.generate.mcp_tools import FILE, LEFT_OUT, current, tool_of

TOOLS = {endpoint.operation: tool_of(endpoint) for endpoint in ENDPOINTS}


def test_every_argument_is_specified() -> None:
    for endpoint in ENDPOINTS:
        schema = TOOLS[endpoint.operation].schema
        Draft202012Validator.check_schema(schema)
        own = {*endpoint.ids, *(p.name for p in endpoint.query_parameters), *endpoint.envelope.paging_parameters}
        paging = {"limit", "next"} if endpoint.envelope.paging_parameters else set()
        assert set(schema["properties"]) == {*own - LEFT_OUT, *paging, "fields"}
        required = {*endpoint.ids, *(p.name for p in endpoint.query_parameters if p.is_required)}
        assert set(schema.get("required", ())) == required
        assert not ADDED_BY_HOSTS & set(schema["properties"])
        for name, argument in schema["properties"].items():
            assert argument["type"], name


def test_descriptions_say_what_a_number_leaves_out() -> None:
    for name, sentence in [
        ("listMembers", "Also invited and suspended ones."),
        ("retrieveProject", "`tracked_seconds_total` is of all time."),
        ("listMemberHourlyPaymentLog", "Salaries: listMemberOneTimePaymentLog."),
        ("listMemberOneTimePaymentLog", "By hour: listMemberHourlyPaymentLog."),
    ]:
        assert TOOLS[name].description.endswith(f" {sentence}")


def test_keys_of_results_are_known() -> None:
    for endpoint in ENDPOINTS:
        tool = TOOLS[endpoint.operation]
        assert {name for name, _ in flattened(tool.keys)} >= {*ITEMS[endpoint.operation], *tool.default_fields}


def test_default_fields_are_the_main_keys() -> None:
    assert TOOLS["listTaskMembers"].default_fields == ["id", "user.user_id", "user.full_name", "role", "assigned_at"]
    assert TOOLS["listTimesheetIdleTime"].default_fields == [
        "user.user_id",
        "user.email",
        *(f"timesheets.idle_times.{name}" for name in ("id", "started_at", "ended_at", "duration_seconds", "action")),
    ]
    assert "budget" in TOOLS["listClients"].default_fields
    assert "lead_user_ids" in TOOLS["listTeams"].default_fields
    assert TOOLS["retrieveProject"].default_fields == TOOLS["listScreenshots"].default_fields == []


def test_arguments_have_types_of_the_endpoint() -> None:
    known = TOOLS["listProjectTasks"].schema["properties"]
    statuses = ["open", "in_progress", "completed", "archived"]
    assert known["project_id"] == {"type": "string", "description": "Project."}
    assert known["status"] == {"type": "array", "items": {"type": "string", "enum": statuses}, "description": "Any of."}
    assert known["is_active"] == {"type": "boolean", "description": "Active."}
    assert known["limit"] == {"type": "integer", "description": "Rows."}
    assert TOOLS["listTimeActivityReport"].schema["required"] == ["start_date", "end_date"]


def test_pages_have_at_most_twenty_rows_by_default() -> None:
    rows = {name: TOOLS[name].rows for name in ("listTasks", "listTimeActivityReport", "listScreenshots")}
    assert rows == {"listTasks": 20, "listTimeActivityReport": 20, "listScreenshots": None}


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
